"""Write docs/array-api.md: what there is of the array API standard, by part, and what is refused.

Usage: python scripts/array_api_table.py [--check], with the package importable. A name counts as
there when it is in the namespace, and a function of elements when it also takes an array. Idioms
are the lines of tests/support/numpy_idioms.txt, each run with NumPy's arrays and with Atoll's. With
--check nothing is written; exit status 1 if the page is not what it would be.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import io
import os
import pickle
import sys
import tempfile
import textwrap
import warnings
from pathlib import Path
from typing import Any

import atoll
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "array-api.md"
USERS = ROOT / "tests" / "conformance" / "array_api_users.tsv"
IDIOMS = ROOT / "tests" / "support" / "numpy_idioms.txt"
ELEMENTS = """abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift
bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide
equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less
less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum
minimum multiply negative nextafter not_equal positive pow real reciprocal remainder round sign
signbit sin sinh square sqrt subtract tan tanh trunc"""
PARTS = {  # of the standard of 2024.12
    "constants": "e inf nan newaxis pi",
    "creation": """arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid
ones ones_like tril triu zeros zeros_like""",
    "element types": """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64
complex64 complex128""",
    "functions of types": "astype can_cast finfo iinfo isdtype result_type",
    "elements": ELEMENTS,
    "indexing": "take take_along_axis",
    "inspection": "__array_namespace_info__",
    "linear algebra": "matmul matrix_transpose tensordot vecdot",
    "manipulation": """broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims
repeat reshape roll squeeze stack tile unstack""",
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "sets": "unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "utilities": "all any diff",
    "`linalg`": """cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power
matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot
vector_norm""",
    "`fft`": """fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift
ifftshift""",
    "attributes": "dtype device mT ndim shape size T",
    "methods": """__abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__
__dlpack_device__ __eq__ __float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__
__invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__
__pow__ __rshift__ __setitem__ __sub__ __truediv__ __xor__ to_device""",
}
HEAD = """\
# The array API, and NumPy's

