// MPI's one-sided operations, with their request forms.
#include <mpi.h>

#include <string>

#include "ghost/windows/calls.hpp"
#include "ghost/windows/predefined.hpp"

using namespace lagoon::atoll::ghost;

namespace {

/// Whether it is one of MPI's own types, those that it makes by precision among them.
bool is_predefined(MPI_Datatype type) {
  if (number_of(type) != no_type) return true;
  int counts[3] = {}, combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/// Some elements of a type, at a place of the program's.
struct Elements {
  const void* data;
  MPI_Count count;
  MPI_Datatype type;
  bool predefined_only = false;

  Layout layout(Gaps gaps) const {
    if (count < 0) throw Refused(MPI_ERR_COUNT, "a count of " + std::to_string(count));
    if (type == MPI_DATATYPE_NULL) throw Refused(MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    if (predefined_only && !is_predefined(type))
      throw Refused(MPI_ERR_TYPE, "a derived datatype, where one of MPI's own is expected");
    return layout_of(type, count, gaps);
  }
  std::byte* bytes() const { return static_cast<std::byte*>(const_cast<void*>(data)); }  // NOLINT
};

struct Target {
  int rank;
  MPI_Aint place;
  MPI_Count count;
  MPI_Datatype type;

  Layout layout(Gaps gaps) const { return Elements{nullptr, count, type}.layout(gaps); }
};

/// `prepare()` is what of an operation may be refused, and gives what then happens to the window.
template <class Prepare, class Pass>
int operate(const Target& target, MPI_Win win, MPI_Request* request, Prepare&& prepare, Pass&& pass,
            const char* function) {
  return call(
      win,
      [&](Window& window) {
        check_rank(window, target.rank);
        if (target.place < 0)
          throw Refused(MPI_ERR_DISP, "a displacement of " + std::to_string(target.place));
        const auto operation = prepare();
        const auto begin = [&] {
          if (target.rank != MPI_PROC_NULL) operation(window);
        };
        if (request != nullptr)
          window.by_request(target.rank, request, begin);
        else
          begin();
      },
      pass, function);
}

/// By `&Window::put` or `&Window::get`, between elements of the program's and the target's.
template <auto transfer, class Pass>
int move(const Elements& own, const Target& target, MPI_Win win, MPI_Request* request, Pass&& pass,
         const char* function = __builtin_FUNCTION()) {
  return operate(
      target, win, request,
      [&] {
        return [&, here = own.layout(Gaps::left_out),
                there = target.layout(Gaps::left_out)](Window& window) {
          (window.*transfer)({own.bytes(), here}, target.rank, target.place, there);
        };
      },
      pass, function);
}

int known(MPI_Op op) {
  const int number = number_of_operation(op);
  if (number == no_operation) throw Refused(MPI_ERR_OP, "none of MPI's own operations");
  return number;
}

template <class Pass>
int accumulate(const Elements& origin, const Target& target, MPI_Op op, MPI_Win win,
               MPI_Request* request, Pass&& pass, const char* function = __builtin_FUNCTION()) {
  return operate(
      target, win, request,
      [&] {
        if (op == MPI_NO_OP) throw Refused(MPI_ERR_OP, "MPI_NO_OP is for operations with a result");
        return [&, number = known(op), from = origin.layout(Gaps::included),
                there = target.layout(Gaps::included)](Window& window) {
          window.accumulate({origin.bytes(), from}, nullptr, target.rank, target.place, there,
                            number);
        };
      },
      pass, function);
}

template <class Pass>
int get_accumulate(const Elements& origin, const Elements& result, const Target& target, MPI_Op op,
                   MPI_Win win, MPI_Request* request, Pass&& pass,
                   const char* function = __builtin_FUNCTION()) {
  return operate(
      target, win, request,
      [&] {
        // Without an operation the origin may be anything.
        return [&, number = known(op),
                from = op == MPI_NO_OP ? Layout() : origin.layout(Gaps::included),
                to = result.layout(Gaps::left_out),
                there = target.layout(Gaps::included)](Window& window) {
          const Buffer old{result.bytes(), to};
          window.accumulate({origin.bytes(), from}, &old, target.rank, target.place, there, number);
        };
      },
      pass, function);
}

}  // namespace

extern "C" {

int MPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  const auto pass = [&] {
    return PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win);
  };
  const Elements origin{origin_addr, 1, datatype}, result{result_addr, 1, datatype, true};
  return get_accumulate(origin, result, {target_rank, target_disp, 1, datatype}, op, win, nullptr,
                        pass);
}

int MPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                         MPI_Win win) {
  return operate(
      {target_rank, target_disp, 1, datatype}, win, nullptr,
      [&] {
        const int type = number_of(datatype);
        if (type == no_type || !comparable(type))
          throw Refused(MPI_ERR_TYPE, name_of_type(datatype) + " is not for it");
        return [&, type](Window& window) {
          window.compare_and_swap(origin_addr, compare_addr, result_addr, type, target_rank,
                                  target_disp);
        };
      },
      [&] {
        return PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank,
                                     target_disp, win);
      },
      "MPI_Compare_and_swap");
}

int MPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
            MPI_Win win) {
  return move<&Window::put>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, nullptr, [&] {
        return PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                        target_count, target_datatype, win);
      });
}

int MPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
             MPI_Win win, MPI_Request* request) {
  return move<&Window::put>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, request, [&] {
        return PMPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                         target_count, target_datatype, win, request);
      });
}

int MPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return move<&Window::get>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, nullptr, [&] {
        return PMPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                        target_count, target_datatype, win);
      });
}

int MPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
             MPI_Request* request) {
  return move<&Window::get>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, request, [&] {
        return PMPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                         target_count, target_datatype, win, request);
      });
}

int MPI_Accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count,
                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return accumulate(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr, [&] {
        return PMPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                               target_count, target_datatype, op, win);
      });
}

int MPI_Raccumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                    int target_rank, MPI_Aint target_disp, int target_count,
                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
  return accumulate(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, request, [&] {
        return PMPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank,
                                target_disp, target_count, target_datatype, op, win, request);
      });
}

int MPI_Get_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                       void* result_addr, int result_count, MPI_Datatype result_datatype,
                       int target_rank, MPI_Aint target_disp, int target_count,
                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return get_accumulate(
      {origin_addr, origin_count, origin_datatype}, {result_addr, result_count, result_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr, [&] {
        return PMPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr,
                                   result_count, result_datatype, target_rank, target_disp,
                                   target_count, target_datatype, op, win);
      });
}

int MPI_Rget_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                        void* result_addr, int result_count, MPI_Datatype result_datatype,
                        int target_rank, MPI_Aint target_disp, int target_count,
                        MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                        MPI_Request* request) {
  return get_accumulate(
      {origin_addr, origin_count, origin_datatype}, {result_addr, result_count, result_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, request, [&] {
        return PMPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr,
                                    result_count, result_datatype, target_rank, target_disp,
                                    target_count, target_datatype, op, win, request);
      });
}

#if MPI_VERSION >= 4

int MPI_Put_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
              int target_rank, MPI_Aint target_disp, MPI_Count target_count,
              MPI_Datatype target_datatype, MPI_Win win) {
  return move<&Window::put>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, nullptr, [&] {
        return PMPI_Put_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                          target_count, target_datatype, win);
      });
}

int MPI_Rput_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  return move<&Window::put>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, request, [&] {
        return PMPI_Rput_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                           target_count, target_datatype, win, request);
      });
}

int MPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
              int target_rank, MPI_Aint target_disp, MPI_Count target_count,
              MPI_Datatype target_datatype, MPI_Win win) {
  return move<&Window::get>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, nullptr, [&] {
        return PMPI_Get_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                          target_count, target_datatype, win);
      });
}

int MPI_Rget_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
               int target_rank, MPI_Aint target_disp, MPI_Count target_count,
               MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  return move<&Window::get>(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, win, request, [&] {
        return PMPI_Rget_c(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                           target_count, target_datatype, win, request);
      });
}

int MPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return accumulate(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr, [&] {
        return PMPI_Accumulate_c(origin_addr, origin_count, origin_datatype, target_rank,
                                 target_disp, target_count, target_datatype, op, win);
      });
}

int MPI_Raccumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
  return accumulate(
      {origin_addr, origin_count, origin_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, request, [&] {
        return PMPI_Raccumulate_c(origin_addr, origin_count, origin_datatype, target_rank,
                                  target_disp, target_count, target_datatype, op, win, request);
      });
}

int MPI_Get_accumulate_c(const void* origin_addr, MPI_Count origin_count,
                         MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count,
                         MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                         MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                         MPI_Win win) {
  return get_accumulate(
      {origin_addr, origin_count, origin_datatype}, {result_addr, result_count, result_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, nullptr, [&] {
        return PMPI_Get_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr,
                                     result_count, result_datatype, target_rank, target_disp,
                                     target_count, target_datatype, op, win);
      });
}

int MPI_Rget_accumulate_c(const void* origin_addr, MPI_Count origin_count,
                          MPI_Datatype origin_datatype, void* result_addr, MPI_Count result_count,
                          MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                          MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win, MPI_Request* request) {
  return get_accumulate(
      {origin_addr, origin_count, origin_datatype}, {result_addr, result_count, result_datatype},
      {target_rank, target_disp, target_count, target_datatype}, op, win, request, [&] {
        return PMPI_Rget_accumulate_c(origin_addr, origin_count, origin_datatype, result_addr,
                                      result_count, result_datatype, target_rank, target_disp,
                                      target_count, target_datatype, op, win, request);
      });
}

#endif

}  // extern "C"
