"""What a run says that does not start, or that Ctrl-C ends: a line, no traceback."""

import pytest
from atoll.launch.launchers import library

FOREIGN_LAUNCHER = {
    "mpich": {"OMPI_COMM_WORLD_SIZE": "2"},
    "open mpi": {"PMI_SIZE": "2", "MPI_LOCALNRANKS": "2"},
}


@pytest.mark.parametrize("call", ["atoll.zeros(3)", "atoll.rank()", "atoll.sync()"])
def test_a_wrong_launcher_is_told_in_a_line(run, call):
    # By itself Atoll would take the launcher's MPI, where the machine has one.
    foreign = {**FOREIGN_LAUNCHER[library().family], "ATOLL_MPI": library().path}
    status, said, message = run(f"import atoll\n{call}", **foreign)
    assert (status, said) == (1, "")
    assert message.startswith("atoll: started by the mpiexec of ")
    assert message.count("\n") == 1


@pytest.mark.parametrize("odd", [0, 1])
@pytest.mark.parametrize(
    "call", ["import atoll; atoll.zeros(3)", "from atoll import cli; sys.exit(cli.main(['info']))"]
)
def test_one_rank_that_fails_before_mpi_runs_tells_it_and_the_others_do_not_wait(run, call, odd):
    program = f"""
        import os, sys
        rank = os.environ.get("PMI_RANK") or os.environ["OMPI_COMM_WORLD_RANK"]
        if rank == "{odd}":
            os.environ.update({FOREIGN_LAUNCHER[library().family]})
        {call}
    """
    status, _, message = run(program, ranks=2, seconds=60)
    assert status != 0
    assert "Traceback" not in message
    assert message.count("atoll: started by the mpiexec of ") == 1


def test_one_rank_that_fails_where_mpi_runs_already_ends_the_run(run):
    pytest.importorskip("mpi4py")
    program = f"""
        import os
        from mpi4py import MPI
        if MPI.COMM_WORLD.rank == 1:
            os.environ.update({FOREIGN_LAUNCHER[library().family]})
        import atoll
        atoll.size()
    """
    status, _, message = run(program, ranks=2, seconds=60)
    assert status != 0
    assert message.count("atoll: started by the mpiexec of ") == 1


LONE = ["PALS_RANKID", "ALPS_APP_PE", "PMIX_RANK", "PMI_RANK"]


@pytest.mark.parametrize("name", LONE)
def test_a_rank_that_is_told_its_number_alone_says_why_it_does_not_start(run, name):
    # Without a size nobody knows whether a first process is there that speaks.
    status, said, message = run("import atoll; atoll.size()", **{name: "1"})
    assert (status, said) == (1, "")
    assert message.startswith("atoll: ")
    assert message.count("\n") == 1


@pytest.mark.parametrize("name", [*LONE, "SLURM_PROCID"])
def test_a_mistaken_command_is_told_where_nobody_else_may(run, name):
    program = "import sys; from atoll import cli; sys.exit(cli.main(['nonsense']))"
    for setting in ({}, {"ATOLL_LAUNCHER": "ignore", "SLURM_STEP_NUM_TASKS": "4"}):
        status, said, message = run(program, **{name: "3"}, **setting)
        assert (status, said) == (2, "")
        assert message.count("'nonsense'") == message.count("\n") == 1
    status, said, message = run(program, **{name: "3"}, SLURM_STEP_NUM_TASKS="4")
    assert (status, said, message) == (0, "", "")  # the first of four speaks


def test_several_processes_tell_once_why_nothing_starts(run):
    status, said, message = run("import atoll; atoll.zeros(3)", ranks=2, ATOLL_CHECK="maybe")
    assert status != 0
    assert said == ""
    assert message.count("ATOLL_CHECK=maybe") == 1
    assert "Traceback" not in message


def test_what_keeps_a_world_from_starting_may_be_caught_and_has_one_cause(run):
    program = """
        import atoll
        try:
            atoll.zeros(3)
        except ValueError as error:
            print(error.__context__, error.__cause__)
        raise KeyError("mine")
    """
    status, said, message = run(program, ATOLL_CHECK="maybe")
    assert (status, said) == (1, "None None\n")
    assert message.startswith("Traceback")
    assert message.rstrip().endswith("KeyError: 'mine'")


@pytest.mark.parametrize(("ranks", "inside"), [(0, None), (2, None), (2, 0), (2, 1)])
def test_control_c_ends_a_command_with_a_line_and_its_status(run, ranks, inside):
    program = f"""
        import os, signal, sys, threading, time
        from atoll import cli
        def wait(options, world):
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            if world.rank == {inside}:
                world.barrier()  # for the others: Python cannot look
            time.sleep(60)
        cli.info.run = wait
        sys.exit(cli.main(["info"]))
    """
    status, _, message = run(program, ranks=ranks)
    assert status == 130
    assert message.count("interrupted") == 1
    assert "was interrupted" not in message  # with the line of a program that nobody has written
    assert "Traceback" not in message
    assert ranks or message == "atoll: interrupted\n"
