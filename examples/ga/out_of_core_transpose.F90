! Transposes a matrix that may be larger than the memory of all processes, by way of a file:
! out_of_core_transpose.c in Fortran.
!
!   mpiexec -n 4 out_of_core_transpose_f [SIZE [DIRECTORY]]
!
! The matrix is written to a disk resident array, a panel of columns at a time, which is how Fortran's
! arrays lie. The file is closed, opened again, and read transposed, a panel of rows at a time. Two
! panels each way: one is filled or checked while the other one is moved.

program out_of_core_transpose
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
  integer :: rows, columns, panels
  character(len=240) :: file
  double precision :: wrong(1), checksum(1)
  parameter (panels = 8)

  call ga_initialize()
  call require(ma_init(MT_DBL, 4000000, 4000000), 'cannot start MA')
  call read_arguments(rows, columns, file)

  call require(dra_init(1, -1d0, -1d0, -1d0) == 0, 'cannot start disk resident arrays')
  call write_matrix(rows, columns, panels, file)
  call require(dra_terminate() == 0, 'cannot end disk resident arrays')

  call require(dra_init(1, -1d0, -1d0, -1d0) == 0, 'cannot start disk resident arrays')
  call read_transposed(rows, columns, panels, file, wrong, checksum)
  call require(dra_terminate() == 0, 'cannot end disk resident arrays')

  if (ga_nodeid() == 0) then
    if (wrong(1) == 0) then
      write (*, '(a, i0, a, i0, a, i0)') 'out-of-core transpose of ', rows, ' x ', columns, &
          ': correct, checksum ', int(checksum(1), selected_int_kind(18))
    else
      write (*, '(a, i0, a, i0, a, i0, a)') 'out-of-core transpose of ', rows, ' x ', columns, &
          ': WRONG in ', int(wrong(1), selected_int_kind(18)), ' elements'
    end if
    flush (6)
  end if
  call ga_terminate()
  if (wrong(1) /= 0) stop 1
end program

subroutine require(done, what)
  implicit none
  logical, intent(in) :: done
  character(len=*), intent(in) :: what
  if (.not. done) call ga_error(what, 1)
end subroutine

subroutine read_arguments(rows, columns, file)
  implicit none
  integer, intent(out) :: rows, columns
  character(len=*), intent(out) :: file
  character(len=200) :: text
  integer :: status
  rows = 1200
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *, iostat=status) rows
    call require(status == 0 .and. rows > 0, &
        'usage: out_of_core_transpose_f [SIZE [DIRECTORY]]; SIZE is at least 1')
  end if
  columns = rows - rows / 3
  text = '.'
  if (command_argument_count() > 1) call get_command_argument(2, text)
  file = trim(text)//'/transpose_f.dra'
end subroutine

! Whole numbers, small enough that sums of them are exact, whatever their order. Those of the program in
! C, which counts from 0.
double precision function element(row, column)
  implicit none
  integer, intent(in) :: row, column
  element = mod(1009 * (row - 1) + 917 * (column - 1), 10007)
end function

double precision function weight(row, column)
  implicit none
  integer, intent(in) :: row, column
  weight = mod(row - 1 + 2 * (column - 1), 7) + 1
end function

integer function panel_size(extent, panels)
  implicit none
  integer, intent(in) :: extent, panels
  panel_size = (extent + panels - 1) / panels
end function

! Column 1 of the panel is column `first` of the matrix.
subroutine fill(g_a, first)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, intent(in) :: g_a, first
  integer :: ilo, ihi, jlo, jhi, ld, i, j
  MA_ACCESS_INDEX_TYPE :: index
  double precision, external :: element
  call ga_distribution(g_a, ga_nodeid(), ilo, ihi, jlo, jhi)
  if (ilo >= 1 .and. ilo <= ihi .and. jlo <= jhi) then
    call ga_access(g_a, ilo, ihi, jlo, jhi, index, ld)
    do j = jlo, jhi
      do i = ilo, ihi
        dbl_mb(index + (i - ilo) + ld * (j - jlo)) = element(i, first + j - 1)
      end do
    end do
    call ga_release_update(g_a, ilo, ihi, jlo, jhi)
  end if
  call ga_sync()
end subroutine

! Column 1 of the panel is row `first` of the matrix, `count` of them are to be looked at.
subroutine check(g_a, first, count, wrong, checksum)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, intent(in) :: g_a, first, count
  double precision, intent(inout) :: wrong, checksum
  integer :: ilo, ihi, jlo, jhi, ld, i, j
  MA_ACCESS_INDEX_TYPE :: index
  double precision :: value
  double precision, external :: element, weight
  call ga_distribution(g_a, ga_nodeid(), ilo, ihi, jlo, jhi)
  if (ilo < 1 .or. ilo > ihi .or. jlo > jhi) return
  call ga_access(g_a, ilo, ihi, jlo, jhi, index, ld)
  do j = jlo, min(jhi, count)
    do i = ilo, ihi
      value = dbl_mb(index + (i - ilo) + ld * (j - jlo))
      if (value /= element(first + j - 1, i)) wrong = wrong + 1
      checksum = checksum + value * weight(first + j - 1, i)
    end do
  end do
  call ga_release(g_a, ilo, ihi, jlo, jhi)
