"""A run that is stuck says where each rank stands, and ends; one that works is left alone."""

import re
import time

import pytest

PREAMBLE = """
    import os, subprocess, time
    import atoll

    rank = atoll.rank()
"""
STUCK = 124


def blocks(err):
    """Give what each rank has said of itself, by its number."""
    found = {}
    for text in re.split(r"^atoll: (?=rank \d+ of )", err, flags=re.M)[1:]:
        found[int(text.split()[1])] = text
    return found


@pytest.mark.parametrize("nodes", ["1", "2"])
def test_who_waits_and_who_computes_both_say_where_they_are(run, nodes):
    status, _, err = run(
        PREAMBLE
        + """
    def compute():
        while True:
            time.sleep(1000)

    def meet():
        atoll.barrier()

    meet() if rank == 0 else compute()
    """,
        2,
        ATOLL_TIMEOUT="2",
        ATOLL_NODES=nodes,
    )
    assert status == STUCK, err
    said = blocks(err)
    assert re.search(r"waits in barrier since \d\d:\d\d:\d\d, \d+ s\n  stack:\n", said[0]), err
    assert "is outside of Atoll\n  stack:\n" in said[1], err
    assert re.search(r"line \d+ in meet\n", said[0]), err  # faulthandler's words
    assert re.search(r"line \d+ in compute\n", said[1]), err
    assert "nothing has moved for 2 s on some rank (ATOLL_TIMEOUT)" in err


def test_a_stuck_get_names_its_array(run):
    text = """
    a = atoll.zeros((4, 3), name="density")
    atoll.sync()
    if rank == 0:
        a[3, :]  # of the other node, which nobody serves
    else:
        time.sleep(1000)
    """
    status, _, err = run(
        PREAMBLE + text, 2, ATOLL_TIMEOUT="2", ATOLL_NODES="2", ATOLL_PROGRESS="none"
    )
    assert status == STUCK, err
    assert re.search(r'waits in get of \{"array": "density", .*\} since', blocks(err)[0]), err


def test_a_counted_second_is_one_in_which_the_process_could_run(run):
    text = """
    atoll.sync()
    resume = f"sleep 5; kill -CONT {os.getpid()}"
    subprocess.Popen(["sh", "-c", f"kill -STOP {os.getpid()}; {resume}"])
    time.sleep(0.5)  # stopped meanwhile, on all ranks
    atoll.sync()
    for _ in range(3):
        time.sleep(1.2 * rank)
        atoll.sync()
    print("done")
    """
    status, out, err = run(PREAMBLE + text, 2, ATOLL_TIMEOUT="3")
    assert status == 0, err
    assert out == "done\n" * 2


def test_a_timeout_that_is_none_is_refused(run):
    status, _, err = run(PREAMBLE, 2, ATOLL_TIMEOUT="0")
    assert status != 0
    assert "ATOLL_TIMEOUT=0: expected a number of seconds" in err


def test_who_waits_at_the_end_of_the_program_says_so(run):
    status, _, err = run(
        PREAMBLE
        + """
    if rank == 0:
        time.sleep(1000)
    """,
        2,
        ATOLL_TIMEOUT="2",
    )
    assert status == STUCK, err
    said = blocks(err)
    assert "waits in the end of the program since" in said[1], err
    assert "is outside of Atoll\n  stack:\n" in said[0], err


def test_the_thread_that_is_inside_the_library_is_asked_and_none_that_has_ended(run):
    text = """
    import threading, time

    def in_a_thread(function):
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()

    def start():
        import atoll
        atoll.rank()

    def meet():
        atoll.barrier()

    in_a_thread(start)
    import atoll
    if atoll.rank() == 2:
        time.sleep(1000)
    time.sleep(atoll.rank() * 2)
    in_a_thread(meet)
    """
    status, _, err = run(text, 3, ATOLL_TIMEOUT="3")
    assert status == STUCK, err
    said = blocks(err)
    assert "waits in barrier since" in said[0], err
    assert "is in barrier since" in said[1], err
    assert "is outside of Atoll\n  stack:\n" in said[2], err


NO_THREAD = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <pthread.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>

    /* The watchdog's is the one that is started while all signals are blocked. */
    int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                       void* (*begin)(void*), void* argument) {
      int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
          dlsym(RTLD_NEXT, "pthread_create");
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, NULL, &blocked);
      const char* rank = getenv("PMI_RANK");
      if (rank != NULL && strcmp(rank, "1") == 0 && sigismember(&blocked, SIGTERM)) return EAGAIN;
      return real(thread, attributes, begin, argument);
    }
"""
SLOW_FILES = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <sys/uio.h>
    #include <unistd.h>

    ssize_t pwrite64(int file, const void* from, size_t size, off_t at) {
      ssize_t (*real)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite64");
      if (size > 65535) usleep(500000);
      return real(file, from, size, at);
    }
    ssize_t pwrite(int file, const void* from, size_t size, off_t at) {
      return pwrite64(file, from, size, at);
    }
    ssize_t pwritev64(int file, const struct iovec* from, int count, off_t at) {
      ssize_t (*real)(int, const struct iovec*, int, off_t) = dlsym(RTLD_NEXT, "pwritev64");
      usleep(500000);
      return real(file, from, count, at);
    }
    ssize_t pwritev(int file, const struct iovec* from, int count, off_t at) {
      return pwritev64(file, from, count, at);
    }
"""


def test_a_watchdog_that_one_rank_cannot_start_is_told_by_all(run, preloaded):
    text = """
    import signal
    import atoll

    try:
        atoll.sync()
    except Exception as error:
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        print(f"{error}|{len(blocked)}", flush=True)
    """
    library = preloaded(NO_THREAD)
    _, out, err = run(text, 2, seconds=60, ATOLL_TIMEOUT="600", LD_PRELOAD=library)
    lines = [line.split("|") for line in out.splitlines()]
    assert len(lines) == 2, out + err
    for told, blocked in lines:
        assert "ATOLL_TIMEOUT=600: no thread can be started that watches" in told
        assert blocked == "0"


def test_a_write_aside_that_moves_is_not_stuck(run, preloaded, tmp_path):
    text = f"""
    import atoll

    a = atoll.ones((3000, 3000))
    with atoll.disk.create("{tmp_path / "a.zarr"}", (3000, 3000), request=(500, 750)) as there:
        there.write_async(a).wait()  # 24 tiles, four in 0.5 s
    print("done")
    """
    library = preloaded(SLOW_FILES)
    begun = time.monotonic()
    status, out, err = run(text, ATOLL_TIMEOUT="2", ATOLL_DISK="threads", LD_PRELOAD=library)
    assert (status, out) == (0, "done\n"), err
    assert time.monotonic() - begun > 4.0  # else nothing was slow


def test_a_run_ends_whose_words_nobody_reads(run):
    text = """
    import fcntl

    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, b"x" * 4096)  # full from here on
    os.dup2(writer, 2)
    atoll.barrier() if rank == 0 else time.sleep(1000)
    """
    status, _, err = run(PREAMBLE + text, 2, seconds=60, ATOLL_TIMEOUT="2")
    assert status == STUCK, err


def test_worlds_one_after_the_other_leave_no_file_open(run):
    text = """
    import os
    import atoll

    opened = []
    for _ in range(3):
        atoll.init()
        atoll.finalize()
        opened.append(len(os.listdir("/proc/self/fd")))
    print(opened[2] - opened[0])
    """
    status, out, err = run("    from mpi4py import MPI\n" + text, ATOLL_TIMEOUT="600")
    assert (status, out) == (0, "0\n"), err
