// The adaptor: fills the table of calls for one binary interface of MPI (interface.hpp). The MPI's
// functions are looked up by their names; their types follow from those of the table
// (arguments.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mpi/adaptor/arguments.hpp"

namespace lagoon::atoll::mpi {

/// What forwards the table's function `Member` to MPI's.
template <class Interface, auto Member, class Function>
struct Forward;

template <class Interface, auto Member, class R, class... A>
struct Forward<Interface, Member, R (*)(A...)> {
  using Native = R (*)(typename Argument<Interface, A>::type...);
  static inline Native native = nullptr;
  static R call(A... arguments) { return native(Argument<Interface, A>{arguments}.get()...); }
};

/// Fills `into`; the names that the library lacks of those that it must have.
template <class Interface>
class Adaptor {
 public:
  static std::vector<std::string> fill(Calls& into, Lookup find) {
    Adaptor adaptor(into, find);
    adaptor.find_constants();
    adaptor.bind_run();
    adaptor.bind_communicators();
    adaptor.bind_messages();
    adaptor.bind_collectives();
    adaptor.bind_types_and_windows();
    adaptor.bind_by_hand();
    return std::move(adaptor.missing_);
  }

 private:
  Adaptor(Calls& into, Lookup by) : into_(into), find_(by) {}

  void* find(const char* name) {
    void* const found = find_(name);
    if (found == nullptr) missing_.emplace_back(name);
    return found;
  }

  template <class Handle>
  void take(const Bits& bits) {
    constants<Interface, Handle> = bits;
  }
  template <class Handle>
  void take(const Symbols& symbols) {
    for (std::size_t i = 0; i < symbols.size() && symbols[i] != nullptr; ++i)
      constants<Interface, Handle>[i] = reinterpret_cast<std::uintptr_t>(find(symbols[i]));
  }
  void find_constants() {
    take<Comm>(Interface::comms);
    take<Datatype>(Interface::datatypes);
    take<Errhandler>(Interface::errhandlers);
    take<Group>(Interface::groups);
    take<NoInfo>(Interface::infos);
    take<Message>(Interface::messages);
    take<Op>(Interface::ops);
    take<Request>(Interface::requests);
    take<Win>(Interface::wins);
  }

  template <auto Member>
  using Forwarded =
      Forward<Interface, Member, std::remove_reference_t<decltype(std::declval<Calls&>().*Member)>>;

  template <auto Member>
  void bind(const char* name) {
    using F = Forwarded<Member>;
    F::native = reinterpret_cast<typename F::Native>(find(name));
    into_.*Member = &F::call;
  }

  void bind_run() {
    bind<&Calls::init_thread>("MPI_Init_thread");
    bind<&Calls::initialized>("MPI_Initialized");
    bind<&Calls::finalized>("MPI_Finalized");
    bind<&Calls::finalize>("MPI_Finalize");
    bind<&Calls::query_thread>("MPI_Query_thread");
    bind<&Calls::is_thread_main>("MPI_Is_thread_main");
    bind<&Calls::get_library_version>("MPI_Get_library_version");
    bind<&Calls::get_processor_name>("MPI_Get_processor_name");
    bind<&Calls::abort>("MPI_Abort");
    bind<&Calls::wtime>("MPI_Wtime");
    bind<&Calls::error_string>("MPI_Error_string");
  }

  void bind_communicators() {
    bind<&Calls::comm_size>("MPI_Comm_size");
    bind<&Calls::comm_rank>("MPI_Comm_rank");
    bind<&Calls::comm_dup>("MPI_Comm_dup");
    bind<&Calls::comm_split>("MPI_Comm_split");
    bind<&Calls::comm_split_type>("MPI_Comm_split_type");
    bind<&Calls::comm_create_group>("MPI_Comm_create_group");
    bind<&Calls::comm_group>("MPI_Comm_group");
    bind<&Calls::comm_free>("MPI_Comm_free");
    bind<&Calls::comm_compare>("MPI_Comm_compare");
    bind<&Calls::comm_set_errhandler>("MPI_Comm_set_errhandler");
    bind<&Calls::group_incl>("MPI_Group_incl");
    bind<&Calls::group_translate_ranks>("MPI_Group_translate_ranks");
    bind<&Calls::group_free>("MPI_Group_free");
  }

  void bind_messages() {
    bind<&Calls::isend>("MPI_Isend");
    bind<&Calls::issend>("MPI_Issend");
    bind<&Calls::irecv>("MPI_Irecv");
    bind<&Calls::recv>("MPI_Recv");
    bind<&Calls::sendrecv>("MPI_Sendrecv");
    bind<&Calls::iprobe>("MPI_Iprobe");
    bind<&Calls::improbe>("MPI_Improbe");
    bind<&Calls::imrecv>("MPI_Imrecv");
    bind<&Calls::test>("MPI_Test");
    bind<&Calls::wait>("MPI_Wait");
    bind<&Calls::cancel>("MPI_Cancel");
    bind<&Calls::request_free>("MPI_Request_free");
    bind<&Calls::get_count>("MPI_Get_count");
    bind<&Calls::get_elements_x>("MPI_Get_elements_x");
  }

