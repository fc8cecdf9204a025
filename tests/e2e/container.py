# SPDX-License-Identifier: Apache-2.0
"""The container of deploy/container, without a runtime of containers: its root folder, and what runs in it."""
import os
import pathlib
import shutil
import subprocess

SOURCE = pathlib.Path(os.environ.get("FAIRLEAD_SOURCE", pathlib.Path(__file__).parents[2]))
ACCOUNT = pathlib.Path("var/run/secrets/kubernetes.io/serviceaccount")


def make_root(folder):
    """By its recipe, from the programs that are built; entering it takes root."""
    (folder / "prefix" / "bin").mkdir(parents=True)
    for name in ("FAIRLEAD", "FAIRLEADD"):
        shutil.copy(os.environ[name], folder / "prefix" / "bin" / name.lower())
    subprocess.run([SOURCE / "deploy" / "container" / "make-root", folder / "root", folder / "prefix"], check=True)
    # Its parents are closed to the account that the container runs as.
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    return folder / "root"


def inside(root, *words, env=None):
    """As the container runs it: its own root, not root, no environment but @env."""
    words = ["/usr/sbin/chroot", "--userspec=65532:65532", str(root), *map(str, words)]
    return subprocess.run(words, env=env or {}, text=True, timeout=60, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def mount_account(root, bed, token, namespace):
    """What a pod finds of its account; the environment by which it finds the API server."""
    (root / ACCOUNT).mkdir(parents=True, exist_ok=True)
    (root / ACCOUNT / "token").write_text(token)
    (root / ACCOUNT / "namespace").write_text(namespace)
    shutil.copy(bed.authority.file, root / ACCOUNT / "ca.crt")
    return {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(bed.port)}
