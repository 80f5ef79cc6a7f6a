"""Whole runs: starting alone and under mpiexec, ending well and badly, beside mpi4py."""

from pathlib import Path

import pytest
from instead import AT_THE_END


def test_a_script_runs_alone_and_under_mpiexec(run):
    text = """
        import atoll
        a = atoll.zeros(100)
        a.at[:] += 1
        atoll.sync()
        if atoll.rank() == 0:
            print(int(a[...].sum()))
    """
    assert run(text) == (0, "100\n", "")
    for ranks, nodes in ((1, 1), (3, 1), (3, 2)):
        status, out, err = run(text, ranks, ATOLL_NODES=str(nodes))
        assert (status, out) == (0, f"{100 * ranks}\n"), err


def test_importing_alone_starts_nothing(run):
    status, out, _ = run("import atoll; print(atoll._core.running())")
    assert (status, out) == (0, "False\n")


def test_an_exception_on_one_rank_ends_the_run_with_its_traceback(run):
    text = """
        import atoll
        a = atoll.zeros(10)
        if atoll.rank() == 1:
            a[11] = 1  # the culprit
        atoll.sync()
        atoll.sync()
    """
    status, _, err = run(text, 3)
    assert status != 0
    assert "Exception on rank 1 of 3" in err
    assert "IndexError: index 11 is out of bounds for axis 0 with size 10" in err
    assert "# the culprit" in err
    assert err.count("Traceback") == 1


MISTAKE = """
    import atoll
    def work(a):
        return a + atoll.ones((3, 5))  # the mistake
    a = atoll.ones((4, 4))
    work(a)
"""


def test_a_mistake_of_all_ranks_is_told_once_by_the_lines_of_the_program(run):
    status, _, err = run(MISTAKE, 4)
    assert status != 0
    assert "Exception on rank 0 of 4, and on all that made the call:" in err
    assert err.count("Traceback") == 1
    assert err.count("# the mistake") == 1
    assert "ufuncs.py" not in err
    assert "numpy" not in err
    assert len(err.splitlines()) < 12


def test_a_single_process_shows_the_lines_of_the_program_alone(run):
    status, _, err = run(MISTAKE)
    assert status == 1
    assert err.startswith("Traceback")
    assert "# the mistake" in err
    assert "ufuncs.py" not in err


def test_lines_of_the_program_that_the_package_calls_are_shown_and_those_behind_them(run):
    text = """
        import atoll
        import numpy as np
        def combine(x, y):
            return np.linalg.inv(np.zeros((2, 2)))
        m = atoll.ones(4, mirrored=True)
        m.merge(op=combine) if atoll.nodes() > 1 else combine(1, 2)
    """
    status, _, err = run(text, 2, ATOLL_NODES="2")
    assert status != 0
    assert "in combine" in err
    assert "Singular matrix" in err


def test_an_exception_before_atoll_has_started_ends_the_run(run):
    text = """
        import os
        import atoll
        if os.environ.get("PMI_RANK", os.environ.get("PMIX_RANK")) == "1":
            raise FileNotFoundError("input.xyz")
        atoll.sync()
    """
    status, _, err = run(text, 2)
    assert status != 0
    assert "FileNotFoundError: input.xyz" in err


@pytest.mark.parametrize(
    "leave", ["sys.exit(7)", "raise SystemExit(7)", "sys.exit('no such file')", "exit(7)"]
)
def test_a_failing_exit_of_one_rank_ends_the_run_with_its_status(run, leave):
    text = f"""
        import sys
        import atoll
        if atoll.rank() == 1:
            {leave}
        atoll.sync()
    """
    status, _, err = run(text, 2)
    expected = 1 if "file" in leave else 7
    assert f"rank 1 of 2 ended with exit status {expected}" in err
    assert status in (expected, 9)  # 9: MPICH's launcher has killed the rank before it was gone
    if "file" in leave:
        assert "no such file" in err


def test_a_good_exit_of_all_ranks_is_good_and_an_early_one_waits(run):
    text = """
        import sys, time
        import atoll
        a = atoll.zeros(4)
        if atoll.rank() == 0:
            sys.exit(0)
        time.sleep(0.5)
        a[:] = 1
        print(a[:].sum())
    """
    assert run(text, 2) == (0, "4.0\n", "")


@pytest.mark.parametrize("first", ["import atoll", "from mpi4py import MPI; import atoll"])
def test_an_exit_that_is_caught_is_no_exit(run, first):
    text = f"""
        import sys
        {first}
        atoll.sync()
        try:
            sys.exit(3)
        except SystemExit as error:
            assert error.code == 3
        atoll.sync()
        print("on")
    """
    assert run(text, 2) == (0, "on\non\n", "")


