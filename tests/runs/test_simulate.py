"""`atoll simulate`: the same seed is the same run, and what is wrong is told."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import atoll
import pytest
from atoll.cli import main
from atoll.simulation.diagram import diagram
from atoll.simulation.runs import Program, run
from atoll.simulation.segment import Asked

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = ("PMI", "HYDRA", "MPI", "OMP", "PRTE", "SLURM_", "ATOLL_", "OPENBLAS_")
SEEDS = ROOT / "tests/simulation/seeds.txt"


def build() -> Path:
    return ROOT / os.environ.get("TEST_BUILD", "build/mpich")


@pytest.fixture
def simulate(tmp_path, monkeypatch, capfd):
    """Run `atoll simulate WORDS` in an empty folder; give status and output."""
    library = build() / "libatoll_simulation.so"
    assert library.is_file(), "TEST_BUILD is to name a build with it"
    monkeypatch.setenv("PYTHONPATH", str(Path(atoll.__file__).resolve().parents[1]))

    for name in os.environ:
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def start(*words):
        try:
            status = main(["simulate", "--library", str(library), *words])
        except SystemExit as left:
            status = left.code
        output = capfd.readouterr()
        return status, output.out + output.err

    return start


def program(name):
    return str(build() / "programs" / name)


def trace_of(output):
    found = re.search(r"trace ([0-9a-f]{16})", output)
    assert found, output
    return found[1]


@pytest.mark.parametrize(("ranks", "nodes"), [(2, 1), (3, 2), (4, 4)])
def test_a_seed_gives_the_same_run_again_and_another_one_another(simulate, ranks, nodes):
    shape = ["--ranks", str(ranks), "--nodes", str(nodes)]
    words = [program("random_program"), "{seed}", "5"]
    outputs = [simulate(*shape, "--seed", seed, *words) for seed in ("7", "7", "8")]
    assert [status for status, _ in outputs] == [0, 0, 0], outputs
    one, again, other = (trace_of(output) for _, output in outputs)
    assert one == again
    assert one != other


def test_a_script_in_python_gives_the_same_run_again(simulate, tmp_path):
    (tmp_path / "script.py").write_text(
        "import atoll\n"
        "a = atoll.zeros((8, 500))\n"
        "a.at[atoll.rank(), :] += atoll.rank() + 1.0\n"
        "atoll.sync()\n"
        "assert a[1, 3] == 2.0\n"
    )
    status, output = simulate("--ranks", "3", "--nodes", "2", "--seed", "5", "--twice", "script.py")
    assert status == 0, output


def test_all_kinds_of_calls_do_what_mpi_does(simulate):
    status, output = simulate(
        "--ranks", "5", "--seeds", "1:15", "--twice", program("faulty_program"), "well"
    )
    assert status == 0, output


def test_messages_overtake_others_of_another_tag_alone():
    if not (build() / "libatoll_simulation.so").is_file():
        pytest.skip("no libatoll_simulation.so")
    tags = Program([program("faulty_program"), "tags"], build() / "libatoll_simulation.so", 1)
    results = [run(tags, Asked(seed, 2)) for seed in range(10, 40)]
    assert not any(result.failure for result in results)
    overtaken = [int(re.search(rb"overtaken: (\d+)", result.output)[1]) for result in results]
    assert max(overtaken) > 0


def test_a_connection_holds_64_messages_that_nobody_asks_for(simulate):
    words = ["--ranks", "2", "--seeds", "1:5", program("faulty_program")]
    assert simulate(*words, "few")[0] == 0
    status, output = simulate(*words, "many")
    assert status == 1
    assert "held up" in output


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("deadlock", r"deadlock: .*\n.*rank 0, thread 0: waits for a message of tag 7 of rank 1"),
        ("idle", r"nothing has moved for long: .*\n.*rank 0, thread 0: sleeps 5000 us"),
        ("left_over", r"left over at the end:\n  message from rank 0 to 1, tag 7, .*8 bytes"),
        ("truncated", r"uses MPI wrongly:\n.* gets a message of 8 bytes"),
        ("disagree", r"ranks disagree: .*MPI_(Allreduce|Barrier)"),
        ("changed", r"the memory of a send has changed before the send was done"),
        ("crash", r"rank 1 ends by SIGABRT"),
        ("leave", r"rank 1 ends without MPI_Finalize"),
    ],
)
def test_what_is_wrong_is_told_with_what_replays_it(simulate, how, told):
    words = ["--ranks", "2", "--seed", "3", program("faulty_program"), how]
    status, output = simulate(*words)
    assert status == 1
    assert re.search(told, output), output
    assert f"replay: atoll simulate --ranks 2 --nodes 1 --seed 3 {words[-2]} {how}" in output


def test_many_seeds_stop_at_the_first_that_fails(simulate):
    status, output = simulate(
        "--ranks", "2", "--seeds", "5:9", "--jobs", "1", program("faulty_program"), "deadlock"
    )
    assert status == 1
    assert "1 runs, 1 failed" in output
    assert "seed 5 FAILED" in output


@pytest.mark.parametrize(("rank", "step"), [(0, 10), (1, 700), (2, 4000)])
def test_a_rank_that_dies_at_a_step_does_so_at_it_each_time(simulate, rank, step):
    status, output = simulate(
        "--ranks", "3", "--nodes", "2", "--seed", "1", "--kill", f"{rank}@{step}", "--twice",
        program("random_program"), "1", "12",
    )  # fmt: skip
    assert status == 0, output
    assert "killed as asked" in output


def test_the_trace_draws_each_message_from_its_sender_to_its_receiver(simulate):
    status, output = simulate(
        "--ranks", "2", "--seed", "1", "--trace", program("faulty_program"), "well"
    )
    assert status == 0
    assert re.search(r"o-+> +sends \d: 4 bytes, tag 5, communicator 1", output), output
    assert re.search(r"o\.+> +gets \d: 4 bytes", output), output


def test_the_diagram_has_a_column_for_each_rank():
    lines = ["3\t1000\t2\t0\tsends 1\t0\t7\t1\t8", "5\t3500\t0\t1\tgets 1"]
    first, sent, got = diagram(lines, 3)
    assert first.split()[2:] == ["rank", "0", "rank", "1", "rank", "2"]
    assert "<-------------------o" in sent
    assert sent.split()[:2] == ["3", "0.000"]
    assert "<...................o" in got
    assert got.endswith("thread 1 gets 1: 8 bytes, tag 7, communicator 1")


@pytest.mark.parametrize("line", [s for s in SEEDS.read_text().splitlines() if s[:1].isdigit()])
def test_a_seed_that_has_found_a_fault_finds_it_no_more(simulate, line):
    ranks, nodes, seed, *words = line.split("#")[0].split()
    status, output = simulate(
        "--ranks", ranks, "--nodes", nodes, "--seed", seed, program(words[0]), *words[1:]
    )
    assert status == 0, output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--nodes", "3", "true"], "--nodes 3: expected 1 to 2, the ranks"),
        (["--kill", "2@5", "true"], "--kill: expected a rank below 2"),
        (["--kill", "5", "true"], "'5': expected RANK@STEP"),
        (["--seeds", "9:1", "true"], "'9:1': expected a number, or two like 1:2000"),
        (["there-is-no-such-program"], "expected a program, by its path or in PATH"),
        ([], "Expected a PROGRAM"),
    ],
)
def test_what_cannot_be_run_is_refused(simulate, words, told):
    status, output = simulate(*words)
    assert status == 2
    assert told in output


def test_the_variable_is_refused_where_nothing_simulates():
    kept = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
    ended = subprocess.run(
        [sys.executable, "-c", "import atoll; atoll.init()"],
        env={**kept, "ATOLL_SIMULATE": "3:0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode != 0
    assert "ATOLL_SIMULATE=3:0: expected what `atoll simulate` sets" in ended.stderr


def processes_with(word):
    """Give those that were started with this word."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and word.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT])
def test_no_rank_outlives_the_one_that_runs_them(simulate, tmp_path, by):
    del simulate  # for its folder and its environment
    script = tmp_path / "for_ever_and_a_day.py"
    script.write_text("import atoll\nwhile True:\n    atoll.barrier()\n")
    library = str(build() / "libatoll_simulation.so")
    words = ["simulate", "--library", library, "--ranks", "2", sys.executable, str(script)]
    started = subprocess.Popen([sys.executable, "-m", "atoll", *words], stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: len(processes_with(str(script))) == 3)
        time.sleep(0.5)  # in the midst of its steps
        started.send_signal(by)
        started.wait(20)
        wait_for(lambda: not processes_with(str(script)))
    finally:
        for process in processes_with(str(script)):
            os.kill(process, signal.SIGKILL)


def wait_for(ready):
    end = time.monotonic() + 20
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.05)
