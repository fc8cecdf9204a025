# SPDX-License-Identifier: Apache-2.0
"""The page: its files, which everybody may have, and how a browser gets the rights of who opened it."""
import gzip
import http.client
import re

from conftest import DEADLINE, Connection
from test_tcp import addresses, ask, serve  # noqa: F401  (a fixture)

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def raw(address, path, method="GET", **headers):
    """The answer with its bytes as they were sent."""
    connection = http.client.HTTPConnection(*address, timeout=DEADLINE)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def assets(index):
    return re.findall(rb'(?:src|href)="(/[^"]+)"', index)


def test_the_files_need_no_token(serve):  # noqa: F811
    daemon = serve("[{address: '127.0.0.1:0'}]")
    at, = addresses(daemon)
    status, headers, index = raw(at, "/")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-cache"
    names = [name.decode() for name in assets(index)]
    assert sorted(re.sub("[0-9a-f]{20}", "HASH", name) for name in names) == ["/page-HASH.css", "/page-HASH.js"]
    for name in ["/", *names]:
        status, headers, plain = raw(at, name)
        assert status == 200 and plain
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Vary"] == "Accept-Encoding" and "Content-Encoding" not in headers
        assert "Set-Cookie" not in headers
        if name != "/":
            assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
        status, headers, packed = raw(at, name, Accept_Encoding="br, gzip")
        assert headers["Content-Encoding"] == "gzip" and gzip.decompress(packed) == plain
        assert raw(at, name, Accept_Encoding="gzip;q=0, br")[2] == plain
        status, head, nothing = raw(at, name, method="HEAD")
        assert (status, nothing, head["Content-Length"]) == (200, b"", str(len(plain)))
        assert raw(at, name, method="POST")[0] == 405
    # The same on the socket, where the kernel says who asks.
    connection = Connection(daemon.socket)
    connection.request("GET", "/")
    assert connection.getresponse().read() == index
    connection.close()


def test_a_browser_that_has_them_is_told_so(serve):  # noqa: F811
    at, = addresses(serve("[{address: '127.0.0.1:0'}]"))
    tag = raw(at, "/")[1]["ETag"]
    assert tag.startswith('W/"')
    for known in (tag, tag[2:], f'"other", {tag}', "*"):
        status, headers, nothing = raw(at, "/", If_None_Match=known)
        assert (status, nothing) == (304, b""), known
        assert headers["ETag"] == tag and headers["Content-Security-Policy"] == POLICY
    for other in ('"other"', tag[:-2] + '"', ""):
        assert raw(at, "/", If_None_Match=other)[0] == 200, other


def test_only_these_paths_need_no_token(serve):  # noqa: F811
    at, = addresses(serve("[{address: '127.0.0.1:0'}]"))
    name = assets(raw(at, "/")[2])[0].decode()
    for path in ("/index.html", name + "x", name[:-1], "/page-.js", "//", "/page-0000.js"):
        assert ask(at, path).status == 401, path
    assert ask(at, "/", Origin="http://elsewhere.example").status == 403
    assert ask(at, "/", Host="elsewhere.example").status == 421


def test_a_listener_without_the_api_has_no_page(serve):  # noqa: F811
    at, = addresses(serve("[{address: '127.0.0.1:0', serves: {api: 'off', metrics: open}}]"))
    assert ask(at, "/").status == 404
    assert ask(at, "/metrics").status == 200
