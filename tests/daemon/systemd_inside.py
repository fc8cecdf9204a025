#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fairleadd as a service: run by systemd_boot, says "well" at the end when all of it was so."""
import os
import pathlib
import signal
import stat
import subprocess

from conftest import ACCOUNT, CONFIG, Daemon

CONFIGURATION = pathlib.Path("/etc/fairlead/daemon.yaml")
DROP_IN = pathlib.Path("/run/systemd/system/fairleadd.service.d/sooner.conf")


def systemctl(*args, code=0):
    done = subprocess.run(["systemctl", *args], capture_output=True, text=True)
    assert done.returncode == code, (args, done)
    return done.stdout


def shown(name):
    return systemctl("show", "-p", name, "--value", "fairleadd").strip()


def said(text):
    return text in subprocess.run(["journalctl", "--no-pager", "-u", "fairleadd"],
                                  capture_output=True, text=True).stdout


def runners():
    return subprocess.run(["pgrep", "-c", "fairlead-runner"], capture_output=True, text=True).stdout.strip()


def submit_as(user, daemon):
    """The number of a job of that user, who has no account."""
    read, write = os.pipe()
    if os.fork() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        os.write(write, str(daemon.submit("sleep", "1000", directory="/")).encode())
        os._exit(0)
    os.close(write)
    os.wait()
    return int(os.read(read, 32))


def owners_of(name):
    """Real users of the processes with that name."""
    pids = subprocess.run(["pgrep", "-x", name], capture_output=True, text=True).stdout.split()
    return {int(pathlib.Path(f"/proc/{pid}/status").read_text().split("Uid:\t")[1].split()[0]) for pid in pids}


def goes_on(daemon, job):
    found = daemon.job(job)
    assert (found["state"], len(found["attempts"])) == ("runs", 1), found


def survives(daemon, job, number, restarts):
    """What the main process is told ends it; systemd starts another, and the job does not notice."""
    before = shown("MainPID")
    os.kill(int(before), number)
    daemon.until(lambda: shown("NRestarts") == str(restarts) and shown("ActiveState") == "active",
                 f"it is started again after signal {number}")
    assert shown("MainPID") != before
    goes_on(daemon, job)


def main():
    CONFIGURATION.write_text(CONFIG)
    DROP_IN.parent.mkdir(parents=True)
    DROP_IN.write_text("[Service]\nWatchdogSec=3s\n")
    systemctl("daemon-reload")
    daemon = Daemon(pathlib.Path("/tmp"))
    (daemon.folder / "log").touch()
    daemon.socket = pathlib.Path("/run/fairlead/fairlead.sock")

    # It has said that it is ready: whoever comes after it may ask at once.
    systemctl("start", "fairleadd")
    assert daemon.get("/v1/health").json()["status"] == "ok"
    assert stat.S_IMODE(os.stat("/var/lib/fairlead").st_mode) == 0o700
    assert stat.S_IMODE(os.stat("/run/fairlead").st_mode) == 0o755
    assert os.stat("/var/lib/fairlead").st_uid == ACCOUNT
    job = submit_as(65530, daemon)
    daemon.wait(job, "runs")
    assert [owners_of(name) for name in ("fairleadd", "fairlead-spawn", "fairlead-runner")] == [
        {ACCOUNT}, {0}, {65530}]

    systemctl("restart", "fairleadd")
    goes_on(daemon, job)
    survives(daemon, job, signal.SIGKILL, restarts=1)
    survives(daemon, job, signal.SIGSTOP, restarts=2)
    daemon.until(lambda: said("Watchdog timeout"), "the journal has why")

    # Whole or not at all.
    CONFIGURATION.write_text("nonsense")
    systemctl("reload", "fairleadd")
    daemon.until(lambda: said("the configuration was not changed"), "the reload was refused")
    goes_on(daemon, job)

    # Jobs outlive the service, and what is not valid is not tried twice.
    systemctl("stop", "fairleadd")
    assert (shown("Result"), runners()) == ("success", "1")
    daemon.until(lambda: not owners_of("fairlead-spawn"), "its spawner ends with it")
    systemctl("start", "fairleadd", code=1)
    assert (shown("Result"), shown("ExecMainStatus"), shown("ActiveState")) == ("exit-code", "1", "failed")
    CONFIGURATION.write_text(CONFIG)
    systemctl("start", "fairleadd")
    goes_on(daemon, job)
    assert daemon.post(f"/v1/jobs/{job}/cancel").status == 200
    daemon.wait(job, "cancelled")
    daemon.until(lambda: runners() == "0", "its runner is gone")
    systemctl("stop", "fairleadd")
    print("well")


main()