What there is of the [array API standard](https://data-apis.org/array-api/2024.12/) of 2024.12, and
what is refused, and why. Code that takes its functions from the arrays it is given runs on arrays
of any number of ranks:

```python
import atoll
import numpy as np


def standardised(x):
    xp = x.__array_namespace__()
    return (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)


x = np.arange(12.0).reshape(4, 3)
made = standardised(atoll.from_numpy(x))
if atoll.rank() == 0:
    print(np.allclose(made[...], standardised(x)), made.shape)
```

```text
True (4, 3)
```

Made by `python scripts/array_api_table.py`. [python.md](python.md) has the functions with
examples, and how results are cut.

## By part of the standard

"""
IDIOM_HEAD = """
## What people write with NumPy

"""
USERS_HEAD = """
Others say of themselves what of the standard's own suite, `array-api-tests`, they expect to fail
on one process: Dask's list has 110 tests, Heat's 271, and leaves out linear algebra.

## In other packages

scikit-learn and SciPy take arrays by the standard where they are asked to: the first by
`sklearn.config_context(array_api_dispatch=True)`, the second by `SCIPY_ARRAY_API=1` in the
environment. Run by hand with `python scripts/array_api_users.py`, on one rank.

"""
TAIL = """
## What is otherwise

- Functions of arrays are collective: every rank of the group makes the same call. Indexing is
  not: `a[2:5]` gives a NumPy array to the rank that asks.
- `reshape`, `flip`, `squeeze`, `T` and their like make new arrays, where NumPy may give views;
  `a.at[key]` refers to a part and takes operators and functions.
- Where no axis is left, reductions give a NumPy number, the same on every rank.
- Q of `qr` is cut into whole rows, and the signs of R's diagonal may be others than NumPy's.
- Complex numbers have no order: `sort`, `max` and their like refuse them.
- What reads a whole array on every rank is refused by name, with what to write instead:
  `np.asarray(a)`, functions of NumPy that have no distributed one.
- `a.__dlpack__()` is there where one rank has all of the array; of the part that is here,
  `a.local()` is a NumPy array, which has it.

## Temporaries

`2 * a + b * c - 1` makes an array for each operator. An array may be read by any rank at any time,
so none can wait to be computed until somebody looks. Into arrays that are there,
`r.add_scaled(2, a, 1, b)` and `np.multiply(a, b, out=r)` make none.
"""


def elements_take(name: str, xp: Any) -> str:
    """Give why a function of elements takes no array; nothing where it does."""
    integers = name.startswith("bitwise")
    a = xp.asarray(np.ones(3, np.int64 if integers else np.float64))
    function = getattr(xp, name)
    for given in ((a,), (a, a), (a, 0, 1)):
        try:
            with np.errstate(all="ignore"):
                function(*given)
        except TypeError as error:
            text = str(error)
            if "cannot hold" in text or "not compared" in text:
                return "no array holds bool"
        else:
            return ""
    return "takes no array"


def missing(part: str, name: str) -> str:
    """Give why a name is not there; nothing where it is."""
    room: Any = {"`linalg`": atoll.linalg, "`fft`": atoll.fft}.get(part, atoll)
    if part in ("attributes", "methods"):
        room = atoll.Array
    if part == "element types":
        return "" if name in {kind.name for kind in atoll.dtypes} else "no array holds it"
    if not hasattr(room, name):
        return {"__index__": "an index of one array is a key of others"}.get(name, "not there")
    return elements_take(name, atoll) if part == "elements" else ""


def table() -> str:
    """Give the table by part."""
    rows = ["| part | names | there | not, and why |", "|---|---|---|---|"]
    total = there = 0
    for part, text in PARTS.items():
        names = text.split()
        reasons: dict[str, list[str]] = {}
        for name in names:
            if why := missing(part, name):
                reasons.setdefault(why, []).append(f"`{name}`")
        absent = sum(map(len, reasons.values()))
        total, there = total + len(names), there + len(names) - absent
        told = "; ".join(f"{', '.join(given)}: {why}" for why, given in reasons.items())
        rows.append(f"| {part} | {len(names)} | {len(names) - absent} | {told} |")
    rows.append(f"| all | {total} | {there} | |")
    return "\n".join(rows) + "\n"


def things(xp: Any) -> dict[str, Any]:
    """Give what the idioms speak of, as arrays of NumPy or of Atoll."""
    x = np.arange(12.0).reshape(3, 4)
    made: dict[str, Any] = {"np": np, "atoll": atoll, "copy": copy, "pickle": pickle, "x": x}
    integers = np.arange(12).reshape(3, 4)
    square = np.eye(4) * 2 + 0.1
    for name, array in (
        *(("a", x), ("b", x + 1), ("i", integers)),
        *(("v", np.arange(12.0)), ("sq", square)),
    ):
        made[name] = atoll.from_numpy(array) if xp is atoll else array.copy()
    made |= {"xi": integers, "m": x > 5}
    made["for_rows"] = lambda: list(made["a"])
    return made


def outcome(idiom: str, xp: Any) -> tuple[str, Any]:
    """Run one: "value", "statement" or the class of what it raises, and what it gives."""
    names = things(xp)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                code = compile(idiom, "<idiom>", "eval")
            except SyntaxError:
                exec(idiom, names)
                return "statement", tuple(plain(names[name]) for name in "aiv")
            value = eval(code, names)
            return "value", plain(value() if idiom == "for_rows" else value)
    except Exception as error:
        base = next(c for c in type(error).__mro__ if c.__module__ == "builtins")
        return base.__name__, str(error)


def plain(value: Any) -> Any:
    """Give NumPy's arrays for Atoll's, also of those in tuples and lists."""
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return value[...] if isinstance(value, atoll.Array) else value


def equal(x: Any, y: Any) -> bool:
    """Tell whether two results are equal; what is neither number nor array counts as such."""
    if isinstance(x, list) and isinstance(y, list):
        return len(x) == len(y) and all(map(equal, x, y))
    if isinstance(y, (np.ndarray, np.generic, int, float, complex)):
        try:
            return bool(np.allclose(x, y, equal_nan=True)) and np.shape(x) == np.shape(y)
        except (TypeError, ValueError):
            return bool(np.array_equal(x, y))
    return True


def idioms() -> str:
    """Give how many of the idioms do what NumPy does, and the others."""
    same, refused, other = 0, [], []
    lines = IDIOMS.read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        for idiom in lines:
            ours = outcome(idiom, atoll)
            alone = any(word in idiom for word in ("atoll.", ".at[", ".local()"))
            theirs = ours if alone else outcome(idiom, np)
            free = any(word in idiom for word in ("linalg", "empty", "where="))  # signs, contents
            runs = ours[0] in ("value", "statement")
            if ours[0] == theirs[0] and (not runs or free or equal(ours[1], theirs[1])):
                if alone and not runs:
                    refused.append(idiom)
                else:
                    same += 1
            elif runs:
                other.append(idiom)
            else:
                refused.append(idiom)
        os.chdir(before)
    text = (
        f"Of {len(lines)} expressions and statements, of the kinds that NumPy's users write, "
        f"{same} do what they do with NumPy's arrays (or raise the same), {len(refused)} are "
        f"refused with an error that says why, and {len(other)} give something else, by design: "
        f"{', '.join(f'`{idiom}`' for idiom in other)}."
    )
    return (
        textwrap.fill(text, 96)
        + "\n\nRefused:\n\n```text\n"
        + "\n".join(columns(refused))
        + "\n```\n"
    )


def users() -> str:
    """Give the table of what was run with other packages (scripts/array_api_users.py)."""
    with USERS.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    lines = ["| package | call | outcome |", "|---|---|---|"]
    for row in rows:
        told = row["outcome"].replace("|", "\\|")
        lines.append(f"| {row['package']} | `{row['call']}` | {told} |")
    right = sum(row["outcome"].startswith("right") for row in rows)
    return f"{right} of {len(rows)} calls give what they give of NumPy's arrays.\n\n" + (
        "\n".join(lines) + "\n"
    )


def columns(idioms: list[str]) -> list[str]:
    """Put short lines beside each other."""
    lines, line = [], ""
    for idiom in idioms:
        if line and len(line) + len(idiom) + 4 > 96:
            lines.append(line.rstrip())
            line = ""
        line += idiom + "    "
    return [*lines, line.rstrip()]


def page() -> str:
    """Give the whole page."""
    return HEAD + table() + IDIOM_HEAD + idioms() + USERS_HEAD + users() + TAIL


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text() != text and "docs/array-api.md is old: run this without --check")
    PAGE.write_text(text)
