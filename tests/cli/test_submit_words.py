# SPDX-License-Identifier: Apache-2.0
"""What people type to submit, as sbatch reads it, and what is refused with which words."""
import getpass
import json
import platform
import re
import tempfile

import pytest

import fake_daemon

QUEUES = {"queues": [{"name": "a", "kind": "ClusterQueue", "submit": ["a"],
                      "resources": {"cpu": {}, "nvidia.com/gpu": {}}}]}
SEE = "See 'fairlead submit --help'.\n"


@pytest.fixture
def daemon():
    with tempfile.TemporaryDirectory(prefix="fl", dir="/tmp") as folder:
        made = fake_daemon.Fake(f"{folder}/s")
        made.answers["GET /v1/queues"] = 200, QUEUES
        made.answers["POST /v1/jobs"] = 201, {"jobs": [1]}
        yield made
        made.stop()


@pytest.fixture
def ask(fairlead, daemon):
    def run(*args, env=None, **how):
        return fairlead(*args, env={"FAIRLEAD_SOCKET": daemon.path, **(env or {})}, **how)

    return run


def spec_of(daemon):
    """What was submitted last."""
    return json.loads([body for method, path, body in daemon.asked if (method, path) == ("POST", "/v1/jobs")][-1])


def was_submitted(daemon):
    return any(method == "POST" for method, _, _ in daemon.asked)


# --- what an option becomes ---