def test_an_exception_in_a_thread_ends_the_run(run):
    text = """
        import threading
        import atoll
        atoll.sync()
        def work():
            raise ValueError("in a thread")
        if atoll.rank() == 0:
            thread = threading.Thread(target=work, name="worker")
            thread.start()
            thread.join()
        atoll.sync()
        atoll.sync()
    """
    status, _, err = run(text, 2)
    assert status != 0
    assert "Exception on rank 0 of 2, thread worker" in err
    assert "ValueError: in a thread" in err


def test_an_exception_of_a_single_process_looks_as_usual(run):
    status, _, err = run("import atoll\natoll.zeros(3)[3]")
    assert status == 1
    assert err.startswith("Traceback")
    assert err.rstrip().endswith("IndexError: index 3 is out of bounds for axis 0 with size 3")


def test_an_exit_hook_of_somebody_else_is_kept(run):
    text = """
        import sys
        sys.excepthook = lambda *_: print("mine", flush=True)
        import atoll
        if atoll.rank() == 0:
            raise ValueError
        atoll.sync()
    """
    status, out, _ = run(text, 2)
    assert status != 0
    assert "mine" in out


@pytest.mark.parametrize("first", ["atoll", "mpi4py"])
@pytest.mark.parametrize("ranks", [0, 3])
def test_mpi4py_beside_atoll_in_either_order(run, first, ranks):
    imports = ["import atoll; atoll.sync()", "from mpi4py import MPI"]
    text = f"""
        {imports[first == "mpi4py"]}
        {imports[first == "atoll"]}
        a = atoll.zeros(10)
        a.at[:] += MPI.COMM_WORLD.Get_rank() + 1
        atoll.sync()
        total = MPI.COMM_WORLD.allreduce(1)
        if atoll.rank() == 0:
            print(a[3], total)
    """.replace("\n        ", "\n")
    expected = {0: "1.0 1\n", 3: "6.0 3\n"}[ranks]
    assert run(text, ranks) == (0, expected, "")


def test_atoll_on_an_mpi4py_communicator_of_some_ranks(run):
    text = """
        from mpi4py import MPI
        import atoll
        part = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2, -MPI.COMM_WORLD.rank)
        atoll.init(part)
        assert (atoll.rank(), atoll.size()) == (part.rank, part.size)
        a = atoll.zeros(8)
        a.at[:] += 1
        atoll.sync()
        assert (a[:] == part.size).all()
        atoll.finalize()
        assert not a.alive
        MPI.COMM_WORLD.Barrier()
        atoll.init()
        assert atoll.size() == MPI.COMM_WORLD.size
        assert atoll.ones(3).sum() == 3
    """
    status, _, err = run(text, 4)
    assert (status, err) == (0, "")


def test_mpi4pys_own_runner_ends_the_run_with_the_traceback(run):
    text = """
        from mpi4py import MPI
        import atoll
        a = atoll.zeros(4)
        if atoll.rank() == 1:
            raise SystemExit(5)
        atoll.sync()
    """
    status, _, _ = run(text, 2, options=["-m", "mpi4py"])
    assert status != 0


def test_finalize_wants_views_gone_and_arrays_say_that_the_world_has_ended(run):
    text = """
        import atoll
        a = atoll.zeros(100)
        view = a.local() if atoll.rank() == 0 else None
        try:
            atoll.finalize()
        except BufferError:
            pass
        else:
            raise AssertionError
        del view
        atoll.finalize()
        assert not a.alive
        for use in (lambda: a[0], lambda: a.sum(), lambda: atoll.zeros(3), atoll.rank):
            try:
                use()
            except RuntimeError:
                pass
            else:
                raise AssertionError
        a.destroy()
    """
    for ranks in (0, 2):
        status, _, err = run(text, ranks)
        assert (status, err) == (0, "")


def test_arrays_views_and_requests_left_at_the_end_do_no_harm(run):
    text = """
        import atoll
        a = atoll.zeros((100, 100))
        view = a.local()
        request = a.get_async(...)
        counter = atoll.Counter()
        group = atoll.world().split(0)
        a.cycle = [a]
    """
    for ranks, nodes in ((0, 1), (2, 1), (3, 2)):
        assert run(text, ranks, ATOLL_NODES=str(nodes)) == (0, "", "")


def test_forked_children_end_without_ending_atoll(run):
    text = """
        import os, warnings
        import atoll
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12: there are threads
        atoll.sync()
        if os.fork() == 0:
            os._exit(0)
        os.wait()
        import subprocess
        subprocess.run(["true"], check=True)
        atoll.sync()
        print("on")
    """
    assert run(text, 2) == (0, "on\non\n", "")


