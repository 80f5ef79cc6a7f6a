/* Transposes a matrix that may be larger than the memory of all processes, by way of a file.
 *
 * The matrix is written to a disk resident array, a panel of rows at a time. The file is closed,
 * and opened again as another program would on another day. Then it is read transposed, a panel of
 * columns at a time, and every element is checked. Two panels each way: one is filled or checked
 * while the other one is moved.
 *
 *   mpiexec -n 4 out_of_core_transpose [SIZE [DIRECTORY]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dra.h"
#include "ga.h"
#include "macdecls.h"

enum { PANELS = 8 };

/* Of a file name that GA takes. */
#define NAME_BYTES 240

typedef struct {
  int rows, columns;
  char file[NAME_BYTES];
} Matrix;

typedef struct {
  double wrong; /* how many elements */
  double checksum;
} Finding;

/* Whole numbers, small enough that sums of them are exact, whatever their order. */
static double element(int row, int column) {
  return (double)((1009L * row + 917L * column) % 10007);
}

static double weight(int row, int column) { return (double)((row + 2L * column) % 7 + 1); }

static int smaller(int a, int b) { return a < b ? a : b; }

/* Of one panel, the last one may have less. */
static int panel_size(int extent) { return (extent + PANELS - 1) / PANELS; }

static void require(int done, const char* what) {
  if (!done) GA_Error((char*)what, 1);
}

static int create_panel(const char* name, int rows, int columns) {
  int dims[2];
  int g_a;
  dims[0] = rows;
  dims[1] = columns;
  g_a = NGA_Create(C_DBL, 2, dims, (char*)name, NULL);
  require(g_a != 0, "cannot create a panel");
  return g_a;
}

/* My part of a panel: its bounds, its memory and how far its rows are apart; 0 if I have none. */
static int access_mine(int g_a, int lo[2], int hi[2], double** values, int* row_length) {
  NGA_Distribution(g_a, GA_Nodeid(), lo, hi);
  if (lo[0] > hi[0] || lo[1] > hi[1] || lo[0] < 0) return 0;
  NGA_Access(g_a, lo, hi, values, row_length);
  return 1;
}

/* Row 0 of the panel is row `first` of the matrix. */
static void fill(int g_a, int first) {
  int lo[2], hi[2], row_length, i, j;
  double* values;
  if (access_mine(g_a, lo, hi, &values, &row_length)) {
    for (i = lo[0]; i <= hi[0]; i++)
      for (j = lo[1]; j <= hi[1]; j++)
        values[(size_t)(i - lo[0]) * (size_t)row_length + (size_t)(j - lo[1])] =
            element(first + i, j);
    NGA_Release_update(g_a, lo, hi);
  }
  GA_Sync();
}

/* Row 0 of the panel is column `first` of the matrix, `rows` of them are to be looked at. */
static void check(int g_a, int first, int rows, Finding* finding) {
  int lo[2], hi[2], row_length, i, j;
  double* values;
  double value;
  if (!access_mine(g_a, lo, hi, &values, &row_length)) return;
  for (i = lo[0]; i <= smaller(hi[0], rows - 1); i++)
    for (j = lo[1]; j <= hi[1]; j++) {
      value = values[(size_t)(i - lo[0]) * (size_t)row_length + (size_t)(j - lo[1])];
      if (value != element(j, first + i)) finding->wrong += 1;
      finding->checksum += value * weight(j, first + i);
    }
  NGA_Release(g_a, lo, hi);
}

static void write_matrix(const Matrix* matrix) {
  const int size = panel_size(matrix->rows);
  int panel[2], request[2] = {DRA_REQ_INVALID, DRA_REQ_INVALID};
  int glo[2] = {0, 0}, ghi[2];
  int d_a, first, count, turn;
  dra_size_t dims[2], typical[2], dlo[2], dhi[2];

  dims[0] = matrix->rows;
  dims[1] = matrix->columns;
  typical[0] = size;
  typical[1] = panel_size(matrix->columns); /* it will be read by columns */
  require(NDRA_Create(C_DBL, 2, dims, "matrix", (char*)matrix->file, DRA_W, typical, &d_a) == 0,
          "cannot create the disk array");
  panel[0] = create_panel("rows, even", size, matrix->columns);
  panel[1] = create_panel("rows, odd", size, matrix->columns);
  for (first = 0, turn = 0; first < matrix->rows; first += size, turn = 1 - turn) {
    count = smaller(size, matrix->rows - first);
    /* What this panel held before is in the file first. */
    require(DRA_Wait(request[turn]) == 0, "cannot write");
    fill(panel[turn], first);
    ghi[0] = count - 1;
    ghi[1] = matrix->columns - 1;
    dlo[0] = first;
    dlo[1] = 0;
    dhi[0] = first + count - 1;
    dhi[1] = matrix->columns - 1;
    require(NDRA_Write_section(0, panel[turn], glo, ghi, d_a, dlo, dhi, &request[turn]) == 0,
            "cannot write");
  }
  require(DRA_Wait(request[0]) == 0 && DRA_Wait(request[1]) == 0, "cannot write");
  require(DRA_Close(d_a) == 0, "cannot close the disk array");
  GA_Destroy(panel[1]);
  GA_Destroy(panel[0]);
}

