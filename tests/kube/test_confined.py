# SPDX-License-Identifier: Apache-2.0
"""A daemon that watches a cluster: which account it is, and what the kernel leaves to it."""
import base64
import json
import os
import pathlib
import subprocess

import pytest
from followed import kubeconfig
from watching import ACCOUNT, Watching, fill, let_pass, workload

is_root = os.geteuid() == 0


def status_of(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def check(pid):
    said = status_of(pid)
    assert said["NoNewPrivs"] == "1" or os.environ.get("FAIRLEAD_SANITIZED")
    assert said["Seccomp"] == "2" or os.environ.get("FAIRLEAD_SANITIZED")
    if is_root:
        assert said["Uid"].split() == said["Gid"].split() == [str(ACCOUNT)] * 4 and said["Groups"].split() == []
        for kind in "CapInh", "CapPrm", "CapEff", "CapAmb":
            assert int(said[kind], 16) == 0, kind


def test_it_gives_up_root_and_is_confined(fake, watch):
    """All that it is for works so: TLS to the server, its own listener, copies that answer, and the store."""
    fill(fake)
    workload(fake, "a", "one", cpu=3)
    fake.people, fake.may = {"t": {"username": "root"}}, lambda *_: True
    w = watch(listen=True).ready()
    check(w.process.pid)
    for task in pathlib.Path(f"/proc/{w.process.pid}/task").iterdir():
        check(int(task.name))
    assert w.ask("/v1/plan?cycles=2", token="t")[0] == 200  # by a copy
    assert w.ask("/v1/what-if", method="POST", token="t", body='{"kind": "ClusterQueue", "apiVersion": "kueue.x-k8s.io/v1beta2", '
                 '"metadata": {"name": "cq"}, "spec": {"stopPolicy": "Hold"}}')[0] == 200
    if is_root:
        assert os.stat(w.folder / "state").st_uid == ACCOUNT and os.stat(w.folder / "state").st_mode & 0o777 == 0o700
    fake.cut_all()  # it connects again: descriptors, sockets and threads are still to be had
    workload(fake, "a", "two", cpu=1)
    w.wait(lambda: sum(w.counts()) == 2)
    assert "confine" not in w.text() or os.environ.get("FAIRLEAD_SANITIZED")


def test_certificates_that_stand_in_the_kubeconfig(fake, certificate, tmp_path):
    """As most tools write it: they are held in memory, which is a call of the kernel."""
    def data(path):
        return base64.b64encode(pathlib.Path(path).read_bytes()).decode()

    fill(fake)
    config = kubeconfig(tmp_path, fake.port, certificate.file)
    config.write_text(config.read_text()
                      .replace(f"certificate-authority: {certificate.file}", f"certificate-authority-data: {data(certificate.file)}")
                      .replace("user: {", f"user: {{client-certificate-data: {data(certificate.file)}, "
                               f"client-key-data: {data(certificate.key)}, ", 1))
    assert config.read_text().count("-data: ") == 3
    w = Watching(tmp_path, config).ready()
    try:
        check(w.process.pid)
    finally:
        assert w.end() == 0, w.text()


def test_a_plugin_runs_with_the_same_filter(fake, certificate, tmp_path):
    """It is another program, which has what usual programs need, and not what is for admins."""
    fill(fake)
    plugin = tmp_path / "plugin"
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "secret"}}
    plugin.write_text(f"""#!/bin/sh
cp /proc/self/status {tmp_path}/said/status
unshare -U true 2>/dev/null && touch {tmp_path}/said/namespace
/usr/bin/python3 -c 'import socket, ssl, threading
threading.Thread(target=print).start(); socket.getaddrinfo("localhost", 1)' >{tmp_path}/said/python 2>&1
echo '{json.dumps(credential)}'
""")
    plugin.chmod(0o755)
    (tmp_path / "said").mkdir()
    (tmp_path / "said").chmod(0o777)
    config = kubeconfig(tmp_path, fake.port, certificate.file)
    config.write_text(config.read_text().replace(
        f"tokenFile: {tmp_path / 'token'}",
        f"exec: {{apiVersion: client.authentication.k8s.io/v1, command: {plugin}, interactiveMode: Never}}"))
    w = Watching(tmp_path, config).ready()
    try:
        check(w.process.pid)
        said = (tmp_path / "said" / "status").read_text()
        if not os.environ.get("FAIRLEAD_SANITIZED"):
            assert "Seccomp:\t2" in said and not (tmp_path / "said" / "namespace").exists()
        assert (tmp_path / "said" / "python").read_text() == "\n"
        if is_root:
            assert f"Uid:\t{ACCOUNT}\t{ACCOUNT}" in said
    finally:
        assert w.end() == 0, w.text()


@pytest.mark.skipif(not is_root, reason="only root gives up root")
def test_what_the_account_may_not_read(fake, certificate, tmp_path):
    """The kubeconfig is read as the account, and it is said so."""
    config = kubeconfig(tmp_path, fake.port, certificate.file)
    let_pass(tmp_path)
    config.chmod(0o600)
    done = subprocess.run([os.environ["FAIRLEADD"], "--cluster", "--kubeconfig", config, "--state", tmp_path / "state"],
                          capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode != 0 and f"read as user {ACCOUNT}, not as root" in done.stderr, done.stderr
    config.chmod(0o644)
    done = subprocess.run([os.environ["FAIRLEADD"], "--cluster", "--account", "root", "--kubeconfig", config, "--state",
                           tmp_path / "other"], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 2 and "does not stay root" in done.stderr and not (tmp_path / "other").exists()
