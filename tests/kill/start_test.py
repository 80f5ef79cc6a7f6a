"""Starting and ending: configuration, launchers, a program's own MPI, errors that end the run."""

import re
import time

import instead
import pytest
from launch import Run, with_open_mpi


def run(*arguments, **options):
    """Run a scenario to its end; give status, stdout, stderr."""
    started = Run("scenario", *arguments, **options)
    outcome = started.finish()
    assert started.wait_until_gone() == []
    return outcome


def expect_ok(*arguments, **options):
    status, stdout, stderr = run(*arguments, **options)
    assert (status, stdout.splitlines()[-1:]) == (0, ["ok"]), stdout + stderr
    return stdout


def expect_error(kind, texts, *arguments, status=2, **options):
    """Every rank prints an error of this kind; all of `texts` are in what they print."""
    ended, stdout, stderr = run(*arguments, **options)
    assert ended == status, stdout + stderr
    lines = [line for line in stdout.splitlines() if line.startswith("error ")]
    ranks = options.get("ranks") or 1
    # Open MPI's launcher kills the others when the first rank ends with an error.
    fewest = 1 if status != 0 and with_open_mpi() else ranks
    assert fewest <= len(lines) <= ranks, stdout + stderr
    for line in lines:
        assert line.startswith(f"error {kind}"), line
    for text in texts:
        assert any(text in line for line in lines), f"{text!r} is not in {lines}"


@pytest.mark.parametrize("ranks", [None, 1, 3])
def test_describe_names_versions_ranks_nodes_and_settings(ranks):
    text = expect_ok("describe", ranks=ranks, nodes=2 if ranks == 3 else None)
    assert re.search(rf"^ranks: {ranks or 1}$", text, re.MULTILINE)
    assert re.search(rf"^nodes: {2 if ranks == 3 else 1}\b", text, re.MULTILINE)
    for name in ("ATOLL_NODES", "ATOLL_CHECK", "ATOLL_PROGRESS", "ATOLL_MEMORY", "ATOLL_PROFILE"):
        assert name in text


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("name", ["ATOLL_FOO", "ATOLL_NODE", "ATOLL_", "ATOLL_nodes"])
def test_an_unknown_variable_is_an_error_that_names_it(ranks, name):
    expect_error("value", [name, "ATOLL_NODES"], "describe", ranks=ranks, **{name: "1"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[
            ("ATOLL_NODES", value)
            for value in ("0", "-1", "two", "", "1.5", "99999999999999999999")
        ],
        *[("ATOLL_CHECK", value) for value in ("2", "yes", "")],
        *[("ATOLL_PROGRESS", value) for value in ("ranks", "THREAD", "")],
        *[("ATOLL_PROGRESS_RANKS", value) for value in ("0", "-1", "one", "")],
        *[("ATOLL_DOORBELL", value) for value in ("on", "0", "")],
        *[("ATOLL_TRANSPORT", value) for value in ("messages", "RMA", "")],
        ("ATOLL_PROFILE", ""),
        ("ATOLL_PROFILE", "/nowhere/profile.json"),
        ("ATOLL_SCRATCH", "/tmp:/nowhere"),
        *[("ATOLL_THREADS", value) for value in ("0", "all", "")],
        *[("ATOLL_MEMORY", value) for value in ("0", "lots", "12X", "M", "-5", "1GG", "1k")],
    ],
)
def test_a_malformed_value_is_an_error_that_names_it(name, value):
    expect_error("value", [f"{name}={value}"], "describe", ranks=2, **{name: value})


@pytest.mark.parametrize("value", ["1000000000", "1000000k", "700M", "1G"])
def test_memory_limits_may_have_a_suffix(value):
    text = expect_ok("describe", ranks=2, ATOLL_MEMORY=value)
    setting = int(re.search(r"ATOLL_MEMORY=(\d+)", text).group(1))
    assert 700 << 20 <= setting <= 1 << 30


@pytest.mark.parametrize(("ranks", "nodes", "serving"), [(2, 1, 1), (4, 2, 1), (5, 1, 3)])
def test_progress_ranks_leave_the_others_to_compute(ranks, nodes, serving):
    settings = {"ATOLL_PROGRESS": "rank", "ATOLL_PROGRESS_RANKS": str(serving)}
    text = expect_ok("describe", ranks=ranks, nodes=nodes, **settings)
    assert re.search(rf"^ranks: {ranks - nodes * serving}$", text, re.MULTILINE)


