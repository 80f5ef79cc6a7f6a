#include "compat/dra/session.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <span>
#include <utility>

#include "atoll/error.hpp"
#include "compat/ga/datatypes.hpp"
#include "compat/ga/runtime.hpp"
#include "compat/names/dra/names.hpp"
#include "ga/macommon.h"

namespace lagoon::atoll::dra {

namespace {

Session* session = nullptr;

void check_mode(int mode) {
  if (mode != DRA_RW && mode != DRA_W && mode != DRA_R)
    throw Error(ErrorKind::value, "mode is " + std::to_string(mode) +
                                      ", expected DRA_RW (-1), DRA_W (-2) or DRA_R (-3)");
}

void check_path(const std::string& path) {
  if (path.empty() || path.size() > longest_path)
    throw Error(ErrorKind::value, "the file name has " + std::to_string(path.size()) +
                                      " characters, expected 1 to " + std::to_string(longest_path));
}

void check_direction(Direction direction, const OpenArray& disk) {
  const bool writes = direction == Direction::write;
  if (disk.mode == (writes ? DRA_R : DRA_W))
    throw Error(ErrorKind::state, "disk array '" + disk.name + "' is open for " +
                                      (writes ? "reading" : "writing") + " only");
}

/// Bytes whose meaning Atoll does not know are not for disk arrays.
ElementType element_of(int type, const std::string& what) {
  const std::optional<ElementType> element = ga::datatype(type).element;
  if (element) return *element;
  throw Error(ErrorKind::unsupported, what + " is of type " + std::to_string(type) +
                                          ": disk arrays hold integers of 4 and 8 bytes, real and "
                                          "complex numbers of single and double precision");
}

/// Process 0's: programs may make names of their own numbers, and guess differently.
Plan agreed(const Group& group, Plan plan) {
  group.broadcast(plan.name, 0);
  group.broadcast(plan.path, 0);
  group.broadcast(std::span(plan.request.begin(), plan.request.end()), 0);
  return plan;
}

constexpr auto plainly = [](auto&& step) { step(); };

}  // namespace

template <class Which, class Run>
void Session::end_requests(Which which, Run run) {
  for (const int request : requests_.handles())
    if (which(*requests_.find(request))) run([&] { wait(request); });
}

template <class Run>
void Session::close_by(int handle, Run run) {
  OpenArray& array = at(handle);
  end_requests([=](const Request& request) { return request.disk == handle; }, run);
  run([&] { array.disk.close(); });
  tell(array.group, "closed " + std::to_string(handle));
  arrays_.take(handle);
}

Session& Session::get() {
  if (session == nullptr)
    throw Error(ErrorKind::state, "disk arrays are not initialized: call DRA_Init first");
  return *session;
}

void Session::start() {
  ga::Runtime& runtime = ga::Runtime::get();
  if (session != nullptr) return;
  session = new Session;
  runtime.before_stop = stop;
  runtime.before_deallocate = [](int handle) {
    session->end_requests([=](const Request& request) { return request.array == handle; }, plainly);
  };
}

void Session::stop() {
  if (session == nullptr) return;
  ga::Runtime::get().before_stop = nullptr;
  ga::Runtime::get().before_deallocate = nullptr;
  const std::unique_ptr<Session> ending(std::exchange(session, nullptr));
  for (const int handle : ending->arrays_.handles()) ending->close(handle);
}

OpenArray& Session::create(const Plan& wish) {
  const Group& group = ga::Runtime::get().groups.default_group();
  const Plan plan = agreed(group, wish);
  check_mode(plan.mode);
  check_path(plan.path);
  check_not_open(plan.path, true);
  const ElementType element = element_of(plan.type, "disk array '" + plan.name + "'");
  std::string name = plan.name.substr(0, longest_name);
  group.barrier();  // before, programs try on every rank whether they may write there, by fopen
  remove_array(group, plan.path);
  // As GA's: nothing is forced to the device, and the file grows as it is written.
  const DiskArrayOptions options{.request = plan.request,
                                 .durability = Durability::scratch,
                                 .sparse = true,
                                 .name = dataset_name(name)};
  return keep(plan.type, plan.mode, std::move(name), group,
              DiskArray::create(group, plan.path, plan.shape, element, options));
}

OpenArray* Session::open(std::string path, int mode) {
  const Group& group = ga::Runtime::get().groups.default_group();
  group.broadcast(path, 0);
  check_mode(mode);
  check_path(path);
  check_not_open(path, mode != DRA_R);
  try {
    DiskArray disk = DiskArray::open(group, path, mode != DRA_R, Durability::scratch);
    const int type = ga::code_of(disk.type());
    std::string name = program_name(disk.name());
    return &keep(type, mode, std::move(name), group, std::move(disk));
  } catch (const Error& error) {
    if (error.error_number() == ENOENT) return nullptr;
    throw;
  }
}

OpenArray& Session::keep(int type, int mode, std::string name, const Group& group, DiskArray disk) {
  const int handle = arrays_.next();
  name.resize(std::min(name.size(), longest_name));
  arrays_.add(std::make_unique<OpenArray>(
      OpenArray{handle, type, mode, std::move(name), group, std::move(disk)}));
  tell(group, "opened '" + at(handle).disk.path() + "' as " + std::to_string(handle));
  return at(handle);
}

void Session::check_not_open(const std::string& path, bool writes) const {
  for (const int handle : arrays_.handles()) {
    const OpenArray& open = *arrays_.find(handle);
    if (open.disk.path() == path && (writes || open.mode != DRA_R))
      throw Error(ErrorKind::state, "'" + path + "' is open as disk array " +
                                        std::to_string(handle) +
                                        ": close it first; only what is read may be open twice");
  }
}

OpenArray& Session::at(int handle) {
  if (OpenArray* const found = arrays_.find(handle)) return *found;
  throw Error(ErrorKind::value, "handle " + std::to_string(handle) + " is of no disk array");
}

void Session::close(int handle) { close_by(handle, plainly); }

void Session::remove(int handle) {
  const std::string path = at(handle).disk.path();
  const Group group = at(handle).group;
  // That there is no room for what was written, which goes now.
  close_by(handle, [](auto&& step) {
    try {
      step();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::file) throw;
    }
  });
  remove_array(group, path);
}