  void bind_collectives() {
    bind<&Calls::barrier>("MPI_Barrier");
    bind<&Calls::bcast>("MPI_Bcast");
    bind<&Calls::allreduce>("MPI_Allreduce");
    bind<&Calls::allgather>("MPI_Allgather");
    bind<&Calls::alltoall>("MPI_Alltoall");
    bind<&Calls::alltoallv>("MPI_Alltoallv");
    bind<&Calls::ibcast>("MPI_Ibcast");
    bind<&Calls::iallreduce>("MPI_Iallreduce");
    bind<&Calls::iallgather>("MPI_Iallgather");
    bind<&Calls::iallgatherv>("MPI_Iallgatherv");
    bind<&Calls::reduce_local>("MPI_Reduce_local");
    bind<&Calls::op_free>("MPI_Op_free");
  }

  void bind_types_and_windows() {
    bind<&Calls::type_contiguous>("MPI_Type_contiguous");
    bind<&Calls::type_commit>("MPI_Type_commit");
    bind<&Calls::type_size>("MPI_Type_size");
    bind<&Calls::type_free>("MPI_Type_free");
    bind<&Calls::win_create>("MPI_Win_create");
    bind<&Calls::win_free>("MPI_Win_free");
    bind<&Calls::win_set_errhandler>("MPI_Win_set_errhandler");
    bind<&Calls::win_lock_all>("MPI_Win_lock_all");
    bind<&Calls::win_unlock_all>("MPI_Win_unlock_all");
    bind<&Calls::win_flush>("MPI_Win_flush");
    bind<&Calls::rget>("MPI_Rget");
    bind<&Calls::rput>("MPI_Rput");
  }

  // What takes arrays of handles, functions of ours, or attributes.

  using NativeComm = typename Interface::Comm;
  using NativeDatatype = typename Interface::Datatype;
  using NativeOp = typename Interface::Op;
  using NativeRequest = typename Interface::Request;
  using NativeReduce = void (*)(void*, void*, int*, NativeDatatype*);
  using NativeCopy = int (*)(NativeComm, int, void*, void*, void*, int*);
  using NativeDelete = int (*)(NativeComm, int, void*, void*);

  static inline int (*native_testsome)(int, NativeRequest*, int*, int*,
                                       typename Interface::Status*) = nullptr;
  static inline int (*native_type_create_struct)(int, const int*, const std::ptrdiff_t*,
                                                 const NativeDatatype*, NativeDatatype*) = nullptr;
  static inline int (*native_op_create)(NativeReduce, int, NativeOp*) = nullptr;
  static inline int (*native_get_attr)(NativeComm, int, void*, int*) = nullptr;
  static inline int (*native_set_attr)(NativeComm, int, void*) = nullptr;
  static inline int (*native_create_keyval)(NativeCopy, NativeDelete, int*, void*) = nullptr;
  static inline int (*native_free_keyval)(int*) = nullptr;
  static inline int (*native_to_fortran)(NativeComm) = nullptr;
  static inline NativeComm (*native_of_fortran)(int) = nullptr;

  template <class Function>
  void look_up(Function& function, const char* name) {
    function = reinterpret_cast<Function>(find(name));
  }

  void bind_by_hand() {
    look_up(native_testsome, "MPI_Testsome");
    look_up(native_type_create_struct, "MPI_Type_create_struct");
    look_up(native_op_create, "MPI_Op_create");
    look_up(native_get_attr, "MPI_Comm_get_attr");
    look_up(native_set_attr, "MPI_Comm_set_attr");
    look_up(native_create_keyval, "MPI_Comm_create_keyval");
    look_up(native_free_keyval, "MPI_Comm_free_keyval");
    if constexpr (Interface::to_fortran != nullptr) {
      look_up(native_to_fortran, Interface::to_fortran);
      look_up(native_of_fortran, Interface::of_fortran);
    }
    into_.testsome = &testsome;
    into_.type_create_struct = &type_create_struct;
    into_.op_create = &op_create;
    into_.comm_largest_tag = &comm_largest_tag;
    into_.call_before_finalize = &call_before_finalize;
    into_.comm_c2f = &comm_c2f;
    into_.comm_f2c = &comm_f2c;
    into_.source_of = &source_of;
    into_.comm_of_native = &comm_of_native;
    into_.native_of_comm = &bits_of<Comm>;
    into_.native_of_datatype = &bits_of<Datatype>;
  }

