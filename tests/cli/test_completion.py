# SPDX-License-Identifier: Apache-2.0
"""What shells complete: the candidates themselves, then real shells at a real terminal."""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

import pytest

import manifests as m

SHELLS = ["bash", "zsh", "fish"]


def candidates(r):
    assert (r.code, r.err) == (0, "")
    return [line.split("\t")[0] for line in r.out.splitlines()]


@pytest.fixture
def words(fairlead):
    def ask(*line):
        return candidates(fairlead("completion", "words", "--", *line))

    return ask


@pytest.fixture
def cluster(write):
    odd = [m.workload(name, "la", cpu="1") for name in ("$(touch x)", "a b", "-rf", "~root", "a;b")]
    write("c.json", m.dump(*m.small(), *odd))
    return "c.json"


@pytest.mark.parametrize("line, expected", [
    (["pl"], ["plan"]),
    (["--v"], ["--version"]),
    (["nothing", ""], []),
    (["plan", "--set"], ["--settle"]),
    (["tree", "--set"], []),
    (["plan", "--sa", "--set"], ["--settle"]),
    (["check", "-o", ""], ["text", "json", "sarif"]),
    (["plan", "-o", ""], ["text", "json"]),
    (["plan", "--output", "j"], ["json"]),
    (["plan", "--output", "="], ["text", "json"]),      # as bash takes it apart
    (["plan", "--output", "=", "j"], ["json"]),
    (["plan", "--output=j"], ["--output=json"]),
    (["plan", "-oj"], ["-ojson"]),
    (["plan", "--policy", ""], ["borrow", "drf", "entitle"]),
    (["plan", "--now", ""], []),
    (["tune", "--others", ""], ["idle", "busy"]),
    (["tune", "--svg", ""], [":file"]),
    (["tune", "--weight"], ["--weight", "--weights"]),
    (["simulate", "--out", ""], [":file"]),
    (["simulate", "--s"], ["--seed", "--server", "--server-fingerprint", "--set", "--socket", "--strict"]),
    (["plan", "-f", ""], [":file"]),
    (["plan", "--file", "c"], [":file"]),
    (["plan", "--", "--se"], []),
    (["completion", ""], ["bash", "zsh", "fish"]),
    (["completion", "--"], ["--help"]),
    (["explain", "ns/a"], []),                          # no file on the line: no names
    (["explain", "-f", "missing.json", "ns/a"], []),
    (["explain", "-f", "-", "ns/a"], []),
    (["explain", "-f", "c.json", "ns/a"], ["ns/a1", "ns/a2"]),
    (["explain", "-fc.json", "ns/b"], ["ns/b1"]),
    (["explain", "--file=c.json", "ns/b"], ["ns/b1"]),
    (["explain", "--file", "=", "c.json", "ns/b"], ["ns/b1"]),
    (["explain", "-f", "c.json", "-o", "json", "--", "ns/b"], ["ns/b1"]),
    (["explain", "-f", "c.json", "ns/a1", "ns/"], []),  # one is enough
    (["tree", "-f", "c.json", ""], ["a", "b", "co"]),
    (["what-if", "-f", "c.json", "--delete", "C"], ["ClusterQueue/a", "ClusterQueue/b", "Cohort/co"]),
    (["what-if", "-f", "c.json", "--delete", "Workload/ns/b"], ["Workload/ns/b1"]),
])
def test_candidates(words, cluster, line, expected):
    assert sorted(words(*line)) == sorted(expected)


def test_names_that_need_quotes_are_left_out(words, cluster, tmp_path):
    names = words("explain", "-f", cluster, "")
    assert sorted(names) == ["ns/a1", "ns/a2", "ns/b1"]
    assert not (tmp_path / "x").exists()


def test_all_verbs_and_options_of_help(fairlead, words):
    verbs = re.findall(r"^  ([a-z-]+)  ", fairlead("--help").out, re.MULTILINE)
    assert len(verbs) >= 5 and set(verbs) <= set(words(""))
    for verb in verbs:
        options = re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", fairlead(verb, "--help").out, re.MULTILINE)
        assert options and sorted(words(verb, "--")) == sorted(options)


def test_home_and_prefix(fairlead, cluster, tmp_path):
    r = fairlead("completion", "words", "--", "explain", "-f", "~/" + cluster, "ns/b", env={"HOME": str(tmp_path)})
    assert candidates(r) == ["ns/b1"]
    assert fairlead("completion", "words", "--", "plan", "--file=c").out == ":file\t--file=\n"


def test_broken_file_is_silent(words, write):
    write("bad.yaml", "kind: [\n")
    assert "--output" in words("explain", "-f", "bad.yaml", "")


