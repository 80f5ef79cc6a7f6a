"""NumPy's functions on distributed arrays: a room for each kind, named for what it does.

All are collective. Every rank works on the blocks that it owns, of the array or of the result, and
what ranks need of each other is exchanged once; nothing gathers an array. What a call is given is
compared between ranks at its start (`arguments.agree`), and its last step is a meeting: so what
fails on one rank is raised on all, and nobody waits.
"""
