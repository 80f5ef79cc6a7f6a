! Arrays, one-sided access, collectives and groups from Fortran. Each function returns 0, or the
! number of the first check that failed.

      integer function fortran_arrays()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g_a, g_b, g_c, type, n1, n2, ndim, dims(3), lo(2), hi(2), chunk(3), me, n, p
      integer owner, map(5, 64), nmap(2, 2, 64), procs(64), np, k, covered, rows, blocks(2), major, minor, patch
      character*12 name
      logical ga_locate_nnodes, nga_locate_nnodes
      external ga_locate_nnodes, nga_locate_nnodes
      me = ga_nodeid()
      n = ga_nnodes()
      fortran_arrays = 1
      if (.not. ga_create(mt_dbl, 10, 6, 'matrix', 0, 0, g_a)) return
      fortran_arrays = 2
      if (g_a .ne. -1000) return
      call ga_inquire(g_a, type, n1, n2)
      if (type .ne. mt_dbl .or. n1 .ne. 10 .or. n2 .ne. 6) return
      call ga_inquire_name(g_a, name)
      fortran_arrays = 3
      if (name .ne. 'matrix') return
      call ga_get_array_name(g_a, name)
      if (name .ne. 'matrix') return
      fortran_arrays = 4
      covered = 0
      do p = 0, n - 1
        call ga_distribution(g_a, p, lo(1), hi(1), lo(2), hi(2))
        if (lo(1) .gt. hi(1)) then
          if (lo(1) .ne. 0 .or. hi(1) .ne. -1 .or. lo(2) .ne. 0 .or. hi(2) .ne. -1) return
        else
          covered = covered + (hi(1) - lo(1) + 1) * (hi(2) - lo(2) + 1)
          if (.not. ga_locate(g_a, lo(1), hi(2), owner)) return
          if (owner .ne. p) return
        endif
      enddo
      fortran_arrays = 5
      if (covered .ne. 60) return
      if (ga_locate(g_a, 11, 1, owner)) return
      if (owner .ne. -1) return
      if (.not. nga_locate(g_a, lo, owner) .and. lo(1) .gt. 0) return
      fortran_arrays = 6
      if (.not. ga_locate_region(g_a, 2, 9, 1, 5, map, np)) return
      covered = 0
      do k = 1, np
        covered = covered + (map(2, k) - map(1, k) + 1) * (map(4, k) - map(3, k) + 1)
        if (.not. ga_locate(g_a, map(2, k), map(3, k), owner)) return
        if (owner .ne. map(5, k)) return
      enddo
      if (covered .ne. 40) return
      fortran_arrays = 7
      lo = (/ 2, 1 /)
      hi = (/ 9, 5 /)
      if (.not. nga_locate_region(g_a, lo, hi, nmap, procs, np)) return
      do k = 1, np
        if (nmap(1, 1, k) .ne. map(1, k) .or. nmap(2, 1, k) .ne. map(3, k)) return
        if (nmap(1, 2, k) .ne. map(2, k) .or. nmap(2, 2, k) .ne. map(4, k)) return
        if (procs(k) .ne. map(5, k)) return
      enddo
      if (.not. ga_locate_nnodes(g_a, 2, 9, 1, 5, rows) .or. rows .ne. np) return
      if (.not. nga_locate_nnodes(g_a, lo, hi, rows) .or. rows .ne. np) return
      fortran_arrays = 8
      if (.not. ga_duplicate(g_a, g_b, 'copy')) return
      dims = (/ 3, 4, 5 /)
      chunk = (/ 3, -1, 0 /)
      if (.not. nga_create(mt_int, 3, dims, 'cube', chunk, g_c)) return
      fortran_arrays = 9
      if (.not. ga_compare_distr(g_a, g_b)) return
      if (ga_compare_distr(g_a, g_c)) return
      dims = 0
      call nga_inquire(g_c, type, ndim, dims)
      if (type .ne. mt_int .or. ndim .ne. 3 .or. dims(1) .ne. 3 .or. dims(3) .ne. 5) return
      fortran_arrays = 10
      if (ga_ndim(g_c) .ne. 3 .or. nga_get_dimension(g_c) .ne. 3) return
      call ga_nblock(g_a, blocks)
      if (blocks(1) * blocks(2) .lt. min(n, 4)) return
      call ga_check_handle(g_a, 'fortran_arrays')
      if (.not. ga_valid_handle(g_a) .or. ga_valid_handle(-3)) return
      fortran_arrays = 11
      if (.not. ga_destroy(g_a)) return
      if (ga_destroy(g_a)) return
      if (.not. ga_destroy(g_b) .or. .not. ga_destroy(g_c)) return
      fortran_arrays = 12
      g_a = ga_create_handle()
      dims(1) = 7
      call ga_set_data(g_a, 1, dims, mt_dcpl)
      chunk(1) = 7
      call ga_set_chunk(g_a, chunk)
      call ga_set_array_name(g_a, 'steps')
      call ga_set_pgroup(g_a, ga_pgroup_get_world())
      if (.not. ga_allocate(g_a)) return
      call ga_nblock(g_a, blocks)
      if (blocks(1) .ne. 1) return
      call ga_inquire_name(g_a, name)
      if (name .ne. 'steps') return
      if (.not. ga_destroy(g_a)) return
      fortran_arrays = 13
      if (ga_uses_ma() .or. ga_memory_limited() .or. ga_memory_avail() .ne. -1) return
      if (ga_inquire_memory() .ne. 0) return
      call ga_set_memory_limit(800)
      if (ga_create(mt_dbl, 101 * n, 1, 'too large', 0, 0, g_a)) return
      if (ga_memory_avail() .ne. 800) return
      call ga_set_memory_limit(-1)
      fortran_arrays = 14
      call ga_version(major, minor, patch)
      if (major .ne. 5) return
      k = 0
      do p = 0, ga_cluster_nnodes() - 1
        k = k + ga_cluster_nprocs(p)
      enddo
      if (k .ne. n) return
      p = ga_cluster_nodeid()
      if (ga_cluster_proc_nodeid(ga_cluster_procid(p, 0)) .ne. p) return
      call ga_list_nodeid(procs, n)
      if (procs(n) .ne. n - 1) return
      fortran_arrays = 0
      end

      integer function fortran_one_sided()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer g_a, g_i, me, n, i, j, k, p, ld, lo(2), hi(2), handle, skip(2), subs(2, 4), flag
      MA_ACCESS_INDEX_TYPE index
      double precision buffer(8, 6), v(4)
