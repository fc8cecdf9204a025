# SPDX-License-Identifier: Apache-2.0
"""What a disk may have after a power cut, of what programs did to the files below a folder.

`Disk(trace)` reads what trace.c wrote down. `cut(n, random, folder)` makes in `folder` one of the
states that a power cut behind the first n records may leave:

* what was written to a file and not synced since is there sector by sector (512 bytes) or not: each
  sector is as it was when the file was last synced, or as after any of the writes since;
* a file is as long as it was then, or as after any of those writes; what is beyond is cut off, and
  what was never written reads as zeros;
* names in a folder are as they were when the folder was last synced, or as after any number of the
  changes since, in their order; of each folder for itself, so one may be ahead of another.

Text that a test wrote into the trace (`note`) stands where it was at that time.
"""
import os
import pathlib
import struct

SECTOR = 512
MARK = struct.pack("=Q", 0xfdf1a3e5c7b9d8eb)
HEAD = struct.Struct("=8sIB4QI")


def note(trace, text):
    """A record of ours, behind all that was done until now."""
    bytes_ = text.encode()
    record = HEAD.pack(MARK, 1 + 32 + 4 + len(bytes_) + 4, ord("N"), 0, 0, 0, 0, len(bytes_)) + bytes_
    fd = os.open(trace, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, record + struct.pack("=I", 0))
    os.close(fd)


def read(trace):
    whole, at, records = pathlib.Path(trace).read_bytes(), 0, []
    while at < len(whole):
        assert whole.startswith(MARK, at), at
        following = whole.find(MARK, at + len(MARK))
        end = following if following >= 0 else len(whole)
        if end - at >= HEAD.size:
            _, length, what, a, b, c, _, nx = HEAD.unpack_from(whole, at)
            # One that a kill has cut short was not done: it is written down before.
            if end == at + len(MARK) + 4 + length:
                x = whole[at + HEAD.size:at + HEAD.size + nx]
                records.append((chr(what), a, b, c, x, whole[at + HEAD.size + nx + 4:end]))
        at = end
    return records


class File:
    def __init__(self):
        self.synced = b""
        self.pending = []  # (offset, bytes) or (size, None)

    def sync(self):
        self.synced = self.after(len(self.pending))
        self.pending = []

    def after(self, n):
        """All of the first n changes."""
        out = bytearray(self.synced)
        for at, what in self.pending[:n]:
            end = at if what is None else at + len(what)
            if len(out) < end:
                out.extend(bytes(end - len(out)))
            if what is None:
                del out[at:]
            else:
                out[at:end] = what
        return bytes(out)

    def torn(self, random, chance):
        """Each sector after some of its writes; `chance` of a change to be there."""
        versions = {}
        for at, what in self.pending:
            if what is None:
                continue
            for sector in range(at // SECTOR, (at + len(what) - 1) // SECTOR + 1):
                first, last = max(at, sector * SECTOR), min(at + len(what), (sector + 1) * SECTOR)
                versions.setdefault(sector, []).append((first, what[first - at:last - at]))
        length = len(self.after(sum(random.random() < chance for _ in self.pending)))
        out = bytearray(self.synced.ljust(length, b"\0")[:length])
        for sector, parts in versions.items():
            for first, part in parts[:sum(random.random() < chance for _ in parts)]:
                part = part[:max(0, length - first)]
                out[first:first + len(part)] = part
        return bytes(out)


class Disk:
    def __init__(self, trace):
        self.records = read(trace)
        self.at = 0
        self.objects = {}  # by the number of an inode, as of now
        self.names = []    # changes: what, object, folders, names
        self.synced = {}   # of a folder: so many of `names`
        self.notes = []

    def __len__(self):
        return len(self.records)

    def go(self, n):
        """On, never back."""
        for what, a, b, c, x, y in self.records[self.at:n]:
            if what == "N":
                self.notes.append(x.decode())
            elif what == "W":
                if isinstance(self.objects.get(a), File):
                    self.objects[a].pending.append((b, x))
            elif what == "T":
                if isinstance(self.objects.get(a), File):
                    self.objects[a].pending.append((b, None))
            elif what == "S":
                if isinstance(self.objects.get(a), File):
                    self.objects[a].sync()
                else:
                    self.synced[a] = len(self.names)
            else:
                if what in "CM":
                    self.objects[a] = File() if what == "C" else None
                    if what == "M":
                        self.synced.pop(a, None)
                # What was removed keeps its object: the number may be another's soon.
                self.names.append((what, a, self.objects.get(a), b, c or b, x.decode(),
                                   y.decode()))
        self.at = max(self.at, n)

    def tree(self, cuts, root):
        """{folder: {name: (number, object)}} after the first cuts[folder] changes of each."""
        folders = {root: {}}
        for i, (what, number, thing, b, c, x, y) in enumerate(self.names):
            if i >= cuts.get(b, len(self.names)) or i >= cuts.get(c, len(self.names)):
                continue
            here, there = folders.get(b), folders.get(c)
            if here is None or there is None:
                continue
            if what == "M":
                here[x] = (number, None)
                folders[number] = {}
            elif what == "C":
                here[x] = (number, thing)
            elif what == "U":
                here.pop(x, None)
            elif what == "R" and x in here:
                there[y] = here.pop(x)
            elif what == "L" and thing is not None:
                there[y] = (number, thing)
        return folders

    def cut(self, n, random, folder, root):
        self.go(n)
        chance = random.choice([0.0, 0.2, 0.5, 0.8, 1.0])
        ends = [i + 1 for i in range(len(self.names))]
        cuts = {}
        for number in {x for row in self.names for x in (row[3], row[4])}:
            first = self.synced.get(number, 0)
            later = [i for i in ends[first:] if number in self.names[i - 1][3:5]]
            cuts[number] = max([first] + later[:sum(random.random() < chance for _ in later)])
        folders = self.tree(cuts, root)

        def make(number, path):
            path.mkdir(mode=0o700)
            for name, (inner, thing) in folders[number].items():
                if thing is None and inner in folders:
                    make(inner, path / name)
                elif thing is not None:
                    (path / name).write_bytes(thing.torn(random, chance))
                    (path / name).chmod(0o600)

        make(root, pathlib.Path(folder))
