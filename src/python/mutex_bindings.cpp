// Mutexes for Python. Used inside the package only.
#include <memory>

#include "atoll/mutexes.hpp"
#include "bindings.hpp"
#include "entry.hpp"

namespace lagoon::atoll::python {

namespace {

class MutexesObject {
 public:
  MutexesObject(const Group& group, std::int64_t count)
      : mutexes_(waiting([&] { return new Mutexes(group, count); }), [](Mutexes* gone) noexcept {
          const Entry entry(Entry::Waits::no);
          delete gone;
        }) {}
  void lock(std::int64_t number, int rank) {
    waiting_aside([&] { mutexes_->lock(number, rank); });
  }
  void unlock(std::int64_t number, int rank) {
    waiting_aside([&] { mutexes_->unlock(number, rank); });
  }
  void destroy() {
    waiting([&] { mutexes_->destroy(); });
  }

 private:
  std::shared_ptr<Mutexes> mutexes_;
};

}  // namespace

void bind_mutexes(nb::module_& m) {
  nb::class_<MutexesObject>(m, "Mutexes", "Locks among the members of a group.")
      .def(nb::init<const Group&, std::int64_t>(), nb::arg("group"), nb::arg("count"),
           "Collective: so many on each member.")
      .def("lock", &MutexesObject::lock, nb::arg("number"), nb::arg("rank"),
           "Waits until a member's mutex is free. RuntimeError for one that this thread holds.")
      .def("unlock", &MutexesObject::unlock, nb::arg("number"), nb::arg("rank"),
           "Lets go; what this process did before is complete at its targets.")
      .def("destroy", &MutexesObject::destroy, "Collective.");
}

}  // namespace lagoon::atoll::python
