"""`atoll disk ...`: what lies in folders of disk arrays and checkpoints."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

import atoll
from atoll import _core
from atoll.disk import slabs

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

DAMAGED = 1
FAILED = 2


def add_command(commands: Any) -> None:
    """Add the subcommand and its own to the parser."""
    parser = commands.add_parser(
        "disk",
        help="list, check, copy and export disk arrays",
        description="List, check, mend, copy and export disk arrays and checkpoints. Under mpiexec "
        "all ranks work.",
        epilog="examples:\n  atoll disk ls scratch\n  mpiexec -n 4 atoll disk verify big.zarr run\n"
        "  atoll disk export big.zarr small.zarr --level 9",
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True)

    def add(name: str, work: Callable[..., int], text: str) -> argparse.ArgumentParser:
        action: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text)
        action.set_defaults(run=lambda options, world: _guarded(work, options, world))
        return action

    ls = add("ls", _ls, "List the disk arrays and checkpoints in folders.")
    ls.add_argument(
        "paths", nargs="*", default=["."], metavar="FOLDER", help="where to look (here)"
    )
    info = add("info", _info, "Tell what an array or a checkpoint consists of.")
    info.add_argument("path", metavar="PATH", help="of an array, or of a run's checkpoints")
    verify = add(
        "verify", _verify, "Read everything and compare with the checksums. Exit status 1: damaged."
    )
    verify.add_argument("paths", nargs="+", metavar="PATH", help="of arrays and checkpoints")
    repair = add(
        "repair",
        _repair,
        "Write again what h5py and zarr read, take over what a killed run had written. "
        "Exit status 1: tiles are lost.",
    )
    repair.add_argument("paths", nargs="+", metavar="ARRAY", help="that nobody writes meanwhile")
    salvage = add(
        "salvage",
        _salvage,
        "Copy what is whole of an array, zeros for the rest. Exit status 1: lost some.",
    )
    copy = add("copy", _copy, "Copy an array; one that has the new name is replaced as a whole.")
    export = add("export", _export, "Write an array as a Zarr v3 store with zstd and checksums.")
    for action in (copy, salvage, export):
        action.add_argument("source", metavar="ARRAY", help="that is there")
        action.add_argument("target", metavar="PATH", help="of the new one")
    export.add_argument("--level", type=int, default=3, metavar="N", help="of zstd, 1 to 22 (3)")
    export.add_argument(
        "--shard", type=int, default=64, metavar="MIB", help="size of a file before zstd (64)"
    )


def _guarded(work: Callable[..., int], options: argparse.Namespace, world: atoll.Group) -> int:
    """Tell errors, which all ranks have, in one line."""
    try:
        return work(options, world)
    except (ImportError, OSError, ValueError) as error:
        if world.rank == 0:
            print(f"atoll disk: {error}", file=sys.stderr)
        return FAILED


def _is_array(path: Path) -> bool:
    return (path / "atoll.record").is_file()


def _is_step(path: Path) -> bool:
    """Whether it is a checkpoint, whole or not: at least 12 digits name its folder."""
    return len(path.name) >= 12 and path.name.isdecimal() and path.is_dir()


def _is_checkpoints(path: Path) -> bool:
    return any(_is_step(step) for step in path.iterdir())


def _arrays_in(path: Path) -> list[Path]:
    """Give the disk arrays at a path: itself, those in it, those of all checkpoints in it."""
    if _is_array(path):
        return [path]
    if not path.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    found = []
    for entry in sorted(path.iterdir()):
        unfinished = entry.name.startswith(".new-")
        if entry.is_dir() and (unfinished or not entry.name.startswith(".")):
            inside = unfinished or _is_step(entry) or _is_array(entry) or _is_checkpoints(entry)
            found += _arrays_in(entry) if inside else []
    return found


def _is_unfinished(path: Path) -> bool:
    """Whether an array is one that is to take another's place, or of such a checkpoint."""
    return path.name.endswith((".atoll-new", ".atoll-new-old")) or any(
        part.startswith(".new-") for part in path.parts
    )


def _checkpoints_in(path: Path) -> list[Path]:
    """Give the checkpoints at a path: itself, or all that lie below it."""
    if _is_step(path):
        return [path]
    if not path.is_dir() or _is_array(path):
        return []
    return [
        step
        for entry in sorted(path.iterdir())
        if entry.is_dir() and not entry.name.startswith(".")
        for step in _checkpoints_in(entry)
    ]


def _size(number: int) -> str:
    return str(tqdm.format_sizeof(number, "B"))


def _bytes_of(disk: atoll.disk.DiskArray) -> int:
    return int(np.prod(disk.shape, dtype=object)) * disk.dtype.itemsize


def _allocated(path: Path) -> int:
    files = [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_blocks * 512 for file in files)


def _table(rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())


def _ls(options: argparse.Namespace, world: atoll.Group) -> int:
    rows = [["name", "shape", "type", "size", "on disk", "written"]]
    for folder in map(Path, options.paths):
        for path in _arrays_in(folder):
            name = str(path.relative_to(folder)) if path != folder else str(path)
            try:
                with atoll.disk.open(path, "r") as disk:
                    shape = " x ".join(map(str, disk.shape))
                    times = f"{disk.generation} times"
                    size = _size(_bytes_of(disk))
                    on_disk = _size(_allocated(path))
                    rows.append([name, shape, str(disk.dtype), size, on_disk, times])
            except OSError as error:
                told = os.strerror(error.errno or errno.EIO)
                rows.append([name, "", "", "", _size(_allocated(path)), told])
            if _is_unfinished(path):
                lives = _core.disk_array_is_open_for_writing(str(path))
                rows[-1][-1] = "being written" if lives else "unfinished, of a run that ended"
    if world.rank == 0:
        if len(rows) > 1:
            _table(rows)
        else:
            print("no disk arrays")
    return 0


