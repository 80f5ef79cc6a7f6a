// One eigenproblem with ELPA, through its C interface.
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "solvers/column_matrix.hpp"
#include "solvers/elpa.hpp"

namespace lagoon::atoll::detail {

namespace {

constexpr int two_stages = 2;  // ELPA_SOLVER_2STAGE: to a band, then to three diagonals

template <BlasElement T>
constexpr const char* suffix() noexcept {
  constexpr bool single = std::same_as<Real<T>, float>;
  if constexpr (is_complex_element<T>) return single ? "fc" : "dc";
  return single ? "f" : "d";
}

/// What ELPA calls a handle: the description of a problem.
class Problem {
 public:
  Problem() {
    int error = 0;
    handle_ = Elpa::get().function<void*(int*)>("elpa_allocate")(&error);
    require(error, "elpa_allocate");
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;
  ~Problem() {
    int error = 0;
    Elpa::get().function<void(void*, int*)>("elpa_deallocate")(handle_, &error);
  }
  void set(const char* name, int value) {
    int error = 0;
    Elpa::get().function<void(void*, const char*, int, int*)>("elpa_set_integer")(handle_, name,
                                                                                  value, &error);
    require(error, name);
  }
  void set_up() { require(Elpa::get().function<int(void*)>("elpa_setup")(handle_), "elpa_setup"); }
  void* handle() noexcept { return handle_; }

 private:
  static void require(int error, const char* what) {
    if (error != 0)
      throw Error(ErrorKind::unsupported,
                  "ELPA refuses " + std::string(what) + " with error " + std::to_string(error));
  }
  void* handle_ = nullptr;
};

}  // namespace

ElpaGrid::ElpaGrid(const SolverGrid& grid)
    : row_(grid.group.rank() % grid.rows), column_(grid.group.rank() / grid.rows) {
  MPI_Comm_split(grid.group.communicator(), grid.computes() ? 0 : MPI_UNDEFINED, grid.group.rank(),
                 &communicator_);
}

ElpaGrid::~ElpaGrid() {
  if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
}

template <BlasElement T>
int elpa_heevd(const ElpaGrid& grid, const Columns<T>& a, Real<T>* values, const Columns<T>& z) {
  Problem problem;
  problem.set("na", a.rows);
  problem.set("nev", a.rows);
  problem.set("nblk", a.descriptor[4]);
  problem.set("local_nrows", a.distance);
  problem.set("local_ncols", a.local_columns);
  problem.set("mpi_comm_parent", MPI_Comm_c2f(grid.communicator()));
  problem.set("process_row", grid.row());
  problem.set("process_col", grid.column());
  problem.set_up();
  problem.set("solver", two_stages);
  int error = 0;
  const std::string ending = std::string("_a_h_a_") + suffix<T>();
  if (z.data == nullptr)
    Elpa::get().function<void(void*, T*, Real<T>*, int*)>("elpa_eigenvalues" + ending)(
        problem.handle(), a.data, values, &error);
  else
    Elpa::get().function<void(void*, T*, Real<T>*, T*, int*)>("elpa_eigenvectors" + ending)(
        problem.handle(), a.data, values, z.data, &error);
  return error == 0 ? 0 : 1;
}

template int elpa_heevd(const ElpaGrid&, const Columns<float>&, float*, const Columns<float>&);
template int elpa_heevd(const ElpaGrid&, const Columns<double>&, double*, const Columns<double>&);
template int elpa_heevd(const ElpaGrid&, const Columns<std::complex<float>>&, float*,
                        const Columns<std::complex<float>>&);
template int elpa_heevd(const ElpaGrid&, const Columns<std::complex<double>>&, double*,
                        const Columns<std::complex<double>>&);

}  // namespace lagoon::atoll::detail
