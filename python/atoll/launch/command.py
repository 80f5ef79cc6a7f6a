"""The words by which a launcher starts a program on so many ranks, and the environment for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from atoll._threads import SETTINGS
from atoll.launch.launchers import LaunchError
from atoll.launch.surroundings import threads_of_job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from atoll.launch.launchers import Launcher, Library

_BINDING_OF_SRUN = {"core": "cores", "numa": "ldoms", "none": "none"}


class Placing(NamedTuple):
    """Where ranks run.

    Attributes:
        ranks: How many in all.
        hosts: Hosts with the ranks of each, none: the launcher's own choice.
        host_file: A file of the hosts in their place.
        crowded: More ranks than cores, as far as that is known.
        bind: What each rank is bound to: core, numa, none, or empty, the launcher's own choice.
        threads: Cores of each rank, where it is bound to cores.

    """

    ranks: int
    hosts: Sequence[tuple[str, int]] = ()
    host_file: str = ""
    crowded: bool = False
    bind: str = "none"
    threads: int = 1


def threads_of_ranks(environment: Mapping[str, str]) -> int:
    """Give the threads of each rank: those of `ATOLL_THREADS`, else of the job, else one.

    Raises:
        ValueError: `ATOLL_THREADS` is no such number.

    """
    text = environment.get("ATOLL_THREADS")
    if text is None:
        return threads_of_job(environment) or 1
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(f"environment variable ATOLL_THREADS={text}: expected a number from 1 on")
    return int(text)


def thread_settings(threads: int, environment: Mapping[str, str]) -> dict[str, str]:
    """Give the variables for so many threads of BLAS a rank; none where the user has set one.

    That they are not the user's word Atoll knows by `ATOLL_THREADS`: where one rank computes and
    the others wait, it takes the cores of all.
    """
    if any(environment.get(name) for name in SETTINGS):
        return {}
    return dict.fromkeys((*SETTINGS, "ATOLL_THREADS"), str(threads))


def command_line(
    launcher: Launcher, mpi: Library, placing: Placing, handed_on: Sequence[str]
) -> list[str]:
    """Build the words that stand before the program. LaunchError where there are none.

    Args:
        launcher: What starts the ranks.
        mpi: Whose ranks they are.
        placing: How many there are, and where.
        handed_on: Names of variables that the ranks of all hosts are to have. Open MPI's launcher
            wants them named; the others hand on all there are.

    """
    if launcher.words == "srun":
        return [launcher.path, *_srun(mpi, placing)]
    if launcher.words.startswith("Open MPI"):
        named = [word for name in handed_on for word in ("-x", name)]
        return [launcher.path, *_open_mpi(placing), *named]
    return [launcher.path, *_hydra(placing, launcher.words.startswith("Hydra"))]


def with_binding(launcher: Launcher, placing: Placing, asked: str | None) -> Placing:
    """Bind ranks as asked, or as `placing` has it where nothing is asked and Atoll may choose.

    Raises:
        LaunchError: this launcher cannot be asked for it.

    """
    if launcher.words.startswith(("Hydra", "Open MPI")) or (asked and launcher.words == "srun"):
        return placing
    if asked:
        raise LaunchError(
            f"--bind {asked}: {launcher.words} binds as I_MPI_PIN and I_MPI_PIN_DOMAIN say; "
            "expected these in its place"
        )
    return placing._replace(bind="")


def root_settings(launcher: Launcher) -> dict[str, str]:
    """Give the variables without which a launcher refuses to work for root."""
    if not launcher.words.startswith("Open MPI"):
        return {}
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def _hydra(placing: Placing, binds: bool) -> list[str]:
    words = []
    if placing.hosts:
        words += ["-hosts", ",".join(f"{host}:{ranks}" for host, ranks in placing.hosts)]
    elif placing.host_file:
        words += ["-f", placing.host_file]
    if binds and placing.bind not in ("", "none"):
        each = f":{placing.threads}" if placing.bind == "core" and placing.threads > 1 else ""
        words += ["-bind-to", f"{placing.bind}{each}"]
    return [*words, "-n", str(placing.ranks)]


def _open_mpi(placing: Placing) -> list[str]:
    words = []
    if placing.hosts:
        words += ["--host", ",".join(f"{host}:{ranks}" for host, ranks in placing.hosts)]
    elif placing.host_file:
        words += ["--hostfile", placing.host_file]
    if placing.crowded:
        words += ["--map-by", ":OVERSUBSCRIBE"]
    elif placing.bind == "core" and placing.threads > 1:
        words += ["--map-by", f"slot:PE={placing.threads}"]
    if placing.bind:
        words += ["--bind-to", placing.bind]
    return [*words, "-n", str(placing.ranks)]


def _srun(mpi: Library, placing: Placing) -> list[str]:
    kind = "cray_shasta" if "CRAY" in mpi.words else "pmix" if mpi.family == "open mpi" else "pmi2"
    words = [f"--mpi={kind}", f"-n{placing.ranks}"]
    if placing.threads > 1:
        words.append(f"--cpus-per-task={placing.threads}")
    if placing.bind:
        words.append(f"--cpu-bind={_BINDING_OF_SRUN[placing.bind]}")
    if placing.hosts:
        each = placing.hosts[0][1]
        if any(count != each for _, count in placing.hosts):
            text = ",".join(f"{host}:{count}" for host, count in placing.hosts)
            raise LaunchError(f"--hosts {text}: srun wants as many ranks on each host")
        names = ",".join(host for host, _ in placing.hosts)
        words += [f"--nodelist={names}", f"--ntasks-per-node={each}"]
    return words
