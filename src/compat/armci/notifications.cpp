#include "compat/armci/notifications.hpp"

#include "atoll/error.hpp"
#include "compat/armci/messages.hpp"

namespace lagoon::atoll::armci {

int notify(Session& session, int process) {
  session.pending.wait_process(session.process(process));
  session.world.fence(process);
  const int number = [&] {
    const std::lock_guard lock(session.notes);
    return ++session.notified[process];
  }();
  // MPI may keep the sender of a message to itself until it is received.
  if (process != session.world.rank())
    send(session, Tag::notification, &number, sizeof number, process);
  return number;
}

int wait_for_notification(Session& session, int process) {
  int number = 0, sent = 0;
  {
    const std::lock_guard lock(session.notes);
    number = ++session.notifications[session.process(process)];
    sent = session.notified[process];
  }
  if (process != session.world.rank())
    (void)receive(session, Tag::notification, &number, sizeof number, process);
  else if (number > sent)
    throw Error(ErrorKind::state,
                "this process waits for a notification of its own, which it "
                "cannot send any more");
  return number;
}

}  // namespace lagoon::atoll::armci
