"""`atoll cluster up|run|shape|status|down`: several hosts on one machine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

from atoll.cluster import Cluster, ClusterError
from atoll.cluster import run as run_on_hosts
from atoll.cluster.hosts import check_rate

FAILED = 2
Action = Callable[[argparse.Namespace], int]


def add_command(commands: Any) -> None:
    """Add the subcommand and its own ones to the parser."""
    parser = commands.add_parser(
        "cluster",
        help="a cluster in a box: several hosts on this machine (root)",
        description="Hosts with names, networks and shared memory of their own on this machine, "
        "on which MPI programs run as on a cluster. Needs root and iproute2.",
        epilog="examples:\n  atoll cluster up --hosts 2 --rate 1gbit\n"
        "  atoll cluster run -n 4 python script.py\n  atoll cluster down",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    up = actions.add_parser("up", help="make the hosts", description="Make the hosts.")
    up.add_argument("--hosts", type=int, default=2, metavar="N", help="how many (2)")
    up.add_argument("--rate", type=_rate, default="none", help="of every link, like 1gbit (none)")
    up.set_defaults(alone=_guarded(_up))

    start = actions.add_parser(
        "run",
        help="run an MPI program on the hosts",
        description="Run an MPI program on the hosts; the exit status is the launcher's.",
        epilog="examples:\n  atoll cluster run python script.py         one rank a host\n"
        "  atoll cluster run -n 4 ./program --its-own options\n"
        "  atoll cluster run --ranks 2,1 ./program",
        usage="%(prog)s [-n N | --ranks N[,N...]] [--mpiexec PATH] PROGRAM ...",
    )
    many = start.add_mutually_exclusive_group()
    many.add_argument("-n", type=int, dest="size", metavar="N", help="ranks on all hosts together")
    many.add_argument(
        "--ranks",
        type=_ranks,
        default=[1],
        metavar="N[,N...]",
        help="ranks on each host, or on the first, second, ... (1)",
    )
    start.add_argument("--mpiexec", metavar="PATH", help="the launcher (beside Python, or in PATH)")
    start.add_argument(
        "program", nargs=argparse.REMAINDER, metavar="PROGRAM ...", help="and its arguments"
    )
    start.set_defaults(alone=_guarded(_run))

    about = "change the rate of the links"
    shape = actions.add_parser("shape", help=about, description=f"{about.capitalize()}.")
    shape.add_argument("rate", type=_rate, help="like 100mbit or 1gbit; none: unlimited")
    shape.set_defaults(alone=_guarded(_shape))

    about = "tell what is up"
    status = actions.add_parser("status", help=about, description=f"{about.capitalize()}.")
    status.set_defaults(alone=_guarded(_status))
    about = "end what runs there and remove everything"
    down = actions.add_parser("down", help=about, description=f"{about.capitalize()}.")
    down.set_defaults(alone=_guarded(_down))


def _rate(text: str) -> str:
    try:
        return check_rate(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _ranks(text: str) -> list[int]:
    numbers = text.split(",")
    if not all(number.isdecimal() and int(number) > 0 for number in numbers):
        raise argparse.ArgumentTypeError(f"'{text}': expected numbers like 2 or 1,2,1")
    return [int(number) for number in numbers]


def _guarded(action: Action) -> Action:
    """Turn an error into one line and an exit status."""

    def run(options: argparse.Namespace) -> int:
        try:
            return action(options)
        except (ClusterError, ValueError, OSError) as error:
            print(f"atoll cluster: {error}", file=sys.stderr)
            return FAILED

    return run


def _up(options: argparse.Namespace) -> int:
    Cluster().up(options.hosts, options.rate)
    return _status(options)


def _run(options: argparse.Namespace) -> int:
    program = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not program:
        raise ValueError("run: which program?")
    return run_on_hosts(program, options.ranks, options.mpiexec, size=options.size).returncode


def _shape(options: argparse.Namespace) -> int:
    Cluster().shape(options.rate)
    return _status(options)


def _status(options: argparse.Namespace) -> int:  # noqa: ARG001
    cluster = Cluster()
    hosts = cluster.hosts()
    if not hosts:
        print("no cluster is up")
        return 0
    print(f"hosts: {', '.join(hosts)}")
    print(f"rate of each link: {cluster.rate()}")
    print(f"processes: {len(cluster.processes())}")
    return 0


def _down(options: argparse.Namespace) -> int:  # noqa: ARG001
    Cluster().down()
    return 0