def test_bad_settings_are_named(run):
    status, _, err = run("import atoll; atoll.sync()", ATOLL_NOODES="2")
    assert status == 1
    assert "ATOLL_NOODES" in err


def test_check_mode_names_the_odd_rank(run):
    text = """
        import atoll
        a = atoll.zeros(3)
        a.sum() if atoll.rank() != 2 else a.norm()
    """
    status, _, err = run(text, 3, ATOLL_CHECK="1")
    assert status != 0
    assert "RuntimeError" in err
    assert "2" in err


def test_a_merge_under_way_at_the_end_is_finished(run):
    text = """
        import atoll
        m = atoll.ones((500, 400), mirrored=True)
        other = atoll.ones((500, 400), mirrored=True)
        other.merge_begin()
        pending = m.merge_begin()
        if atoll.rank() == 0:
            print("end")
    """
    assert run(text, 3, ATOLL_NODES="2") == (0, "end\n", "")


def test_examples_run(run):
    folder = Path(__file__).resolve().parents[2] / "examples" / "python"
    scripts = sorted(folder.glob("*.py"))
    assert scripts
    for script in scripts:
        for ranks, nodes in ((0, 1), (3, 1), (3, 2)):
            status, out, err = run(script.read_text(), ranks, ATOLL_NODES=str(nodes))
            assert (status, err) == (0, ""), script
            assert out
            if script.stem == "laplace":  # in 2 and 3 dimensions, of second order in the mesh width
                errors = [float(line.split()[-1]) for line in out.splitlines()]
                assert 0 < errors[0] < 0.5 / 25**2
                assert 0 < errors[1] < 0.5 / 13**2


def test_programs_of_the_array_interface_give_what_numpy_does_in_hardly_more_lines(run):
    text = """
        import pathlib, sys
        sys.path.insert(0, FOLDER)
        import atoll
        import numpy_programs as programs
        for name, module in programs.programs([]):
            for size in ("points", "samples", "count", "pages", "links"):
                if hasattr(module, size):
                    setattr(module, size, getattr(module, size) // 20)
            if hasattr(module, "steps"):
                module.steps = 3
            made = module.by_atoll()
            atoll.sync()
            if atoll.rank() == 0:
                assert programs.same(module.by_numpy(), made), name
            ours, theirs = programs.lines(module.by_atoll), programs.lines(module.by_numpy)
            assert ours <= 1.5 * theirs, name
            if atoll.rank() == 0:
                print(name)
    """
    folder = Path(__file__).resolve().parents[2] / "bench"
    text = text.replace("FOLDER", repr(str(folder)))
    for ranks, nodes in ((0, 1), (3, 2)):
        status, out, err = run(text, ranks, ATOLL_NODES=str(nodes))
        assert (status, err) == (0, "")
        assert len(out.splitlines()) == 12


# MPICH's MPI_Finalize takes no locks from its first line on.
@pytest.mark.parametrize("last", ["", "MPI.Finalize()", "atoll.finalize(); MPI.Finalize()"])
def test_no_thread_of_atoll_is_left_when_mpi4py_ends_mpi(run, preloaded, last):
    text = f"""
        from mpi4py import MPI
        import atoll
        a = atoll.ones(10)
        atoll.sync()
        assert a.sum() == 10
        {last}
    """
    library = str(preloaded(AT_THE_END))
    status, out, err = run(text, 2, ATOLL_NODES="2", LD_PRELOAD=library)
    assert (status, out, err) == (0, 2 * "threads started: some, alive: 0\n", "")


@pytest.mark.parametrize("first", ["import atoll", "from mpi4py import MPI; import atoll"])
@pytest.mark.parametrize("leave", ["sys.exit(0)", "sys.exit(7)"])
def test_a_rank_that_leaves_while_others_wait_for_it_ends_the_run(run, first, leave):
    text = f"""
        import sys
        {first}
        a = atoll.zeros(4)
        if atoll.rank() == 1:
            {leave}
        atoll.sync()
        a.sum()
        print("went on")
    """
    status, out, err = run(text, 2)
    assert status != 0
    assert "rank 1" in err
    assert "went on" not in out


@pytest.mark.parametrize("rc", ["initialize = False", "finalize = False"])
def test_a_status_ends_the_run_also_where_mpi4py_is_told_not_to_end_mpi(run, rc):
    text = f"""
        import sys
        import mpi4py
        mpi4py.rc.{rc}
        from mpi4py import MPI
        import atoll
        atoll.sync()
        sys.exit(7 if atoll.rank() == 1 else 0)
    """
    status, _, err = run(text, 2)
    assert status != 0
    assert "rank 1 of 2 ended with exit status 7" in err


