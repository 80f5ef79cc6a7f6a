"""Every public callable of the package, with what it does not take, on all ranks and on one.

The test walks the package: a name that is new needs a row in tests/support/every_callable.py. Each
argument of a row's call is replaced by things that it cannot be, there are too many or too few,
and ranks give different ones. Then all ranks raise the same exception, or none, nobody hangs, and
every message is in words: it names the argument and its value.
"""

import builtins
import inspect
import re

import atoll
import pytest
from atoll import _core
from atoll._signatures import names_in_extension
from every_callable import COLLECTIVE, LOCAL, OTHERWISE, Things, find, is_method, public_names

ODD = atoll.rank() == atoll.size() - 1
BAD = [None, "bad", object(), -3, 2.5, [1, "x"], {}]
several = pytest.mark.skipif(atoll.size() == 1, reason="one rank agrees with itself")


def outcome(call, given, named):
    """Give the class of what the call raises, as far as it is Python's own, and the text."""
    try:
        made = call(*given, **named)
        if isinstance(made, atoll.checkpoint.CheckpointRequest):
            made.wait()  # else it is lost with its folder, which is told
    except Exception as error:
        own = next(base for base in type(error).__mro__ if base.__module__ == "builtins")
        return own.__name__, str(error)
    return "", ""


def places(arguments, name):
    return [*range(1 if is_method(name) else 0, len(arguments.given)), *arguments.named]


@pytest.fixture
def things(request):
    name = request.node.callspec.params["name"]
    on_disk = name.startswith(("disk.", "checkpoint."))
    return request.getfixturevalue("in_folder" if on_disk else "nothing")


@pytest.fixture
def nothing():
    return Things(None)


@pytest.fixture
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)  # some of what is no folder here is a name that can be made
    with atoll.disk.create(folder / "array", (3,)):
        pass
    atoll.checkpoint.save(folder / "run", {"a": atoll.ones(3), "b": 1})
    made = Things(folder)
    yield made
    made.close()


def agree(name, row, things, change, everywhere=True):
    """Make the call, changed by all ranks or by one; give class and text of what it raises.

    `change` makes of the arguments others.
    """
    atoll.sync()
    good = row(things)
    given, named = change(good)  # may be collective
    if not (everywhere or ODD):
        given, named = good.given, good.named
    kind, text = outcome(find(name), given, named)
    kinds = atoll.world().mpi4py().allgather(kind)
    if name in COLLECTIVE:
        assert len(set(kinds)) == 1, (name, kinds, text)
    assert "incompatible function arguments" not in text, (name, text)
    assert kind != "AttributeError", (name, text)
    return kind, text


def parameters(name):
    """Give the names of arguments."""
    call = find(name)
    try:
        names = list(inspect.signature(call).parameters)
    except ValueError:
        names = ["args", "kwargs"] if inspect.isclass(call) else names_in_extension(call)
    if names == ["args", "kwargs"] and inspect.isclass(call):  # as Python 3.13 has it
        names = names_in_extension(call.__init__)
    return names[1:] if inspect.isclass(call) and names[0] == "self" else names


def shown(value):
    """Give what may stand for a value in a message."""
    if type(value) in (object, dict):
        return (type(value).__name__, repr(value))
    return (repr(value), str(value))


def replacing(place, value):
    return lambda arguments: arguments.replaced(place, value)


def tells(name, place, value, kind, text):
    """Tell whether a message says which argument is wrong, and what it is."""
    has_value = any(form in text for form in shown(value))
    if issubclass(getattr(builtins, kind), OSError):
        return has_value  # the system's, of a file
    if "ranks disagree" in text:  # each may be right by itself
        return True
    labels = parameters(name)
    label = place if isinstance(place, str) else labels[min(place, len(labels) - 1)]
    if re.search(rf"\b{label}\b", text) and has_value:
        return True
    # Where the value may be right, and others do not go with it, one of those is named.
    others = "|".join(one for one in labels if one != label)
    return bool(others) and re.search(rf"\b({others})( is | has |=)", text) is not None


def check_types(name, row, things, everywhere):
    for place in places(row(things), name):
        for bad in BAD if everywhere else BAD[:3]:
            kind, text = agree(name, row, things, replacing(place, bad), everywhere)
            if kind and (everywhere or ODD):
                assert tells(name, place, bad, kind, text), (name, place, bad, kind, text)


def too_many(arguments):
    return [*arguments.given, *[object()] * 12], arguments.named


def unknown(arguments):
    return arguments.given, {**arguments.named, "no_such_argument": 1}


def check_numbers(name, row, things, everywhere):
    for change in (too_many, unknown):
        kind, text = agree(name, row, things, change, everywhere)
        takes_any = change is too_many and name == "Array.owner"  # as many as there are dimensions
        assert kind == ("IndexError" if takes_any else "TypeError"), (name, kind, text)
    first = 1 if is_method(name) else 0
    agree(name, row, things, lambda a: (a.given[:first], {}), everywhere)


def another(value):
    """Give a value of the same kind that is not the same, or the same. Collective."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, tuple) and all(isinstance(n, int) for n in value):
        return tuple(n + 1 for n in value)
    if isinstance(value, _core.ArrayBase):
        return atoll.ones(tuple(n + 1 for n in value.shape), dtype=value.dtype)
    return value


def test_every_public_callable_has_a_row():
    assert not set(public_names()) - {*COLLECTIVE, *LOCAL, *OTHERWISE}


@pytest.mark.parametrize("name", COLLECTIVE)
def test_wrong_arguments_of_collective_calls_raise_alike(name, things):
    check_types(name, COLLECTIVE[name], things, everywhere=True)
    check_numbers(name, COLLECTIVE[name], things, everywhere=True)


@several
@pytest.mark.parametrize("name", COLLECTIVE)
def test_wrong_arguments_on_one_rank_raise_on_all(name, things):
    check_types(name, COLLECTIVE[name], things, everywhere=False)
    check_numbers(name, COLLECTIVE[name], things, everywhere=False)


@several
@pytest.mark.parametrize("name", COLLECTIVE)
def test_ranks_that_disagree_raise_alike(name, things):
    row = COLLECTIVE[name]
    for place in places(row(things), name):

        def change(arguments, place=place):
            at = arguments.named if isinstance(place, str) else arguments.given
            return arguments.replaced(place, another(at[place]))

        agree(name, row, things, change, everywhere=False)


@pytest.mark.parametrize("name", LOCAL)
def test_wrong_arguments_of_local_calls_are_told_in_words(name, things):
    check_types(name, LOCAL[name], things, everywhere=True)
    check_numbers(name, LOCAL[name], things, everywhere=True)
