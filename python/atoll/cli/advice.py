"""Slow patterns that a profile shows, each with its remedy: `atoll profile FILE --advise`.

A rule looks at the sums of a run and says nothing where little is at stake: below a thousand calls
or a twentieth of the time no program becomes faster by heeding it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Profile = dict[str, Any]
Call = dict[str, Any]

_MANY = 1000  # calls
_SHARE = 0.05  # of the time of all ranks
_MOVES = {"get", "put", "accumulate", "gather", "scatter", "scatter_accumulate"}
_ELEMENT_CLASS = 5  # sizes below 32 bytes: a complex number at most, or two


def advise(profile: Profile) -> list[str]:
    """Give a sentence or two for each slow pattern that the profile shows."""
    return [text for rule in _RULES for text in rule(profile)]


def _name(call: Call) -> str:
    shape = " x ".join(map(str, call["shape"]))
    return f"'{call['array']}'" if call["array"] else f"the {call['type']} {shape}"


def _moves(profile: Profile) -> Iterator[Call]:
    return (c for c in profile["calls"] if c["array"] is not None and c["operation"] in _MOVES)


def _by_array(profile: Profile) -> dict[str, list[Call]]:
    sums: dict[str, list[Call]] = defaultdict(list)
    for call in _moves(profile):
        sums[_name(call)].append(call)
    return sums


def _total(calls: Iterable[Call], key: str = "calls") -> float:
    return float(sum(call[key] for call in calls))


def _matters(profile: Profile, calls: list[Call]) -> bool:
    spent = _total(calls, "seconds")
    return spent > _SHARE * profile["seconds"] * profile["ranks"] or _total(calls) >= 20 * _MANY


def _seconds_of(profile: Profile, *operations: str) -> list[float]:
    """Give for each rank the time in these."""
    spent = [0.0] * profile["ranks"]
    for call in profile["calls"]:
        if call["operation"] in operations:
            spent[call["rank"]] += call["seconds"]
    return spent


def _element_by_element(profile: Profile) -> Iterator[str]:
    for name, calls in _by_array(profile).items():
        for operation in sorted(_MOVES):
            those = [c for c in calls if c["operation"] == operation]
            small = sum(
                count
                for c in those
                for size, count in c["sizes"].items()
                if int(size) < _ELEMENT_CLASS
            )
            if small >= _MANY and small > 0.9 * _total(those) and _matters(profile, those):
                yield (
                    f"{name}: {small:,} calls of {operation} move single elements. One call for a "
                    "section, or with index arrays for scattered ones (a[rows, columns]), moves "
                    "all of them at once."
                )


def _read_again_and_again(profile: Profile) -> Iterator[str]:
    nodes = len(set(profile["node_of"]))
    for name, calls in _by_array(profile).items():
        elements = 1
        for extent in calls[0]["shape"]:
            elements *= extent
        reads = [c for c in calls if c["operation"] in ("get", "gather")]
        writes = [c for c in calls if c["operation"] not in ("get", "gather")]
        size = elements * np.dtype(calls[0]["type"]).itemsize
        times = _total(reads, "bytes") / max(size, 1)
        few_writes = _total(writes, "bytes") < 0.1 * _total(reads, "bytes")
        if nodes > 1 and times > 10 * nodes and few_writes and _matters(profile, reads):
            yield (
                f"{name} was read {times:.0f} times over, between {nodes} nodes, and hardly "
                "written. A copy on every node (a.mirror()), or of what is read "
                "(a.mirror(lazy=True)), keeps that off the network."
            )


def _by_one_rank(profile: Profile) -> Iterator[str]:
    ranks = profile["ranks"]
    if ranks < 2:
        return
    for name, calls in _by_array(profile).items():
        of = [_total(c for c in calls if c["rank"] == rank) for rank in range(ranks)]
        busiest = max(range(ranks), key=lambda rank: of[rank])
        if of[busiest] >= _MANY and of[busiest] > 0.95 * sum(of) and _matters(profile, calls):
            yield (
                f"{name}: rank {busiest} made {of[busiest]:,.0f} of {sum(of):,.0f} calls, the "
                "others wait. Let each rank take its blocks (a.blocks()), or tasks of a counter "
                "(atoll.Counter().below(n))."
            )


def _all_from_one(profile: Profile) -> Iterator[str]:
    ranks = profile["ranks"]
    others = [t for t in profile["traffic"] if t["from"] != t["to"]]
    pieces = [sum(t["pieces"] for t in others if t["to"] == rank) for rank in range(ranks)]
    if ranks < 3 or sum(pieces) < _MANY:
        return
    moves = list(_moves(profile))
    busiest = max(range(ranks), key=lambda rank: pieces[rank])
    if pieces[busiest] > 0.9 * sum(pieces) and _matters(profile, moves):
        yield (
            f"{100 * pieces[busiest] / sum(pieces):.0f} % of what ranks want of each other lies in "
            f"the memory of rank {busiest}. Arrays that all use belong in blocks on all ranks: "
            "smaller blocks (minimum_block), tiles, or a mirrored array."
        )


def _a_sync_a_write(profile: Profile) -> Iterator[str]:
    syncs = [c for c in profile["calls"] if c["operation"] in ("sync", "fence")]
    writes = [c for c in _moves(profile) if c["operation"] not in ("get", "gather")]
    if _total(syncs) < _MANY or not _matters(profile, syncs):
        return
    if _total(writes) < 2 * _total(syncs):
        yield (
            f"{_total(syncs):,.0f} syncs and fences complete {_total(writes):,.0f} writes. A rank "
            "sees its own writes in order without any: sync when another rank is to read them."
        )


def _cut_across(profile: Profile) -> Iterator[str]:
    moves = list(_moves(profile))
    if any(c["operation"].startswith(("gather", "scatter")) for c in moves):
        return  # whose pieces are among the traffic's
    pieces = sum(t["pieces"] for t in profile["traffic"])
    calls = _total(moves)
    if calls >= _MANY and pieces >= 3 * calls and _matters(profile, moves):
        yield (
            f"A call touches the memory of {pieces / calls:.1f} ranks on average: sections run "
            "across the blocks. Cut along them: atoll.blocked((0, n)) keeps rows whole, "
            "atoll.tiled(shape) makes tiles of the sections' shape."
        )


def _busy_counter(profile: Profile) -> Iterator[str]:
    draws = [c for c in profile["calls"] if c["operation"] == "fetch_add"]
    if _total(draws) >= _MANY and _matters(profile, draws):
        share = _total(draws, "seconds") / (profile["seconds"] * profile["ranks"])
        yield (
            f"{100 * share:.0f} % of the time went into {_total(draws):,.0f} draws of a counter: "
            "tasks are too small. Let each draw stand for several "
            "(for first in counter.below(n // 10): ...)."
        )


def _uneven(profile: Profile) -> Iterator[str]:
    waits = _seconds_of(profile, "sync", "barrier")
    slack = max(waits) - min(waits)
    if profile["seconds"] > 0.5 and slack > 0.25 * profile["seconds"]:
        yield (
            f"Ranks waited {min(waits):.2f} to {max(waits):.2f} of {profile['seconds']:.2f} s for "
            f"each other; rank {waits.index(min(waits))} had most to do. Tasks of a counter "
            "(atoll.Counter().below(n)) go to who is free."
        )


_RULES: tuple[Callable[[Profile], Iterator[str]], ...] = (
    _element_by_element,
    _read_again_and_again,
    _by_one_rank,
    _all_from_one,
    _a_sync_a_write,
    _cut_across,
    _busy_counter,
    _uneven,
)
