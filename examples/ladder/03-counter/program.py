"""A counter that shares out work.

Tasks of unequal cost are not dealt out beforehand: who is free draws the next number. Results go
where they belong by accumulates, so that it does not matter who did what.

Builds on: 02-put-get-sync. Next: 04-stencil.
"""

import atoll

tasks = 200
steps = atoll.zeros(12, dtype="int64")  # how many numbers took how many tens of steps


def collatz(n):
    """Count the steps down to one."""
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


mine = 0
for task in atoll.Counter().below(tasks):  # each number is handed out once
    steps.at[min(collatz(task + 1) // 10, 11)] += 1
    mine += 1
atoll.sync()
done = int(atoll.world().reduce(mine))  # the sum over the processes
if atoll.rank() == 0:
    print(done, "tasks were done")
    print(steps[...])
