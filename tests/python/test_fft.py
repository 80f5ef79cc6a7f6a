"""Fourier transforms against NumPy: lines, several axes, long vectors, all options."""

import itertools

import atoll
import numpy as np
import pytest

ONE_AXIS = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
REAL = ("rfft", "ihfft", "rfftn")


def numbers(shape, name, dtype=float):
    rng = np.random.default_rng(list(name.encode()))
    x = rng.random(shape)
    if name not in REAL:
        x = x + 1j * rng.random(shape)
    return x.astype(np.result_type(dtype, x.dtype) if dtype is float else dtype)


def same(made, expected):
    assert made.shape == expected.shape
    assert made.dtype == expected.dtype
    tolerance = (
        1e-4 if expected.dtype.itemsize // (1 + (expected.dtype.kind == "c")) == 4 else 1e-10
    )
    values = made[...]
    scale = np.abs(expected).max(initial=1e-300)
    np.testing.assert_allclose(values / scale, expected / scale, atol=tolerance)


@pytest.mark.parametrize("name", ONE_AXIS)
def test_lines_of_each_axis_length_and_norm_are_numpys(name):
    x = numbers((5, 6, 7), name)
    a = atoll.from_numpy(x)
    for axis, n, norm in itertools.product((0, 1, -1), (None, 4, 9), (None, "ortho", "forward")):
        same(getattr(atoll.fft, name)(a, n, axis, norm), getattr(np.fft, name)(x, n, axis, norm))


@pytest.mark.parametrize("n", [1, 2, 4099, 4096, 9991, 10000, 10001])
@pytest.mark.parametrize("name", ONE_AXIS)
def test_long_vectors_are_numpys_whether_their_length_has_factors_or_not(name, n):
    x = numbers(n, name)
    a = atoll.from_numpy(x)
    same(getattr(atoll.fft, name)(a, n), getattr(np.fft, name)(x, n))
    longer, shorter = n + 3 - n % 2, max(1, n // 2)  # an odd and an even length
    same(getattr(atoll.fft, name)(a, longer), getattr(np.fft, name)(x, longer))
    same(getattr(atoll.fft, name)(a, shorter), getattr(np.fft, name)(x, shorter))


@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes_in_any_order_are_numpys(name):
    x = numbers((4, 5, 6), name)
    a = atoll.from_numpy(x)
    ours, theirs = getattr(atoll.fft, name), getattr(np.fft, name)
    for axes in (None, (0, 1), (1, 0), (2, 0), (0,), (2, 1, 0), (-1, -2)):
        same(ours(a, None, axes), theirs(x, None, axes))
        s = None if axes is None else [3 + i for i in range(len(axes))]
        same(ours(a, s, axes, "ortho"), theirs(x, s, axes, "ortho"))


def test_transforms_take_any_cut_view_and_type_and_give_single_precision_for_such():
    x = numbers((8, 6), "rfft")
    cuts = [
        atoll.blocked((0, 6)),
        atoll.blocked((8, 0)),
        atoll.tiled((3, 2)),
        atoll.blocked(halo=1),
    ]
    for cut in cuts:
        same(atoll.fft.fftn(atoll.from_numpy(x, distribution=cut)), np.fft.fftn(x))
    a = atoll.from_numpy(x)
    same(atoll.fft.fft(a.at[2:7], axis=0), np.fft.fft(x[2:7], axis=0))
    whole = np.arange(12).reshape(3, 4)
    same(atoll.fft.rfft(atoll.from_numpy(whole)), np.fft.rfft(whole))
    single = atoll.fft.fft(atoll.from_numpy(x.astype(np.float32)))
    assert single.dtype == np.complex64
    assert np.allclose(single[...], np.fft.fft(x), atol=1e-4)
    assert atoll.fft.irfft(single).dtype == np.float32


def test_numpys_names_call_the_distributed_transforms():
    x = numbers((4, 6), "fft")
    a = atoll.from_numpy(x)
    for name in (*ONE_AXIS[:2], *SEVERAL[:2], "fftshift", "ifftshift"):
        made = getattr(np.fft, name)(a)
        assert isinstance(made, atoll.Array)
        same(made, getattr(np.fft, name)(x))


@pytest.mark.parametrize("n", [1, 4, 7])
def test_frequencies_and_shifts_are_numpys(n):
    for d in (1.0, 0.25):
        same(atoll.fft.fftfreq(n, d=d), np.fft.fftfreq(n, d))
        same(atoll.fft.rfftfreq(n, d=d), np.fft.rfftfreq(n, d))
    assert atoll.fft.fftfreq(n, dtype="float32").dtype == np.float32
    x = np.arange(3.0 * n).reshape(3, n)
    for axes in (None, 0, (0, 1)):
        same(atoll.fft.fftshift(atoll.from_numpy(x), axes=axes), np.fft.fftshift(x, axes))
        same(atoll.fft.ifftshift(atoll.from_numpy(x), axes=axes), np.fft.ifftshift(x, axes))


def test_what_cannot_be_transformed_is_refused_by_name():
    a = atoll.ones((3, 1))
    for call, error, words in (
        (lambda: atoll.fft.fft(a, norm="none"), ValueError, "norm is 'none'"),
        (lambda: atoll.fft.fft(a, 0), ValueError, "n=0"),
        (lambda: atoll.fft.irfft(a), ValueError, "an axis of 1"),
        (lambda: atoll.fft.fft(a, axis=2), IndexError, "axis 2"),
        (lambda: atoll.fft.rfft(a.astype(complex)), TypeError, "of real numbers"),
        (lambda: atoll.fft.fftn(a, axes=(0, 0)), ValueError, "axes is"),
        (lambda: atoll.fft.fftn(a, (2, 2), (0,)), ValueError, "s is"),
        (lambda: atoll.fft.fft(a.mirror()), ValueError, "mirrored"),
    ):
        with pytest.raises(error, match=words):
            call()
