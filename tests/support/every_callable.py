"""Every public callable of the package, with arguments that are right.

`test_every_callable.py` replaces them by what they cannot be. A name that is new needs a row here.
"""

import contextlib
import functools
import inspect

import atoll
import numpy as np
from atoll.api import elementwise
from atoll.array.halo import Periodic


class Arguments:
    """Positional and named arguments of a call; of a method the object comes first."""

    def __init__(self, *given, **named):
        self.given, self.named = given, named

    def replaced(self, place, value):
        given, named = list(self.given), dict(self.named)
        if isinstance(place, int):
            given[place] = value
        else:
            named[place] = value
        return given, named


class Things:
    """What rows are made of beside arrays: a folder, and files in it, opened when asked for."""

    def __init__(self, folder):
        self.folder = folder
        self.names = 0
        self.saved = []

    def new_name(self):
        self.names += 1
        return self.folder / f"open-{self.names}"

    def new_disk(self):
        return atoll.disk.create(self.new_name(), (4, 4), durability="scratch")

    def new_shared(self):
        file = atoll.disk.shared(self.new_name(), "x")
        file.write(np.ones(2))
        return file

    @functools.cached_property
    def disk(self):
        return self.new_disk()

    @functools.cached_property
    def shared(self):
        return self.new_shared()

    @functools.cached_property
    def private(self):
        file = atoll.disk.private()
        file.write(np.ones(2))
        return file

    def save(self):
        request = atoll.checkpoint.save_async(self.folder / "saved", {"a": square()}, keep=1)
        self.saved.append(request)
        return request

    def close(self):
        for request in self.saved:
            request.wait()
        for file in vars(self).values():
            if hasattr(file, "close"):
                with contextlib.suppress(RuntimeError):  # a row has closed it
                    file.close()


def square(**options):
    return atoll.full((4, 4), 2.0, **options)


def vector(dtype=float):
    return atoll.ones(4, dtype=dtype)


def definite():
    return atoll.eye(4)


def part():
    return square().at[:2]


# Names that are functions of atoll, and methods too, with what follows the array.
REDUCTIONS = {
    **dict.fromkeys(("all", "any", "max", "min", "prod", "mean", "sum"), (0,)),
    **dict.fromkeys(("argmax", "argmin", "cumprod", "cumsum"), (0,)),
    **dict.fromkeys(("std", "var"), (0,)),
}
OF_VIEWS = ("all", "any", "prod", "std", "var")
SHAPING = {
    "ravel": (),
    "reshape": ((2, 8),),
    "squeeze": (),
    "swapaxes": (0, 1),
    "transpose": ((1, 0),),
}
FUNCTIONS = {
    **REDUCTIONS,
    **SHAPING,
    "broadcast_to": ((2, 4, 4),),
    "count_nonzero": (0,),
    "expand_dims": (1,),
    "flip": (0,),
    "moveaxis": (0, 1),
    "permute_dims": ((1, 0),),
    "roll": (1, 0),
    "allclose": (2.0,),
    "isclose": (2.0,),
    "broadcast_arrays": (),
    "matrix_transpose": (),
    "astype": ("float32",),
    "corrcoef": (),
    "cov": (),
    "delete": (1, 0),
    "digitize": ([1, 2],),
    "histogram": (4, (0, 5)),
    "interp": ([0, 1], [0, 1]),
    "median": (0,),
    "percentile": (20, 0),
    "quantile": (0.2, 0),
    "trapezoid": ([1, 2, 3, 4], 1.0, 0),
    "argpartition": (2, 0),
    "argsort": (0,),
    "argwhere": (),
    "flatnonzero": (),
    "nonzero": (),
    "partition": (2, 0),
    "sort": (0,),
    "take": ([1, 2], 0),
    "take_along_axis": (np.zeros((4, 4), int), 0),
    "unique": (True,),
    "unique_all": (),
    "unique_counts": (),
    "unique_inverse": (),
    "unique_values": (),
    "append": (np.ones((1, 4)), 0),
    "array_split": (3, 0),
    "diag": (1,),
    "diagonal": (1, 0, 1),
    "diff": (1, 0),
    "pad": (1, "edge"),
    "repeat": (2, 0),
    "split": (2, 0),
    "tile": (2,),
    "trace": (1,),
    "array_equal": (2.0,),
    "clip": (1, 3),
    "empty_like": (),
    "full_like": (1.0,),
    "imag": (),
    "ones_like": (),
    "real": (),
    "round": (1,),
    "sqrt": (),
    "power": (2,),
    "tril": (0,),
    "triu": (0,),
    "where": (1.0, 2.0),
    "zeros_like": (),
}
METHODS = {
    "argsort": (0,),
    "nonzero": (),
    "sort": (0,),
    "take": ([1, 2], 0),
    "diagonal": (1,),
    "repeat": (2, 0),
    "trace": (1,),
    **REDUCTIONS,
    **SHAPING,
    "clip": (1, 3),
    "conj": (),
    "conjugate": (),
    "flatten": (),
    "round": (1,),
}

