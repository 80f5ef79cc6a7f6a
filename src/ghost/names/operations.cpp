// MPI's one-sided operations, with their request forms.
#include <mpi.h>

#include "ghost/windows/calls.hpp"
#include "ghost/windows/predefined.hpp"

using namespace lagoon::atoll::ghost;

namespace {

/// Some elements of a type, at a place of the program's.
struct Elements {
  const void* data;
  MPI_Count count;
  MPI_Datatype type;

  Layout layout(Gaps gaps) const {
    if (count < 0) throw Refused{MPI_ERR_COUNT};
    if (type == MPI_DATATYPE_NULL) throw Refused{MPI_ERR_TYPE};
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

template <class F, class Pass>
int operate(const Target& target, MPI_Win win, MPI_Request* request, F&& f, Pass&& pass) {
  return call(
      win,
      [&](Window& window) {
        check_rank(window, target.rank);
        const auto begin = [&] {
          if (target.rank != MPI_PROC_NULL) f(window);
        };
        if (request != nullptr)
          window.by_request(target.rank, request, begin);
        else
          begin();
      },
      pass);
}

/// By `&Window::put` or `&Window::get`, between elements of the program's and the target's.
template <auto transfer, class Pass>
int move(const Elements& own, const Target& target, MPI_Win win, MPI_Request* request,
         Pass&& pass) {
  return operate(
      target, win, request,
      [&](Window& window) {
        const Layout layout = own.layout(Gaps::left_out);
        (window.*transfer)({own.bytes(), layout}, target.rank, target.place,
                           target.layout(Gaps::left_out));
      },
      pass);
}

int known(MPI_Op op) {
  const int number = number_of_operation(op);
  if (number == no_operation) throw Refused{MPI_ERR_OP};
  return number;
}

template <class Pass>
int accumulate(const Elements& origin, const Target& target, MPI_Op op, MPI_Win win,
               MPI_Request* request, Pass&& pass) {
  return operate(
      target, win, request,
      [&](Window& window) {
        const Layout from = origin.layout(Gaps::included);
        window.accumulate({origin.bytes(), from}, nullptr, target.rank, target.place,
                          target.layout(Gaps::included), known(op));
      },
      pass);
}

template <class Pass>
int get_accumulate(const Elements& origin, const Elements& result, const Target& target, MPI_Op op,
                   MPI_Win win, MPI_Request* request, Pass&& pass) {
  return operate(
      target, win, request,
      [&](Window& window) {
        // Without an operation the origin may be anything.
        const Layout from = op == MPI_NO_OP ? Layout() : origin.layout(Gaps::included);
        const Layout to = result.layout(Gaps::left_out);
        const Buffer old{result.bytes(), to};
        window.accumulate({origin.bytes(), from}, &old, target.rank, target.place,
                          target.layout(Gaps::included), known(op));
      },
      pass);
}

}  // namespace

extern "C" {

int MPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype,
                     int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  return get_accumulate({origin_addr, 1, datatype}, {result_addr, 1, datatype},
                        {target_rank, target_disp, 1, datatype}, op, win, nullptr, [&] {
                          return PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank,
                                                   target_disp, op, win);
                        });
}

int MPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                         MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                         MPI_Win win) {
  return operate(
      {target_rank, target_disp, 1, datatype}, win, nullptr,
      [&](Window& window) {
        const int type = number_of(datatype);
        if (type == no_type || !comparable(type)) throw Refused{MPI_ERR_TYPE};
        window.compare_and_swap(origin_addr, compare_addr, result_addr, type, target_rank,
                                target_disp);
      },
      [&] {
        return PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank,
                                     target_disp, win);
      });
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