! Written between two calls: without `asynchronous` compilers may read it before the second one.
      double precision, asynchronous :: got(12)
      me = ga_nodeid()
      n = ga_nnodes()
      fortran_one_sided = 1
      if (.not. ga_create(mt_dbl, 8, 6, 'a', 0, 0, g_a)) return
      do j = 1, 6
        do i = 1, 8
          buffer(i, j) = 100 * i + j
        enddo
      enddo
      if (me .eq. 0) call ga_put(g_a, 1, 8, 1, 6, buffer, 8)
      call ga_sync()
      got = 0
      call ga_get(g_a, 3, 5, 2, 4, got, 4)
      fortran_one_sided = 2
      do j = 2, 4
        do i = 3, 5
          if (got(i - 2 + 4 * (j - 2)) .ne. 100 * i + j) return
        enddo
      enddo
      fortran_one_sided = 3
      call ga_sync()
      call ga_acc(g_a, 3, 3, 1, 1, 2d0, 1, 0.5d0)
      lo = (/ 8, 6 /)
      call nga_acc(g_a, lo, lo, 1d0, 1, 1d0)
      call ga_nbacc(g_a, 3, 3, 1, 1, 1d0, 1, 1d0, handle)
      call ga_nbwait(handle)
      call ga_sync()
      lo = (/ 3, 1 /)
      call nga_get(g_a, lo, lo, got, 1)
      if (got(1) .ne. 301 + 2 * n) return
      call ga_nbget(g_a, 8, 8, 6, 6, got, 1, handle)
      call nga_nbwait(handle)
      if (got(1) .ne. 806 + n) return
      fortran_one_sided = 4
      call ga_sync()
      hi = (/ 8, 6 /)
      if (me .eq. n - 1) then
        call nga_nbput(g_a, lo, lo, 1d0, 1, handle)
        call nga_nbwait(handle)
        call nga_put(g_a, hi, hi, 2d0, 1)
      endif
      call ga_sync()
      skip = (/ 5, 5 /)
      call nga_strided_get(g_a, lo, hi, skip, got, 2)
      if (got(1) .ne. 1d0 .or. got(4) .ne. 2d0) return
      fortran_one_sided = 5
