"""Every public callable of the package, with arguments of wrong types, on all ranks and on one.

The test walks the package: a name that is new needs a row here. Each argument of a row's call is
replaced by things that it cannot be; then all ranks raise the same exception, or none, nobody
hangs, and no message is a dump of a binding's signature.
"""

import inspect
from pathlib import Path

import atoll
import numpy as np
import pytest
from atoll import _core

ODD = atoll.rank() == atoll.size() - 1
BAD = [None, "bad", object(), -3, 2.5, [1, "x"], {}]


class Arguments:
    """Positional and named arguments of a call."""

    def __init__(self, *given, **named):
        self.given, self.named = given, named

    def replaced(self, place, value):
        given, named = list(self.given), dict(self.named)
        if isinstance(place, int):
            given[place] = value
        else:
            named[place] = value
        return given, named


def square(**options):
    return atoll.full((4, 4), 2.0, **options)


def vector(dtype=float):
    return atoll.ones(4, dtype=dtype)


def definite():
    return atoll.eye(4)


# What is collective, by its dotted name, with arguments that are right. Methods: the object first.
COLLECTIVE = {
    "Array": lambda: Arguments((2, 3), "float64", name="a"),
    "Counter": lambda: Arguments(3),
    "LazyMirror": lambda: Arguments(square(), 1 << 16),
    "arange": lambda: Arguments(1, 5, 2),
    "block_matmul": lambda: Arguments(square(), square(), [0, 2], [0, 2], [0, 2]),
    "block_norms": lambda: Arguments(square(), [0, 2], [0, 2]),
    "cumsum": lambda: Arguments(vector()),
    "empty": lambda: Arguments((2, 3), "float64"),
    "eye": lambda: Arguments(2, 3, 1),
    "from_numpy": lambda: Arguments(np.ones(3)),
    "full": lambda: Arguments((2, 3), 1.0),
    "matmul": lambda: Arguments(square(), square(), square(), alpha=2.0, beta=1.0),
    "ones": lambda: Arguments((2, 3)),
    "random": lambda: Arguments((2, 3), 7),
    "zeros": lambda: Arguments((2, 3)),
    "algebra.absolute": lambda: Arguments(square(), square()),
    "algebra.bin_index": lambda: Arguments(vector(int), vector(int), vector(int), [], []),
    "algebra.bin_sort": lambda: Arguments(vector(int), atoll.zeros(4, int), atoll.zeros(4, int)),
    "algebra.divide": lambda: Arguments(square(), square(), square()),
    "algebra.maximum": lambda: Arguments(square(), square(), square()),
    "algebra.median": lambda: Arguments(square(), square(), square(), square()),
    "algebra.minimum": lambda: Arguments(square(), square(), square()),
    "algebra.multiply": lambda: Arguments(square(), square(), square()),
    "algebra.reciprocal": lambda: Arguments(square(), square()),
    "algebra.step_bound_info": lambda: Arguments(vector(), vector(), vector(), vector()),
    "algebra.step_max": lambda: Arguments(vector(), vector()),
    "algebra.sum_of_products": lambda: Arguments(square(), square()),
    "linalg.add_diagonal": lambda: Arguments(square(), vector()),
    "linalg.cho_solve": lambda: Arguments((definite(), True), vector()),
    "linalg.cholesky": lambda: Arguments(definite()),
    "linalg.diagonal": lambda: Arguments(square()),
    "linalg.eigh": lambda: Arguments(definite(), definite(), "L"),
    "linalg.eigvalsh": lambda: Arguments(definite(), definite(), "L"),
    "linalg.inv": lambda: Arguments(definite(), assume_a="pos"),
    "linalg.matrix_transpose": lambda: Arguments(square()),
    "linalg.norm": lambda: Arguments(square(), 1),
    "linalg.scale_columns": lambda: Arguments(square(), vector()),
    "linalg.scale_rows": lambda: Arguments(square(), vector()),
    "linalg.set_diagonal": lambda: Arguments(square(), vector()),
    "linalg.solve": lambda: Arguments(definite(), vector()),
    "linalg.svd": lambda: Arguments(square()),
    "linalg.svdvals": lambda: Arguments(square()),
    "linalg.symmetrize": lambda: Arguments(square()),
    "linalg.trace": lambda: Arguments(square()),
    "Array.add_constant": lambda: Arguments(square(), 1.0),
    "Array.add_scaled": lambda: Arguments(square(), 1.0, square(), 2.0, square()),
    "Array.argmax": lambda: Arguments(square(), None),
    "Array.argmin": lambda: Arguments(square(), None),
    "Array.astype": lambda: Arguments(square(), "float32"),
    "Array.copy": lambda: Arguments(square(), "name"),
    "Array.copy_from": lambda: Arguments(square(), square()),
    "Array.cumsum": lambda: Arguments(vector(), 0),
    "Array.dot": lambda: Arguments(square(), square()),
    "Array.duplicate": lambda: Arguments(square(), "name"),
    "Array.fill": lambda: Arguments(square(), 1.0),
    "Array.max": lambda: Arguments(square(), None),
    "Array.mean": lambda: Arguments(square(), None),
    "Array.merge": lambda: Arguments(square(mirrored=True), "sum"),
    "Array.merge_into": lambda: Arguments(square(mirrored=True), square(), "sum"),
    "Array.min": lambda: Arguments(square(), None),
    "Array.mirror": lambda: Arguments(square(), "name"),
    "Array.norm": lambda: Arguments(square(), "two"),
    "Array.scale": lambda: Arguments(square(), 2.0),
    "Array.show": lambda: Arguments(square(), 3),
    "Array.sum": lambda: Arguments(square(), None),
    "Array.update_halo": lambda: Arguments(square(distribution=atoll.blocked(halo=1)), True),
    "Group.broadcast": lambda: Arguments(atoll.world(), 1.0, 0),
    "Group.create": lambda: Arguments(atoll.world(), [0]),
    "Group.reduce": lambda: Arguments(atoll.world(), 1.0, "sum"),
    "Group.split": lambda: Arguments(atoll.world(), 0, 0),
    "Counter.reset": lambda: Arguments(atoll.Counter(), 0),
}
# Of these the row with arguments is another, or there are none to get wrong.
OTHERWISE = {
    *("View", "Request", "PendingMerge", "LazyCounts", "LazyStatistics", "BlockCount"),
    *("Distribution", "Group", "Layout", "algebra.StepBounds", "linalg.EighResult"),
    *("linalg.SVDResult", "barrier", "sync", "default_group", "describe", "world", "rank", "size"),
    *("node", "nodes", "init", "finalize"),
    *("Array.T", "Array.close", "Array.destroy", "Array.declare_equal", "Array.publish"),
    "Array.duplicate_base",  # of `duplicate`
    # They begin what the row of the same name without _begin does.
    *("Array.merge_begin", "Array.update_halo_begin"),
    *("Group.barrier", "Group.sync", "Group.mpi4py"),
    # Objects that `disk` gives; what makes them is in the rows below.
    *("disk.DiskArray", "disk.DiskRequest", "disk.FileRequest", "disk.FileStatistics"),
    *("disk.FileSystem", "disk.PrivateFile", "disk.SharedFile", "checkpoint.CheckpointRequest"),
}
# What is not collective: called with wrong types by every rank for itself.
LOCAL = {
    "block_cyclic": lambda: Arguments(2, 1),
    "blocked": lambda: Arguments(2),
    "fence": lambda: Arguments(0),
    "irregular": lambda: Arguments([[0]]),
    "tiled": lambda: Arguments((2, 2), ()),
    "use_group": lambda: Arguments(atoll.world()),
    "wait_all": lambda: Arguments([]),
    "disk.file_system": lambda: Arguments("/"),
    "disk.private": lambda: Arguments(""),
    "disk.remove": lambda: Arguments("/nowhere/at/all"),
    "checkpoint.steps": lambda: Arguments("/nowhere/at/all"),
    "Array.accumulate": lambda: Arguments(square(), 0, 1.0),
    "Array.accumulate_async": lambda: Arguments(square(), 0, 1.0),
    "Array.block": lambda: Arguments(square(), atoll.rank()),
    "Array.blocks": lambda: Arguments(square(), atoll.rank()),
    "Array.fetch_add": lambda: Arguments(vector(int), 0, 1),
    "Array.gather": lambda: Arguments(square()),
    "Array.gather_elements": lambda: Arguments(square(), np.zeros((1, 2), int)),
    "Array.get": lambda: Arguments(square(), 0, np.empty(4)),
    "Array.get_async": lambda: Arguments(square(), 0, np.empty(4)),
    "Array.get_into": lambda: Arguments(square(), 0, np.empty(4)),
    "Array.local": lambda: Arguments(square()),
    "Array.local_with_halo": lambda: Arguments(square()),
    "Array.locate": lambda: Arguments(square(), 0),
    "Array.owner": lambda: Arguments(square(), 0, 0),
    "Array.owner_of": lambda: Arguments(square(), (0, 0)),
    "Array.patches": lambda: Arguments(square(), 0),
    "Array.put_async": lambda: Arguments(square(), 0, 1.0),
    "Array.scatter_elements": lambda: Arguments(square(), np.zeros((1, 2), int), np.ones(1)),
    "Array.scatter_accumulate_elements": lambda: Arguments(
        square(), np.zeros((1, 2), int), np.ones(1), 1.0
    ),
    "Array.swap": lambda: Arguments(vector(int), 0, 1),
    "Group.fence": lambda: Arguments(atoll.world(), 0),
    "Group.node_of": lambda: Arguments(atoll.world(), 0),
    "Group.rank_of_world": lambda: Arguments(atoll.world(), 0),
    "Group.same_node": lambda: Arguments(atoll.world(), 0),
    "Group.world_rank": lambda: Arguments(atoll.world(), 0),
    "Counter.below": lambda: Arguments(atoll.Counter(), 0),
    "Counter.next": lambda: Arguments(atoll.Counter(), 1),
}
# These want a folder; the tests below know it.
WITH_FOLDER = {
    "disk.create": lambda folder: Arguments(folder / "new", (3,), "float64", name="a"),
    "disk.open": lambda folder: Arguments(folder / "array", "r"),
    "disk.repair": lambda folder: Arguments(folder / "array"),
    "disk.shared": lambda folder: Arguments(folder / "shared", "a", keep=False),
    "checkpoint.save": lambda folder: Arguments(folder / "run", {"a": 1}, step=1, keep=2),
    "checkpoint.save_async": lambda folder: Arguments(folder / "run", {"a": 1}, step=1, keep=2),
    "checkpoint.load": lambda folder: Arguments(folder / "run"),
}