WAITS = ["part.sync()", "part.reduce(1.0)", "part.broadcast(1.0, 1)", "a.sum()"]


@pytest.mark.parametrize(
    ("leave", "call", "nodes"),
    [
        *[("sys.exit(0)", call, nodes) for call in WAITS for nodes in ("1", "2")],
        ("sys.exit(0)", "part.sync()", "3"),
        ("sys.exit(0)", "copies.merge()", "3"),
        ("raise ValueError", "part.sync()", "2"),
    ],
)
def test_a_rank_that_leaves_while_others_of_a_group_wait_for_it_ends_the_run(
    run, leave, call, nodes
):
    text = f"""
        import sys
        import atoll
        part = atoll.world().create([0, 1])
        if part is not None:
            a = atoll.ones(4, group=part)
        copies = atoll.ones(4, mirrored=True)
        if atoll.rank() == 1:
            {leave}
        if atoll.rank() == 0:
            {call}
            print("went on")
    """
    status, out, err = run(text, 3, seconds=30, ATOLL_NODES=nodes)
    assert status != 0
    assert "rank 1" in err
    assert "went on" not in out


def test_a_rank_that_comes_late_is_waited_for(run):
    text = """
        import time
        import atoll
        part = atoll.world().create([0, 1])
        if part is not None:
            for _ in range(2):
                if atoll.rank() == 1:
                    time.sleep(0.8)  # longer than the others wait before they ask
                part.sync()
                part.reduce(1.0)
            print("on")
        if atoll.rank() == 1:
            time.sleep(0.8)
        atoll.world().reduce(1.0)
        if atoll.rank() == 2:
            time.sleep(0.8)  # the others are at the end
    """
    for nodes in ("1", "2"):
        status, out, err = run(text, 3, ATOLL_NODES=nodes)
        assert (status, out, err) == (0, "on\non\n", "")


@pytest.mark.parametrize("ranks", [2, 3])
def test_an_interrupt_ends_ranks_that_all_wait_in_collective_calls(run, ranks):
    text = """
        import os, signal, threading, time
        import atoll
        groups = [atoll.world().create(range(atoll.size())) for _ in range(2)]
        def interrupt():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        groups[0 if atoll.rank() == 0 else 1].sync()  # for ever
    """
    status, _, err = run(text, ranks, seconds=20)
    assert status != 0
    assert "was interrupted; the run ends" in err
    assert "# for ever" in err


def test_the_status_after_an_exception_is_one(run):
    for culprit in ("True", "atoll.rank() == 1"):
        text = f"""
            import atoll
            a = atoll.zeros(4)
            if {culprit}:
                raise ValueError
            atoll.sync()
        """
        status, _, _ = run(text, 2)
        assert status == 1


def test_the_ranks_of_a_host_share_its_cores_also_in_numpys_libraries(run):
    text = """
        import os
        import numpy
        from threadpoolctl import threadpool_info
        import atoll
        atoll.sync()
        LATER
        cores = len(os.sched_getaffinity(0))
        most = max([pool["num_threads"] for pool in threadpool_info()], default=1)
        assert most <= max(1, cores // SHARE), (most, cores)
    """
    unset = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"))
    for later in ("pass", "import scipy.linalg"):  # which brings a BLAS of its own
        loaded = text.replace("LATER", later)
        status, _, err = run(loaded.replace("SHARE", "2"), 2, **unset)
        assert (status, err) == (0, "")
    kept = loaded.replace("<= max(1, cores // SHARE)", "== 2")
    status, _, err = run(kept, 2, **unset | {"OPENBLAS_NUM_THREADS": "2"})
    assert (status, err) == (0, "")


def test_processors_beyond_1024_are_counted(run, preloaded):
    large_machine = """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <sched.h>

        /* As a kernel with 2048 processors, of which three are this process's. */
        int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* mask) {
          if (bytes < 256) { errno = EINVAL; return -1; }
          CPU_ZERO_S(bytes, mask);
          CPU_SET_S(0, bytes, mask);
          CPU_SET_S(1023, bytes, mask);
          CPU_SET_S(2047, bytes, mask);
          return 0;
        }
    """
    text = "import atoll; atoll.sync(); print(atoll._core.describe())"
    status, out, err = run(text, LD_PRELOAD=preloaded(large_machine))
    assert status == 0, err
    assert "ranks on this host: 1 on 3 cores" in out
