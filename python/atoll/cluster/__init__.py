"""A cluster in a box: several hosts on one machine, for tests and measurements between nodes.

A host is a Linux network namespace on a bridge; every run gives its ranks a host name and a
/dev/shm of their own there. MPI sees separate shared-memory nodes and its TCP transport carries
what goes between them. Needs root and the `ip` and `tc` commands (Debian: iproute2). There is one
cluster a machine. Does not start MPI.
"""

from atoll.cluster.hosts import Cluster, ClusterError
from atoll.cluster.launch import run

__all__ = ["Cluster", "ClusterError", "run"]