def public_names():
    """Walk the package: functions and classes by their dotted names, and methods of classes."""
    for room in ("", "algebra", "linalg", "disk", "checkpoint"):
        module = getattr(atoll, room) if room else atoll
        for name in module.__all__:
            if callable(getattr(module, name)):
                yield f"{room}.{name}" if room else name
    for owner in (atoll.Array, _core.Group, atoll.Counter):
        for name in dir(owner):
            member = inspect.getattr_static(owner, name)
            hidden = name.startswith("_") or isinstance(member, property)
            if not hidden and callable(getattr(owner, name)):
                yield f"{owner.__name__}.{name}"


def find(name):
    found = atoll
    for part in name.split("."):
        found = getattr(found, part)
    return found


def outcome(call, given, named):
    """Give the class of what the call raises, as far as it is Python's own, and the text."""
    try:
        call(*given, **named)
    except Exception as error:
        own = next(base for base in type(error).__mro__ if base.__module__ == "builtins")
        return own.__name__, str(error)
    return "", ""


def places(arguments, methods):
    return [*range(1 if methods else 0, len(arguments.given)), *arguments.named]


def is_method(name):
    return name.count(".") == 1 and name.split(".")[0] in ("Array", "Group", "Counter")


def test_every_public_callable_has_a_row():
    missing = set(public_names()) - {*COLLECTIVE, *LOCAL, *WITH_FOLDER, *OTHERWISE}
    assert not missing