@pytest.mark.parametrize(("ranks", "nodes", "serving"), [(None, 1, 1), (2, 2, 1), (5, 2, 2)])
def test_progress_ranks_that_leave_nobody_to_compute_are_an_error(ranks, nodes, serving):
    settings = {"ATOLL_PROGRESS": "rank", "ATOLL_PROGRESS_RANKS": str(serving)}
    expect_error(
        "value",
        [f"ATOLL_PROGRESS_RANKS={serving}", "at least one must be left"],
        "describe",
        ranks=ranks,
        nodes=nodes if ranks else None,
        **settings,
    )


def test_shared_memory_alone_is_an_error_between_nodes():
    expect_error(
        "value", ["ATOLL_TRANSPORT=shared", "2"], "describe",
        ranks=2, nodes=2, ATOLL_TRANSPORT="shared",
    )  # fmt: skip


def test_more_nodes_than_ranks_are_an_error():
    expect_error("value", ["ATOLL_NODES=5", "2"], "describe", ranks=2, nodes=5)


SETTINGS = [
    ("ATOLL_NODES", "2", "1"),
    ("ATOLL_CHECK", "0", "1"),
    ("ATOLL_DOORBELL", "auto", "off"),
    ("ATOLL_LAUNCHER", "check", "ignore"),
    ("ATOLL_MEMORY", "67108864", "134217728"),
    ("ATOLL_PROFILE", "one", "another"),
    ("ATOLL_PROGRESS", "none", "thread"),
    ("ATOLL_PROGRESS", "none", "rank"),
    ("ATOLL_PROGRESS_RANKS", "1", "2"),
    ("ATOLL_SCALAPACK", "auto", "off"),
    ("ATOLL_THREADS", "1", "2"),
    ("ATOLL_TRANSPORT", "message", "rma"),
]


@pytest.mark.parametrize(("name", "value", "odd"), SETTINGS)
def test_settings_that_must_agree_are_compared_and_told_with_their_values(
    name, value, odd, tmp_path
):
    if name == "ATOLL_PROFILE":
        value, odd = str(tmp_path / value), str(tmp_path / odd)
    settings = {"ATOLL_NODES": "2", name: value}
    texts = [f"rank 0 has {name}={value}", f"rank 2 has {name}={odd}"]
    expect_error("value", texts, "odd_setting", name, odd, status=0, ranks=3, **settings)


@pytest.mark.parametrize("name", ["ATOLL_CHECK", "ATOLL_MEMORY", "ATOLL_PROFILE"])
def test_a_malformed_value_on_one_rank_is_told_to_all(name):
    value = "" if name == "ATOLL_PROFILE" else "lots"
    expect_error("value", [f"{name}={value}"], "odd_setting", name, value, status=0, ranks=3)


def test_a_setting_on_one_rank_only_is_told_to_all(tmp_path):
    odd = str(tmp_path / "profile")
    texts = ["rank 0 has ATOLL_PROFILE=(none)", f"rank 1 has ATOLL_PROFILE={odd}"]
    expect_error("value", texts, "odd_setting", "ATOLL_PROFILE", odd, status=0, ranks=2)


@pytest.mark.parametrize(("ranks", "nodes"), [(2, 1), (3, 2), (4, 4)])
@pytest.mark.parametrize("progress", ["thread", "none", "rank"])
def test_a_node_without_memory_ends_the_start_on_all_ranks(progress, ranks, nodes):
    if progress == "rank":
        ranks = max(ranks, 2 * nodes)
    # What is asked for by name is tried also beyond the limit, to which the default keeps.
    expect_error(
        "out of memory", ["shared memory of the node"], "no_memory",
        status=0, ranks=ranks, nodes=nodes, ATOLL_PROGRESS=progress, ATOLL_MEMORY="4G",
    )  # fmt: skip


@pytest.mark.parametrize(("ranks", "nodes"), [(2, 2), (3, 3)])
def test_an_agent_that_cannot_start_ends_the_start_on_all_ranks(ranks, nodes):
    expect_error("communication", ["agent"], "no_threads", status=0, ranks=ranks, nodes=nodes)


def test_an_error_of_mpi_is_told_and_does_not_end_the_run():
    # Between nodes: inside one, groups broadcast by shared memory.
    status, stdout, stderr = run("mpi_error", ranks=2, nodes=2)
    assert status == 0, stdout + stderr
    assert "error communication: MPI_" in stdout, stdout + stderr


