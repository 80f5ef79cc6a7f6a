"""Random calls of NumPy's functions over the whole array API, with NumPy as the model.

    mpiexec -n 4 python tests/python/random_functions.py SEED CALLS

All ranks draw the same calls. A pool holds arrays of any type, shape and cut, each beside what
NumPy makes of the same; a call takes some of them, and what it gives is compared, and may take a
place in the pool. Where NumPy raises, Atoll has to; what Atoll refuses with a TypeError that NumPy
does is counted by name. Numbers are small integers, so that most results are exact.
"""

import collections
import re
import sys
import warnings

import atoll
import numpy as np

DTYPES = [np.dtype(name) for name in (kind.name for kind in atoll.dtypes)]
POOL = 12
UNARY = (
    *("abs", "ceil", "floor", "trunc", "negative", "positive", "square", "sign", "round"),
    *("sqrt", "exp", "log1p", "sin", "cos", "tanh", "atan", "conj", "real", "imag", "reciprocal"),
)
BINARY = (
    *("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "maximum", "minimum"),
    *("hypot", "copysign", "atan2", "bitwise_and", "bitwise_or", "bitwise_xor", "logaddexp"),
)
REDUCTIONS = ("sum", "prod", "max", "min", "mean", "std", "var", "argmax", "argmin")
OF_TRUTH = ("all", "any", "count_nonzero")
OF_LINES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")


class FaultError(AssertionError):
    """Atoll does not give what NumPy gives."""


class Pair:
    """An Atoll array, and the same of NumPy."""

    def __init__(self, a, x):
        self.a, self.x = a, x


class Caller:
    """Draws calls, makes and compares them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, atoll.size(), atoll.nodes()])
        self.refused = collections.Counter()
        self.done = collections.Counter()
        self.pool = [self.new() for _ in range(POOL)]
        self.draws = [getattr(self, name) for name in dir(self) if name.startswith("draw_")]

    def choose(self, values):
        return values[int(self.rng.integers(len(values)))]

    def shape(self, dimensions=None):
        n = int(self.rng.integers(1, 4)) if dimensions is None else dimensions
        return tuple(int(k) for k in self.rng.integers(1, 7, n))

    def new(self, shape=None, dtype=None):
        shape = self.shape() if shape is None else shape
        kind = self.choose(DTYPES) if dtype is None else np.dtype(dtype)
        low = 0 if kind.kind in "ub" else -4
        x = self.rng.integers(low, 6, shape)
        if kind.kind == "c":
            x = x + 1j * self.rng.integers(-3, 4, shape)
        x = x.astype(kind)
        return Pair(atoll.from_numpy(x, distribution=self.cut(shape)), x)

    def cut(self, shape):
        form = self.rng.integers(4)
        if form == 0:
            return atoll.blocked([n * int(self.rng.integers(2)) for n in shape])
        if form == 1:
            return atoll.tiled([int(self.rng.integers(1, n + 1)) for n in shape])
        return atoll.blocked(halo=1) if form == 2 else atoll.blocked()

    def any(self, dimensions=1):
        fit = [p for p in self.pool if p.x.ndim >= dimensions]
        return self.choose(fit) if fit else self.new(self.shape(dimensions))

    def axis(self, pair):
        return int(self.rng.integers(-pair.x.ndim, pair.x.ndim))

    # Each draw gives a name, and what is given to Atoll's function and to NumPy's of that name.

    def draw_unary(self):
        return self.choose(UNARY), (self.any(),), {}

    def draw_binary(self):
        one = self.any()
        form = self.rng.integers(3)
        if form == 0:
            other = self.new(one.x.shape)
        elif form == 1:
            other = self.choose([2, -1, 0.5, 3, 1j, True])
        else:
            other = self.new(one.x.shape[-1:])
        pair = (one, other) if self.rng.integers(2) else (other, one)
        return self.choose(BINARY), pair, {}

    def draw_where_and_clip(self):
        one = self.any()
        if self.rng.integers(2):
            return "clip", (one, -2, 3), {}
        mask = self.rng.integers(0, 2, one.x.shape).astype(bool)
        return "where", (mask, one, self.new(one.x.shape, one.x.dtype)), {}

    def draw_reduction(self):
        one, name = self.any(), self.choose((*REDUCTIONS, *OF_TRUTH))
        axis = None if self.rng.integers(3) == 0 else self.axis(one)
        if axis is None and name in ("argmax", "argmin") and one.x.ndim > 1:
            axis = 0
        return name, (one,), {"axis": axis, "keepdims": bool(self.rng.integers(2))}

    def draw_cumulative(self):
        one = self.any()
        return self.choose(("cumsum", "cumprod")), (one,), {"axis": self.axis(one)}

    def draw_shape(self):
        one = self.any()
        n, size = one.x.ndim, one.x.size
        order = [int(d) for d in self.rng.permutation(n)]
        fitting = [(size,), (1, size), (-1, one.x.shape[0]), (size, 1)]
        name, *given = self.choose(
            [
                ("reshape", self.choose(fitting)),
                ("permute_dims", order),
                ("transpose", order),
                ("moveaxis", self.axis(one), self.axis(one)),
                ("swapaxes", self.axis(one), self.axis(one)),
                ("squeeze",),
                ("ravel",),
                ("expand_dims", int(self.rng.integers(n + 1))),
                ("broadcast_to", (2, *one.x.shape)),
                ("flip", self.axis(one)),
                ("roll", int(self.rng.integers(-9, 9)), self.axis(one)),
                ("repeat", int(self.rng.integers(3)), self.axis(one)),
                ("tile", 2),
                ("diff", 1, self.axis(one)),
                ("pad", 1, "edge"),
            ]
        )
        if name == "expand_dims":
            return name, (one,), {"axis": given[0]}
        return name, (one, *given), {}

    def draw_joined(self):
        one = self.any()
        both = [one, self.new(one.x.shape)]
        name = self.choose(("concat", "stack"))
        return name, (both,), {"axis": self.axis(one)}

    def draw_sorted(self):
        one = self.any()
        name = self.choose(("sort", "argsort"))
        return name, (one,), {"axis": self.axis(one), "stable": True}

    def draw_searched(self):
        one = self.any()
        n = one.x.shape[0]
        name = self.choose(("nonzero", "unique_values", "take", "take_along_axis", "searchsorted"))
        if name == "take":
            return name, (one, self.rng.integers(-n, n, 5)), {"axis": 0}
        if name == "take_along_axis":
            places = self.rng.integers(0, n, one.x.shape)
            return name, (one, places), {"axis": 0}
        if name == "searchsorted":
            line = self.new((9,), self.choose(["int32", "float64"]))
            x = np.sort(line.x)
            return name, (Pair(atoll.sort(line.a), x), self.new((4,), x.dtype)), {}
        return name, (one,), {}

    def draw_product(self):
        n = [int(k) for k in self.rng.integers(1, 6, 3)]
        kind = self.choose(DTYPES)
        left, right = self.new((n[0], n[1]), kind), self.new((n[1], n[2]), kind)
        name = self.choose(("matmul", "tensordot", "vecdot", "outer", "inner", "vdot", "kron"))
        if name == "tensordot":
            return name, (left, right), {"axes": 1}
        if name in ("outer", "vdot"):
            return name, (self.new((n[0],), kind), self.new((n[0],), kind)), {}
        if name in ("vecdot", "inner"):
            return name, (left, self.new((n[0], n[1]), kind)), {}
        return name, (left, right), {}

    def draw_linear_algebra(self):
        n = int(self.rng.integers(1, 6))
        kind = self.choose(["float32", "float64", "complex128"])
        square = self.new((n, n), kind)
        x = square.x + 9 * np.eye(n, dtype=kind)
        one = Pair(atoll.from_numpy(x), x)
        name = self.choose(("det", "inv", "solve", "pinv", "svdvals", "matrix_rank", "trace"))
        if name == "solve":
            return f"linalg.{name}", (one, self.new((n, 2), kind)), {}
        return f"linalg.{name}", (one,), {}

    def draw_norm(self):
        one = self.any()
        order = self.choose([1, 2, np.inf])
        return "linalg.vector_norm", (one,), {"axis": self.axis(one), "ord": order}

    def of_transform(self):
        """Give one that is not of float16, whose transforms NumPy rounds as it goes."""
        one = self.any()
        return self.new(one.x.shape, np.dtype(np.float32)) if one.x.dtype == np.float16 else one

    def draw_transform(self):
        one, name = self.of_transform(), self.choose(OF_LINES)
        axis = self.axis(one)
        n = self.choose([None, 1, 4, 7])
        if n is None and name in ("irfft", "hfft") and one.x.shape[axis] == 1:
            n = 3
        return f"fft.{name}", (one,), {"n": n, "axis": axis, "norm": self.choose([None, "ortho"])}

    def draw_transforms(self):
        name = self.choose(("fftn", "ifftn", "fftshift", "ifftshift"))
        return f"fft.{name}", (self.of_transform(),), {}

    def draw_like(self):
        one = self.any()
        name = self.choose(("zeros_like", "ones_like", "tril", "triu"))
        return name, (self.any(2) if name.startswith("tri") else one,), {}

    def step(self):
        """Make one call, and compare."""
        name, given, named = self.choose(self.draws)()
        told = f"{name}({', '.join(map(describe, given))}, {named})"
        theirs = outcome(lambda: call(np, name, [of(v, "x") for v in given], named))
        ours = outcome(lambda: call(atoll, name, [of(v, "a") for v in given], named))
        self.done[name] += 1
        if is_refusal(ours) and not isinstance(theirs, Exception):
            words = re.sub(r"array of shape .*?\) ", "", str(ours).split(";")[0])
            self.refused[f"{name}: {words[:90]}"] += 1
            return
        if isinstance(theirs, Exception) or isinstance(ours, Exception):
            if not (isinstance(theirs, Exception) and isinstance(ours, Exception)):
                raise FaultError(f"{told}: {ours!r}, but NumPy {theirs!r}")
            return
        compare(told, ours, theirs)
        if isinstance(ours, atoll.Array):
            self.keep(ours)

    def keep(self, a):
        """Put a result, as rounded here, into the pool; something new where it got too large."""
        x = a[...]
        fits = 0 < x.size <= 300 and x.ndim <= 4 and np.isfinite(x).all() and np.abs(x).max() < 1e4
        place = int(self.rng.integers(POOL))
        self.pool[place] = Pair(a, x) if fits and self.rng.integers(2) else self.new()


def is_refusal(made):
    """Tell whether a call was refused for what arrays cannot be."""
    return isinstance(made, TypeError)


def of(value, side):
    """Give one side of a pair, or of those in a list."""
    if isinstance(value, Pair):
        return getattr(value, side)
    return [of(v, side) for v in value] if isinstance(value, list) else value


def describe(value):
    """Put into words what a call is given."""
    if isinstance(value, Pair):
        return f"<{value.x.dtype} {value.x.shape} {value.a.distribution}>"
    return f"[{', '.join(map(describe, value))}]" if isinstance(value, list) else repr(value)


def call(module, name, given, named):
    """Call a function by its name in a module, or in one of its rooms."""
    room, _, own = name.rpartition(".")
    if module is np and own in ("sort", "argsort"):
        return getattr(np, own)(*given, axis=named["axis"], kind="stable")
    if module is not np and own in ("sort", "argsort"):
        return getattr(atoll, own)(*given, axis=named["axis"])
    if own == "real" or own == "imag":
        return getattr(module, own)(*given)
    return getattr(getattr(module, room) if room else module, own)(*given, **named)


def outcome(function):
    """Give what a call gives, or raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function()
        except (TypeError, ValueError, IndexError, OverflowError, ArithmeticError) as error:
            return error


def compare(told, ours, theirs):
    """See that a result is NumPy's: shape, type, elements within rounding."""
    if isinstance(theirs, tuple):
        for one, other in zip(ours, theirs, strict=True):
            compare(told, one, other)
        return
    values = ours[...] if isinstance(ours, atoll.Array) else np.asarray(ours)
    expected = np.asarray(theirs)
    if told.startswith("unique_values"):  # which NumPy gives in no order
        expected = np.sort(expected)
    if values.shape != expected.shape:
        raise FaultError(f"{told}: shape {values.shape}, but NumPy {expected.shape}")
    if values.dtype != expected.dtype and expected.dtype in DTYPES and ours is not values:
        raise FaultError(f"{told}: type {values.dtype}, but NumPy {expected.dtype}")
    if expected.dtype.kind in "fc":
        bits = np.finfo(expected.dtype).bits
        rounding = {16: 1e-2, 32: 1e-4}.get(bits, 1e-9)
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    else:
        rounding, scale = 0, 1
    close = np.isclose(values, expected, rtol=rounding, atol=rounding * scale, equal_nan=True)
    if not close.all():
        raise FaultError(f"{told}: {values.tolist()}, but NumPy {expected.tolist()}")


def run(seed, calls):
    """Make so many calls; give the counts of functions, and of refusals by name. Collective."""
    caller = Caller(seed)
    for number in range(calls):
        try:
            caller.step()
        except FaultError as fault:
            raise FaultError(f"seed {seed}, call {number}: {fault}") from None
    return caller.done, caller.refused


if __name__ == "__main__":
    seed, calls = int(sys.argv[1]), int(sys.argv[2])
    if atoll.rank() == 0:
        print(
            f"seed {seed}, {calls} calls, {atoll.size()} ranks, {atoll.nodes()} nodes", flush=True
        )
    done, refused = run(seed, calls)
    if atoll.rank() == 0:
        print(f"{len(done)} functions; refused, though NumPy does it:")
        for text, count in sorted(refused.items()):
            print(f"{count:6d} {text}")
