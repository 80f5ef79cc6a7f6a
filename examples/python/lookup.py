"""A read-mostly lookup with the lazy mirror.

A table that is too large for one node is spread over all of them, and every rank looks entries up,
some parts of the table far more often than others. With a lazy mirror a node keeps the tiles that
its ranks ask for, as many as the budget allows, so that nearly all lookups stay on the node. Now
and then the table changes; refresh makes that seen.

Run with `mpiexec -n 4 python lookup.py`, or plain `python lookup.py`.
"""

import atoll
import numpy as np

entries = 400_000


def entry(position, version):
    """What the table holds after it has changed so many times."""
    return (position * 7919 + version * 31) % 100003.0


table = atoll.zeros(entries, name="table")
mirror = table.mirror(lazy=True, budget=table.nbytes // 5)  # bytes on each node

random = np.random.default_rng(atoll.rank())
wrong = 0
for version in range(3):
    atoll.barrier()  # nobody reads what is written now
    for key, mine in table.blocks():  # every rank fills in its own part
        mine[...] = entry(np.arange(key[0].start, key[0].stop), version)
    mirror.refresh()  # everybody has written; what was cached is dropped
    for _ in range(20):
        # Nine lookups in ten are in the first tenth.
        popular = random.random(1000) < 0.9
        positions = random.integers(0, np.where(popular, entries // 10, entries))
        wrong += int((mirror[positions] != entry(positions, version)).sum())

mine = mirror.statistics.rank
near, far = mine.hits + mine.direct, mine.misses + mine.bypasses
near, far, wrong = (int(atoll.world().reduce(n)) for n in (near, far, wrong))
if atoll.rank() == 0:
    print(f"{near + far} lookups on {atoll.nodes()} nodes, {wrong} wrong, {near} on the node")
assert wrong == 0
assert near > 0.9 * (near + far)
