"""The command line as people type it: its help, and the words it takes."""

import os
import subprocess
import sys

import atoll.cli.cluster
import pytest
from atoll.cli import _parse
from atoll.cluster.launch import spread

COMMANDS = [
    *("", "run", "simulate", "energy", "info", "profile"),
    *("disk", "disk ls", "disk info", "disk verify", "disk repair", "disk salvage", "disk copy"),
    *("disk export", "cluster", "cluster up", "cluster run", "cluster shape", "cluster status"),
    *("cluster down", "completion"),
]


def help_of(words, capsys):
    with pytest.raises(SystemExit) as left:
        _parse([*words.split(), "--help"])
    assert left.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("words", COMMANDS)
def test_help_says_what_a_command_does_and_what_each_argument_means(words, capsys):
    text = help_of(words, capsys)
    usage, what, *rest = text.split("\n\n")
    assert usage.startswith(f"usage: atoll {words}".rstrip())
    assert what[0].isupper(), what  # a sentence, not the list of arguments
    assert what.rstrip().endswith(".")
    for group in rest:
        heading, *lines = group.splitlines()
        if heading not in ("positional arguments:", "options:"):
            continue
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            name, _, meaning = line.strip().partition("  ")
            told = meaning.strip() or following.startswith(" " * 12)
            assert told or name in ("COMMAND", "ACTION") or line.startswith(" " * 12), name


def test_help_lists_all_commands(capsys):
    text = help_of("", capsys)
    chemistry = ("energy", "gradient", "optimize", "frequencies")
    for word in (*chemistry, "run", "info", "profile", "disk", "cluster"):
        assert f"\n    {word}" in text
        assert f"atoll {word}" in help_of(word, capsys)


def test_help_of_energy_has_examples_that_run(capsys, monkeypatch):
    text = help_of("energy", capsys)
    examples = [line.split() for line in text.splitlines() if line.startswith("  atoll energy")]
    assert len(examples) >= 2
    for words in examples:
        options = _parse([word.strip('"') for word in words[1:]])
        assert "basis" in options or options.options


@pytest.mark.parametrize(
    ("words", "program", "ranks", "size"),
    [
        ("-n 4 python x.py", ["python", "x.py"], [1], 4),
        ("./prog", ["./prog"], [1], None),
        (
            "./prog -n 2 --ranks 3 --help",
            ["./prog", "-n", "2", "--ranks", "3", "--help"],
            [1],
            None,
        ),
        ("--ranks 2,1 -- ./prog --flag", ["./prog", "--flag"], [2, 1], None),
    ],
)
def test_cluster_run_takes_a_program_with_and_without_options(
    words, program, ranks, size, monkeypatch
):
    called = []

    def run_on_hosts(*arguments, **options):
        called.append((arguments, options))
        return subprocess.CompletedProcess([], 7)

    monkeypatch.setattr(atoll.cli.cluster, "run_on_hosts", run_on_hosts)
    options = _parse(["cluster", "run", *words.split()])
    assert options.alone(options) == 7
    assert called == [((program, ranks, None), {"size": size})]


def test_ranks_in_all_are_shared_out_to_the_hosts():
    assert spread(4, 2) == [2, 2]
    assert spread(5, 3) == [2, 2, 1]
    assert spread(1, 3) == [1]  # on the first hosts alone
    with pytest.raises(ValueError, match="-n 0: expected a positive number"):
        spread(0, 2)


def test_a_wrong_command_line_is_one_line_that_says_where_help_is():
    for words in (["cluster", "run", "-n", "x", "prog"], ["energy"], ["nothing"]):
        ended = subprocess.run(
            [sys.executable, "-m", "atoll", *words], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 2
        assert ended.stderr.count("\n") == 1
        assert "--help" in ended.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_gone_ends_a_command_without_a_traceback(unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "atoll", "info"],
        stdout=writer, stderr=subprocess.PIPE, text=True, check=False, timeout=100,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")