end subroutine

subroutine create_panels(rows, columns, panel)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, intent(in) :: rows, columns
  integer, intent(out) :: panel(2)
  call require(ga_create(MT_DBL, rows, columns, 'even panels', 0, 0, panel(1)), 'no memory')
  call require(ga_create(MT_DBL, rows, columns, 'odd panels', 0, 0, panel(2)), 'no memory')
end subroutine

subroutine destroy_panels(panel)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, intent(in) :: panel(2)
  call require(ga_destroy(panel(2)), 'cannot destroy a panel')
  call require(ga_destroy(panel(1)), 'cannot destroy a panel')
end subroutine

subroutine write_matrix(rows, columns, panels, file)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
  integer, intent(in) :: rows, columns, panels
  character(len=*), intent(in) :: file
  integer :: panel(2), request(2), d_a, size, first, last, turn
  integer, external :: panel_size
  size = panel_size(columns, panels)
! It will be read by rows: so the shape of typical sections is small both ways.
  call require(dra_create(MT_DBL, rows, columns, 'matrix', trim(file), DRA_W, &
      panel_size(rows, panels), size, d_a) == 0, 'cannot create the disk array')
  call create_panels(rows, size, panel)
  request = DRA_REQ_INVALID
  turn = 1
  do first = 1, columns, size
    last = min(first + size - 1, columns)
! What this panel held before is in the file first.
    call require(dra_wait(request(turn)) == 0, 'cannot write')
    call fill(panel(turn), first)
    call require(dra_write_section(.false., panel(turn), 1, rows, 1, last - first + 1, &
        d_a, 1, rows, first, last, request(turn)) == 0, 'cannot write')
    turn = 3 - turn
  end do
  call require(dra_wait(request(1)) == 0, 'cannot write')
  call require(dra_wait(request(2)) == 0, 'cannot write')
  call require(dra_close(d_a) == 0, 'cannot close the disk array')
  call destroy_panels(panel)
end subroutine

! Begins to read the rows from `first` on as columns of a panel; how many there are.
subroutine begin_read(d_a, rows, columns, first, size, g_a, request, count)
  implicit none
#include "mafdecls.fh"
#include "dra.fh"
  integer, intent(in) :: d_a, rows, columns, first, size, g_a
  integer, intent(inout) :: request
  integer, intent(out) :: count
  count = min(size, rows - first + 1)
  if (count <= 0) return
  call require(dra_read_section(.true., g_a, 1, columns, 1, count, &
      d_a, first, first + count - 1, 1, columns, request) == 0, 'cannot read')
end subroutine

subroutine read_transposed(rows, columns, panels, file, wrong, checksum)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "dra.fh"
  integer, intent(in) :: rows, columns, panels
  character(len=*), intent(in) :: file
  double precision, intent(out) :: wrong(1), checksum(1)
  integer :: panel(2), request(2), count(2), d_a, size, first, turn, type, dim1, dim2
  character(len=80) :: name
  character(len=250) :: found
  integer, external :: panel_size
  call require(dra_open(trim(file), DRA_R, d_a) == 0, 'cannot open the disk array')
  call require(dra_inquire(d_a, type, dim1, dim2, name, found) == 0, 'cannot inquire')
  call require(type == MT_DBL .and. dim1 == rows .and. dim2 == columns, &
      'the disk array is another one')
  size = panel_size(rows, panels)
  call create_panels(columns, size, panel)
  request = DRA_REQ_INVALID
  wrong = 0
  checksum = 0
  turn = 1
  call begin_read(d_a, rows, columns, 1, size, panel(1), request(1), count(1))
  do first = 1, rows, size
! The next one comes while this one is checked.
    call begin_read(d_a, rows, columns, first + size, size, panel(3 - turn), &
        request(3 - turn), count(3 - turn))
    call require(dra_wait(request(turn)) == 0, 'cannot read')
    call check(panel(turn), first, count(turn), wrong(1), checksum(1))
    call ga_sync()
    turn = 3 - turn
  end do
  call destroy_panels(panel)
  call require(dra_delete(d_a) == 0, 'cannot remove the disk array')
  call ga_dgop(1, wrong, 1, '+')
  call ga_dgop(2, checksum, 1, '+')
end subroutine
