"""Checkpoints from Python: what is saved comes back, numbers and arrays of NumPy among it."""

import atoll
import h5py
import numpy as np
import pytest


def some(shape):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape) + 0.5


def test_arrays_and_state_come_back(folder):
    rng = np.random.default_rng(5)
    plain = {
        "iteration": 12,
        "energy": -76.02676779737,
        "names": ["O", "H"],
        "random": rng.bit_generator.state,
        "orbital_energies": np.array([-20.5, 1e300, np.inf]),
        "count": np.int64(2**62),
        "nothing": None,
    }
    matrix = atoll.from_numpy(some((30, 20)))
    copies = atoll.from_numpy(some((7, 5))).mirror()
    atoll.checkpoint.save(folder / "run", {"matrix": matrix, "copies": copies, **plain})
    found = atoll.checkpoint.load(folder / "run")
    assert set(found) == {"matrix", "copies", *plain}
    np.testing.assert_array_equal(found["matrix"][...], some((30, 20)))
    np.testing.assert_array_equal(found["copies"][...], some((7, 5)))
    assert found["copies"].mirrored
    np.testing.assert_array_equal(found["orbital_energies"], plain["orbital_energies"])
    assert found["count"] == 2**62
    assert found["count"].dtype == np.int64
    for name in ("iteration", "energy", "names", "random", "nothing"):
        assert found[name] == plain[name]


def test_arrays_are_read_into_those_at_hand(folder):
    matrix = atoll.from_numpy(some((30, 20)))
    atoll.checkpoint.save(folder / "run", {"matrix": matrix, "other": atoll.zeros(3)})
    here = atoll.zeros((30, 20), distribution=atoll.block_cyclic((4, 3)))
    found = atoll.checkpoint.load(folder / "run", into={"matrix": here})
    assert found["matrix"] is here
    np.testing.assert_array_equal(here[...], some((30, 20)))
    with pytest.raises(ValueError, match="into has 'matrices'; the checkpoint has: matrix, other"):
        atoll.checkpoint.load(folder / "run", into={"matrices": here})
    if atoll.rank() == 0:
        with h5py.File(folder / "run/000000000000/matrix.zarr/c/0/0", "r") as file:
            np.testing.assert_array_equal(file["array"][...], some((30, 20)))


def test_what_is_saved_is_what_arrays_held_when_it_began(folder):
    a = atoll.full((200, 300), 1.0)
    request = atoll.checkpoint.save_async(folder / "run", {"a": a, "n": 1}, step=40)
    a.fill(2.0)
    assert request.step == 40
    request.wait()
    assert request.test()
    atoll.checkpoint.save(folder / "run", {"a": a, "n": 2}, keep=3)
    atoll.checkpoint.save(folder / "run", {"a": a, "n": 3}, step=7, keep=3)
    assert atoll.checkpoint.steps(folder / "run") == [40, 41, 7]
    assert atoll.checkpoint.load(folder / "run")["n"] == 3
    first = atoll.checkpoint.load(folder / "run", step=40)
    assert first["n"] == 1
    assert (first["a"][...] == 1).all()


def test_bad_arguments_are_refused(folder):
    a = atoll.zeros(3)
    with pytest.raises(FileNotFoundError):
        atoll.checkpoint.load(folder / "none")
    with pytest.raises(TypeError, match=r"contents\['s'\] is a set, which cannot be saved"):
        atoll.checkpoint.save(folder / "run", {"s": {1, 2}})
    with pytest.raises(ValueError, match="step is -1"):
        atoll.checkpoint.save(folder / "run", {}, step=-1)
    with pytest.raises(ValueError, match=r"named '\.\./a'"):
        atoll.checkpoint.save(folder / "run", {"../a": a})
    with pytest.raises(ValueError, match="keep is 0"):
        atoll.checkpoint.save(folder / "run", {"a": a}, keep=0)
    assert not (folder / "run").exists()


def test_state_alone_is_a_checkpoint(folder):
    atoll.checkpoint.save(folder / "run", {"n": 1})
    assert atoll.checkpoint.load(folder / "run") == {"n": 1}


def test_state_of_the_first_rank_alone_is_looked_at(folder):
    # A set cannot be saved; that of other ranks does not count.
    mine = {"n": 1} if atoll.rank() == 0 else {"n": {1, 2}}
    atoll.checkpoint.save(folder / "run", mine)
    assert atoll.checkpoint.load(folder / "run") == {"n": 1}


def test_state_that_cannot_be_saved_is_refused_on_all_ranks_which_go_on(folder):
    mine = {"n": {1, 2}} if atoll.rank() == 0 else {"n": 1}
    with pytest.raises(TypeError, match="is a set, which cannot be saved"):
        atoll.checkpoint.save(folder / "run", mine)
    with pytest.raises(ValueError, match="step is -3"):
        atoll.checkpoint.save(folder / "run", {}, step=-3 if atoll.rank() == 0 else 3)
    atoll.sync()
    assert not (folder / "run").exists()


def test_keys_that_stand_for_something_come_back_as_they_were(folder):
    state = {
        "__numpy__": "mine",
        "inner": {"__numpy__": 5},
        "list": [{"__numpy__": [1, 2], "__numpy__=": 3}, {"__numpy__=x": np.arange(3)}],
        "__numpy__=": {"": None},
    }
    atoll.checkpoint.save(folder / "run", state)
    found = atoll.checkpoint.load(folder / "run")
    np.testing.assert_array_equal(found["list"][1].pop("__numpy__=x"), np.arange(3))
    state["list"][1] = {}
    assert found == state


@pytest.mark.parametrize("key", [1, None, True, 2.5, (1, 2)])
def test_keys_that_are_no_strings_are_refused(folder, key):
    with pytest.raises(TypeError, match=r"contents\['map'\] has the key .*expected a str"):
        atoll.checkpoint.save(folder / "run", {"map": {key: 2}})
    with pytest.raises(TypeError, match=r"contents has the key .*expected a str"):
        atoll.checkpoint.save(folder / "run", {key: 2})


def test_arrays_to_load_into_that_are_none_are_refused_on_all_ranks(folder):
    atoll.checkpoint.save(folder / "run", {"a": atoll.zeros(3)})
    there = atoll.zeros(3)
    into = {"a": np.zeros(3) if atoll.rank() == 0 else there}
    with pytest.raises(TypeError, match=r"'a'.* is a ndarray, expected an Atoll array"):
        atoll.checkpoint.load(folder / "run", into=into)


def test_no_key_of_the_program_is_taken_for_a_mark_of_ours(folder):
    saved = {"__numpy__single": ["b"], "b": atoll.zeros(1), "c": atoll.full((), 3.0), "k": 2}
    atoll.checkpoint.save(folder / "run", saved)
    found = atoll.checkpoint.load(folder / "run")
    assert found["__numpy__single"] == ["b"]
    assert found["b"].shape == (1,)
    assert found["c"].shape == ()
    assert found["k"] == 2
