# SPDX-License-Identifier: Apache-2.0
import os

import certificates
import pytest
from fake import Fake
from followed import Follow, kubeconfig
from own_temp import pytest_configure, pytest_sessionfinish  # noqa: F401
from scheduling import Scheduling
from watching import Watching, let_pass


if os.environ.get("FAIRLEAD_SANITIZED"):
    # The library that sets clocks comes before theirs.
    os.environ["ASAN_OPTIONS"] = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))


@pytest.fixture(scope="session")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    let_pass(folder)
    return certificates.Certificate(folder, "server")


@pytest.fixture
def fake(certificate):
    made = Fake(certificate.file, certificate.key, seed=int(os.environ.get("FAIRLEAD_SEED", "1")))
    yield made
    made.close()


@pytest.fixture
def follow(fake, certificate, tmp_path):
    """Starts the program: follow(word...); all have to end well. @plugin: its value as YAML."""
    started = []

    def start(*words, plugin=None):
        config = kubeconfig(tmp_path, fake.port, certificate.file)
        if plugin:
            text = config.read_text().replace(f"tokenFile: {tmp_path / 'token'}", f"exec: {plugin}")
            config.write_text(text)
        started.append(Follow(config, "seed=1", "first=50", "most=400", *words))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.end()
        assert one.process.returncode == 0


@pytest.fixture
def watch(fake, certificate, tmp_path):
    """Starts fairleadd --cluster: watch(word..., listen=...); it has to end well."""
    started = []

    def start(*words, **options):
        started.append(Watching(tmp_path, kubeconfig(tmp_path, fake.port, certificate.file), *words, **options))
        return started[-1]

    yield start
    for one in started:
        assert one.end() in (0, -9), one.text()


@pytest.fixture
def server(certificate):
    made = Scheduling(certificate.file, certificate.key)
    yield made
    made.close()


@pytest.fixture
def decide(server, certificate, tmp_path):
    """Starts one that decides: decide(word...); each has to end well."""
    started = []

    def start(*words, identity="one"):
        folder = tmp_path / identity
        folder.mkdir()
        one = Watching(folder, kubeconfig(tmp_path, server.port, certificate.file), "--role", "scheduler", "--identity", identity, *words)
        started.append(one)
        return one

    yield start
    for one in started:
        assert one.end() in (0, -9), one.text()
        assert "AddressSanitizer" not in one.text()