@pytest.mark.parametrize("call", ["MPI_Bcast", "MPI_Allreduce"])
def test_each_call_of_mpi_that_fails_at_the_start_is_told(call):
    for n in range(1, 100):
        _, stdout, stderr = Run("failing_mpi", call, n, ranks=2).finish()
        if stdout == "over\n":
            break
        assert re.search(rf"^(atoll:|told) .*\b{call} failed: ", stderr + stdout, re.MULTILINE), n
    assert n > 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [("ENOENT", "a /proc mounted with hidepid, or none, hides it"), ("EACCES", "see hidepid")],
)
def test_a_proc_that_hides_the_leader_ends_the_start_and_is_told(error, reason, tmp_path):
    hidden = f"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <stdarg.h>
        #include <stdio.h>
        #include <stdlib.h>

        int open(const char* path, int flags, ...) {{
          int process, file;
          va_list more;
          va_start(more, flags);
          int mode = va_arg(more, int);
          va_end(more);
          if (getenv("HIDE_PROC") && sscanf(path, "/proc/%d/fd/%d", &process, &file) == 2)
            return errno = {error}, -1;
          int (*real)(const char*, int, ...) = dlsym(RTLD_NEXT, "open");
          return real(path, flags, mode);
        }}
    """
    preload = instead.compiled(hidden, tmp_path)
    texts = [
        "shared memory of the node",
        "through /proc",
        reason,
        "another rank of the node failed",
    ]
    # Hidden from the last rank, at its first try: both go on, so no launcher ends one untold.
    expect_error(
        "communication", texts, "odd_setting", "HIDE_PROC", "yes",
        status=0, ranks=2, LD_PRELOAD=preload,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["own_mpi", "own_mpi_default"])
@pytest.mark.parametrize("level", ["single", "funneled", "serialized", "multiple"])
@pytest.mark.parametrize(("ranks", "nodes"), [(2, 1), (3, 2)])
def test_a_program_with_its_own_mpi_goes_on_using_it(name, level, ranks, nodes):
    expect_ok(name, level, ranks=ranks, nodes=nodes)


def test_between_nodes_a_low_thread_level_is_said_once_on_stderr():
    status, stdout, stderr = run("own_mpi", "single", ranks=2, nodes=2)
    assert status == 0, stdout + stderr
    if "MPI_THREAD_MULTIPLE" not in stderr:
        # An MPI may give more than was asked for: then there is nothing to say.
        assert "ok" in stdout
    assert stderr.count("MPI_THREAD_MULTIPLE") <= 2, stderr  # once for each of the two worlds


@pytest.mark.parametrize("level", ["funneled", "serialized"])
def test_no_thread_calls_mpi_that_may_not_however_local_its_operations(level):
    started = Run("thread_levels", level, ranks=3, nodes=2)
    status, stdout, stderr = started.finish()
    assert (status, stdout.splitlines()[-1:]) == (0, ["ok"]), stdout + stderr


@pytest.mark.parametrize(("ranks", "nodes"), [(1, 1), (2, 1), (3, 1), (4, 1), (4, 2)])
def test_worlds_on_subsets_live_side_by_side(ranks, nodes):
    expect_ok("subsets", ranks=ranks, nodes=nodes)


@pytest.mark.parametrize(("ranks", "nodes"), [(None, None), (2, 1), (2, 2)])
@pytest.mark.parametrize("name", ["outlive", "twice", "no_communicator"])
def test_use_after_the_end_is_an_error_not_a_crash(name, ranks, nodes):
    expect_ok(name, ranks=ranks, nodes=nodes)


@pytest.mark.parametrize(("ranks", "nodes"), [(2, 1), (3, 2)])
def test_an_exception_that_leaves_one_rank_ends_the_run(ranks, nodes):
    status, _, stderr = run("throw", ranks=ranks, nodes=nodes)
    assert status != 0
    assert "the last rank is unhappy" in stderr


@pytest.mark.parametrize(("ranks", "nodes"), [(1, 1), (3, 1), (3, 3)])
def test_abort_ends_the_run_with_its_message_and_status(ranks, nodes):
    status, _, stderr = run("abort", ranks=ranks, nodes=nodes)
    # Open MPI's launcher combines the ranks' exit codes, and counts those it had to kill.
    assert status == 7 if ranks == 1 or not with_open_mpi() else status != 0, stderr
    assert f"rank {ranks - 1}: enough is enough" in stderr


def test_last_words_are_given_time_to_be_read_before_a_launcher_ends_the_run(tmp_path):
    waited = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <sys/uio.h>
        #include <time.h>
        #include <unistd.h>

        static struct timespec written;
        ssize_t writev(int file, const struct iovec* pieces, int count) {
          ssize_t (*real)(int, const struct iovec*, int) = dlsym(RTLD_NEXT, "writev");
          if (file == 2) clock_gettime(CLOCK_MONOTONIC, &written);
          return real(file, pieces, count);
        }
        int MPI_Abort(int communicator, int code) {
          struct timespec now;
          clock_gettime(CLOCK_MONOTONIC, &now);
          double seconds = now.tv_sec - written.tv_sec + (now.tv_nsec - written.tv_nsec) * 1e-9;
          _exit(written.tv_sec != 0 && seconds >= 0.4 ? 70 : 71);
        }
    """
    started = Run("scenario", "abort", LD_PRELOAD=instead.compiled(waited, tmp_path))
    assert started.launcher.wait(60) == 70  # nobody has read yet
    assert "atoll: " in started.finish()[2]


