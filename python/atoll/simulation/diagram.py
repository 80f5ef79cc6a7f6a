"""The trace of a run as a sequence diagram in text: a column a rank, a line an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WIDTH: Final = 10


def _columns(ranks: int) -> list[str]:
    return [("|".center(_WIDTH))] * ranks


def _arrow(ranks: int, source: int, dest: int, mark: str) -> str:
    """Draw a line from one rank's column to another one's."""
    text = list("".join(_columns(ranks)))
    begin, end = (_WIDTH * rank + _WIDTH // 2 - 1 for rank in (source, dest))
    low, high = min(begin, end), max(begin, end)
    for place in range(low + 1, high):
        text[place] = mark
    text[begin] = "o"
    text[end] = ">" if end > begin else "<" if end < begin else "o"
    return "".join(text)


def _beside(ranks: int, rank: int, sign: str) -> str:
    columns = _columns(ranks)
    columns[rank] = sign.center(_WIDTH)
    return "".join(columns)


def diagram(lines: Iterable[str], ranks: int) -> Iterator[str]:
    """Give the lines of the diagram.

    Args:
        lines: Of the trace: step, nanoseconds, rank, thread and words, with tabs between.
        ranks: How many there are.

    """
    yield f"{'step':>8} {'time/us':>12} " + "".join(
        f"rank {rank}".center(_WIDTH) for rank in range(ranks)
    )
    begin: int | None = None
    sent: dict[str, tuple[int, str]] = {}
    for line in lines:
        step, time, rank_word, thread, *words = line.split("\t")
        rank = int(rank_word)
        begin = int(time) if begin is None else begin
        who = "" if thread == "0" else f"thread {thread} "
        verb, _, number = words[0].partition(" ")
        if verb == "sends":
            dest, tag, communicator, size = words[1:]
            about = f"{number}: {size} bytes, tag {tag}, communicator {communicator}"
            sent[number] = rank, about
            drawing = _arrow(ranks, rank, int(dest), "-")
            text = f"{who}sends {about}"
        elif verb == "gets":
            source, about = sent.pop(number, (rank, number))
            drawing = _arrow(ranks, source, rank, ".")
            text = f"{who}gets {about}"
        else:
            drawing = _beside(ranks, rank, "*")
            text = who + " ".join(words)
        yield f"{step:>8} {(int(time) - begin) / 1000:12.3f} {drawing} {text}"