PRODUCTS = {
    name: (np.ones((4, 4)),)
    for name in ("dot", "inner", "kron", "outer", "tensordot", "vdot", "vecdot")
}
OF_MATRICES = {
    **{name: PRODUCTS[name] for name in ("outer", "tensordot", "vecdot")},
    **dict.fromkeys(("det", "matrix_rank", "pinv", "qr", "slogdet"), ()),
    "lstsq": (np.ones(4),),
}


TRANSFORMS = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), (4, 0, "ortho")),
    **dict.fromkeys(("fftn", "ifftn", "rfftn", "irfftn"), ((4, 4), (0, 1), "ortho")),
}


def rows(prefix, table, make):
    return {
        prefix + name: lambda _, given=given: Arguments(make(), *given)
        for name, given in table.items()
    }


COLLECTIVE = {
    **rows("", FUNCTIONS, square),
    **rows("Array.", METHODS, square),
    **rows("View.", {name: REDUCTIONS[name] for name in OF_VIEWS}, part),
    "concat": lambda _: Arguments([square(), square()], 0),
    "concatenate": lambda _: Arguments([square(), square()], 0),
    "hstack": lambda _: Arguments([square(), square()]),
    "stack": lambda _: Arguments([square(), square()], 0),
    "vstack": lambda _: Arguments([square(), square()]),
    **rows("", PRODUCTS, square),
    **rows("linalg.", OF_MATRICES, square),
    **rows("fft.", TRANSFORMS, square),
    "fft.fftfreq": lambda _: Arguments(4, d=0.5, dtype="float32"),
    "fft.rfftfreq": lambda _: Arguments(4, d=0.5, dtype="float32"),
    "fft.fftshift": lambda _: Arguments(square(), axes=0),
    "fft.ifftshift": lambda _: Arguments(square(), axes=0),
    "bincount": lambda _: Arguments(vector(int), np.ones(4), 3),
    "convolve": lambda _: Arguments(vector(), [1, 2], "same"),
    "correlate": lambda _: Arguments(vector(), [1, 2], "same"),
    "gradient": lambda _: Arguments(vector(), 0.5, axis=0),
    "searchsorted": lambda _: Arguments(vector(), [0.5], "right"),
    "Array.searchsorted": lambda _: Arguments(vector(), [0.5], "right"),
    "unstack": lambda _: Arguments(square(), axis=1),
    "linalg.matrix_norm": lambda _: Arguments(square(), ord=1),
    "linalg.vector_norm": lambda _: Arguments(square(), axis=0, ord=1),
    "einsum": lambda _: Arguments("ij,jk->ik", square(), square()),
    "cross": lambda _: Arguments(atoll.ones((2, 3)), atoll.ones((2, 3))),
    "linalg.matrix_power": lambda _: Arguments(definite(), 2),
    "linalg.cross": lambda _: Arguments(atoll.ones((2, 3)), atoll.ones((2, 3))),
    "View.copy": lambda _: Arguments(part()),
    "array": lambda _: Arguments([1, 2]),
    "asarray": lambda _: Arguments(np.ones(3)),
    "identity": lambda _: Arguments(3),
    "linspace": lambda _: Arguments(0, 1, 5),
    "meshgrid": lambda _: Arguments(vector(), vector(), indexing="ij"),
    "cumulative_prod": lambda _: Arguments(square(), axis=0),
    "cumulative_sum": lambda _: Arguments(square(), axis=0, include_initial=True),
    "Array": lambda _: Arguments((2, 3), "float64", name="a"),
    "Counter": lambda _: Arguments(3),
    "LazyMirror": lambda _: Arguments(square(), 1 << 16),
    "arange": lambda _: Arguments(1, 5, 2),
    "block_matmul": lambda _: Arguments(square(), square(), [0, 2], [0, 2], [0, 2]),
    "block_norms": lambda _: Arguments(square(), [0, 2], [0, 2]),
    "empty": lambda _: Arguments((2, 3), "float64"),
    "eye": lambda _: Arguments(2, 3, 1),
    "from_numpy": lambda _: Arguments(np.ones(3)),
    "full": lambda _: Arguments((2, 3), 1.0),
    "matmul": lambda _: Arguments(square(), square(), square(), alpha=2.0, beta=1.0),
    "ones": lambda _: Arguments((2, 3)),
    "random": lambda _: Arguments((2, 3), 7),
    "random.choice": lambda _: Arguments(4, (2, 3), True, [0.5, 0, 0, 0.5], 7),
    "random.integers": lambda _: Arguments(0, 5, (2, 3), 7, "int64", endpoint=True),
    "random.normal": lambda _: Arguments(0.0, 1.0, (2, 3), 7),
    "random.permutation": lambda _: Arguments(5, 7),
    "random.random": lambda _: Arguments((2, 3), 7),
    "random.uniform": lambda _: Arguments(0.0, 1.0, (2, 3), 7),
    "zeros": lambda _: Arguments((2, 3)),
    "algebra.absolute": lambda _: Arguments(square(), square()),
    "algebra.bin_index": lambda _: Arguments(vector(int), vector(int), vector(int), [], []),
    "algebra.bin_sort": lambda _: Arguments(vector(int), atoll.zeros(4, int), atoll.zeros(4, int)),
    "algebra.divide": lambda _: Arguments(square(), square(), square()),
    "algebra.maximum": lambda _: Arguments(square(), square(), square()),
    "algebra.median": lambda _: Arguments(square(), square(), square(), square()),
    "algebra.minimum": lambda _: Arguments(square(), square(), square()),
    "algebra.multiply": lambda _: Arguments(square(), square(), square()),
    "algebra.reciprocal": lambda _: Arguments(square(), square()),
    "algebra.step_bound_info": lambda _: Arguments(vector(), vector(), vector(), vector()),
    "algebra.step_max": lambda _: Arguments(vector(), vector()),
    "algebra.sum_of_products": lambda _: Arguments(square(), square()),
    "linalg.add_diagonal": lambda _: Arguments(square(), vector()),
    "linalg.cho_solve": lambda _: Arguments((definite(), True), vector()),
    "linalg.cholesky": lambda _: Arguments(definite()),
    "linalg.diagonal": lambda _: Arguments(square()),
    "linalg.eigh": lambda _: Arguments(definite(), definite(), "L"),
    "linalg.eigvalsh": lambda _: Arguments(definite(), definite(), "L"),
    "linalg.inv": lambda _: Arguments(definite(), assume_a="pos"),
    "linalg.matrix_transpose": lambda _: Arguments(square()),
    "linalg.norm": lambda _: Arguments(square(), 1),
    "linalg.scale_columns": lambda _: Arguments(square(), vector()),
    "linalg.scale_rows": lambda _: Arguments(square(), vector()),
    "linalg.set_diagonal": lambda _: Arguments(square(), vector()),
    "linalg.solve": lambda _: Arguments(definite(), vector()),
    "linalg.svd": lambda _: Arguments(square()),
    "linalg.svdvals": lambda _: Arguments(square()),
    "linalg.symmetrize": lambda _: Arguments(square()),
    "linalg.trace": lambda _: Arguments(square()),
    "tensor.einsum": lambda _: Arguments(
        "ij,jk->ik", square(), square(), out=square(), alpha=2.0, beta=1.0
    ),
    "Array.add_constant": lambda _: Arguments(square(), 1.0),
    "Array.add_scaled": lambda _: Arguments(square(), 1.0, square(), 2.0, square()),
    "Array.astype": lambda _: Arguments(square(), "float32"),
    "Array.copy": lambda _: Arguments(square(), "name"),
    "Array.copy_from": lambda _: Arguments(square(), square()),
    "Array.dot": lambda _: Arguments(square(), square()),
    "Array.duplicate": lambda _: Arguments(square(), "name"),
    "Array.fill": lambda _: Arguments(square(), 1.0),
    "Array.merge": lambda _: Arguments(square(mirrored=True), "sum"),
    "Array.merge_into": lambda _: Arguments(square(mirrored=True), square(), "sum"),
    "Array.mirror": lambda _: Arguments(square(), "name"),
    "Array.norm": lambda _: Arguments(square(), "two"),
    "Array.scale": lambda _: Arguments(square(), 2.0),
    "Array.show": lambda _: Arguments(square(), 3),
    "Array.update_halo": lambda _: Arguments(square(distribution=atoll.blocked(halo=1)), True),
    "from_dlpack": lambda _: Arguments(np.ones(3), copy=True),
    "linalg.matmul": lambda _: Arguments(square(), square(), square(), alpha=2.0, beta=1.0),
    "Group.allgather": lambda _: Arguments(atoll.world(), 1.0),
    "Group.alltoall": lambda _: Arguments(atoll.world(), np.ones(atoll.size())),
    "Group.from_mpi4py": lambda _: Arguments(atoll.world().mpi4py()),
    "Group.gather": lambda _: Arguments(atoll.world(), 1.0, 0),
    "Group.scan": lambda _: Arguments(atoll.world(), 1.0, "sum"),
    "Group.broadcast": lambda _: Arguments(atoll.world(), 1.0, 0),
    "Group.create": lambda _: Arguments(atoll.world(), [0]),
    "Group.reduce": lambda _: Arguments(atoll.world(), 1.0, "sum"),
    "Group.split": lambda _: Arguments(atoll.world(), 0, 0),
    "Counter.reset": lambda _: Arguments(atoll.Counter(), 0),
    "LazyMirror.refresh": lambda _: Arguments(square().mirror(lazy=True)),
    "LazyMirror.close": lambda _: Arguments(square().mirror(lazy=True)),
    "View.add_constant": lambda _: Arguments(part(), 1.0),
    "View.add_scaled": lambda _: Arguments(part(), 1.0, part(), 2.0, part()),
    "View.copy_from": lambda _: Arguments(part(), part()),
    "View.dot": lambda _: Arguments(part(), part()),
    "View.fill": lambda _: Arguments(part(), 1.0),
    "View.max": lambda _: Arguments(part(), None),
    "View.mean": lambda _: Arguments(part(), None),
    "View.merge": lambda _: Arguments(square(mirrored=True).at[:2], "sum"),
    "View.merge_begin": lambda _: Arguments(square(mirrored=True).at[:2], "sum"),
    "View.merge_into": lambda _: Arguments(square(mirrored=True).at[:2], part(), "sum"),
    "View.min": lambda _: Arguments(part(), None),
    "View.norm": lambda _: Arguments(part(), "two"),
    "View.scale": lambda _: Arguments(part(), 2.0),
    "View.sum": lambda _: Arguments(part(), None),
    "Array.close": lambda _: Arguments(square()),
    "Array.destroy": lambda _: Arguments(square()),
    "Array.declare_equal": lambda _: Arguments(square(mirrored=True)),
    "Array.publish": lambda _: Arguments(square(mirrored=True)),
    "Array.merge_begin": lambda _: Arguments(square(mirrored=True), "sum"),
    "Array.update_halo_begin": lambda _: Arguments(
        square(distribution=atoll.blocked(halo=1)), True
    ),
    "Group.barrier": lambda _: Arguments(atoll.world()),
    "Group.sync": lambda _: Arguments(atoll.world()),
    "barrier": lambda _: Arguments(),
    "stop_requested": lambda _: Arguments(),
    "sync": lambda _: Arguments(),
    "disk.create": lambda t: Arguments(t.folder / "new", (3,), "float64", name="a"),
    "disk.open": lambda t: Arguments(t.folder / "array", "r"),
    "disk.repair": lambda t: Arguments(t.folder / "array"),
    "disk.shared": lambda t: Arguments(t.folder / "shared", "a", keep=True),
    "checkpoint.save": lambda t: Arguments(t.folder / "run", {"a": 1}, step=1, keep=2),
    "checkpoint.save_async": lambda t: Arguments(t.folder / "run", {"a": 1}, step=1, keep=2),
    "checkpoint.load": lambda t: Arguments(t.folder / "run"),
    "disk.DiskArray.write": lambda t: Arguments(
        t.disk, square(), np.s_[0:4], source=np.s_[0:4], transpose=False, progress=False
    ),
    "disk.DiskArray.read": lambda t: Arguments(
        t.disk, square(), np.s_[0:4], target=np.s_[0:4], transpose=False, progress=False
    ),
    "disk.DiskArray.write_async": lambda t: Arguments(
        t.disk, square(), np.s_[0:4], source=np.s_[0:4], transpose=False
    ),
    "disk.DiskArray.read_async": lambda t: Arguments(
        t.disk, square(), np.s_[0:4], target=np.s_[0:4], transpose=False
    ),
    "disk.DiskArray.load": lambda t: Arguments(t.disk, np.s_[0:2]),
    "disk.DiskArray.sync": lambda t: Arguments(t.disk),
    "disk.DiskArray.verify": lambda t: Arguments(t.disk),
    "disk.DiskArray.refresh": lambda t: Arguments(t.disk),
    "disk.DiskArray.close": lambda t: Arguments(t.new_disk()),
    "disk.SharedFile.close": lambda t: Arguments(t.new_shared()),
}
# Here there is nothing to get wrong: made by others, or of no arguments and the end of all.
OTHERWISE = {
    *("Request", "PendingMerge", "LazyCounts", "LazyStatistics", "BlockCount", "Distribution"),
    *("Group", "Layout", "algebra.StepBounds", "linalg.EighResult", "linalg.SVDResult"),
    *("linalg.LstsqResult", "linalg.QRResult", "linalg.SlogdetResult"),
    *("UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult", "Race"),
    *("disk.DiskArray", "disk.DiskRequest", "disk.FileRequest", "disk.FileStatistics"),
    *("disk.FileSystem", "disk.PrivateFile", "disk.SharedFile", "checkpoint.CheckpointRequest"),
    *("init", "finalize"),
    *("Stopped", "heed_stop_signals"),  # which would end the tests themselves
    *("Stopped.add_note", "Stopped.with_traceback"),  # Python's own
    "Array.duplicate_base",  # of `duplicate`
    *(elementwise.FUNCTIONS.keys() - {"sqrt", "power"}),  # made alike
    "Array.elements_from",  # of indexing, which has the values looked at first
}
# What is not collective: each rank calls it for itself.
LOCAL = {
    "Array.item": lambda _: Arguments(square(), 0, 0),
    "Array.to_device": lambda _: Arguments(square(), "cpu"),
    "Array.tolist": lambda _: Arguments(square()),
    "finfo": lambda _: Arguments("float32"),
    "iinfo": lambda _: Arguments("int32"),
    "isdtype": lambda _: Arguments("int32", "integral"),
    "can_cast": lambda _: Arguments("float32", "float64"),
    "result_type": lambda _: Arguments(square(), "float32"),
    "block_cyclic": lambda _: Arguments(2, 1),
    "blocked": lambda _: Arguments(2),
    "fence": lambda _: Arguments(0),
    "default_group": lambda _: Arguments(),
    "describe": lambda _: Arguments(),
    "node": lambda _: Arguments(),
    "nodes": lambda _: Arguments(),
    "rank": lambda _: Arguments(),
    "size": lambda _: Arguments(),
    "races": lambda _: Arguments(),
    "world": lambda _: Arguments(),
    "irregular": lambda _: Arguments([[0]]),
    "tiled": lambda _: Arguments((2, 2), ()),
    "use_group": lambda _: Arguments(atoll.world()),
    "wait_all": lambda _: Arguments([]),
    "disk.file_system": lambda _: Arguments("/"),
    "disk.private": lambda _: Arguments(""),
    "disk.remove": lambda _: Arguments("/nowhere/at/all"),
    "checkpoint.steps": lambda _: Arguments("/nowhere/at/all"),
    "Array.accumulate": lambda _: Arguments(square(), 0, 1.0),
    "Array.accumulate_async": lambda _: Arguments(square(), 0, 1.0),
    "Array.block": lambda _: Arguments(square(), atoll.rank()),
    "Array.blocks": lambda _: Arguments(square(), atoll.rank()),
    "Array.fetch_add": lambda _: Arguments(vector(int), 0, 1),
    "Array.gather": lambda _: Arguments(square()),
    "Array.gather_elements": lambda _: Arguments(square(), np.zeros((1, 2), int)),
    "Array.get": lambda _: Arguments(square(), 0, np.empty(4)),
    "Array.get_async": lambda _: Arguments(square(), 0, np.empty(4)),
    "Array.get_into": lambda _: Arguments(square(), 0, np.empty(4)),
    "Array.local": lambda _: Arguments(square()),
    "Array.local_with_halo": lambda _: Arguments(square()),
    "Array.locate": lambda _: Arguments(square(), 0),
    "Array.owner": lambda _: Arguments(square(), 0, 0),
    "Array.owner_of": lambda _: Arguments(square(), (0, 0)),
    "Array.patches": lambda _: Arguments(square(), 0),
    "Array.put_async": lambda _: Arguments(square(), 0, 1.0),
    "Array.scatter_elements": lambda _: Arguments(square(), np.zeros((1, 2), int), np.ones(1)),
    "Array.scatter_accumulate_elements": lambda _: Arguments(
        square(), np.zeros((1, 2), int), np.ones(1), 1.0
    ),
    "Array.swap": lambda _: Arguments(vector(int), 0, 1),
    "Group.fence": lambda _: Arguments(atoll.world(), 0),
    "Group.node_of": lambda _: Arguments(atoll.world(), 0),
    "Group.rank_of_world": lambda _: Arguments(atoll.world(), 0),
    "Group.same_node": lambda _: Arguments(atoll.world(), 0),
    "Group.world_rank": lambda _: Arguments(atoll.world(), 0),
    "Counter.below": lambda _: Arguments(atoll.Counter(), 0),
    "Counter.next": lambda _: Arguments(atoll.Counter(), 1),
    "Group.mpi4py": lambda _: Arguments(atoll.world()),
    "Periodic.accumulate": lambda _: Arguments(square().periodic, 0, 1.0),
    "LazyMirror.get": lambda _: Arguments(square().mirror(lazy=True), 0),
    "View": lambda _: Arguments(square(), 0, 0),
    "View.add": lambda _: Arguments(part(), 1.0, 1.0),
    "View.add_in_place": lambda _: Arguments(part(), 1.0, 1.0),
    "View.conj": lambda _: Arguments(part()),
    "View.take_added": lambda _: Arguments(part(), square()),
    "Layout.block_cyclic": lambda _: Arguments((2, 2), (1, atoll.size())),
    "Layout.blocked": lambda _: Arguments((2, 2)),
    "Layout.irregular": lambda _: Arguments([[0], [0, 2]]),
    "Layout.tiled": lambda _: Arguments((2, 2), (1, atoll.size())),
    "Layout.with_halo": lambda _: Arguments(atoll.blocked(), (1, 1)),
    "Distribution.patches": lambda _: Arguments(square().distribution, 0),
    "LazyMirror.get_into": lambda _: Arguments(square().mirror(lazy=True), 0, np.empty(4)),
    "LazyMirror.gather_elements": lambda _: Arguments(
        square().mirror(lazy=True), np.zeros((1, 2), int)
    ),
    "disk.PrivateFile.remove": lambda t: Arguments(t.private),
    "disk.PrivateFile.resize": lambda t: Arguments(t.private, 8),
    "Request.wait": lambda _: Arguments(square().get_async(0)),
    "Request.test": lambda _: Arguments(square().get_async(0)),
    "PendingMerge.wait": lambda _: Arguments(square(mirrored=True).merge_begin()),
    "PendingMerge.test": lambda _: Arguments(square(mirrored=True).merge_begin()),
    "disk.PrivateFile.write": lambda t: Arguments(t.private, np.ones(2), 0),
    "disk.PrivateFile.write_async": lambda t: Arguments(t.private, np.ones(2), 0),
    "disk.PrivateFile.read": lambda t: Arguments(t.private, (2,), 0, "float64"),
    "disk.PrivateFile.read_into": lambda t: Arguments(t.private, np.ones(2), 0),
    "disk.PrivateFile.read_async": lambda t: Arguments(t.private, np.ones(2), 0),
    "disk.SharedFile.write": lambda t: Arguments(t.shared, np.ones(2), 0),
    "disk.SharedFile.write_async": lambda t: Arguments(t.shared, np.ones(2), 0),
    "disk.SharedFile.read": lambda t: Arguments(t.shared, (2,), 0, "float64"),
    "disk.SharedFile.read_into": lambda t: Arguments(t.shared, np.ones(2), 0),
    "disk.SharedFile.read_async": lambda t: Arguments(t.shared, np.ones(2), 0),
    # Their waits are collective, but have nothing to get wrong but too many arguments.
    "disk.DiskRequest.wait": lambda t: Arguments(t.disk.read_async(square())),
    "disk.DiskRequest.test": lambda t: Arguments(t.disk.read_async(square())),
    "checkpoint.CheckpointRequest.wait": lambda t: Arguments(t.save()),
    "checkpoint.CheckpointRequest.test": lambda t: Arguments(t.save()),
    "disk.SharedFile.sync": lambda t: Arguments(t.shared),
    "disk.PrivateFile.sync": lambda t: Arguments(t.private),
    "disk.PrivateFile.close": lambda t: Arguments(t.private),
    "disk.FileRequest.wait": lambda t: Arguments(t.private.write_async(np.ones(2), 0)),
    "disk.FileRequest.test": lambda t: Arguments(t.private.write_async(np.ones(2), 0)),
}