@pytest.mark.parametrize(("ranks", "nodes"), [(2, 1), (3, 1), (3, 2), (4, 4)])
@pytest.mark.parametrize("kind", ["calls", "lengths", "roots", "algebra", "patches"])
def test_check_names_the_odd_rank_instead_of_hanging(kind, ranks, nodes):
    settings = {"ranks": ranks, "nodes": nodes, "ATOLL_CHECK": "1"}
    # Of two ranks that differ, either may be called the odd one.
    odd = f"rank {ranks - 1} calls" if ranks > 2 else "calls"
    expect_error("rank mismatch", [odd], "odd", kind, status=0, **settings)


@pytest.mark.parametrize(("ranks", "nodes"), [(None, None), (2, 1), (2, 2)])
def test_the_text_of_an_error_that_leaves_the_world_is_shown(ranks, nodes):
    status, _, stderr = run("error_leaves", ranks=ranks, nodes=nodes)
    assert status != 0
    assert "put: patch [7:8]" in stderr
    assert "'lonely'" in stderr


def test_the_launcher_of_another_mpi_is_named():
    _, stdout, _ = run("describe")
    if "Open MPI" in stdout:
        foreign, name = {"PMI_SIZE": "2", "MPI_LOCALNRANKS": "2"}, "MPICH"
    else:
        foreign, name = {"OMPI_COMM_WORLD_SIZE": "2"}, "Open MPI"
    expect_error("communication", [name, "mpiexec"], "describe", **foreign)


SLURM_STEP = {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_NTASKS": "2"}


@pytest.mark.parametrize(
    "sign", ["SLURM_STEP_NUM_TASKS=2", "PALS_RANKID=3", "MV2_COMM_WORLD_SIZE=4"]
)
def test_processes_of_a_launcher_that_do_not_know_each_other_are_an_error(sign):
    name, _, value = sign.partition("=")
    slurm = SLURM_STEP if name.startswith("SLURM") else {}
    expect_error("communication", [sign, "ATOLL_LAUNCHER"], "describe", **(slurm | {name: value}))
    text = expect_ok("describe", ATOLL_LAUNCHER="ignore", **(slurm | {name: value}))
    assert "ATOLL_LAUNCHER=ignore" in text


def test_the_error_names_the_way_to_start_with_slurm():
    remedy = f"srun --mpi={'pmix' if with_open_mpi() else 'pmi2'}"
    expect_error("communication", [remedy], "describe", **SLURM_STEP)


def test_a_launcher_that_speaks_pmix_alone_is_told_from_one_that_mpich_knows():
    if with_open_mpi():
        pytest.skip("PMIx is what Open MPI speaks")
    pmix = {"PMIX_RANK": "0", "PMIX_NAMESPACE": "1"}
    expect_error("communication", ["PMIx", "MPICH", "--mpi=pmi2"], "describe", **SLURM_STEP, **pmix)


def test_one_process_in_a_job_of_several_tasks_is_no_error():
    expect_ok("describe", SLURM_JOB_ID="1", SLURM_NTASKS="4", SLURM_PROCID="0")
    # By hand in a shell that srun has given a terminal to; and by mpiexec, whose daemons are tasks.
    expect_ok("describe", SLURM_PTY_PORT="1", SLURM_TASK_PID="1", **SLURM_STEP)
    expect_ok("describe", ranks=1, **SLURM_STEP)


def test_a_malformed_ignore_of_the_launcher_is_an_error():
    expect_error("value", ["ATOLL_LAUNCHER=no", "check or ignore"], "describe", ATOLL_LAUNCHER="no")


@pytest.mark.parametrize("nodes", [1, 2])
def test_an_idle_world_takes_a_few_per_cent_of_a_core(nodes):
    started = Run("scenario", "idle", 1e6, ranks=2, nodes=nodes)
    started.wait_until_started()
    time.sleep(1.0)  # the start is over on both
    used = [processor_seconds(pid) for pid in started.ranks()]
    time.sleep(2.5)
    later = [processor_seconds(pid) for pid in started.ranks()]
    assert len(used) == len(later) == 2
    # Both ranks sleep; what is used is the agents'.
    assert max(b - a for a, b in zip(used, later, strict=True)) <= 0.08 * 2.5


def processor_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