!     scattered elements
      v = (/ 1d0, 2d0, 3d0, 4d0 /)
      subs(1, :) = (/ 1, 8, 2, 5 /)
      subs(2, :) = (/ 6, 1, 2, 3 /)
      if (me .eq. 0) call ga_scatter(g_a, v, subs(1, :), subs(2, :), 4)
      call ga_sync()
      call nga_scatter_acc(g_a, v, subs, 4, 2d0)
      call ga_sync()
      call nga_gather(g_a, got, subs, 4)
      do k = 1, 4
        if (got(k) .ne. v(k) * (1 + 2 * n)) return
      enddo
      call ga_gather(g_a, got, subs(1, :), subs(2, :), 4)
      if (got(4) .ne. v(4) * (1 + 2 * n)) return
      call ga_sync()
      fortran_one_sided = 6
!     direct access by index into dbl_mb
      call ga_distribution(g_a, me, lo(1), hi(1), lo(2), hi(2))
      if (lo(1) .le. hi(1)) then
        call ga_access(g_a, lo(1), hi(1), lo(2), hi(2), index, ld)
        do j = 0, hi(2) - lo(2)
          do i = 0, hi(1) - lo(1)
            dbl_mb(index + i + j * ld) = 1000 * (lo(1) + i) + lo(2) + j
          enddo
        enddo
        call ga_release_update(g_a, lo(1), hi(1), lo(2), hi(2))
        call nga_access(g_a, hi, hi, index, ld)
        if (dbl_mb(index) .ne. 1000 * hi(1) + hi(2)) return
        call nga_release(g_a, hi, hi)
      endif
      call ga_sync()
      call ga_get(g_a, 1, 8, 1, 6, buffer, 8)
      do j = 1, 6
        do i = 1, 8
          if (buffer(i, j) .ne. 1000 * i + j) return
        enddo
      enddo
      fortran_one_sided = 7
!     counters of Fortran's integers
      if (.not. ga_create(mt_int, 5, 5, 'i', 0, 0, g_i)) return
      k = ga_read_inc(g_i, 2, 4, 1)
      if (k .lt. 0 .or. k .ge. n) return
      lo = (/ 2, 4 /)
      call ga_sync()
      if (nga_read_inc(g_i, lo, 0) .ne. n) return
      call ga_sync()
      fortran_one_sided = 8
!     data, then a notice of them
      p = mod(me + 1, n)
      lo = (/ 1 + p, 1 /)
      hi = (/ 1 + p, 2 /)
      skip = (/ 1 + p, 5 /)
      call nga_nbput_notify(g_i, lo, hi, (/ me, me /), 1, g_i, skip, 1, handle)
      call nga_nbwait_notify(handle)
      flag = 0
      do while (flag .eq. 0)
        call ga_get(g_i, 1 + me, 1 + me, 5, 5, flag, 1)
      enddo
      call ga_get(g_i, 1 + me, 1 + me, 2, 2, k, 1)
      if (k .ne. mod(me + n - 1, n)) return
      call ga_init_fence()
      call ga_fence()
      call ga_sync()
      if (.not. ga_destroy(g_a) .or. .not. ga_destroy(g_i)) return
      fortran_one_sided = 0
      end

      integer function fortran_collectives()
      implicit none
