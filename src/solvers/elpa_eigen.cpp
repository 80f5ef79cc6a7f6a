// One eigenproblem with ELPA, through its C interface.
#include <string>
#include <vector>

#include "atoll/error.hpp"
#include "mpi/face.hpp"
#include "solvers/column_matrix.hpp"
#include "solvers/elpa.hpp"
#include "world/collective.hpp"

namespace lagoon::atoll::detail {

namespace {

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

void describe(Problem& problem, int block, int rows, int columns) {
  problem.set("nblk", block);
  problem.set("local_nrows", rows);
  problem.set("local_ncols", columns);
}
void place(Problem& problem, mpi::Comm communicator, int row, int column) {
  problem.set("mpi_comm_parent", mpi::comm_c2f(communicator));
  problem.set("process_row", row);
  problem.set("process_col", column);
}

/// Eigenvalues, or, if z has memory, eigenvectors as well; zero if that went well.
template <BlasElement T>
int solve(Problem& problem, T* a, Real<T>* values, T* z) {
  int error = 0;
  const std::string ending = std::string("_a_h_a_") + suffix<T>();
  if (z == nullptr)
    Elpa::get().function<void(void*, T*, Real<T>*, int*)>("elpa_eigenvalues" + ending)(
        problem.handle(), a, values, &error);
  else
    Elpa::get().function<void(void*, T*, Real<T>*, T*, int*)>("elpa_eigenvectors" + ending)(
        problem.handle(), a, values, z, &error);
  return error;
}

/// Whether ELPA solves a problem of one element.
template <BlasElement T>
bool solves_one() {
  Problem problem;
  problem.set("na", 1);
  problem.set("nev", 1);
  describe(problem, 1, 1, 1);
  place(problem, mpi::comm_self, 0, 0);
  problem.set_up();
  T a(1), z(0);
  Real<T> value(0);
  return solve<T>(problem, &a, &value, &z) == 0;
}

}  // namespace

bool elpa_has(ElementType type) {
  if (!Elpa::get().available()) return false;
  static const bool single = solves_one<float>() && solves_one<std::complex<float>>();
  return single || traits_of(type).real == ElementType::float64;
}

ElpaGrid::ElpaGrid(const SolverGrid& grid)
    : row_(grid.group.rank() % grid.rows), column_(grid.group.rank() / grid.rows) {
  check_mpi(mpi::comm_split(grid.group.mpi_communicator(), grid.computes() ? 0 : mpi::undefined,
                            grid.group.rank(), &communicator_),
            "MPI_Comm_split");
  // ELPA looks at no status.
  if (grid.computes()) mpi::comm_set_errhandler(communicator_, mpi::errors_are_fatal);
}

ElpaGrid::~ElpaGrid() {
  if (communicator_ != mpi::comm_null) mpi::comm_free(&communicator_);
}

template <BlasElement T>
int elpa_heevd(const ElpaGrid& grid, const Columns<T>& a, Real<T>* values, const Columns<T>& z) {
  Problem problem;
  problem.set("na", a.rows);
  problem.set("nev", a.rows);
  describe(problem, a.descriptor[4], a.distance, a.local_columns);
  place(problem, grid.communicator(), grid.row(), grid.column());
  problem.set_up();
  return solve<T>(problem, a.data, values, z.data) == 0 ? 0 : 1;
}

template int elpa_heevd(const ElpaGrid&, const Columns<float>&, float*, const Columns<float>&);
template int elpa_heevd(const ElpaGrid&, const Columns<double>&, double*, const Columns<double>&);
template int elpa_heevd(const ElpaGrid&, const Columns<std::complex<float>>&, float*,
                        const Columns<std::complex<float>>&);
template int elpa_heevd(const ElpaGrid&, const Columns<std::complex<double>>&, double*,
                        const Columns<std::complex<double>>&);

}  // namespace lagoon::atoll::detail
