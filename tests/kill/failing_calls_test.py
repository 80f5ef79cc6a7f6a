"""Each call to the system fails in turn, on one rank: the run goes on right, or ends in a line.

Counted, as SQLite does. Of allocations, of which there are many, every so-manieth; each of them:

    TEST_FAILING_CALLS=all python -m pytest -s tests/kill/failing_calls_test.py
"""

import os
import re
import subprocess
from collections import Counter

import pytest
from launch import Run

ALL = os.environ.get("TEST_FAILING_CALLS") == "all"
#: Every so-manieth call fails.
STEPS = {"memory": 1 if ALL else 97, "system": 1}
#: Rounds of one process: what MPI keeps of Worlds that have ended is bounded.
ROUNDS = 200
#: Longer than a round takes anywhere.
HANG = 60.0


def fate_of_end(status: int, stderr: str) -> str:
    """Return what a run that has ended by itself was: "ended", by a line, or what was wrong."""
    if "failing: wrong" in stderr:
        return "wrong"
    if re.search(r"terminate called|BAD TERMINATION[^=]*signal|\(signal (?!9\b|15\b)\d+\)", stderr):
        return "crashed"
    if status == 0 or not re.search(r"^atoll: .", stderr, re.MULTILINE):
        return "silent"
    return "ended"


def campaign(
    kind: str, mode: str, victim: int, nodes: int, *part: str
) -> tuple[Counter, list[str]]:
    """Let the calls fail in turn; return how the rounds ended, and the story of each bad one.

    Of a part of the program, all of its calls.
    """
    fates, stories = Counter(), []
    step = 1 if part else STEPS[kind]
    n, over = 1 + (victim * 13 + nodes * 29) % step, False
    while not over:
        run = Run("failing", kind, mode, victim, n, step, ROUNDS, *part, ranks=2, nodes=nodes)
        try:
            status, stdout, stderr = run.finish(HANG)
            hangs = False
        except (subprocess.TimeoutExpired, AssertionError) as error:
            status, stdout, stderr, hangs = 1, str(error), "", True
        begun = n
        for word, number in re.findall(r"^(begin|right|told|over) (\d+)", stdout, re.MULTILINE):
            if word == "begin":
                begun = int(number)
            elif word == "over":
                over = True
            else:
                fates[word] += 1
        n = begun + step
        run.clean_up()
        if over or (status == 0 and not hangs):
            continue
        fate = "hung" if hangs else fate_of_end(status, stderr)
        fates[fate] += 1
        if fate != "ended":
            stories.append(
                f"{kind} {mode} {victim} {begun} on {nodes} nodes {fate}: {stdout}{stderr}"
            )
    return fates, stories


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("mode", ["once", "on"])
@pytest.mark.parametrize("kind", ["memory", "system"])
def test_a_run_goes_on_right_or_ends_in_a_line_whatever_call_fails(kind, mode, nodes):
    fates, stories = Counter(), []
    for victim in (0, 1):
        some, bad = campaign(kind, mode, victim, nodes)
        fates += some
        stories += bad
    print(f"{kind} {mode}, {nodes} nodes: {sum(fates.values())} failures, {dict(fates)}")
    assert not stories, f"{len(stories)} of {sum(fates.values())}:\n" + "\n\n".join(stories[:10])
    assert sum(fates.values()) > 3


#: What fails there: an agent while it executes requests and its rank waits in a meeting (counts),
#: operations of which some messages are under way (streams), messages that are held back (pieces),
#: one rank's part of a halo update.
@pytest.mark.parametrize("part", ["counts", "streams", "pieces", "halos"])
def test_no_request_is_lost_or_done_twice_whichever_allocation_fails(part):
    fates, stories = campaign("memory", "once", 1, 2, part)
    print(f"{part}: {sum(fates.values())} failures, {dict(fates)}")
    assert not stories, f"{len(stories)} of {sum(fates.values())}:\n" + "\n\n".join(stories[:5])
    assert fates["right"] > 0
    if part == "halos":  # all of which is collective: told on all ranks
        assert fates["ended"] == 0
