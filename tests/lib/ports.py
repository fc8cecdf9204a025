# SPDX-License-Identifier: Apache-2.0
"""Ports of this machine for servers that tests start."""
import contextlib
import pathlib
import random
import socket


def free_port():
    """One that nobody has, below those that the kernel gives to callers.

    A caller's own port would do for a server that starts at once and once; while this one is away, a client
    that calls any server could be given its port.
    """
    first = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.SystemRandom().sample(range(first // 2, first), 200):
        with socket.socket() as s:
            with contextlib.suppress(OSError):
                s.bind(("127.0.0.1", port))
                return port
    raise RuntimeError("no port is free")
