"""What ATOLL_PROFILE writes is what the ranks did, and `atoll profile` shows it."""

import json
import subprocess
import sys

import pytest

SCRIPT = """
    import numpy as np
    import atoll
    a = atoll.zeros((4, 6), name="mine")
    n, me = atoll.size(), atoll.rank()
    a[me, :] = np.ones(6)
    a[me, :2] = np.ones(2)
    atoll.sync()
    a.at[0, :] += np.ones(6)
    atoll.sync()
    whole = a[:, :]
    request = a.get_async(np.s_[3:, 4:])
    request.wait()
    i = atoll.zeros(3, dtype="int64", name='a "quoted" name')
    i[1] = 5
    atoll.sync()
"""


def profile_of(run, tmp_path, ranks, nodes, script=SCRIPT):
    file = tmp_path / "profile.json"
    settings = {"ATOLL_PROFILE": str(file), "ATOLL_NODES": str(nodes)}
    status, _, stderr = run(script, ranks, **settings)
    assert status == 0, stderr
    return file


@pytest.mark.parametrize(("ranks", "nodes"), [(0, 1), (1, 1), (2, 1), (3, 2), (4, 4)])
def test_calls_bytes_and_sizes_are_those_of_the_program(run, tmp_path, ranks, nodes):
    file = profile_of(run, tmp_path, ranks, nodes)
    profile = json.loads(file.read_text())
    size = max(ranks, 1)
    assert profile["ranks"] == size
    assert sorted(set(profile["node_of"])) == list(range(nodes))
    expected = {
        "put": (2, 48 + 16, {"6": 1, "5": 1}),
        "accumulate": (1, 48, {"6": 1}),
        "get": (1, 192, {"8": 1}),
        "get_async": (1, 16, {"5": 1}),
    }
    for rank in range(size):
        found = {
            call["operation"]: (call["calls"], call["bytes"], call["sizes"])
            for call in profile["calls"]
            if call["rank"] == rank and call["array"] == "mine"
        }
        assert found == expected
        touched = sum(t["bytes"] for t in profile["traffic"] if t["from"] == rank)
        assert touched == 48 + 16 + 48 + 192 + 16 + 8
        waits = [c for c in profile["calls"] if c["rank"] == rank and c["operation"] == "sync"]
        assert waits[0]["array"] is None
        assert waits[0]["calls"] >= 3
    assert {c["array"] for c in profile["calls"]} == {None, "mine", 'a "quoted" name'}
    assert all(0 <= c["seconds"] <= profile["seconds"] for c in profile["calls"])


def test_who_touched_whose_memory(run, tmp_path):
    script = """
        import numpy as np
        import atoll
        a = atoll.zeros((3, 100), distribution=atoll.blocked((1, 100)))
        if atoll.rank() == 1:
            a[2, :] = np.ones(100)
            a[0, 10:20]
        atoll.sync()
    """
    profile = json.loads(profile_of(run, tmp_path, 3, 1, script).read_text())
    bytes_of = {(t["from"], t["to"]): (t["pieces"], t["bytes"]) for t in profile["traffic"]}
    assert bytes_of == {(1, 2): (1, 800), (1, 0): (1, 80)}


def test_many_arrays_give_a_small_file(run, tmp_path):
    script = """
        import atoll
        for n in range(1, 1500):
            a = atoll.zeros(n)
            a[0] = 1.0
    """
    profile = json.loads(profile_of(run, tmp_path, 1, 1, script).read_text())
    arrays = [call for call in profile["calls"] if call["operation"] == "put"]
    assert len(arrays) == 1001
    assert sum(call["calls"] for call in arrays) == 1499


def test_without_the_variable_nothing_is_written(run, tmp_path):
    status, _, stderr = run(SCRIPT, 2)
    assert status == 0, stderr
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


def show(*words):
    return subprocess.run(
        [sys.executable, "-m", "atoll", "profile", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_prints_a_table_and_draws_a_plot(run, tmp_path):
    file = profile_of(run, tmp_path, 2, 2)
    image = tmp_path / "plot.png"
    done = show(file, "--plot", image)
    assert done.returncode == 0, done.stderr
    assert "2 ranks, 2 nodes" in done.stdout
    (line,) = [
        line for line in done.stdout.splitlines() if line.startswith("mine") and " put " in line
    ]
    assert line.split()[1:5] == ["put", "4", "128", "B"]
    assert image.read_bytes().startswith(b"\x89PNG")
    by_rank = show(file, "--by", "rank")
    assert {line.split()[0] for line in by_rank.stdout.splitlines()[4:6]} == {"0", "1"}


def test_the_command_says_what_is_wrong(tmp_path):
    other = tmp_path / "other.json"
    other.write_text("[1]")
    assert "No such file" in show(tmp_path / "missing").stderr
    assert "no profile" in show(other).stderr
    assert "--by color" in show(other, "--by", "color").stderr
    assert show(other).returncode == 2
