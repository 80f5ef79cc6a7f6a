"""A program that is asked to stop saves, and ends with a status of its own on all ranks."""

import pytest

PROGRAM = """
    import os, signal
    import atoll

    atoll.heed_stop_signals(time_limit=86400)
    grid = atoll.zeros((4, 4))
    for step in range(1_000):
        grid += 1.0
        if step == 5 and atoll.rank() == atoll.size() - 1:
            os.kill(os.getpid(), signal.SIGUSR1)
        if reason := atoll.stop_requested():
            atoll.checkpoint.save("{folder}", {{"grid": grid, "step": step}})
            raise atoll.Stopped(reason, saved=True)
"""


def test_a_signal_to_one_rank_ends_all_with_a_status_of_its_own_after_saving(run, tmp_path):
    status, out, err = run(PROGRAM.format(folder=tmp_path / "run"), 2)
    assert (status, out, err) == (75, "", "")
    text = f"""
    import atoll
    found = atoll.checkpoint.load("{tmp_path / "run"}")
    print(found["step"], float(found["grid"].sum()))
    """
    assert run(text) == (0, "5 96.0\n", "")


def test_limits_that_are_none_are_refused(run):
    text = """
    import atoll

    for value in (0, -3.0, float("nan"), "soon"):
        try:
            atoll.heed_stop_signals(value)
        except (TypeError, ValueError) as error:
            print(error)
    """
    status, out, err = run(text)
    assert status == 0, err
    lines = out.splitlines()
    assert len(lines) == 4
    assert all("time_limit" in line for line in lines), out


def test_a_forked_child_of_a_program_that_heeds_signals_is_ended_by_them(run):
    text = """
    import os, signal, time
    import atoll

    atoll.heed_stop_signals()
    for number in (signal.SIGTERM, signal.SIGUSR1):
        child = os.fork()
        if child == 0:
            time.sleep(20)
            os._exit(0)
        os.kill(child, number)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -number)
    os.kill(os.getpid(), signal.SIGTERM)
    print(atoll.stop_requested())
    """
    assert run(text) == (0, "True\nTrue\nSIGTERM\n", "")


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_thread_that_stops_ends_the_program_with_the_same_status(run, ranks):
    text = """
    import threading, time
    import atoll

    def work():
        atoll.sync()
        raise atoll.Stopped("SIGTERM", saved=True)

    thread = threading.Thread(target=work, name="steps")
    thread.start()
    thread.join()
    time.sleep(3)
    print("went on")
    """
    status, out, err = run(text, ranks)
    assert (status, out) == (75, ""), err
    assert "stopped by SIGTERM, its state is saved (thread steps); the run ends" in err
    assert "Traceback" not in err