GPU = "nvidia.com/gpu"
TAKEN = [
    # a time limit
    (["-t", "90"], {"timeLimit": "90"}),
    (["--time=90:30"], {"timeLimit": "90:30"}),
    (["-t", "1:30:00"], {"timeLimit": "1:30:00"}),
    (["-t", "1-02"], {"timeLimit": "1-02"}),
    (["-t", "1-02:00"], {"timeLimit": "1-02:00"}),
    (["-t", "1-02:00:00"], {"timeLimit": "1-02:00:00"}),
    (["-t", "1h30m"], {"timeLimit": "1h30m"}),
    # names
    (["-p", "vision"], {"queue": "vision"}),
    (["--partition", "vision"], {"queue": "vision"}),
    (["-J", "n"], {"name": "n"}),
    (["--job-name=n"], {"name": "n"}),
    (["-D", "/tmp"], {"directory": "/tmp"}),
    (["--chdir", "/tmp"], {"directory": "/tmp"}),
    (["--comment", "second try"], {"comment": "second try"}),
    (["-H"], {"hold": True}),
    # what it asks for
    (["-c", "4"], {"requests": {"cpu": "4"}}),
    (["--cpus-per-task=4", "-r", "cpu=2"], {"requests": {"cpu": "2"}}),
    (["-n", "3"], {"tasks": 3}),
    (["--ntasks", "3"], {"tasks": 3}),
    (["--mem", "4G"], {"requests": {"cpu": "1", "memory": str(4 << 30)}}),
    (["--mem", "4096"], {"requests": {"cpu": "1", "memory": str(4 << 30)}}),
    (["--mem", "8388607T"], {"requests": {"cpu": "1", "memory": str(8388607 << 40)}}),
    (["--mem", "500k"], {"requests": {"cpu": "1", "memory": str(500 << 10)}}),
    (["--mem", "1T", "-n", "3"], {"requests": {"cpu": "1", "memory": str(-(-(1 << 40) // 3))}, "tasks": 3}),
    (["--mem", "4G", "-r", "mem=1Gi"], {"requests": {"cpu": "1", "memory": "1Gi"}}),
    (["-r", "mem=1Gi", "--mem", "4G"], {"requests": {"cpu": "1", "memory": str(4 << 30)}}),
    (["--mem-per-cpu", "1G", "-c", "3", "-n", "2"], {"requests": {"cpu": "3", "memory": str(3 << 30)}, "tasks": 2}),
    (["--gres=gpu:2"], {"requests": {"cpu": "1", GPU: "2"}}),
    (["--gres", "gpu"], {"requests": {"cpu": "1", GPU: "1"}}),
    (["-G", "4", "-n", "2"], {"requests": {"cpu": "1", GPU: "2"}, "tasks": 2}),
    (["--gpus-per-task", "2", "-n", "2"], {"requests": {"cpu": "1", GPU: "2"}, "tasks": 2}),
    (["-G", "4", "-r", "gpu=1"], {"requests": {"cpu": "1", GPU: "1"}}),
    # an array
    (["--array", "100"], {"array": 100}),
    (["-a", "100%10"], {"array": "0-99%10"}),
    (["--array=0-99:2%10"], {"array": "0-99:2%10"}),
    (["--array", "1,3,5-7"], {"array": "1,3,5-7"}),
    # other jobs
    (["--after", "1,2:failed,3:any,4:begun"],
     {"after": [{"job": 1, "when": "ok"}, {"job": 2, "when": "failed"}, {"job": 3, "when": "any"},
                {"job": 4, "when": "begun"}]}),
    (["-d", "afterok:1:2,afternotok:3,afterany:4,after:5"],
     {"after": [{"job": 1, "when": "ok"}, {"job": 2, "when": "ok"}, {"job": 3, "when": "failed"},
                {"job": 4, "when": "any"}, {"job": 5, "when": "begun"}]}),
    (["--dependency=singleton", "--name", "n"], {"singleton": True, "name": "n"}),
    (["-d", "singleton,afterok:1", "-d", "afterok:2"], {"after": [{"job": 2, "when": "ok"}]}),
    # its end
    (["--requeue"], {"requeue": True}),
    (["--no-requeue"], {"requeue": False}),
    (["--signal", "INT"], {"signal": "INT"}),
    (["--signal", "B:USR1@30"], {"signal": "USR1", "grace": "30s"}),
    (["--signal", "10@5"], {"signal": "USR1", "grace": "5s"}),
    (["--nice", "5"], {"priority": -5}),
    (["--nice=-5"], {"priority": 5}),
    # hooks
    (["--hook", "mail -s 'a: b' me"], {"hooks": [{"command": "mail -s 'a: b' me"}]}),
    (["--hook", "fail,preempted:notify: me", "--hook", "end:x"],
     {"hooks": [{"on": ["fail", "preempted"], "command": "notify: me"}, {"on": ["end"], "command": "x"}]}),
    (["--hook", "fail,now:x"], {"hooks": [{"command": "fail,now:x"}]}),
    # times
    (["--begin", "2026-12-01T08:00:00Z"], {"begin": "2026-12-01T08:00:00Z"}),
    (["-b", "2036-12-01T08:00"], {"begin": "2036-12-01T07:00:00Z"}),
]


@pytest.mark.parametrize("args, more", TAKEN, ids=lambda a: " ".join(a) if isinstance(a, list) else "")
def test_taken(ask, daemon, tmp_path, args, more):
    r = ask("submit", "-q", "a", *args, "--", "true", env={"TZ": "Europe/Berlin"})
    assert (r.code, r.err) == (0, "")
    spec = spec_of(daemon)
    del spec["environment"]
    assert spec == {"queue": "a", "directory": str(tmp_path), "command": ["true"], **more}


@pytest.mark.parametrize("text, at", [("now+90", 90), ("now+1hour", 3600), ("now+2days", 172800), ("1h", 3600),
                                      ("now", 0)])
def test_begins_from_now_on(ask, daemon, text, at):
    import calendar
    import time

    now = time.time()
    assert ask("submit", "-q", "a", "--begin", text, "--", "true").code == 0
    begin = calendar.timegm(time.strptime(spec_of(daemon)["begin"], "%Y-%m-%dT%H:%M:%SZ"))
    assert now + at - 2 <= begin <= time.time() + at + 1


@pytest.mark.parametrize("args, kept", [
    ([], {"A", "B"}), (["--export", "ALL"], {"A", "B"}), (["--export=NONE"], set()), (["--export", "A,NOT_SET"], {"A"}),
    (["--export", "ALL,C=1"], {"A", "B", "C"}), (["--export=NONE", "--export=ALL"], {"A", "B"}),
    (["--export=C=1"], {"C"})])
def test_export(ask, daemon, args, kept):
    assert ask("submit", "-q", "a", *args, "--", "true", env={"A": "1", "B": "2"}).code == 0
    assert set(spec_of(daemon)["environment"]) & {"A", "B", "C"} == kept


@pytest.mark.parametrize("output, path", [
    ("out-%j", "out-%j"), ("%A_%a", "%j_%a"), ("%x-%u", f"n_1%%-{getpass.getuser()}"),
    ("%N", platform.node().split(".")[0]), ("/x/%%x", "/x/%%x")])
def test_output(ask, daemon, tmp_path, output, path):
    assert ask("submit", "-q", "a", "--name", "n/1%", "--output", output, "--", "true").code == 0
    assert spec_of(daemon)["output"] == (path if path[0] == "/" else f"{tmp_path}/{path}")


def test_wrap(ask, daemon):
    assert ask("submit", "-q", "a", "--wrap", "echo 'a b' | cat").code == 0
    assert spec_of(daemon)["command"] == ["/bin/sh", "-c", "echo 'a b' | cat"]
    r = ask("submit", "-q", "a", "--wrap", "x", "job.sh")
    assert (r.code, r.err) == (2, "fairlead submit: --wrap stands for a script; there is 'job.sh' as well\n" + SEE)


# --- what is refused ---

TIME = "is not a time such as 90 (minutes), 1:30:00, 1-12 (days-hours) or 1h30m"
BEGIN = "is not a time such as 16:00, tomorrow, now+1hour or 2026-12-01T08:00"
SIZE = "is not a size such as 4096 (MiB), 500M or 4G"
REFUSED = [
    (["-t", "soon"], f"--time: 'soon' {TIME}"),
    (["-t", ""], f"--time: '' {TIME}"),
    (["-t", "1:90"], f"--time: '1:90' {TIME}"),
    (["-t", "-5"], f"--time: '-5' {TIME}"),
    (["-t", "UNLIMITED"], f"--time: 'UNLIMITED' {TIME}"),
    (["--begin", "later"], f"--begin: 'later' {BEGIN}"),
    (["--begin", "25:00"], f"--begin: '25:00' {BEGIN}"),
    (["--begin", "2026-02-30"], f"--begin: '2026-02-30' {BEGIN}"),
    (["--begin", "now+1year"], f"--begin: 'now+1year' {BEGIN}"),
    (["--begin", "16:00 tomorrow"], f"--begin: '16:00 tomorrow' {BEGIN}"),
    (["--array", "0"], "--array: '0' is not a number from 1 to 10000, or indexes such as 0-99"),
    (["--array", "20000%3"], "--array: '20000%3' is not a number from 1 to 10000, or indexes such as 0-99"),
    (["-c", "half"], "--cpus-per-task: 'half' is not a number from 1 to 999999999"),
    (["-c", "0"], "--cpus-per-task: '0' is not a number from 1 to 999999999"),
    (["-n", "5000"], "--ntasks: '5000' is not a number from 1 to 4096"),
    (["--mem", "lots"], f"--mem: 'lots' {SIZE}"),
    (["--mem", "4Gi"], f"--mem: '4Gi' {SIZE}"),
    (["--mem", "4 "], f"--mem: '4 ' {SIZE}"),
    (["--mem", "16777216T"], "--mem: '16777216T' is too much"),
    (["--mem-per-cpu", "8388608T"], "--mem-per-cpu: '8388608T' is too much"),
    (["--mem", "0"], f"--mem: '0' {SIZE}"),
    (["--mem", "1.5G"], f"--mem: '1.5G' {SIZE}"),
    (["--mem-per-cpu", "4P"], f"--mem-per-cpu: '4P' {SIZE}"),
    (["--gres", "gpu:0"], "--gres: '0' is not a number from 1 to 999999999"),
    (["-G", "3", "-n", "2"],
     "3 GPUs cannot be divided among 2 tasks; --gpus-per-task says how many each gets"),
    (["-d", "afterok"], "--dependency: 'afterok': names no job, such as afterok:17"),
    (["-d", "afterok:"], "--dependency: '': is not the number of a job, such as 17"),
    (["-d", "afterok:x"], "--dependency: 'x': is not the number of a job, such as 17"),
    (["-d", "afterok:1-4"], "--dependency: '1-4': is not the number of a job, such as 17"),
    (["-d", "afterok:1?afterok:2"],
     "--dependency: 'afterok:1?afterok:2': conditions of which one is enough ('?') are not supported; of those behind "
     "a comma all must hold"),
    (["-d", "after:1+10"],
     "--dependency: '1+10': a delay behind a job is not supported; --begin is a time before which it does not start"),
    (["-d", "aftercorr:1"],
     "--dependency: 'aftercorr:1': arrays do not wait for each other index by index; afterok with the numbers of its "
     "jobs waits for them"),
    (["-d", "expand:1"], "--dependency: 'expand:1': is none of after, afterany, afterok, afternotok and singleton"),
    (["-d", ""], "--dependency: '': is none of after, afterany, afterok, afternotok and singleton"),
    (["--nice", "very"], "--nice: 'very' is not a whole number of at most nine digits"),
    (["--nice"], "option '--nice' needs a value"),
    (["--signal", "STOP"], "--signal: 'STOP' is none of HUP, INT, KILL, QUIT, TERM, USR1 and USR2"),
    (["--signal", "19"], "--signal: '19' is none of HUP, INT, KILL, QUIT, TERM, USR1 and USR2"),
    (["--signal", "INT@soon"], "--signal: 'INT@soon': behind the @ there are seconds, up to 65535"),
    (["--export", "=1"], "--export: '=1' is not the name of a variable"),
    (["--requeue=1"], "option '--requeue' takes no value"),
    (["--mail-type", "END"], "there is no '--mail-type': no mail is sent; --hook runs a command of yours"),
    (["--error=x"], "there is no '--error': standard error goes where the output goes"),
    (["--qos", "x"], "there is no '--qos': there is no QOS; see --queue and --priority"),
]


@pytest.mark.parametrize("args, message", REFUSED, ids=lambda a: " ".join(a) if isinstance(a, list) else "")
def test_refused(ask, daemon, args, message):
    r = ask("submit", "-q", "a", *args, *([] if args == ["--nice"] else ["--", "true"]))
    assert (r.code, r.out, r.err) == (2, "", f"fairlead submit: {message}\n" + SEE)
    assert not was_submitted(daemon)


@pytest.mark.parametrize("args, subject, message", [
    (["--array", "5-1"], "array", "'5-1' has a range that ends before it begins"),
    (["--array", "0-99999"], "array", "'0-99999' has more than 10000 jobs"),
    (["--array", "1,x"], "array", "'1,x' is not a list of indexes up to 9999999"),
    (["--array", "9%0"], "array", "'0-8%0' does not end in a number of jobs behind %"),
    (["--array", "x"], "array", "'x' is not a list of indexes up to 9999999"),
    (["-t", "0"], "timeLimit", "must be longer than 0"),
    (["-d", "singleton"], "", "singleton needs a name: it waits for earlier jobs of the same name"),
    (["-d", "afterok:" + ":".join(str(n) for n in range(1, 18))], "after",
     "has 17 entries; a job can wait for at most 16 others"),
    (["--comment", "a\nb"], "comment", "has control characters, or characters that cannot be seen"),
    (["--comment", "x" * 1024], "comment", "is longer than 1023 bytes"),
    (["--hook", ""], "hooks[0] command", "must be a command of a shell"),
    (["--hook", "fail:"], "hooks[0] command", "must be a command of a shell"),
    ([a for n in range(9) for a in ("--hook", "x")], "hooks", "has 9 entries; at most 8 are allowed"),
    (["--hook", "x" * 131000, "--hook", "x" * 131000], "hooks[1]", "command, hooks and environment together have more than 131072 bytes"),
    (["--output", "%s"], "output", "'%s' in it is not known; after % comes j, t, a or %"),
    (["--output", "x%"], "output", "'%' in it is not known; after % comes j, t, a or %"),
    (["--output", "%x"], "output", "'%x' in it is not known; after % comes j, t, a or %"),
])
def test_refused_here(ask, daemon, args, subject, message):
    r = ask("submit", "-q", "a", *args, "--", "true")
    assert (r.code, r.out) == (1, "")
    assert r.err.splitlines()[0] == f"fairlead: error: {subject + ': ' if subject else ''}{message}"
    assert not was_submitted(daemon)


# --- #SBATCH lines ---

SCRIPT = """#!/bin/bash -e
#SBATCH --job-name=night -p vision --mem=2G
#SBATCH -n 2 -c 4 --gres=gpu:2   # a comment
#SBATCH -t 1-02:00:00 --array=5
#SBATCH --mail-type=END,FAIL --mail-user me@example.com
#SBATCH -A project -o out-%j -e err-%j
#SBATCH --frobnicate high --exclusive
##SBATCH --hold
# SBATCH --hold
#SBATCHING
#FAIRLEAD --time 5m -r mem=1Gi
#SBATCH --time 7 --comment=c -x node1 word
echo hi
#SBATCH --hold
"""
NOTES = """s:5: warning: #SBATCH --mail-type is left out: no mail is sent; --hook runs a command of yours
s:5: warning: #SBATCH --mail-user is left out: no mail is sent; --hook runs a command of yours
s:6: warning: #SBATCH --account is left out: there are no accounts; --queue says whose quota it uses
s:6: warning: #SBATCH --error is left out: standard error goes where the output goes
s:7: warning: #SBATCH --frobnicate is left out: it is not known here
s:7: warning: #SBATCH --exclusive is left out: a job has what it asks for; ask for all of the machine
s:12: warning: #SBATCH --exclude is left out: there is one machine
"""
TOLD = {"name": "night", "queue": "vision", "tasks": 2, "array": "5", "timeLimit": "5m", "comment": "c",
        "requests": {"cpu": "4", "memory": "1Gi", GPU: "1"}}


def test_sbatch_lines(ask, daemon, write, tmp_path):
    """#FAIRLEAD wins over #SBATCH, wherever it stands; what does not count is told, and nothing else."""
    write("s", SCRIPT)
    r = ask("submit", "s", "--lr", "1")
    assert (r.code, r.err) == (0, NOTES)
    spec = spec_of(daemon)
    del spec["environment"]
    assert spec == {**TOLD, "output": f"{tmp_path}/out-%j", "directory": str(tmp_path),
                    "command": ["/bin/bash", "-e", f"{tmp_path}/s", "--lr", "1"]}
    assert ask("submit", "-t", "3", "-J", "day", "--mem", "1M", "s").code == 0
    assert {k: spec_of(daemon)[k] for k in ("timeLimit", "name")} == {"timeLimit": "3", "name": "day"}
    assert spec_of(daemon)["requests"]["memory"] == str(1 << 19)


@pytest.mark.parametrize("line, code, message", [
    ("--mem=lots", 2, f"fairlead submit: --mem: 'lots' {SIZE}\n{SEE}s:2: note: the option is here\n"),
    ('--mem="4 "', 2, f"fairlead submit: --mem: '4 ' {SIZE}\n{SEE}s:2: note: the option is here\n"),
    ("-d afterok:1?afterok:2", 2, r"fairlead submit: --dependency: .*\n" + SEE + "s:2: note: the option is here\n"),
    ("-J 'x", 1, "s:2: error: a quote does not end here\n"),
    ("-J", 0, "s:2: warning: #SBATCH -J is left out: it needs a value\n"),
    ("word", 0, "s:2: warning: #SBATCH 'word' is left out: it is no option\n"),
    ("--help", 0, "s:2: warning: #SBATCH --help is left out: it is not known here\n"),
    ("--wrap=x", 0, "s:2: warning: #SBATCH --wrap=x is left out: it is not known here\n"),
    ("-q high", 0, "s:2: warning: #SBATCH --qos is left out: there is no QOS; see --queue and --priority\n"),
    ("--gres=gpu:a100:1,shard:2", 0,
     "s:2: warning: the type in 'a100:1' does not count; --select KEY=VALUE chooses by a label of a flavor\n"
     "s:2: warning: --gres: 'shard:2' is left out: of these only gpu is known; --request asks for other resources\n"),
])
def test_odd_sbatch_lines(ask, daemon, write, line, code, message):
    write("s", f"#!/bin/sh\n#SBATCH {line}\n")
    r = ask("submit", "-q", "a", "s")
    assert r.code == code
    assert r.err == message or re.fullmatch(message.replace("(", r"\(").replace(")", r"\)"), r.err)
    assert was_submitted(daemon) == (code == 0)


# --- a script on standard input ---

def command(text, *args, interpreter="'/bin/bash' '-e'", end="END_OF_SCRIPT_0"):
    return ["/bin/sh", "-c", f"exec {interpreter} /dev/fd/3 \"$@\" 3<<'{end}'\n{text}{end}\n", "stdin", *args]


@pytest.mark.parametrize("operands", [[], ["-"], ["-", "a b", "--x"]])
def test_standard_input(ask, daemon, tmp_path, operands):
    r = ask("submit", *operands, stdin=SCRIPT.encode())
    assert (r.code, r.err) == (0, NOTES.replace("s:", "standard input:"))
    spec = spec_of(daemon)
    del spec["environment"]
    assert spec == {**TOLD, "output": f"{tmp_path}/out-%j", "directory": str(tmp_path),
                    "command": command(SCRIPT, *operands[1:])}


def test_standard_input_with_odd_lines(ask, daemon):
    """The interpreter is quoted, no line of the text ends it, and the last line is a whole one."""
    text = "#! /usr/bin/x'y\nEND_OF_SCRIPT_0\necho $HOME '\nEND_OF_SCRIPT_1\nlast"
    assert ask("submit", "-q", "a", stdin=text.encode()).code == 0
    assert spec_of(daemon)["command"] == command(text + "\n", interpreter=r"'/usr/bin/x'\''y'", end="END_OF_SCRIPT_2")
    assert spec_of(daemon)["name"] == "stdin"


@pytest.mark.parametrize("operands, text, code, message", [
    ([], "", 2, "fairlead submit: a command is missing: fairlead submit -q QUEUE -- python train.py, or a script\n" + SEE),
    (["-"], "", 2, "fairlead submit: standard input is empty; it is to be a script\n" + SEE),
    ([], "echo\n", 1, "standard input: error: does not begin with #!, as a script does\nhint: begin it with #!/bin/sh; "
     "a program comes after --: fairlead submit ... -- PROGRAM\n"),
    ([], "#!/bin/sh\nx\0y\n", 1, "standard input: error: is not a script: it has bytes that are 0\n"),
    ([], "#!\nx\n", 1, "standard input:1: error: names no program behind #!\n"),
    ([], "#!/bin/sh\n#FAIRLEAD --quue x\n", 2, "fairlead submit: unknown option '--quue'; did you mean '--queue'?\n" +
     SEE + "standard input:2: note: the option is here\n"),
    ([], "#!/bin/sh\n" + "#" * 131072, 1, "standard input: error: is longer than 131072 bytes, which is what is kept of "
     "a job\nhint: put the script into a file, and submit that\n"),
    ([], "#!/bin/sh\n" + "#" * 131000, 1, "fairlead: error: command: command, hooks and environment together have more "
     "than 131072 bytes\nhint: put long data into a file; with --clean-env no variable of your environment is passed on\n"),
])
def test_bad_standard_input(ask, daemon, operands, text, code, message):
    r = ask("submit", "-q", "a", *operands, stdin=text.encode())
    assert (r.code, r.out, r.err) == (code, "", message)
    assert not was_submitted(daemon)


# --- told where people look ---

def test_names_are_in_help(fairlead):
    out = fairlead("submit", "--help").out
    for word in ("--begin TIME", "--dependency", "--chdir", "--export", "--no-requeue", "--hook", "-c, --cpus-per-task"):
        assert word in out
    assert "--mail-type" not in out