/* Begins to read the columns from `first` on as rows of a panel; how many there are. */
static int begin_read(int d_a, const Matrix* matrix, int first, int g_a, int* request) {
  const int count = smaller(panel_size(matrix->columns), matrix->columns - first);
  int glo[2] = {0, 0}, ghi[2];
  dra_size_t dlo[2], dhi[2];
  if (count <= 0) return 0;
  ghi[0] = count - 1;
  ghi[1] = matrix->rows - 1;
  dlo[0] = 0;
  dlo[1] = first;
  dhi[0] = matrix->rows - 1;
  dhi[1] = first + count - 1;
  require(NDRA_Read_section(1, g_a, glo, ghi, d_a, dlo, dhi, request) == 0, "cannot read");
  return count;
}

static Finding read_transposed(const Matrix* matrix) {
  const int size = panel_size(matrix->columns);
  Finding finding = {0., 0.};
  int panel[2], request[2] = {DRA_REQ_INVALID, DRA_REQ_INVALID}, count[2];
  int d_a, first, turn, type, ndim;
  dra_size_t dims[GA_MAX_DIM];
  char name[NAME_BYTES], file[NAME_BYTES + 16];

  require(DRA_Open((char*)matrix->file, DRA_R, &d_a) == 0, "cannot open the disk array");
  require(NDRA_Inquire(d_a, &type, &ndim, dims, name, file) == 0, "cannot inquire");
  require(type == C_DBL && ndim == 2 && dims[0] == matrix->rows && dims[1] == matrix->columns,
          "the disk array is another one");
  panel[0] = create_panel("columns, even", size, matrix->rows);
  panel[1] = create_panel("columns, odd", size, matrix->rows);
  count[0] = begin_read(d_a, matrix, 0, panel[0], &request[0]);
  for (first = 0, turn = 0; first < matrix->columns; first += size, turn = 1 - turn) {
    /* The next one comes while this one is checked. */
    count[1 - turn] = begin_read(d_a, matrix, first + size, panel[1 - turn], &request[1 - turn]);
    require(DRA_Wait(request[turn]) == 0, "cannot read");
    check(panel[turn], first, count[turn], &finding);
    GA_Sync();
  }
  GA_Destroy(panel[1]);
  GA_Destroy(panel[0]);
  require(DRA_Delete(d_a) == 0, "cannot remove the disk array");
  GA_Dgop(&finding.wrong, 1, "+");
  GA_Dgop(&finding.checksum, 1, "+");
  return finding;
}

static Matrix matrix_of(int argc, char** argv) {
  Matrix matrix;
  const char* const directory = argc > 2 ? argv[2] : ".";
  const int size = argc > 1 ? atoi(argv[1]) : 1200;
  require(size > 0, "usage: out_of_core_transpose [SIZE [DIRECTORY]]; SIZE is at least 1");
  require(strlen(directory) + 32 < NAME_BYTES, "the name of the directory is too long");
  matrix.rows = size;
  matrix.columns = size - size / 3;
  sprintf(matrix.file, "%s/transpose.dra", directory);
  return matrix;
}

int main(int argc, char** argv) {
  Matrix matrix;
  Finding finding;
  int correct;

  GA_Initialize_args(&argc, &argv);
  require(MA_init(C_DBL, 4000000, 4000000) != 0, "cannot start MA");
  matrix = matrix_of(argc, argv);

  require(DRA_Init(1, -1., -1., -1.) == 0, "cannot start disk resident arrays");
  write_matrix(&matrix);
  require(DRA_Terminate() == 0, "cannot end disk resident arrays");

  require(DRA_Init(1, -1., -1., -1.) == 0, "cannot start disk resident arrays");
  finding = read_transposed(&matrix);
  require(DRA_Terminate() == 0, "cannot end disk resident arrays");

  correct = finding.wrong == 0;
  if (GA_Nodeid() == 0) {
    printf("out-of-core transpose of %d x %d: ", matrix.rows, matrix.columns);
    if (correct)
      printf("correct, checksum %.0f\n", finding.checksum);
    else
      printf("WRONG in %.0f elements\n", finding.wrong);
    fflush(stdout);
  }
  GA_Terminate();
  return correct ? 0 : 1;
}
