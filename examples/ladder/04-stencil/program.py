"""A stencil with halos.

Heat in a rod: each point becomes the mean of its neighbours. The halo holds copies of the
elements next to a block; `update_halo` brings them, from the node's memory or by messages. The
loop knows nothing of processes.

Builds on: 01-first-array. Next: 05-mirrored.
"""

import atoll

n = 32
rod = atoll.zeros(n, distribution=atoll.blocked(halo=1))
if atoll.rank() == 0:
    rod[n // 2] = 1000.0
atoll.sync()
for _ in range(50):
    rod.update_halo()  # collective; the rim's halo stays zero: the ends are cold
    around = rod.local_with_halo()
    if rod.local().size:
        rod.local()[...] = around[1:-1] + 0.25 * (around[2:] - 2 * around[1:-1] + around[:-2])
atoll.sync()
heat, hottest = float(rod.sum()), float(rod.max())
if atoll.rank() == 0:
    print(f"heat {heat:.3f}, hottest {hottest:.3f}")
    print(" ".join(f"{value:.0f}" for value in rod[8:25]))