def check(name, arguments, everywhere):
    """Put each wrong thing in each place, by all ranks or by one."""
    call = find(name)
    for place in places(arguments(), is_method(name)):
        for bad in BAD:
            good = arguments()
            given, named = good.replaced(place, bad)
            if not (everywhere or ODD):
                given, named = good.given, good.named
            kind, text = outcome(call, given, named)
            kinds = atoll.world().mpi4py().allgather(kind)
            assert len(set(kinds)) == 1, (name, place, bad, kinds, text)
            assert "incompatible function arguments" not in text, (name, place, bad, text)
            assert kind != "AttributeError", (name, place, bad, text)


@pytest.mark.parametrize("name", COLLECTIVE)
def test_wrong_types_in_collective_calls_raise_alike(name):
    check(name, COLLECTIVE[name], everywhere=True)


@pytest.mark.skipif(atoll.size() == 1, reason="one rank agrees with itself")
@pytest.mark.parametrize("name", COLLECTIVE)
def test_wrong_types_on_one_rank_raise_on_all(name):
    check(name, COLLECTIVE[name], everywhere=False)


@pytest.mark.parametrize("name", LOCAL)
def test_wrong_types_in_local_calls_are_told_without_dumps(name):
    call, arguments = find(name), LOCAL[name]
    for place in places(arguments(), is_method(name)):
        for bad in BAD:
            given, named = arguments().replaced(place, bad)
            kind, text = outcome(call, given, named)
            assert "incompatible function arguments" not in text, (name, place, bad, text)
            assert kind != "AttributeError", (name, place, bad, text)


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize("name", WITH_FOLDER)
def test_wrong_types_in_calls_about_files_raise_alike(name, everywhere, folder: Path, monkeypatch):
    monkeypatch.chdir(folder)  # some of what is no folder here is a name that can be made
    with atoll.disk.create(folder / "array", (3,)):
        pass
    atoll.checkpoint.save(folder / "run", {"a": atoll.ones(3), "b": 1})

    def arguments():
        atoll.sync()
        return WITH_FOLDER[name](folder)

    if atoll.size() == 1 and not everywhere:
        pytest.skip("one rank agrees with itself")
    check(name, arguments, everywhere)
