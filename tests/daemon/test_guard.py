# SPDX-License-Identifier: Apache-2.0
"""What a daemon of root does not let a user have it do: folders that a user owns, and where backups go."""
import json
import os
import resource
import shutil
import subprocess

import pytest

import conftest
from test_isolation import root_only, somebody

USER = 65001


def refused(daemon, *args):
    """It does not start, and says why; exit 3, nothing made."""
    before = tree(daemon.state)
    done = subprocess.run([os.environ["FAIRLEADD"], "--state", str(daemon.state), *map(str, args)],
                          capture_output=True, text=True, timeout=60, cwd=daemon.folder)
    assert done.returncode == 3, (done.returncode, done.stderr)
    assert tree(daemon.state) == before, "something was made there"
    return done.stderr


def tree(folder):
    return sorted(str(p) for p in folder.rglob("*")) if folder.exists() else None


@pytest.fixture
def place(tmp_path):
    """A daemon that was not started, in a folder that others may enter."""
    for folder in tmp_path.parents:
        if folder.stat().st_uid == os.geteuid() and not folder.stat().st_mode & 0o001:
            os.chmod(folder, folder.stat().st_mode | 0o011)
    tmp_path.chmod(0o755)
    daemon = conftest.Daemon(tmp_path)
    yield daemon
    if daemon.process:
        conftest.end(daemon)


def theirs(folder):
    folder.mkdir()
    os.chown(folder, USER, USER)
    return folder


@root_only
def test_state_of_a_user(place):
    """`sudo fairleadd --state ~/.fairlead` would be root for whoever owns that."""
    theirs(place.state)
    said = refused(place)
    assert f"error: {place.state} belongs to user {USER}, and that user could run jobs as every user" in said
    assert f"chown -Rh {conftest.ACCOUNT if os.geteuid() == 0 else os.geteuid()}" in said and "choose another folder" in said
    # So is what is below a folder of theirs, that is there and that would be made.
    home = theirs(place.folder / "home")
    place.state = home / "state"
    assert f"error: {home} belongs to user {USER}" in refused(place)
    place.state.mkdir()
    said = refused(place)
    assert f"error: {home} belongs to user {USER}" in said and "/var/lib/fairlead" in said


@root_only
def test_file_in_the_state_of_a_user(place):
    """A run file that says user 0, put there while the folder was somebody else's."""
    place.start()
    number = place.submit("sh", "-c", "id -u >>who")
    place.wait(number, "done")
    assert place.submit(hold=True) == number + 1  # a job that is known, and never ran
    conftest.end(place)
    place.process = None
    run = next(place.state.glob("*/1/1/run"))
    # As if it had not begun, in the folder of a run, with an owner who is not root.
    planted = place.state / "runs" / str(number) / "2" / "run"
    planted.parent.parent.mkdir(exist_ok=True, mode=0o700)
    planted.parent.mkdir(mode=0o700)
    data = bytearray(run.read_bytes())
    data[:2048] = bytes(2048)
    planted.write_bytes(data)
    planted.chmod(0o600)
    os.chown(planted, USER, USER)
    for made in planted.parent, planted.parent.parent:
        os.chown(made, conftest.ACCOUNT, conftest.ACCOUNT)
    who = place.folder / "who"
    assert who.read_text() == "0\n"
    for more in [], ["--adopt-runs"]:
        assert "belongs to another user" in refused(place, *more) and who.read_text() == "0\n"
    shutil.rmtree(planted.parent.parent)
    (place.state / "lock").chmod(0o666)
    assert f"all users can write to {place.state}/lock" in refused(place)
    (place.state / "lock").chmod(0o600)
    place.start()
    assert place.job(number)["state"] == "done"


def test_state_that_others_write_to(place):
    """As sshd is with keys: groups and everybody, in the folder and above."""
    place.state.mkdir()
    for folder, mode, who in ((place.state, 0o770, "its group"), (place.state, 0o757, "all users"),
                              (place.state, 0o1777, "all users"), (place.folder, 0o775, "its group"),
                              (place.folder, 0o777, "all users")):
        was = folder.stat().st_mode & 0o7777
        folder.chmod(mode)
        said = refused(place)
        assert f"error: {who} can write to {folder}, and could so" in said and f"chmod go-w {folder}" in said
        folder.chmod(was)
    # Above it may be a folder such as /tmp: nobody else can rename what is ours there.
    place.folder.chmod(0o1777)
    place.start()
    assert place.job(place.submit())["id"] == 1