  static int testsome(int count, Request* requests, int* done, int* indices) {
    // Not kept from call to call: a world may end behind what its thread keeps.
    std::array<NativeRequest, 64> few;
    std::vector<NativeRequest> many;
    const auto all = static_cast<std::size_t>(count);
    if (all > few.size()) many.resize(all);
    const std::span<NativeRequest> native(all > few.size() ? many.data() : few.data(), all);
    for (std::size_t i = 0; i < all; ++i) native[i] = to_native<Interface>(requests[i]);
    // Ignored statuses go by the same number as an ignored one.
    const int status =
        native_testsome(count, native.data(), done, indices,
                        reinterpret_cast<typename Interface::Status*>(Interface::status_ignore));
    for (int i = 0; *done != undefined && i < *done; ++i) {
      const auto index = static_cast<std::size_t>(indices[i]);
      requests[index] = of_mpi<Interface, Request>(native[index]);
    }
    return status;
  }

  static int type_create_struct(int count, const int* lengths, const std::ptrdiff_t* places,
                                const Datatype* types, Datatype* made) {
    std::vector<NativeDatatype> native(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < native.size(); ++i) native[i] = to_native<Interface>(types[i]);
    return native_type_create_struct(count, lengths, places, native.data(),
                                     Argument<Interface, Datatype*>(made).get());
  }

  // MPI hands a reduction the datatype, of its own type: so each of ours is called by a function of
  // MPI's type that knows which it is.
  static constexpr std::size_t most_reductions = 64;
  static inline std::array<std::atomic<Reduce*>, most_reductions> reductions{};

  template <std::size_t i>
  static void reduce_by(void* in, void* in_out, int* length, NativeDatatype* /*type*/) {
    reductions[i].load(std::memory_order_relaxed)(in, in_out, length);
  }
  template <std::size_t... i>
  static NativeReduce reducer(std::size_t number, std::index_sequence<i...>) {
    static constexpr std::array<NativeReduce, most_reductions> all{&reduce_by<i>...};
    return all[number];
  }

  static int op_create(Reduce* function, int commutes, Op* made) {
    for (std::size_t i = 0; i < most_reductions; ++i) {
      Reduce* there = nullptr;
      if (reductions[i].compare_exchange_strong(there, function) || there == function)
        return native_op_create(reducer(i, std::make_index_sequence<most_reductions>()), commutes,
                                Argument<Interface, Op*>(made).get());
    }
    return -1;  // more functions than the face promises room for: a fault of ours
  }

  static int comm_largest_tag(Comm comm, int* tag) {
    int* largest = nullptr;
    int found = 0;
    const int status = native_get_attr(to_native<Interface>(comm), Interface::tag_ub,
                                       static_cast<void*>(&largest), &found);
    *tag = found != 0 ? *largest : 32767;
    return status;
  }

  static int do_not_copy(NativeComm, int, void*, void*, void*, int* copies) {
    *copies = 0;
    return success;
  }
  static int call_function(NativeComm, int, void* function, void*) {
    reinterpret_cast<void (*)()>(function)();
    return success;
  }
  static int call_before_finalize(void (*function)()) {
    int key = 0;
    int status = native_create_keyval(&do_not_copy, &call_function, &key, nullptr);
    if (status != success) return status;
    status =
        native_set_attr(to_native<Interface>(comm_self), key, reinterpret_cast<void*>(function));
    native_free_keyval(&key);
    return status;
  }

  static int comm_c2f(Comm comm) {
    if constexpr (Interface::to_fortran == nullptr)
      return to_native<Interface>(comm);
    else
      return native_to_fortran(to_native<Interface>(comm));
  }
  static Comm comm_f2c(int fortran) {
    if constexpr (Interface::of_fortran == nullptr)
      return comm_of_native(bits_of_native(fortran));
    else
      return comm_of_native(bits_of_native(native_of_fortran(fortran)));
  }

  static int source_of(const Status* status) {
    return reinterpret_cast<const typename Interface::Status*>(status->room)->source;
  }

  /// A program may give MPI_COMM_WORLD itself.
  static Comm comm_of_native(std::uintptr_t given) {
    const std::uintptr_t bits = bits_of_native(native_of_bits<NativeComm>(given));
    for (const Comm known : {comm_null, comm_world, comm_self})
      if (bits == constants<Interface, Comm>[known.bits]) return known;
    return {{bits}};
  }
  template <class Handle>
  static std::uintptr_t bits_of(Handle handle) {
    return bits_of_native(to_native<Interface>(handle));
  }

  Calls& into_;
  Lookup find_;
  std::vector<std::string> missing_;
};

}  // namespace lagoon::atoll::mpi