int Session::begin(Direction direction, ga::GlobalArray& array, OpenArray& disk) {
  return begin(direction, array, disk, {whole(array.shape()), whole(disk.disk.shape())});
}

int Session::begin(Direction direction, ga::GlobalArray& array, OpenArray& disk,
                   const Sections& sections) {
  check_direction(direction, disk);
  (void)element_of(array.plan.type, "array '" + array.plan.name + "'");
  AnyArray& memory = array.array();
  // What others have put into the array is to be written, what they still get is not to change.
  disk.group.sync();
  DiskRequest moving =
      direction == Direction::write
          ? disk.disk.write_async(memory, sections.array, sections.disk, sections.transpose)
          : disk.disk.read_async(memory, sections.array, sections.disk, sections.transpose);
  const int number = requests_.add(std::make_unique<Request>(
      Request{array.handle(), disk.handle, disk.group, std::move(moving)}));
  tell(disk.group, std::string(direction == Direction::write ? "writes " : "reads ") +
                       sections.disk.to_string() + " of " + std::to_string(disk.handle) +
                       ", request " + std::to_string(number));
  return number;
}

Session::Request* Session::find(int request) const {
  if (request < 0 && request != DRA_REQ_INVALID)
    throw Error(ErrorKind::value, "request is " + std::to_string(request) +
                                      ", expected one of a write or read, or DRA_REQ_INVALID");
  return requests_.find(request);
}

void Session::wait(int request) {
  if (find(request) == nullptr) return;
  const std::unique_ptr<Request> ending = requests_.take(request);
  ending->moving.wait();
  tell(ending->group, "request " + std::to_string(request) + " is done");
}

bool Session::probe(int request) {
  Request* const under_way = find(request);
  if (under_way == nullptr) return true;
  const std::int32_t here = under_way->moving.test() ? 1 : 0;
  if (under_way->group.reduce(here, Reduction::minimum) == 0) return false;
  wait(request);
  return true;
}

void Session::advance() {
  for (const int request : requests_.handles()) (void)requests_.find(request)->moving.test();
}

void Session::tell(const Group& group, const std::string& what) const {
  if (!debugging || group.rank() != 0) return;
  std::printf("disk arrays: %s\n", what.c_str());
  std::fflush(stdout);
}

}  // namespace lagoon::atoll::dra
