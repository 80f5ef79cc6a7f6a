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
    with pytest.raises(TypeError, match="a set cannot be saved"):
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


@pytest.mark.parametrize("state", [{1: 2}, {"a": [{"b": {2.5: 0}}]}, {None: 1}])
def test_keys_that_would_come_back_as_text_are_refused(folder, state):
    with pytest.raises(TypeError, match="expected text"):
        atoll.checkpoint.save(folder / "run", {"state": state, "a": atoll.ones(3)})
    atoll.checkpoint.save(folder / "run", {"a": atoll.ones(3)})
    assert atoll.checkpoint.steps(folder / "run")
