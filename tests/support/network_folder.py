"""A folder as a network file system shows it to one host, by FUSE: for tests with several hosts.

`python network_folder.py FOLDER PLACE [FULL]` mounts FOLDER at PLACE and serves it until the
process that has started it ends. As on NFS the host keeps what it has read of a file until the file
is opened again, and for a while what it knows of lengths and times. For files whose names end with
FULL there is no room, which is told when they are closed. Needs root and /dev/fuse; speaks the
kernel's protocol itself, so that nothing has to be installed.
"""

import ctypes
import errno
import os
import struct
import sys
from enum import IntEnum
from pathlib import Path


class Code(IntEnum):
    """What the kernel asks."""

    LOOKUP, FORGET, GETATTR, SETATTR = 1, 2, 3, 4
    MKDIR, UNLINK, RMDIR, RENAME = 9, 10, 11, 12
    OPEN, READ, WRITE, STATFS, RELEASE, FSYNC = 14, 15, 16, 17, 18, 20
    FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, FSYNCDIR = 25, 26, 27, 28, 29, 30
    CREATE, INTERRUPT, BATCH_FORGET, FALLOCATE, RENAME2 = 35, 36, 42, 43, 45


SILENT = (Code.FORGET, Code.BATCH_FORGET, Code.INTERRUPT)
ROOT = 1
KEPT = 60  # seconds for which lengths and times are believed
MODE, SIZE, HANDLE = 1, 8, 64  # of what SETATTR sets
MOST = 1 << 20  # bytes of a request
NOSUID_NODEV, DEATH_SIGNAL, KILL = 6, 1, 9


def name_of(data: bytes) -> str:
    return os.fsdecode(data.split(b"\0", 1)[0])


