"""Whole runs that fork: a child has no part in the World, and does its parent no harm."""

import pytest


@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(0)"])
def test_a_child_that_ends_gives_back_nothing_of_its_parents(run, end):
    text = f"""
        import os, sys
        import atoll
        a = atoll.zeros(1000, dtype="int64")
        a.fill(1)
        atoll.sync()
        if atoll.rank() == 0:
            pid = os.fork()
            if pid == 0:
                {end}
            assert os.waitpid(pid, 0)[1] == 0
        atoll.sync()
        if atoll.rank() == 0:
            a = None
        atoll.sync()
        b = atoll.zeros(1000, dtype="int64")
        b.fill(5)
        atoll.sync()
        if atoll.rank() == 1:
            print(int(a[:].sum()), int(b[:].sum()))
        atoll.sync()
    """
    status, out, err = run(text, 2)
    assert (status, out) == (0, "1000 5000\n"), err


def test_an_exception_in_a_child_ends_the_child_alone(run):
    text = """
        import os
        import atoll
        atoll.sync()
        if atoll.rank() == 0:
            pid = os.fork()
            if pid == 0:
                raise RuntimeError("in the child")
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
        atoll.sync()
        if atoll.rank() == 0:
            print("goes on")
    """
    status, out, err = run(text, 2)
    assert (status, out) == (0, "goes on\n"), err
    assert "RuntimeError: in the child" in err


CALLS = [
    "atoll.zeros(3)",
    "atoll.sync()",
    "a[0]",
    "a[0:2]",
    "a.__setitem__(slice(0, 3), 7.0)",
    "a.at[0:2].add(1.0)",
    "float(a.sum())",
    "counter.next()",
    "world.split(0)",
    "world.barrier()",
    "atoll.finalize()",
]


def test_every_call_in_a_process_of_multiprocessing_is_an_error(run):
    text = f"""
        import multiprocessing
        import atoll
        a, counter, world = atoll.zeros(10), atoll.Counter(), atoll.world()
        a[0:1]
        counter.next()
        atoll.sync()

        def child(call):
            try:
                eval(call)
            except Exception as error:
                return type(error).__name__ + ": " + str(error)
            return call + " was made"

        if atoll.rank() == 0:
            with multiprocessing.get_context("fork").Pool(1) as pool:
                for told in pool.map(child, {CALLS!r}):
                    print(told)
        atoll.sync()
        assert float(a.sum()) == 0.0
    """
    status, out, err = run(text, 2)
    assert status == 0, err
    told = out.splitlines()
    assert len(told) == len(CALLS)
    for line in told:
        assert "was forked by one that runs Atoll" in line, line


def test_an_interrupted_child_does_not_end_the_run_of_its_parent(run):
    text = """
        import os, signal, time
        import atoll
        atoll.sync()
        if atoll.rank() == 0:
            pid = os.fork()
            if pid == 0:
                try:
                    time.sleep(0.3)  # its parent waits in the barrier by then
                    os.kill(os.getpid(), signal.SIGINT)
                    time.sleep(60)
                except KeyboardInterrupt:
                    os._exit(3)
        else:
            time.sleep(2)
        atoll.barrier()
        if atoll.rank() == 0:
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
            print("goes on")
    """
    status, out, err = run(text, 2)
    assert (status, out) == (0, "goes on\n"), err


def test_groups_may_be_let_go_in_another_thread(run):
    text = """
        import threading, time
        import atoll
        groups = [atoll.world().split(0) for _ in range(700)]

        def drop():
            while groups:
                groups.pop()
                time.sleep(0)

        thread = threading.Thread(target=drop)
        thread.start()
        for _ in range(1500):
            atoll.sync()
            atoll.zeros(4)
        thread.join()
        atoll.sync()
        if atoll.rank() == 0:
            print("ended")
    """
    status, out, err = run(text, 2)
    assert (status, out) == (0, "ended\n"), err