def _info(options: argparse.Namespace, world: atoll.Group) -> int:
    path = Path(options.path)
    if not _is_array(path):
        return _info_of_checkpoints(path, world)
    with atoll.disk.open(path, "r") as disk:
        tiles = np.prod([-(-n // t) for n, t in zip(disk.shape, disk.tile, strict=True)])
        hdf5 = path.joinpath("c", *["0"] * disk.ndim)
        rows = [
            ["array", str(path)],
            ["shape", " x ".join(map(str, disk.shape))],
            ["type", str(disk.dtype)],
            ["size", f"{_size(_bytes_of(disk))}, on disk {_size(_allocated(path))}"],
            ["tiles", f"{int(tiles)} of " + " x ".join(map(str, disk.tile))],
            ["written", f"{disk.generation} times"],
            ["HDF5", f"h5py.File({str(hdf5)!r})[{disk.name!r}]"],
            ["Zarr", f"zarr.open({str(path)!r})"],
        ]
    if world.rank == 0:
        _table(rows)
    return 0


def _info_of_checkpoints(path: Path, world: atoll.Group) -> int:
    steps = atoll.checkpoint.steps(path)
    if not steps:
        raise FileNotFoundError(errno.ENOENT, "neither a disk array nor checkpoints", str(path))
    if world.rank == 0:
        print(f"checkpoints, the last one last: {', '.join(map(str, steps))}")
    options = type("Options", (), {"paths": [str(path)]})
    return _ls(options, world)  # type: ignore[arg-type]


def _verify(options: argparse.Namespace, world: atoll.Group) -> int:
    status = 0

    def tell(path: Path, check: Callable[[], None]) -> None:
        nonlocal status
        try:
            check()
            told = "whole"
        except OSError as error:
            # A checkpoint without a file is damaged, too.
            if error.errno not in (errno.EBADMSG, errno.ENOENT, errno.ELOOP):
                raise
            told = str(error)
            status = DAMAGED
        if world.rank == 0:
            print(f"{path}: {told}", flush=True)

    for folder in map(Path, options.paths):
        steps = _checkpoints_in(folder)
        for step in steps:
            tell(step, lambda step=step: _verify_step(step, world))  # type: ignore[misc]
        arrays = [path for path in _arrays_in(folder) if not _is_unfinished(path)]
        for path in arrays:
            if not any(step in path.parents for step in steps):
                tell(path, lambda path=path: _verify_array(path))  # type: ignore[misc]
        if not steps and not arrays:
            text = "neither a disk array nor checkpoints"
            raise FileNotFoundError(errno.ENOENT, text, str(folder))
    return status


def _verify_array(path: Path) -> None:
    with atoll.disk.open(path, "r") as disk:
        disk.verify()


def _verify_step(step: Path, world: atoll.Group) -> None:
    """Verify a checkpoint: its manifest, its state, and the arrays that it should have."""
    found = _core.CheckpointBase.open(world, str(step.parent), int(step.name))
    for name in found.names():
        with atoll.disk.DiskArray(found.open_array(name), world) as disk:
            disk.verify()


def _with_bar(
    world: atoll.Group,
    source: str,
    work: Callable[[Any, Callable[[int], object]], None],
    *,
    damaged: bool = False,
) -> int:
    opened = slabs.open_damaged(source, world) if damaged else atoll.disk.open(source, "r")
    with opened as disk:
        bar = tqdm(
            total=_bytes_of(disk),
            unit="B",
            unit_scale=True,
            delay=2,
            disable=True if world.rank != 0 else None,
        )
        with bar:
            work(disk, bar.update)
    return 0


def _copy(options: argparse.Namespace, world: atoll.Group) -> int:
    return _with_bar(
        world,
        options.source,
        lambda disk, advance: slabs.copy(disk, options.target, world, advance),
    )


def _repair(options: argparse.Namespace, world: atoll.Group) -> int:
    status = 0
    for path in options.paths:
        try:
            atoll.disk.repair(path)
            told = "whole"
        except OSError as error:
            if error.errno != errno.EBADMSG:
                raise
            told = str(error)
            status = DAMAGED
        if world.rank == 0:
            print(f"{path}: {told}", flush=True)
    return status


def _salvage(options: argparse.Namespace, world: atoll.Group) -> int:
    lost: list[str] = []
    _with_bar(
        world,
        options.source,
        lambda disk, advance: lost.extend(slabs.salvage(disk, options.target, world, advance)),
        damaged=True,
    )
    if world.rank == 0:
        for section in lost:
            print(f"lost: {section}", flush=True)
    return DAMAGED if lost else 0


def _export(options: argparse.Namespace, world: atoll.Group) -> int:
    def work(disk: Any, advance: Callable[[int], object]) -> None:
        slabs.export(
            disk,
            options.target,
            world,
            advance,
            shard_bytes=options.shard << 20,
            level=options.level,
        )

    return _with_bar(world, options.source, work)
