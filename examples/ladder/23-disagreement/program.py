"""Processes that disagree are told, and do not hang.

The commonest mistake: a collective call that not all make alike. Atoll compares what the
processes ask for, and all of them get the same exception, with both sides of the quarrel. The
program may catch it and go on.

Builds on: 01-first-array. Next: 24-slurm.
"""

import atoll

wanted = 4 if atoll.rank() == 0 else 5
try:
    atoll.zeros(wanted)
    told = atoll.size() == 1  # alone, nobody disagrees
except RuntimeError as error:
    told = "zeros(4)" in str(error) and "zeros(5)" in str(error)
a = atoll.zeros(4)  # goes on
a.at[0] += 1
atoll.sync()
if atoll.rank() == 0:
    print("told what each wanted:", told)
    print("all have added:", a[0] == atoll.size())