def attributes(status: os.stat_result) -> bytes:
    times = [status.st_atime_ns, status.st_mtime_ns, status.st_ctime_ns]
    return struct.pack(
        "<6Q10I",
        *(status.st_ino, status.st_size, status.st_blocks),
        *(t // 10**9 for t in times),
        *(t % 10**9 for t in times),
        *(status.st_mode, status.st_nlink, status.st_uid, status.st_gid),
        *(0, 4096, 0),
    )


class Server:
    """Answers the kernel, one request after the other."""

    def __init__(self, folder: str, channel: int, full: str | None) -> None:
        self.channel = channel
        self.full = full
        self.paths = {ROOT: folder}

    def serve(self) -> None:
        while True:
            try:
                request = os.read(self.channel, MOST + 4096)
            except OSError as error:
                if error.errno == errno.ENODEV:  # not mounted any more
                    return
                if error.errno in (errno.EINTR, errno.ENOENT):
                    continue
                raise
            _, code, unique, node = struct.unpack_from("<IIQQ", request)
            try:
                answer, status = self.answer(code, node, request[40:]), 0
            except OSError as error:
                answer, status = b"", -(error.errno or errno.EIO)
            if code not in SILENT:
                os.write(
                    self.channel, struct.pack("<IiQ", 16 + len(answer), status, unique) + answer
                )

    def path(self, node: int, name: bytes = b"") -> str:
        return os.path.join(self.paths[node], name_of(name)) if name else self.paths[node]

    def entry(self, path: str) -> bytes:
        status = os.lstat(path)
        self.paths[status.st_ino] = path
        return struct.pack("<4Q2I", status.st_ino, 0, 0, KEPT, 0, 0) + attributes(status)

    def rename(self, old: str, new: str, flags: int) -> bytes:
        if flags:  # as network file systems: no two names at once
            raise OSError(errno.EINVAL, "")
        os.rename(old, new)
        for node, path in self.paths.items():
            if path == old or path.startswith(old + "/"):
                self.paths[node] = new + path[len(old) :]
        return b""

    def read_folder(self, handle: int, offset: int, size: int) -> bytes:
        names = sorted(os.listdir(handle))
        answer = b""
        for place, name in enumerate(names[offset:], offset + 1):
            text = os.fsencode(name)
            entry = struct.pack("<QQII", 2, place, len(text), 0) + text
            entry += bytes(-len(entry) % 8)
            if len(answer) + len(entry) > size:
                break
            answer += entry
        return answer

    def set_attributes(self, node: int, data: bytes) -> bytes:
        valid, _, handle, size = struct.unpack_from("<IIQQ", data)
        target = handle if valid & HANDLE else self.path(node)
        if valid & SIZE:
            os.truncate(target, size)
        if valid & MODE:
            os.chmod(target, struct.unpack_from("<I", data, 68)[0])
        return struct.pack("<QII", KEPT, 0, 0) + attributes(os.stat(target))

    def answer(self, code: int, node: int, data: bytes) -> bytes:
        match code:
            case Code.INIT:
                return struct.pack("<4I2H2I2H8I", 7, 31, 0, 1 << 5, 16, 12, MOST, 1, 0, 0, *[0] * 8)
            case Code.LOOKUP:
                return self.entry(self.path(node, data))
            case Code.GETATTR:
                has_handle, _, handle = struct.unpack_from("<IIQ", data)
                status = os.fstat(handle) if has_handle & 1 else os.lstat(self.path(node))
                return struct.pack("<QII", KEPT, 0, 0) + attributes(status)
            case Code.SETATTR:
                return self.set_attributes(node, data)
            case Code.MKDIR:
                os.mkdir(self.path(node, data[8:]), struct.unpack_from("<I", data)[0])
                return self.entry(self.path(node, data[8:]))
            case Code.UNLINK:
                os.unlink(self.path(node, data))
            case Code.RMDIR:
                os.rmdir(self.path(node, data))
            case Code.RENAME | Code.RENAME2:
                flags = struct.unpack_from("<I", data, 8)[0] if code == Code.RENAME2 else 0
                old, new, *_ = data[16 if code == Code.RENAME2 else 8 :].split(b"\0")
                target = struct.unpack_from("<Q", data)[0]
                return self.rename(self.path(node, old), self.path(target, new), flags)
            case Code.OPEN | Code.OPENDIR:
                flags = struct.unpack_from("<I", data)[0] & ~(os.O_CREAT | os.O_EXCL | os.O_DIRECT)
                return struct.pack("<QIi", os.open(self.path(node), flags), 0, 0)
            case Code.CREATE:
                flags, mode = struct.unpack_from("<II", data)
                path = self.path(node, data[16:])
                handle = os.open(path, flags & ~os.O_DIRECT, mode & 0o7777)
                return self.entry(path) + struct.pack("<QIi", handle, 0, 0)
            case Code.READ | Code.READDIR:
                handle, offset, size = struct.unpack_from("<QQI", data)
                if code == Code.READDIR:
                    return self.read_folder(handle, offset, size)
                return os.pread(handle, size, offset)
            case Code.WRITE:
                handle, offset, size = struct.unpack_from("<QQI", data)
                return struct.pack("<II", os.pwrite(handle, data[40 : 40 + size], offset), 0)
            case Code.STATFS:
                s = os.statvfs(self.path(node))
                counts = (s.f_blocks, s.f_bfree, s.f_bavail, s.f_files, s.f_ffree)
                return struct.pack("<5Q10I", *counts, s.f_bsize, s.f_namemax, s.f_frsize, *[0] * 7)
            case Code.RELEASE | Code.RELEASEDIR:
                os.close(struct.unpack_from("<Q", data)[0])
            case Code.FSYNC | Code.FSYNCDIR:
                os.fsync(struct.unpack_from("<Q", data)[0])
            case Code.FLUSH:
                if self.full and self.path(node).endswith(self.full):
                    raise OSError(errno.EDQUOT, "")
            case Code.FORGET | Code.BATCH_FORGET | Code.INTERRUPT:
                pass
            case Code.FALLOCATE:
                handle, offset, size, mode = struct.unpack_from("<QQQI", data)
                if mode not in (0, 1):
                    raise OSError(errno.EOPNOTSUPP, "")
                os.posix_fallocate(handle, offset, size) if mode == 0 else None
            case _:
                raise OSError(errno.ENOSYS, "")
        return b""


def mount(place: str, channel: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={channel},rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions"
    words = (b"atoll-test", os.fsencode(place), b"fuse", NOSUID_NODEV, options.encode())
    if libc.mount(*words) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), place)


def main() -> None:
    folder, place, *more = sys.argv[1:]
    ctypes.CDLL(None).prctl(DEATH_SIGNAL, KILL)
    channel = os.open("/dev/fuse", os.O_RDWR)
    mount(place, channel)
    Server(str(Path(folder).resolve()), channel, more[0] if more else None).serve()


if __name__ == "__main__":
    main()
