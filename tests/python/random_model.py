"""Random sequences of operations through the Python package, with plain NumPy as the model.

    mpiexec -n 4 python tests/python/random_model.py SEED SEQUENCES

All ranks draw the same sequence: a random array (dtype, shape, distribution, group) and operations,
each done by one random rank, or by all. Every rank applies every operation to a NumPy array of its
own, the model. Where an operation would race with an earlier one of another rank, all ranks sync
first (docs/memory-model.md), so whatever is read has one right answer. Numbers are small integers:
sums are exact in every dtype and order.
"""

import math
import sys

import atoll
import numpy as np

DTYPES = ["int32", "int64", "float32", "float64", "complex64", "complex128", "uint8"]
# What a rank does to elements, and which earlier deeds of other ranks stand against it.
READ, ACCUMULATE, WRITE = range(3)
AGAINST = {READ: (ACCUMULATE, WRITE), ACCUMULATE: (READ, WRITE), WRITE: (READ, ACCUMULATE, WRITE)}


class FaultError(AssertionError):
    """The array does not hold what the model holds."""


def random_shape(rng, dimensions, most):
    shape = []
    for d in range(dimensions):
        left = max(1, most // math.prod(shape))
        reach = int(left ** (1 / (dimensions - d)) * (1 + rng.random()))
        shape.append(int(rng.integers(1, max(1, min(reach, left)) + 1)))
    return tuple(int(n) for n in rng.permutation(shape))


def random_distribution(rng, shape, ranks):
    block = [int(rng.integers(1, n + 1)) for n in shape]
    kind = rng.integers(5)
    if kind == 0:
        return atoll.blocked()
    if kind == 1:
        return atoll.blocked(block)
    if kind == 2:
        cuts = int(rng.integers(0, min(ranks, shape[0])))
        inner = rng.choice(np.arange(1, shape[0]), cuts, replace=False) if cuts else []
        return atoll.irregular([sorted([0, *map(int, inner)]), *[[0]] * (len(shape) - 1)])
    return atoll.block_cyclic(block) if kind == 3 else atoll.tiled(block)


def random_slice(rng, n):
    start, stop = sorted(int(i) for i in rng.integers(0, n, 2))
    step = int(rng.choice([1, 1, 1, 2, 3]))
    form = rng.integers(4)
    if form == 0:
        return slice(None)
    if form == 1:
        return slice(start - n, None, step)  # negative: from the end
    if form == 2:
        return slice(stop, start - 1 if start else None, -step)
    return slice(start, stop + 1, step)


def random_key(rng, shape):
    """Draw a basic index: slices, integers, an ellipsis; never empty."""
    key = []
    for n in shape:
        if rng.random() < 0.15:
            key.append(int(rng.integers(-n, n)))
        else:
            key.append(random_slice(rng, n))
    if len(key) > 1 and rng.random() < 0.2:
        key[int(rng.integers(1, len(key))) :] = [Ellipsis]
    return tuple(key)


def random_fancy_key(rng, shape):
    """Draw index arrays for all dimensions, or for the first one, or a mask; positions repeat."""
    form = rng.integers(3)
    count = int(rng.integers(1, 12))
    if form == 0:
        return tuple(rng.integers(-n, n, count) for n in shape)
    if form == 1:
        return ([int(i) for i in rng.integers(0, shape[0], min(count, 4))],)
    return (rng.random(shape) < 0.2,)


class Sequence:
    """One random sequence on one array; `run` raises FaultError with the operations so far."""

    def __init__(self, rng, group):
        self.rng, self.group = rng, group
        self.dtype = np.dtype(DTYPES[rng.integers(len(DTYPES))])
        most = 50_000 if rng.random() < 0.01 else int(rng.integers(1, 500))
        shape = random_shape(rng, int(rng.integers(1, 9)), most)
        layout = random_distribution(rng, shape, group.size)
        self.array = atoll.zeros(shape, self.dtype, group=group, distribution=layout)
        self.model = np.zeros(shape, self.dtype)
        self.touched = np.zeros((3, *shape), np.uint16)
        self.pending = []
        self.actor = 0
        self.log = [f"{self.dtype} {shape} {self.array.distribution} group of {group.size}"]

    def run(self):
        steps = [self.put, self.put, self.get, self.get, self.add, self.add]
        steps += [self.scatter, self.gather, self.scatter_add, self.together]
        if self.dtype.kind == "i":
            steps += [self.fetch_add, self.swap]
        for _ in range(int(self.rng.integers(4, 16))):
            self.actor = int(self.rng.integers(self.group.size))
            steps[self.rng.integers(len(steps))]()
            if self.rng.random() < 0.1:
                self.finish_pending()
        self.finish_pending()
        self.sync()
        self.check(self.array[...], self.model)
        for rank in self.group.node_ranks:
            for patch, block in self.array.blocks(rank):
                self.check(block, self.model[patch])
        self.group.barrier()
        self.array.destroy()

    # -- what the sequence is made of ------------------------------------------------------

    def mine(self):
        return self.group.rank == self.actor

    def note(self, what, key):
        text = ", ".join(str(k).replace("None", "") for k in key)
        self.log.append(f"{self.actor}: {what} [{text}]")

    def check(self, actual, expected):
        actual = np.asarray(actual)
        if actual.shape != np.shape(expected) or actual.dtype != self.dtype:
            self.fault(f"{actual.dtype} {actual.shape} instead of {np.shape(expected)}")
        if not np.array_equal(actual, expected):
            wrong = np.argwhere(actual != expected)
            self.fault(f"{len(wrong)} elements differ, first at {wrong[0]}")

    def fault(self, what):
        raise FaultError("\n".join([f"rank {atoll.rank()}: {what}", *self.log]))

    def sync(self):
        self.group.sync()
        self.touched[:] = 0
        self.log.append("sync")

    def make_room(self, key, access):
        """Sync if another rank did something to these elements that stands against this."""
        others = np.uint16(0xFFFF ^ (1 << self.actor))
        if any((self.touched[(kind, *key)] & others).any() for kind in AGAINST[access]):
            self.sync()
        self.touched[(access, *key)] |= np.uint16(1 << self.actor)

    def least(self, wanted):
        """Give the least factor: bytes have no sign."""
        return 0 if self.dtype.kind == "u" else wanted

    def numbers(self, shape=()):
        real = self.rng.integers(-99, 100, shape)
        if self.dtype.kind == "c":
            return (real + 1j * self.rng.integers(-99, 100, shape)).astype(self.dtype)
        return real.astype(self.dtype)

    def values(self, shape):
        """Draw values for a section: an array in some order of memory, or one to broadcast."""
        form = self.rng.integers(5)
        if form == 0:
            return self.numbers()[()]
        if form == 1 and len(shape) > 1:
            return self.numbers((1, *shape[1:]))
        if form == 2 and shape:
            return np.asfortranarray(self.numbers(shape))
        if form == 3 and shape:
            return self.numbers((*shape[:-1], 2 * shape[-1]))[..., ::-2]
        return self.numbers(shape)

    def put(self):
        key = random_key(self.rng, self.model.shape)
        self.make_room(key, WRITE)
        self.note("put", key)
        values = self.values(self.model[key].shape)
        self.model[key] = values
        later = self.rng.random() < 0.3
        if self.mine() and later:
            self.pending.append((self.array.put_async(key, values), None))
        elif self.mine():
            self.array[key] = values

    def get(self):
        key = random_key(self.rng, self.model.shape)
        self.make_room(key, READ)
        self.note("get", key)
        later = self.rng.random() < 0.4
        if self.mine() and later:
            self.pending.append((self.array.get_async(key), self.model[key].copy()))
        elif self.mine():
            self.check(self.array[key], self.model[key])

    def add(self):
        key = random_key(self.rng, self.model.shape)
        self.make_room(key, ACCUMULATE)
        self.note("add", key)
        values = self.values(self.model[key].shape)
        alpha = int(self.rng.integers(self.least(-9), 10))
        later = self.rng.random() < 0.3
        if later:
            self.model[key] += np.multiply(alpha, values).astype(self.dtype)
            if self.mine():
                self.pending.append((self.array.accumulate_async(key, values, alpha), None))
        elif alpha % 2:
            self.model[key] += values
            if self.mine():
                self.array.at[key] += values
        else:
            self.model[key] += np.multiply(alpha, values).astype(self.dtype)
            if self.mine():
                self.array.at[key].add(values, alpha)

    def scatter(self):
        key = random_fancy_key(self.rng, self.model.shape)
        self.make_room(key, WRITE)
        self.note("scatter", key)
        values = self.numbers(self.model[key].shape)
        self.model[key] = values
        if self.mine():
            self.array[key] = values

    def gather(self):
        key = random_fancy_key(self.rng, self.model.shape)
        self.make_room(key, READ)
        self.note("gather", key)
        if self.mine():
            self.check(self.array[key], self.model[key])

    def scatter_add(self):
        key = random_fancy_key(self.rng, self.model.shape)
        self.make_room(key, ACCUMULATE)
        self.note("scatter add", key)
        values = self.numbers(self.model[key].shape)
        np.add.at(self.model, key, values)
        if self.mine():
            self.array.at[key] += values

    def fetch_add(self):
        position = tuple(int(i) for i in self.rng.integers(0, self.model.shape))
        alone = self.rng.random() < 0.5  # then the old value is known, else only the total
        self.make_room(position, WRITE if alone else ACCUMULATE)
        self.note("fetch_add alone" if alone else "fetch_add", position)
        increment = int(self.rng.integers(-9, 10))
        if self.mine():
            old = self.array.fetch_add(position, increment)
            if alone and old != self.model[position]:
                self.fault(f"fetch_add gave {old} instead of {self.model[position]}")
        self.model[position] += increment

    def swap(self):
        position = tuple(int(i) for i in self.rng.integers(0, self.model.shape))
        self.make_room(position, WRITE)
        self.note("swap", position)
        value = int(self.numbers())
        if self.mine():
            old = self.array.swap(position, value)
            if old != self.model[position]:
                self.fault(f"swap gave {old} instead of {self.model[position]}")
        self.model[position] = value

    def together(self):
        """All ranks: fill, scale, or move to another distribution."""
        self.finish_pending()
        which = self.rng.integers(3)
        self.log.append(f"all: collective {which}")
        if which == 0:
            value = self.numbers()[()]
            self.array.fill(value)
            self.model[...] = value
        elif which == 1:
            factor = int(self.rng.integers(self.least(-1), 2))
            self.array.scale(factor)
            self.model *= factor
        else:
            layout = random_distribution(self.rng, self.model.shape, self.group.size)
            moved = atoll.empty(self.model.shape, self.dtype, group=self.group, distribution=layout)
            moved.copy_from(self.array)
            self.array.destroy()
            self.array = moved
        self.touched[:] = 0

    def finish_pending(self):
        for request, expected in self.pending:
            result = request.wait()
            if expected is not None:
                self.check(result, expected)
        self.pending.clear()


def make_groups():
    """Return the world and some subsets of it; None where this rank is not a member."""
    world = atoll.world()
    ends = [world.size - 1, 0] if world.size > 1 else [0]
    return [
        world,
        world.split(0 if world.rank % 2 == 0 else -1),
        world.split(0 if world.rank > 0 or world.size == 1 else -1, -world.rank),
        world.create(ends),
    ]


def run_sequences(seed, sequences):
    """Run so many sequences; return how many were completed, counted over all ranks. Collective."""
    groups = make_groups()
    completed = 0
    for number in range(sequences):
        rng = np.random.default_rng([seed, atoll.size(), atoll.nodes(), number])
        group = groups[0 if rng.random() < 0.6 else int(rng.integers(1, len(groups)))]
        if group is None:
            continue
        try:
            Sequence(rng, group).run()
        except FaultError as fault:
            raise FaultError(f"seed {seed}, sequence {number}, {fault}") from None
        completed += group.rank == 0
    return int(atoll.world().reduce(completed))


if __name__ == "__main__":
    wanted = int(sys.argv[2])
    done = run_sequences(int(sys.argv[1]), wanted)
    if atoll.rank() == 0:
        print(f"{done} of {wanted} sequences on {atoll.size()} ranks, {atoll.nodes()} nodes")
    sys.exit(done != wanted)
