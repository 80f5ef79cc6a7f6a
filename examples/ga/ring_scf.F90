! A self-consistent field for the pi electrons of a ring of carbon atoms, as ring_scf.c, the way
! Global Arrays programs in Fortran do it: MA for memory, nxtval for tasks, TCGMSG to start.
!
!   mpiexec -n 4 ring_scf
      program ring_scf
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "tcgmsg.fh"
      integer stack, heap
      parameter (stack = 200000, heap = 200000)
      call pbeginf()
      call ga_initialize()
      if (.not. ma_init(mt_dbl, stack, heap)) call ga_error('ma_init failed', 1)
      call solve(30)
      call ga_terminate()
      call pend()
      end

! Hopping between neighbours, in eV.
      double precision function core_of(i, j, atoms)
      implicit none
      integer i, j, atoms, apart
      apart = abs(i - j)
      core_of = 0d0
      if (apart .eq. 1 .or. apart .eq. atoms - 1) core_of = -2.4d0
      end

! Repulsion of electrons on atoms i and j, after Ohno; eV and Angstrom.
      double precision function gamma_of(i, j, atoms)
      implicit none
      integer i, j, atoms
      double precision pi, repulsion, bond, coulomb, radius, distance
      parameter (pi = 3.14159265358979324d0, repulsion = 11.13d0)
      parameter (bond = 1.397d0, coulomb = 14.397d0)
      radius = bond / (2 * sin(pi / atoms))
      distance = 2 * radius * abs(sin(pi * (i - j) / atoms))
      gamma_of = coulomb / sqrt(distance**2 + (coulomb / repulsion)**2)
      end

! h, with the attraction of the other cores, and a guess: electrons spread evenly, bonds of order two
! thirds.
      subroutine fill_core_and_guess(g_core, g_density, atoms)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g_core, g_density, atoms, i, j, k, l_column, next
      MA_ACCESS_INDEX_TYPE k_column
      double precision core_of, gamma_of, bonding
      external core_of, gamma_of
      bonding = 2d0 / 3d0
      if (.not. ma_push_get(mt_dbl, atoms, 'column', l_column, k_column)) call ga_error('no memory', atoms)
      call ga_zero(g_density)
      do j = 1 + ga_nodeid(), atoms, ga_nnodes()
        do i = 1, atoms
          dbl_mb(k_column + i - 1) = core_of(i, j, atoms)
        enddo
        do k = 1, atoms
          if (k .ne. j) dbl_mb(k_column + j - 1) = dbl_mb(k_column + j - 1) - gamma_of(j, k, atoms)
        enddo
        call ga_put(g_core, 1, atoms, j, j, dbl_mb(k_column), atoms)
        next = 1 + mod(j, atoms)
        call ga_put(g_density, j, j, j, j, 1d0, 1)
        call ga_put(g_density, next, next, j, j, bonding, 1)
        call ga_put(g_density, j, j, next, next, bonding, 1)
      enddo
      if (.not. ma_pop_stack(l_column)) call ga_error('stack', 1)
      call ga_sync()
      end

! One block of F = h + G(D).
      subroutine fock_block(atoms, ilo, ihi, jlo, jhi, density, population, fock)
      implicit none
      integer atoms, ilo, ihi, jlo, jhi, i, j, k
      double precision density(ilo:ihi, jlo:jhi), fock(ilo:ihi, jlo:jhi), population(atoms)
      double precision core_of, gamma_of
      external core_of, gamma_of
      do j = jlo, jhi
        do i = ilo, ihi
          fock(i, j) = core_of(i, j, atoms) - 0.5d0 * density(i, j) * gamma_of(i, j, atoms)
          if (i .eq. j) then
            fock(i, i) = fock(i, i) + population(i) * gamma_of(i, i, atoms)
            do k = 1, atoms
              if (k .ne. i) fock(i, i) = fock(i, i) + (population(k) - 1) * gamma_of(i, k, atoms)
            enddo
          endif
        enddo
      enddo
      end