def _callables_of(owner, prefix):
    for name in dir(owner):
        member = inspect.getattr_static(owner, name)
        of_tuple = issubclass(owner, tuple) and hasattr(tuple, name)
        if name.startswith("_") or of_tuple or isinstance(member, property):
            continue
        if callable(getattr(owner, name)):
            yield f"{prefix}.{name}"


def public_names():
    """Walk the package: functions and classes by their dotted names, and methods of classes."""
    rooms = [name for name in atoll.__all__ if inspect.ismodule(getattr(atoll, name))]
    for room in ("", *rooms):
        module = getattr(atoll, room) if room else atoll
        for name in module.__all__:
            found = getattr(module, name)
            dotted = f"{room}.{name}" if room else name
            if callable(found):
                yield dotted
            if inspect.isclass(found):
                yield from _callables_of(found, dotted)
    yield from _callables_of(Periodic, "Periodic")


def find(name):
    """Give what a dotted name stands for."""
    if name.startswith("Periodic."):
        return getattr(Periodic, name.partition(".")[2])
    return functools.reduce(getattr, name.split("."), atoll)


def is_method(name):
    """Tell whether the first argument of a row is an object."""
    owner = name.rpartition(".")[0]
    return owner == "Periodic" or (owner != "" and inspect.isclass(find(owner)))
