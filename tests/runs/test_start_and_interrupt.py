"""What a run says that does not start, or that Ctrl-C ends: a line, no traceback."""

import pytest
from atoll.launch.launchers import library

FOREIGN_LAUNCHER = {
    "mpich": {"OMPI_COMM_WORLD_SIZE": "2"},
    "open mpi": {"PMI_SIZE": "2", "MPI_LOCALNRANKS": "2"},
}


@pytest.mark.parametrize("call", ["atoll.zeros(3)", "atoll.rank()", "atoll.sync()"])
def test_a_wrong_launcher_is_told_in_a_line(run, call):
    status, said, message = run(f"import atoll\n{call}", **FOREIGN_LAUNCHER[library().family])
    assert (status, said) == (1, "")
    assert message.startswith("atoll: started by the mpiexec of ")
    assert message.count("\n") == 1


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
