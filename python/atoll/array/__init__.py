"""One array: how it is cut, its elements, its halo, its mirrors, and what is made like it.

Functions of `ArrayBase`, the extension's part of `atoll.Array`, which takes them for its methods.
"""
