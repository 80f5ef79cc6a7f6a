"""What `atoll ghost` does: starting programs with `libatoll_ghost.so`, and finding the best way.

Programs of any MPI whose one-sided operations are to complete while their targets compute
(docs/ghost.md). Does not start MPI.
"""
