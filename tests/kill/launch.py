"""Starting test programs under their MPI's launcher, and finding whatever they leave behind.

A run is marked by an environment variable of its own, so that its processes are known wherever
they hang in the process tree: launcher, proxies, ranks. Other runs on the machine do not disturb.
"""

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import uuid
from pathlib import Path

from mpi_runs import OPEN_MPI, PATIENCE, communicate, waits

ROOT = Path(__file__).resolve().parents[2]
MARK = "TEST_RUN_MARK"
# Variables of another launcher or of the caller's own settings must not reach a run.
FOREIGN = ("PMI", "PMIX", "HYDRA", "MPI_", "MPIR_", "OMPI", "PRTE", "SLURM_", "ATOLL_")
# Where a run could leave files, beside its TMPDIR, which is a folder of its own. Hydra, MPICH's
# launcher, keeps /tmp/hydra_hwloc_xmlfile_* while it runs, and leaves it when it is killed itself;
# other runs' files look the same, so /tmp is only searched for Atoll's name.
SHARED = (("/dev/shm", "*"), ("/tmp", "*atoll*"))


def build_folder() -> Path:
    """Return the build whose programs are tested: TEST_BUILD, or the one built last."""
    if "TEST_BUILD" in os.environ:
        return Path(os.environ["TEST_BUILD"]).resolve()
    built = list(ROOT.glob("build/*/programs/hammer"))
    if not built:
        raise FileNotFoundError("no test programs in build/*/programs: build the C++ tests first")
    return max(built, key=lambda path: path.stat().st_mtime).parents[1]


def program(name: str) -> str:
    """Return the path of a test program (tests/cpp/programs), or of the C++ tests themselves."""
    folder = "tests" if name == "atoll_tests" else "programs"
    return str(build_folder() / folder / name)


def mpiexec() -> str:
    """Return the launcher that belongs to the build's MPI."""
    cache = (build_folder() / "CMakeCache.txt").read_text()
    for line in cache.splitlines():
        if line.startswith("MPIEXEC_EXECUTABLE:"):
            return line.partition("=")[2]
    found = shutil.which("mpiexec")
    if found is None:
        raise FileNotFoundError("no mpiexec")
    return found


@functools.cache
def with_open_mpi() -> bool:
    """Return whether the build's MPI is Open MPI."""
    said = subprocess.run([mpiexec(), "--version"], capture_output=True, text=True, check=True)
    return "Open MPI" in said.stdout


class Run:
    """A program under mpiexec (`ranks`; None: without a launcher), with all its processes."""

    def __init__(self, name, *arguments, ranks=None, nodes=None, **settings):
        self.mark = uuid.uuid4().hex
        environment = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        environment |= {MARK: self.mark, **OPEN_MPI, **settings}
        if nodes is not None:
            environment["ATOLL_NODES"] = str(nodes)
        launcher = [] if ranks is None else [mpiexec(), "-n", str(ranks)]
        self.name = name
        self.scratch = Path(tempfile.mkdtemp(prefix="run-"))
        environment["TMPDIR"] = str(self.scratch)
        self.files_before = shared_files()
        self.launcher = subprocess.Popen(
            [*launcher, program(name), *map(str, arguments)],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def processes(self) -> list[int]:
        """Return the ids of all living processes of this run."""
        return [pid for pid in living_processes() if self._is_mine(pid)]

    def ranks(self) -> list[int]:
        """Return the ids of the processes that run the program itself."""
        return [pid for pid in self.processes() if executable(pid) == program(self.name)]

    def _is_mine(self, pid: int) -> bool:
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
        return f"{MARK}={self.mark}".encode() in environment

    def wait_until_started(self) -> None:
        """Wait for the first line on stdout, which says that the world is up."""
        line = self.launcher.stdout.readline()
        assert line == "started\n", line + self.launcher.stderr.read()

    def finish(self, seconds=PATIENCE) -> tuple[int, str, str]:
        """Wait for the end; give status, stdout, stderr. A run that takes longer is killed."""
        try:
            stdout, stderr = communicate(self.launcher, seconds)
        except subprocess.TimeoutExpired:
            self.kill_everything()
            stdout, stderr = self.launcher.communicate()
            raise AssertionError(f"not over after {seconds} s\n{stdout}\n{stderr}") from None
        return self.launcher.returncode, stdout, stderr

    def kill_everything(self) -> None:
        """Kill the launcher and all that belongs to it."""
        for pid in self.processes():
            kill(pid)

    def wait_until_gone(self, seconds=30.0) -> list[int]:
        """Wait for the last process to go; return those that stay."""
        for _ in waits(seconds):
            if not self.processes():
                break
        return self.processes()

    def files_left(self) -> list[str]:
        """Return files that appeared since the start and that no living process uses."""
        new = shared_files() - self.files_before
        in_scratch = {str(path) for path in self.scratch.rglob("*")}
        return sorted(in_scratch | (new - files_in_use(new) if new else set()))

    def clean_up(self) -> None:
        """Kill what still runs and remove the run's scratch folder."""
        self.kill_everything()
        shutil.rmtree(self.scratch, ignore_errors=True)


def kill(pid: int, number=signal.SIGKILL) -> None:
    """Send a signal, if the process is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def living_processes() -> list[int]:
    """Return the ids of all processes that are not zombies."""
    return [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and state(p) != "Z"]


def state(folder: Path) -> str:
    """Return the state letter of a process; Z when it is gone."""
    try:
        return (folder / "stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return "Z"


def executable(pid: int) -> str:
    """Return the program a process runs, or nothing when it is gone."""
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def shared_files() -> set[str]:
    """Return the files in the folders that all runs share."""
    return {str(path) for folder, pattern in SHARED for path in Path(folder).glob(pattern)}


def files_in_use(files: set[str]) -> set[str]:
    """Return those of the files (or folders) that a living process has mapped or open."""
    used = set()
    for pid in living_processes():
        text = ""
        try:
            text = Path(f"/proc/{pid}/maps").read_text()
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                text += "\n" + os.readlink(descriptor)
            text += "\n" + os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            pass
        used |= {file for file in files if file in text}
    return used
