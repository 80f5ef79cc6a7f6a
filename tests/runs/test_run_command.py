"""`atoll run`: which launcher, how many ranks, with what; and when it steps aside."""

import os
import sys
from pathlib import Path

import atoll
import pytest
from atoll._threads import SETTINGS
from atoll.cli import main, run
from atoll.cluster.launch import find_mpiexec
from atoll.launch.command import Placing, command_line, with_binding
from atoll.launch.launchers import Launcher, LaunchError, Library, find_launcher, library
from atoll.launch.surroundings import Job, job_around, ranks_around
from mpi_runs import OPEN_MPI, communicate, piped

# What is around the tests must not reach the runs.
FOREIGN = ("PMI", "HYDRA", "MPI", "OMP", "PRTE", "SLURM_", "PBS_", "LSB_", "ATOLL_", "OPENBLAS_")

SCRIPT = """\
import os, sys
import atoll
threads = os.environ["OMP_NUM_THREADS"], os.environ.get("OPENBLAS_NUM_THREADS")
said = atoll.rank(), atoll.size(), *threads, *sys.argv[1:]
os.write(1, f"{said}\\n".encode())
atoll.sync()
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def atoll_run(tmp_path):
    """Run `atoll run WORDS`, in the folder of a script; give status, lines of stdout, stderr."""
    (tmp_path / "script.py").write_text(SCRIPT)

    def start(*words, before=(), **settings):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        package = os.environ.get("PYTHONPATH", str(Path(atoll.__file__).resolve().parents[1]))
        kept |= {"PYTHONPATH": package, **OPEN_MPI, **settings}
        command = [*before, sys.executable, "-m", "atoll", "run", *words]
        process = piped(["env", "-C", tmp_path, *command], kept)
        stdout, stderr = communicate(process)
        return process.returncode, sorted(stdout.splitlines()), stderr

    return start


def lines(ranks, *said):
    return [str((rank, ranks, *said)) for rank in range(ranks)]


def test_a_script_has_its_ranks_its_words_and_one_thread_each(atoll_run):
    assert atoll_run("-n", "2", "script.py", "0", "-n", "x")[:2] == (
        0,
        lines(2, "1", "1", "0", "-n", "x"),
    )


def test_the_status_is_the_programs(atoll_run):
    assert atoll_run("-n", "2", "script.py", "7")[0] == 7
    assert atoll_run("-n", "1", "--", "sh", "-c", "exit 3")[0] == 3


def test_what_is_told_of_threads_goes_before_one_a_rank(atoll_run):
    assert atoll_run("-n", "2", "script.py", "0", OMP_NUM_THREADS="2")[1] == lines(
        2, "2", None, "0"
    )
    words = ("-n", "2", "--threads", "3", "script.py", "0")
    assert atoll_run(*words, OMP_NUM_THREADS="2")[1] == lines(2, "3", "3", "0")


def test_inside_a_run_the_job_says_how_many_threads_as_it_does_outside(atoll_run):
    job = ("env", "SLURM_JOB_ID=1", "SLURM_CPUS_PER_TASK=3")
    before = (find_mpiexec(), "-n", "2", *job)
    assert atoll_run("script.py", "0", before=before)[1] == lines(2, "3", "3", "0")
    assert atoll_run("--", sys.executable, "script.py", "0", before=job)[1] == lines(
        1, "3", "3", "0"
    )


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "(set: ATOLL_THREADS=1)"),
        ({"ATOLL_THREADS": "2"}, "(set: ATOLL_THREADS=2)"),
        ({"OMP_NUM_THREADS": "2"}, "(set: OMP_NUM_THREADS=2)"),
    ],
)
def test_atoll_knows_threads_of_the_user_from_those_of_atoll_run(atoll_run, settings, told):
    status, said, _ = atoll_run("-n", "1", "--", sys.executable, "-m", "atoll", "info", **settings)
    assert status == 0
    assert any(line.startswith("threads of NumPy's") and line.endswith(told) for line in said), said


def test_it_tells_what_it_chose(atoll_run):
    status, _, said = atoll_run("-v", "-n", "2", "--bind", "core", "script.py", "0")
    assert status == 0, said
    mpi = library()
    first, second, third = said.splitlines()[:3]
    assert mpi.words in first
    assert str(Path(mpi.path).parents[1]) in first
    assert "2 ranks here, threads 1 a rank, bound to core" in second
    assert third.endswith(f"-n 2 {sys.executable} script.py 0")


def test_inside_a_run_it_becomes_the_program(atoll_run):
    before = (find_mpiexec(), "-n", "2")
    status, said, _ = atoll_run("-n", "2", "script.py", "0", before=before)
    assert (status, said) == (0, lines(2, "1", "1", "0"))


def outcome(words, capsys):
    """Run the command line here, which starts nothing; give the status and stderr."""
    try:
        status = main(["run", *words])
    except SystemExit as ending:
        status = ending.code
    return status, capsys.readouterr().err


def test_a_malformed_number_of_threads_is_refused(capsys, monkeypatch):
    monkeypatch.delenv("PMI_SIZE", raising=False)
    monkeypatch.setenv("ATOLL_THREADS", "all")
    status, said = outcome(["-n", "2", "true"], capsys)
    assert (status, "ATOLL_THREADS=all: expected a number" in said) == (2, True)


def test_inside_a_run_of_unknown_size_a_number_of_ranks_is_refused(capsys, monkeypatch):
    for name in os.environ:
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PALS_RANKID", "0")
    monkeypatch.setattr(run.os, "execve", lambda *words: pytest.fail(f"becomes {words}"))
    status, said = outcome(["-n", "4", "true"], capsys)
    assert (status, said.count("\n")) == (2, 1)
    assert said.startswith("atoll run: -n 4: ranks are started already")


@pytest.mark.parametrize("words", [["-n", "3"], ["--hosts", "a:2"], ["--bind", "core"]])
def test_inside_a_run_other_ranks_are_refused(words, capsys, monkeypatch):
    monkeypatch.setenv("PMI_SIZE", "2")
    status, said = outcome([*words, "true"], capsys)
    assert (status, said.count("\n")) == (2, 1)
    assert said.startswith(f"atoll run: {words[0]}")
    assert "started already" in said


def test_the_hosts_of_a_job_are_taken(atoll_run, tmp_path):
    file = tmp_path / "hosts"
    file.write_text("localhost\nlocalhost\n")
    status, said, message = atoll_run("-v", "script.py", "0", PBS_NODEFILE=str(file))
    assert (status, said) == (0, lines(2, "1", "1", "0")), message
    assert "2 ranks in a job of PBS" in message
    assert str(file) in message


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "what is to be started?"),
        (["nothing.py"], "'nothing.py': expected a script that is there"),
        (["./nothing"], "'./nothing': expected a program"),
        (["-n", "0", "true"], "-n: '0': expected a number from 1 on"),
        (["--hosts", "a,b", "true"], "--hosts without ranks of each: expected -n N, or HOST:N"),
        (["--hosts", "a:2,b", "true"], "'a:2,b': expected ranks of each host, or of none"),
        (["--hosts", "a:0", "true"], "'a:0': expected hosts like a,b or a:4,b:4"),
        (["-n", "3", "--hosts", "a:2", "true"], "-n 3: expected the ranks of --hosts a:2 together"),
    ],
)
def test_a_mistake_is_one_line(words, text, capsys, monkeypatch):
    for name in os.environ:
        if name.startswith(FOREIGN):
            monkeypatch.delenv(name)
    status, said = outcome(words, capsys)
    assert status == 2
    assert text in said
    assert said.count("\n") == 1


def pretend(folder, name, version):
    launcher = folder / name
    launcher.parent.mkdir(parents=True, exist_ok=True)
    launcher.write_text(f"#!/bin/sh\necho '{version}'\n")
    launcher.chmod(0o755)
    return str(launcher)


HYDRA, OPEN = "HYDRA build details:\n Version: 5.0.2", "mpiexec (Open MPI) 5.0.11"


def test_the_launcher_beside_the_library_goes_before_those_in_path(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"), prepend=os.pathsep)
    library = str(tmp_path / "lib" / "x86" / "libmpi.so")
    in_path = pretend(tmp_path, "elsewhere/mpiexec", HYDRA)
    mpich = Library("mpich", "MPICH 5", library)
    assert find_launcher(mpich) == Launcher(in_path, "Hydra 5.0.2")
    beside = pretend(tmp_path, "bin/mpiexec.hydra", HYDRA)
    foreign = pretend(tmp_path, "bin/mpiexec", OPEN)
    assert find_launcher(mpich).path == beside
    assert find_launcher(Library("open mpi", "Open MPI 5", library)).path == foreign


def test_a_missing_launcher_is_told_with_those_of_other_mpis(tmp_path, monkeypatch):
    foreign = pretend(tmp_path, "bin/mpiexec", OPEN)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    text = f"no launcher of MPICH 5 beside /usr/nowhere.*{foreign} is Open MPI 5.0.11"
    with pytest.raises(LaunchError, match=text):
        find_launcher(Library("mpich", "MPICH 5", "/usr/nowhere/lib/libmpi.so"))


PLACINGS = {
    "plain": Placing(3),
    "crowded": Placing(3, crowded=True),
    "bound": Placing(3, bind="core", threads=2),
    "hosts": Placing(3, hosts=[("a", 2), ("b", 1)]),
    "equal": Placing(4, hosts=[("a", 2), ("b", 2)], bind=""),
    "numa": Placing(3, bind="numa"),
    "file": Placing(3, host_file="f"),
}


@pytest.mark.parametrize(
    ("launcher", "placing", "words"),
    [
        ("Hydra 5.0.2", "plain", "-n 3"),
        ("Hydra 5.0.2", "crowded", "-n 3"),
        ("Hydra 5.0.2", "bound", "-bind-to core:2 -n 3"),
        ("Hydra 5.0.2", "hosts", "-hosts a:2,b:1 -n 3"),
        ("Hydra 5.0.2", "file", "-f f -n 3"),
        ("Intel MPI 2021.9", "bound", "-n 3"),
        ("Open MPI 5.0.11", "plain", "--bind-to none -n 3 -x NAME"),
        ("Open MPI 5.0.11", "crowded", "--map-by :OVERSUBSCRIBE --bind-to none -n 3 -x NAME"),
        ("Open MPI 5.0.11", "bound", "--map-by slot:PE=2 --bind-to core -n 3 -x NAME"),
        ("Open MPI 5.0.11", "hosts", "--host a:2,b:1 --bind-to none -n 3 -x NAME"),
        ("Open MPI 5.0.11", "file", "--hostfile f --bind-to none -n 3 -x NAME"),
        ("srun", "plain", "--mpi=pmi2 -n3 --cpu-bind=none"),
        ("srun", "equal", "--mpi=pmi2 -n4 --nodelist=a,b --ntasks-per-node=2"),
        ("srun", "bound", "--mpi=pmi2 -n3 --cpus-per-task=2 --cpu-bind=cores"),
        ("srun", "numa", "--mpi=pmi2 -n3 --cpu-bind=ldoms"),
    ],
)
def test_each_launcher_has_words_of_its_own(launcher, placing, words):
    mpi = Library("mpich", "", "")
    said = command_line(Launcher("/x", launcher), mpi, PLACINGS[placing], ["NAME"])
    assert said == ["/x", *words.split()]


def test_ranks_of_hosts_that_srun_cannot_share_out_like_this_are_refused():
    with pytest.raises(LaunchError, match="--hosts a:2,b:1: srun"):
        command_line(Launcher("srun", "srun"), Library("mpich", "", ""), PLACINGS["hosts"], [])


@pytest.mark.parametrize(
    ("words", "asked", "bind"),
    [
        ("Hydra 5.0.2", None, "numa"),
        ("Open MPI 5.0.11", "core", "numa"),
        ("srun", None, ""),
        ("srun", "numa", "numa"),
        ("Intel MPI 2021.9", None, ""),
        ("Intel MPI 2021.9", "numa", LaunchError),
        ("Intel MPI 2021.9", "none", LaunchError),
    ],
)
def test_binding_that_is_asked_for_is_asked_of_the_launcher_or_refused(words, asked, bind):
    launcher, placing = Launcher("/x", words), Placing(2, bind="numa")
    if bind is LaunchError:
        with pytest.raises(LaunchError, match=f"--bind {asked}: Intel MPI 2021.9 .*I_MPI_PIN"):
            with_binding(launcher, placing, asked)
    else:
        assert with_binding(launcher, placing, asked).bind == bind


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"OMP_NUM_THREADS": "4"}, ["OMP_NUM_THREADS"]),
        ({"ATOLL_THREADS": "2"}, [*SETTINGS, "ATOLL_THREADS"]),
    ],
)
def test_what_the_user_has_set_for_threads_is_handed_on_by_open_mpi_once(
    settings, named, tmp_path, monkeypatch
):
    for name in os.environ:
        if name.startswith(FOREIGN) or name in SETTINGS:
            monkeypatch.delenv(name)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    path = pretend(tmp_path, "bin/mpiexec", OPEN)
    become = []
    monkeypatch.setattr(run, "library", lambda: Library("open mpi", "Open MPI 5", "/nowhere"))
    monkeypatch.setattr(run, "find_launcher", lambda _: Launcher(path, "Open MPI 5.0.11"))
    monkeypatch.setattr(run.os, "execve", lambda *words: become.append(words))
    main(["run", "--hosts", "a:1,b:1", "true"])
    words = become[0][1]
    assert [words[i + 1] for i, word in enumerate(words) if word == "-x"] == named


@pytest.mark.parametrize(
    ("words", "kind"),
    [("MPICH 5.0.2", "pmi2"), ("CRAY MPICH 8.1", "cray_shasta"), ("Open MPI 5", "pmix")],
)
def test_srun_is_told_how_the_mpi_asks_it_for_other_ranks(words, kind):
    mpi = Library("open mpi" if words.startswith("Open") else "mpich", words, "")
    assert command_line(Launcher("srun", "srun"), mpi, Placing(2), []) == [
        "srun",
        f"--mpi={kind}",
        "-n2",
        "--cpu-bind=none",
    ]


STEP = {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2"}


@pytest.mark.parametrize(
    ("environment", "ranks"),
    [
        ({}, None),
        ({"PMI_SIZE": "4", **STEP}, 4),
        ({"OMPI_COMM_WORLD_SIZE": "1"}, 1),
        ({"PMIX_RANK": "0", **STEP}, 2),
        ({"PALS_RANKID": "0"}, 0),
        (STEP, 2),
        ({**STEP, "SLURM_STEP_NUM_TASKS": "1"}, None),
        ({"MPI_LOCALNRANKS": "1"}, 0),
        ({**STEP, "SLURM_PTY_PORT": "9", "SLURM_TASK_PID": "1"}, None),
        ({"PMI_RANK": "0", "PMI_SIZE": "1", "SLURM_PTY_PORT": "9", "SLURM_TASK_PID": "1"}, None),
        ({"PMIX_RANK": "0", **STEP, "SLURM_PTY_PORT": "9", "SLURM_TASK_PID": "1"}, None),
        (
            {
                "PMI_SIZE": "4",
                "MPI_LOCALNRANKS": "4",
                "SLURM_PTY_PORT": "9",
                "SLURM_TASK_PID": "1",
            },
            4,
        ),
        ({**STEP, "SLURM_PTY_PORT": "9", "SLURM_TASK_PID": str(os.getpid())}, 2),
        ({"SLURM_JOB_ID": "1", "SLURM_NTASKS": "4"}, None),
    ],
)
def test_ranks_around_are_known_by_what_launchers_say(environment, ranks):
    assert ranks_around(environment) == ranks


def test_a_job_says_how_many_ranks_there_are_to_be(tmp_path):
    assert job_around({}) is None
    slurm = {"SLURM_JOB_ID": "1", "SLURM_NTASKS": "4", "SLURM_CPUS_PER_TASK": "2"}
    assert job_around(slurm) == Job("Slurm", 4, 2)
    assert job_around({"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "3"}) == Job("Slurm", 3)
    (tmp_path / "f").write_text("a\na\nb\n")
    file = str(tmp_path / "f")
    assert job_around({"LSB_DJOB_HOSTFILE": file}) == Job("LSF", 3, host_file=file)
