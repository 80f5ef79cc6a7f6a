"""A job on a cluster.

The same program on many nodes: `atoll run` finds the launcher of the job. This is the script:

    #!/bin/sh
    #SBATCH --nodes=4 --ntasks-per-node=32
    atoll run python program.py

What it says of itself is what `atoll info` prints, and is the first thing to look at when a job
is slow: how many nodes Atoll sees, and who serves them.

Builds on: all of these.
"""

import atoll

lines = dict(line.split(": ", 1) for line in atoll.describe().splitlines() if ": " in line)
if atoll.rank() == 0:
    print("all are here:", int(lines["ranks"]) == atoll.size())
    print("as many nodes as Atoll counts:", lines["nodes"].split()[0] == str(atoll.nodes()))