@root_only
def test_links_to_the_state(place):
    """Followed where nobody else can lead them elsewhere."""
    real = place.folder / "real"
    real.mkdir(mode=0o700)
    place.state.symlink_to("real")
    place.start()
    assert (real / "fairlead.db").exists() and conftest.end(place) == 0
    place.process = None
    # A link of a user's, even to a folder of root's; in a folder of a user's; round and round.
    os.chown(place.state, USER, USER, follow_symlinks=False)
    assert f"error: {place.state} belongs to user {USER}" in refused(place)
    home = theirs(place.folder / "home")
    (home / "link").symlink_to(real)
    place.state = home / "link"
    assert f"error: {home} belongs to user {USER}" in refused(place)
    place.state = place.folder / "round"
    place.state.symlink_to("round/on")
    assert "too many symbolic links" in refused(place)


@root_only
def test_backup_of_a_user_is_not_restored(place):
    """Its jobs would run as whom it says."""
    place.start()
    assert place.post(f"/v1/backup?to={place.folder}/backup").status == 200
    conftest.end(place)
    place.process = None
    os.chown(place.folder / "backup" / "fairlead.db", USER, USER)
    place.state = place.folder / "new"
    said = refused(place, "--restore", place.folder / "backup")
    assert f"error: {place.folder}/backup/fairlead.db belongs to user {USER}" in said
    os.chown(place.folder / "backup" / "fairlead.db", 0, 0)
    os.chown(place.folder / "backup", USER, USER)
    assert f"error: {place.folder}/backup belongs to user {USER}" in refused(
        place, "--restore", "backup")
    os.chown(place.folder / "backup", 0, 0)
    done = subprocess.run([os.environ["FAIRLEADD"], "--state", place.state, "--restore", "backup"],
                          cwd=place.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@root_only
def test_where_backups_of_admins_go(place):
    """Folders of the daemon's, where an admin says: below the configured one only."""
    folder = place.folder
    place.config = conftest.write_config(folder)
    text = place.config.read_text().replace("access: {", f"access: {{admins: {{users: ['{USER}']}}, ")
    place.config.write_text(text)
    place.start()

    def back_up(to):
        (status, said), = somebody(place, ["POST", f"/v1/backup?to={to}", None])
        return status, json.loads(said)

    status, said = back_up(f"{folder}/made")
    assert status == 403 and said["text"] == "the configuration names no folder for backups"
    place.config.write_text(text.replace("spec:\n", f"spec:\n  backups: {folder}/backups\n", 1))
    assert place.post("/v1/reload").status == 200
    (folder / "backups").mkdir(mode=0o755)
    os.chown(folder / "backups", conftest.ACCOUNT, conftest.ACCOUNT)
    for to in (f"{folder}/made", f"{folder}/backups/../made", f"{folder}/backups-made", f"{folder}/backups"):
        status, said = back_up(to)
        assert status == 403 and f"is not below {folder}/backups" in said["text"], said
    # Root's own, by a link of root's; and what a user can change is nobody's place for one.
    (folder / "backups" / "out").symlink_to(folder)
    assert back_up(f"{folder}/backups/out/made")[0] == 403
    theirs(folder / "backups" / "theirs")
    for ask in back_up, lambda to: ((a := place.post(f"/v1/backup?to={to}")).status, a.json()):
        status, said = ask(f"{folder}/backups/theirs/made")
        assert status == 403 and f"belongs to user {USER}" in said["text"], said
    answer = place.post("/v1/backup?to=/no/such/folder")
    assert answer.status == 403 and "there is no folder /no" in answer.error
    assert not list(folder.rglob("made")) and not list((folder / "backups" / "theirs").iterdir())
    assert back_up(f"{folder}/backups/monday") == (200, {"backup": f"{folder}/backups/monday"})
    assert (folder / "backups" / "monday").stat().st_uid == conftest.ACCOUNT
    # Root may name any, and the configured one counts from the next reload on.
    assert place.post(f"/v1/backup?to={folder}/made").status == 200
    assert (folder / "made" / "fairlead.db").exists()


def test_what_may_outlive_its_job(place):
    """Without control groups: a namespace of processes, where root can have one; if not, it is told."""
    place.config = conftest.write_config(place.folder)
    place.config.write_text(place.config.read_text().replace("  machine:\n", "  machine:\n    cgroup: off\n"))
    place.start()
    number = place.submit("sleep", "60")
    contained = place.job(number)["contained"]
    if os.geteuid() != 0:
        assert not contained
    told = "what its job has started in sessions and environments of its own may go on"
    assert (told in place.said()) == (not contained)
    assert ("jobs have a namespace of processes each" in place.said()) == contained
    text = subprocess.run([os.environ["FAIRLEAD"], "job", str(number)], capture_output=True, text=True,
                          env={**os.environ, **place.reached}).stdout
    assert ("not held    what it starts" in text) == (not contained), text
    place.post(f"/v1/jobs/{number}/cancel")
    place.wait(number)
    assert "contained" not in place.job(number)


@root_only
def test_a_user_is_told_what_may_outlive_a_job(place, tmp_path_factory):
    """A daemon of a user's has neither."""
    build = os.path.dirname(os.environ["FAIRLEADD"])
    probe = subprocess.run([os.environ["FAIRLEADD"], "--version"], user=USER, group=USER, extra_groups=[],
                           capture_output=True)
    if probe.returncode != 0:
        pytest.skip(f"another user cannot run what is in {build}")
    config = conftest.write_config(place.folder)
    config.write_text(config.read_text().replace("  machine:\n", "  machine:\n    cgroup: off\n"))
    os.chown(place.folder, 0, 0)
    place.folder.chmod(0o1777)
    with open(place.folder / "log", "wb") as log:
        place.process = subprocess.Popen(
            [os.environ["FAIRLEADD"], "--state", place.state, "--config", config], stderr=log, cwd="/",
            user=USER, group=USER, extra_groups=[])
    place.log = log
    place.socket = place.state / "fairlead.sock"
    place.until(place.is_up, "it listens")
    assert "may continue" in place.said()
    number = somebody_submits(place)
    assert place.job(number)["contained"] is False
    text = subprocess.run([os.environ["FAIRLEAD"], "job", str(number)], capture_output=True, text=True,
                          env={**os.environ, **place.reached}).stdout
    assert "not held    processes that it starts with a session and an environment of their own may outlive it" in text


def somebody_submits(place):
    body = {"queue": "default", "requests": {"cpu": "100m"}, "directory": "/", "command": ["sleep", "60"]}
    (status, text), = somebody(place, ["POST", "/v1/jobs", body])
    assert status == 201, text
    return json.loads(text)["jobs"][0]


def test_no_memory_at_start(place):
    """It says so, exit 3, or it listens: it never ends without a word."""
    def start(mib):
        place.process = subprocess.Popen(
            [os.environ["FAIRLEADD"], "--state", place.state], stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)))
        place.socket = place.state / "fairlead.sock"
        lines = []
        for line in place.process.stderr:
            lines.append(line)
            if "listens on" in line:
                break
        return lines

    begun = any("listens on" in line for line in start(1024))
    place.process.kill()
    place.process.wait()
    place.log, place.process = place.process.stderr, None
    if not begun:
        pytest.skip("no limit under a sanitizer")
    refused = 0
    for mib in (14, 18, 22, 26, 30, 34, 38, 42, 46, 60, 90):
        lines = start(mib)
        if lines and "listens on" in lines[-1]:
            assert place.get("/v1/health").status == 200
            place.process.terminate()
            assert place.process.wait(60) == 0
        elif "error while loading shared libraries" not in "".join(lines):
            refused += 1
            assert place.process.wait(60) == 3, (mib, lines)
            assert any(line.startswith("error: ") and "memory" in line for line in lines), (mib, lines)
    assert refused > 1
    place.process = None
