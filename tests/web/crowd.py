#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Open pages without browsers, and changes: so many clients that ask what a page asks, and jobs that come and go.

crowd.py URL TOKEN PAGES CHANGES SECONDS QUEUE [PATH...]

A page has the stream of events open, and reads queues and tree, with their tags, and PATHs, a second after something has happened,
or nine times as long after as that took (web/page/store.ts).  Half of the CHANGES a second are jobs that are submitted and held, the others
cancel them.  One line of JSON: what was asked and heard.
"""
import asyncio
import collections
import json
import sys
import time
import urllib.parse

LEAST, LIVES = 1.0, 10  # seconds: of a page between two looks; of a job until it is cancelled
STREAM = 1 << 16


class Client:
    """A connection that stays, as those of a browser do."""

    def __init__(self, url, token):
        self.at, self.token, self.reader = urllib.parse.urlsplit(url), token, None

    async def send(self, method, path, headers=(), body=b""):
        if not self.reader:
            self.reader, self.writer = await asyncio.open_connection(self.at.hostname, self.at.port, limit=1 << 24)
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.at.netloc}", f"Authorization: Bearer {self.token}", f"Content-Length: {len(body)}", *headers]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        return int(head[0].split()[1]), {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}

    async def ask(self, method, path, headers=(), body=b""):
        status, fields = await self.send(method, path, headers, body)
        if "content-length" in fields:
            return status, fields, await self.reader.readexactly(int(fields["content-length"]))
        text = b""
        while fields.get("transfer-encoding") == "chunked":
            size = int(await self.reader.readline(), 16)
            text += (await self.reader.readexactly(size + 2))[:size]
            if not size:
                break
        return status, fields, text


async def page(url, token, paths, counts):
    stream, client, tags, heard = Client(url, token), Client(url, token), {}, asyncio.Event()

    async def listen():
        await stream.send("GET", "/v1/events", ["Accept: text/event-stream"])
        while piece := await stream.reader.read(STREAM):
            counts["events"] += piece.count(b"\ndata:")
            heard.set()

    async def look():
        pause = LEAST
        while True:
            await heard.wait()
            await asyncio.sleep(pause)
            heard.clear()
            begun = time.monotonic()
            for path in ("/v1/queues", "/v1/tree?format=json", *paths):
                status, fields, body = await client.ask("GET", path, [f"If-None-Match: {tags[path]}"] if path in tags else [])
                assert status in (200, 304), (status, body)
                counts[f"status {status}"] += 1
                counts["bytes"] += len(body)
                if "etag" in fields and path not in paths:
                    tags[path] = fields["etag"]
            pause = max(LEAST, 9 * (time.monotonic() - begun))
            counts["slowest"] = max(counts["slowest"], round(1000 * (time.monotonic() - begun)))

    await asyncio.gather(listen(), look())


async def change(url, token, rate, queue, counts):
    client, jobs, begun = Client(url, token), collections.deque(), time.monotonic()
    body = json.dumps({"queue": queue, "requests": {"cpu": "1"}, "command": ["true"], "directory": "/", "hold": True, "name": "comes-and-goes"}).encode()
    while True:
        await asyncio.sleep(begun + (counts["changes"] + 1) / rate - time.monotonic())
        if jobs and time.monotonic() - jobs[0][0] > LIVES and counts["changes"] % 2:
            status, _, said = await client.ask("POST", f"/v1/jobs/{jobs.popleft()[1]}/cancel")
        else:
            status, _, said = await client.ask("POST", "/v1/jobs", ["Content-Type: application/json"], body)
            if status == 201:
                jobs.append((time.monotonic(), json.loads(said)["jobs"][0]))
        assert status in (200, 201, 202), (status, said)
        counts["changes"] += 1


async def main():
    url, token, pages, changes, seconds, queue = sys.argv[1:7]
    counts = collections.Counter()
    tasks = [asyncio.create_task(page(url, token, sys.argv[7:], counts)) for _ in range(int(pages))]
    if float(changes):
        tasks.append(asyncio.create_task(change(url, token, float(changes), queue, counts)))
    done, _ = await asyncio.wait(tasks, timeout=float(seconds), return_when=asyncio.FIRST_EXCEPTION)
    for one in done:
        one.result()
    print(json.dumps({"pages": int(pages), "seconds": float(seconds), **counts}))


if __name__ == "__main__":
    asyncio.run(main())