! Blocks of the matrix are tasks; nxtval hands them out.
      subroutine build_fock(g_density, g_fock, atoms)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "tcgmsg.fh"
      integer g_density, g_fock, atoms, block, blocks, task, ilo, ihi, jlo, jhi, i
      parameter (block = 8)
      integer l_density, l_fock, l_population
      MA_ACCESS_INDEX_TYPE k_density, k_fock, k_population
      if (.not. ma_push_get(mt_dbl, atoms, 'population', l_population, k_population)) &
        call ga_error('no memory', atoms)
      if (.not. ma_push_get(mt_dbl, block**2, 'density', l_density, k_density)) call ga_error('no memory', block)
      if (.not. ma_push_get(mt_dbl, block**2, 'fock', l_fock, k_fock)) call ga_error('no memory', block)
      do i = 1, atoms
        call ga_get(g_density, i, i, i, i, dbl_mb(k_population + i - 1), 1)
      enddo
      call ga_zero(g_fock)
      blocks = (atoms + block - 1) / block
      task = nxtval(ga_nnodes())
      do while (task .lt. blocks**2)
        ilo = 1 + mod(task, blocks) * block
        jlo = 1 + task / blocks * block
        ihi = min(ilo + block - 1, atoms)
        jhi = min(jlo + block - 1, atoms)
        call ga_get(g_density, ilo, ihi, jlo, jhi, dbl_mb(k_density), ihi - ilo + 1)
        call fock_block(atoms, ilo, ihi, jlo, jhi, dbl_mb(k_density), dbl_mb(k_population), dbl_mb(k_fock))
        call ga_acc(g_fock, ilo, ihi, jlo, jhi, dbl_mb(k_fock), ihi - ilo + 1, 1d0)
        task = nxtval(ga_nnodes())
      enddo
      task = nxtval(-ga_nnodes())
      call ga_sync()
      if (.not. ma_chop_stack(l_population)) call ga_error('stack', 2)
      end

! Half of tr D (h + F), and the repulsion of the cores.
      double precision function energy_of(g_density, g_fock, g_core, atoms)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g_density, g_fock, g_core, atoms, i, j
      double precision gamma_of
      external gamma_of
      energy_of = 0.5d0 * (ga_ddot(g_density, g_core) + ga_ddot(g_density, g_fock))
      do j = 1, atoms
        do i = 1, atoms
          if (i .ne. j) energy_of = energy_of + 0.5d0 * gamma_of(i, j, atoms)
        enddo
      enddo
      end

      integer function square(name, n)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      character*(*) name
      integer n
      if (.not. ga_create(mt_dbl, n, n, name, 0, 0, square)) call ga_error('no memory for a matrix', n)
      end

      subroutine solve(atoms)
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer atoms, g_core, g_density, g_fock, g_orbitals, iteration, most, l_levels, occupied
      parameter (most = 100)
      MA_ACCESS_INDEX_TYPE k_levels
      integer square
      double precision energy_of, energy, before
      external square, energy_of
      occupied = atoms / 2
      g_core = square('core', atoms)
      g_density = square('density', atoms)
      g_fock = square('fock', atoms)
      g_orbitals = square('orbitals', atoms)
      if (.not. ma_push_get(mt_dbl, atoms, 'levels', l_levels, k_levels)) call ga_error('no memory', atoms)
      call fill_core_and_guess(g_core, g_density, atoms)
      energy = 0
      do iteration = 1, most
        before = energy
        call build_fock(g_density, g_fock, atoms)
        energy = energy_of(g_density, g_fock, g_core, atoms)
        if (abs(energy - before) .lt. 1d-10 * abs(energy)) goto 10
        call ga_diag_std(g_fock, g_orbitals, dbl_mb(k_levels))
!       D = 2 C C' of the occupied orbitals, the first columns
        call ga_dgemm('n', 't', atoms, atoms, occupied, 2d0, g_orbitals, g_orbitals, 0d0, g_density)
      enddo
      call ga_error('no convergence after iterations', most)
 10   if (ga_nodeid() .eq. 0) write (6, 20) atoms, energy, &
        dbl_mb(k_levels + occupied) - dbl_mb(k_levels + occupied - 1)
 20   format ('ring of ', i0, ': energy ', f0.6, ' eV, gap ', f0.6, ' eV')
      if (.not. ma_pop_stack(l_levels)) call ga_error('stack', 3)
      if (.not. ga_destroy(g_orbitals)) call ga_error('destroy', 1)
      if (.not. ga_destroy(g_fock)) call ga_error('destroy', 2)
      if (.not. ga_destroy(g_density)) call ga_error('destroy', 3)
      if (.not. ga_destroy(g_core)) call ga_error('destroy', 4)
      end
