"""What a link between two hosts of the cluster carries: a stream of plain TCP.

Started by `hosts.py`, which runs this file inside the hosts:

    python line.py receive ADDRESS        prints the bytes a second of one connection
    python line.py send ADDRESS BYTES
"""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

PORT = 47000
SECONDS = 30


def receive(address: str) -> float:
    with socket.create_server((address, PORT)) as server:
        server.settimeout(SECONDS)
        print("ready", flush=True)
        connection, _ = server.accept()
        start = time.perf_counter()
        buffer = bytearray(1 << 20)
        received = 0
        while count := connection.recv_into(buffer):
            received += count
        return received / (time.perf_counter() - start)


def send(address: str, count: int) -> None:
    with socket.create_connection((address, PORT), timeout=SECONDS) as connection:
        connection.sendall(bytes(count))


def measure(hosts: Sequence[str], address: str, count: int, repeats: int) -> dict[str, Any]:
    """Stream from the first host to the second, at `address`; the peer "TCP stream" in GB/s."""
    rates = []
    inside = ["ip", "netns", "exec"]
    for _ in range(repeats):
        words = [*inside, hosts[1], sys.executable, __file__, "receive", address]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as receiver:
            assert receiver.stdout is not None
            receiver.stdout.readline()
            words = [*inside, hosts[0], sys.executable, __file__, "send", address, str(count)]
            subprocess.run(words, check=True, timeout=2 * SECONDS)
            rates.append(float(receiver.stdout.readline()) * 1e-9)
    return {"name": "TCP stream", "best": max(rates), "median": statistics.median(rates)}


if __name__ == "__main__":
    if sys.argv[1] == "receive":
        print(receive(sys.argv[2]), flush=True)
    else:
        send(sys.argv[2], int(sys.argv[3]))