#include "mafdecls.fh"
#include "global.fh"
      integer me, n, i, k(3), group, list(64), world
      integer ga_pgroup_self
      external ga_pgroup_self
      double precision d(2), total
      double complex z
      real s
      me = ga_nodeid()
      n = ga_nnodes()
      world = ga_pgroup_get_world()
      fortran_collectives = 1
      k = me
      call ga_brdcst(17, k, 3 * ma_sizeof(mt_int, 1, mt_byte), n - 1)
      if (k(1) .ne. n - 1 .or. k(3) .ne. n - 1) return
      fortran_collectives = 2
      k = (/ me, -me, 1 /)
      call ga_igop(1, k, 3, '+')
      if (k(1) .ne. n * (n - 1) / 2 .or. k(2) .ne. -k(1) .or. k(3) .ne. n) return
      k = (/ me, -me, 1 /)
      call ga_igop(1, k, 3, 'absmax')
      if (k(2) .ne. n - 1) return
      fortran_collectives = 3
      d = (/ 1d0 * me, -1d0 * me /)
      call ga_dgop(1, d, 2, 'max ')
      if (d(1) .ne. n - 1 .or. d(2) .ne. 0) return
      z = (1d0, 2d0)
      call ga_zgop(1, z, 1, '+')
      if (z .ne. n * (1d0, 2d0)) return
      s = 2
      call ga_sgop(1, s, 1, '*')
      if (s .ne. 2.0 ** n) return
      d(1) = 1
      call ga_gop(mt_dbl, d, 1, '+')
      if (d(1) .ne. n) return
      fortran_collectives = 4
      do i = 1, n
        list(i) = n - i
      enddo
      group = ga_pgroup_create(list, n)
      if (group .ne. 2 .or. ga_pgroup_nnodes(group) .ne. n) return
      if (ga_pgroup_nodeid(group) .ne. me) return
      if (ga_pgroup_absolute_id(group, n - 1) .ne. n - 1) return
      call ga_pgroup_set_default(group)
      if (ga_pgroup_get_default() .ne. group) return
      total = 1
      call ga_pgroup_dgop(group, 3, total, 1, '+')
      if (total .ne. n) return
      call ga_pgroup_gop(group, mt_dbl, total, 1, 'max')
      k(1) = 1
      call ga_pgroup_igop(group, 3, k, 1, '+')
      if (k(1) .ne. n) return
      call ga_pgroup_brdcst(group, 3, k, 1, 0)
      call ga_pgroup_sync(group)
      call ga_pgroup_set_default(world)
      if (.not. ga_pgroup_destroy(group)) return
      fortran_collectives = 5
      group = ga_pgroup_split(world, n)
      if (group .ne. 2 + me .or. ga_pgroup_nnodes(group) .ne. 1) return
      call ga_sync()
      do i = 2, n + 1
        if (.not. ga_pgroup_destroy(i)) return
      enddo
      group = ga_pgroup_split_irreg(world, mod(me, 2))
      if (ga_get_pgroup_size(group) .lt. n / 2) return
      if (.not. ga_pgroup_destroy(group)) return
      group = ga_pgroup_self()
      if (ga_pgroup_nnodes(group) .ne. 1) return
      if (.not. ga_pgroup_destroy(group)) return
      fortran_collectives = 6
      if (.not. ga_create_mutexes(2)) return
      call ga_lock(1)
      call ga_unlock(1)
      if (.not. ga_destroy_mutexes()) return
      call ga_mask_sync(.false., .true.)
      call ga_msg_sync()
      fortran_collectives = 0
      end