def test_does_not_wait_for_ever(fairlead, write):
    """Tens of megabytes of YAML: whoever pressed the key is not kept longer than two seconds."""
    item = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\ndata:\n" + "".join(
        f"  k{i}: [v, {{a: b}}]\n" for i in range(200))
    write("big.yaml", item * 15000)
    start = time.monotonic()
    r = fairlead("completion", "words", "--", "explain", "-f", "big.yaml", "")
    assert (r.code, r.err) == (0, "")
    assert time.monotonic() - start < 15  # of a busy machine


@pytest.mark.parametrize("args, message", [
    ([], "fairlead completion: SHELL is missing\n"),
    (["tcsh"], "fairlead completion: 'tcsh' is none of bash, zsh and fish\n"),
    (["bash", "zsh"], "fairlead completion: unexpected argument 'zsh'\n"),
    (["bash", "-f", "x"], "fairlead completion: unknown option '-f'\n"),
])
def test_usage(fairlead, args, message):
    r = fairlead("completion", *args)
    assert (r.code, r.out, r.err) == (2, "", message + "See 'fairlead completion --help'.\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_syntax(fairlead, write, tmp_path, shell):
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    write("script", fairlead("completion", shell).out)
    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True)


# --- at a terminal ---

START = {
    "bash": (["--norc", "--noprofile", "-i"], "show() { printf '<%s>' \"$@\"; echo; }; source ./script"),
    "zsh": (["-f", "-i"], "show() { printf '<%s>' \"$@\"; echo }; autoload -Uz compinit; compinit -D -u; source ./script"),
    "fish": (["--no-config", "-i"], "function show; printf '<%s>' $argv; echo; end; source ./script"),
}


def read_until(fd, pattern, seconds=30):
    text, end = "", time.monotonic() + seconds
    while not re.search(pattern, text):
        ready, _, _ = select.select([fd], [], [], max(0, end - time.monotonic()))
        assert ready, f"no {pattern!r} in {text!r}"
        text += os.read(fd, 65536).decode("utf-8", "replace")
    return re.search(pattern, text)


@pytest.fixture(params=SHELLS)
def terminal(request, fairlead, write, tmp_path):
    """Type a line with tabs; the arguments that the shell makes of it."""
    shell = request.param
    path = shutil.which(shell)
    if not path:
        pytest.skip(f"no {shell} here")
    write("script", fairlead("completion", shell).out)
    write("bin/x", "")
    (tmp_path / "bin" / "fairlead").symlink_to(os.environ["FAIRLEAD"])
    arguments, setup = START[shell]
    env = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    env.update(PATH=f"{tmp_path}/bin:{os.environ['PATH']}", HOME=str(tmp_path), TERM="xterm", LC_ALL="C.UTF-8",
               XDG_CONFIG_HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path), HISTFILE="")
    child, master = pty.fork()  # with a controlling terminal, as shells want it
    if child == 0:
        os.chdir(tmp_path)
        os.execve(path, [shell, *arguments], env)
    os.write(master, f"{setup}; echo REA''DY\r".encode())
    read_until(master, "READY")

    def type_line(keys):
        os.write(master, keys.encode() + b"\x01show \r")  # Ctrl-A: to the beginning of the line
        found = read_until(master, r"<fairlead>[^\r\n]*[\r\n]").group(0)
        return re.findall(r"<([^>]*)>", found)

    yield type_line
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(master)


def test_real_shell(terminal, cluster, write, tmp_path):
    write("my dump.json", m.dump(*m.small()))
    assert terminal("fairlead pl\t") == ["fairlead", "plan"]
    assert terminal("fairlead plan --set\t") == ["fairlead", "plan", "--settle"]
    assert terminal("fairlead check -o sa\t") == ["fairlead", "check", "-o", "sarif"]
    assert terminal("fairlead check --output=sa\t") == ["fairlead", "check", "--output=sarif"]
    assert terminal("fairlead plan -f my\t") == ["fairlead", "plan", "-f", "my dump.json"]
    assert terminal("fairlead plan --file=my\t") == ["fairlead", "plan", "--file=my dump.json"]
    assert terminal("fairlead explain -f c.json ns/b\t") == ["fairlead", "explain", "-f", "c.json", "ns/b1"]
    assert terminal("fairlead explain -f my\\ dump.json ns/b\t") == [
        "fairlead", "explain", "-f", "my dump.json", "ns/b1"]
    assert terminal("fairlead tree -f \"my dump.json\" c\t") == ["fairlead", "tree", "-f", "my dump.json", "co"]
    assert terminal("fairlead explain -f '$(touch x)' ns\t")[:2] == ["fairlead", "explain"]
    assert not (tmp_path / "x").exists()
