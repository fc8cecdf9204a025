# SPDX-License-Identifier: Apache-2.0
"""One of several leads (src/kube/lease.h), against a server whose answers fail on command."""
import json
import re
import signal
import time

import pytest
from contender import Contender, now, wait_for
from fake import Cut, Fake, Fault
from followed import kubeconfig

# ms; so that a test takes seconds, and a machine that is busy for a while is not taken for dead.
TIMES = {"lasts": 3000, "every": 400, "most": 2000, "look": 50}
WORDS = [f"{name}={value}" for name, value in TIMES.items()]

class Leases(Fake):
    """With the one Lease default/leader, and what was written to it: (when, holder)."""

    def __init__(self, *words, **more):
        self.lease, self.written = None, []
        super().__init__(*words, **more)
        self.plain = True

    def write(self, **spec):
        """As whoever else may write it."""
        with self.lock:
            self.version += 1
            meta = {**(self.lease or {}).get("metadata", {"name": "leader"}), "resourceVersion": str(self.version)}
            self.lease = {**(self.lease or {}), "metadata": meta, "spec": {**(self.lease or {}).get("spec", {}), **spec}}
            self.written.append((now(), self.lease["spec"].get("holderIdentity")))

    def result(self, method, sent):
        """(status, body); the write is done."""
        with self.lock:
            body = json.loads(sent) if sent else None
            if method == "POST" and self.lease:
                return 409, None
            if method != "POST" and not self.lease:
                return 404, None
            if method == "PUT" and body["metadata"].get("resourceVersion") != self.lease["metadata"]["resourceVersion"]:
                return 409, None
            if body:
                self.lease = body
                self.write()
            return 201 if method == "POST" else 200, self.lease

    def answer(self, conn, method, path, headers, sent):
        assert re.fullmatch(r"/apis/coordination.k8s.io/v1/namespaces/default/leases(/leader)?(\?timeout=\d+s)?", path), path
        with self.lock:
            self.requests.append((method, "leases", path))
        fault = self.fault_for(method, "leases")
        if fault.how == "silence" and fault.at == 0:
            self.over.wait(3600)
            raise Cut
        if fault.status:
            self.status(conn, fault.status, "No", "a fault", fault.retry_after)
            return
        status, body = self.result(method, sent)
        if fault.at is not None:  # done, and nobody is told
            self.reset(conn)
            raise Cut
        if not body:
            self.status(conn, status, "No", "no")
            return
        data = json.dumps(body).encode()
        conn.sendall(b"HTTP/1.1 %d OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (status, len(data)) + data)


@pytest.fixture
def leases(certificate):
    made = Leases(certificate.file, certificate.key)
    made.write(holderIdentity="", leaseDurationSeconds=1)  # as one that led has given it back
    made.written.clear()
    yield made
    made.close()


@pytest.fixture
def contend(leases, certificate, tmp_path):
    """contend(identity, option...): they end well, unless a test ended them."""
    started = []
    config = kubeconfig(tmp_path, leases.port, certificate.file)

    def start(identity, *words):
        started.append(Contender(config, identity, *WORDS, *words))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGCONT)
            assert one.end() == 0


def test_the_first_makes_it_renews_it_and_gives_it_back(leases, contend):
    """And not at once: if it was deleted, somebody may lead who does not know yet."""
    leases.lease = None
    one = contend("one")
    leads = one.wait("leads")
    assert leads["at"] - one.wait("start")["at"] > TIMES["most"]
    spec = leases.lease["spec"]
    assert leads["version"].isdigit() and spec["holderIdentity"] == "one" and spec["leaseDurationSeconds"] == 3
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", spec[k]) for k in ("acquireTime", "renewTime"))
    wait_for(lambda: len(leases.written) > 4)
    assert one.ask()["leads"] and one.ask()["holder"] == "one"
    assert leases.lease["spec"]["acquireTime"] == spec["acquireTime"] != leases.lease["spec"]["renewTime"]
    assert one.end() == 0
    assert leases.lease["spec"]["holderIdentity"] == ""
    assert [line["what"] for line in one.lines if line["what"] != "asked"] == ["start", "leads", "released"]


def test_what_else_a_lease_has_stays(leases, contend):
    leases.write(strategy="OldestEmulationVersion")
    leases.lease["metadata"]["labels"] = {"a": "b"}
    contend("one").wait("leads")
    assert leases.lease["metadata"]["labels"] == {"a": "b"} and leases.lease["spec"]["strategy"] == "OldestEmulationVersion"
    assert leases.lease["spec"]["leaseTransitions"] == 1


def test_one_that_was_given_back_is_taken_at_once(leases, contend):
    one = contend("one")
    one.wait("leads")
    two = contend("two")
    wait_for(lambda: two.ask()["holder"] == "one")
    assert not two.ask()["leads"]
    one.end()
    # Otherwise it would have lasted from its last renewal on.
    assert two.wait("leads")["at"] - one.wait("released")["at"] < TIMES["lasts"] - TIMES["every"]
    assert leases.lease["spec"]["leaseTransitions"] == 2


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_the_next_waits_until_a_dead_holder_must_have_stopped(leases, contend, how):
    one = contend("one")
    one.wait("leads")
    two = contend("two")
    wait_for(lambda: two.ask()["holder"] == "one")
    one.process.send_signal(how)
    time.sleep(0.1)
    last = leases.written[-1][0]
    assert two.wait("leads")["at"] >= last + TIMES["lasts"] - 5
    if how == signal.SIGSTOP:
        one.process.send_signal(signal.SIGUSR1)
        one.process.send_signal(signal.SIGCONT)
        assert not one.wait("asked")["leads"]
        one.wait("lost")
        assert two.ask()["leads"]
        wait_for(lambda: one.ask()["holder"] == "two")


def test_it_leads_no_longer_than_it_may_after_the_last_answer(leases, contend):
    one = contend("one")
    one.wait("leads")
    wait_for(lambda: len(leases.written) > 2)
    for method in ("GET", "PUT"):
        leases.always[method, "leases"] = Fault(at=0, how="silence")
    time.sleep(0.1)
    last = leases.written[-1][0]
    lost = one.wait("lost")
    # Well before another one may lead, though the machine is busy.
    assert lost["at"] <= last + (TIMES["most"] + TIMES["lasts"]) / 2 + 200 and lost["text"]
    assert not one.ask()["leads"]
    leases.always.clear()
    one.wait("leads", 2)


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(status=503, retry_after=0), Fault(at=1)],
                         ids=["error", "later", "not told"])
def test_a_renewal_that_fails_is_done_again_in_time(leases, contend, fault):
    one = contend("one")
    one.wait("leads")
    for _ in range(3):
        n = len(leases.written)
        leases.faults.append(("PUT", "leases", fault))
        wait_for(lambda n=n: len(leases.written) > n + 2)
    assert one.ask()["leads"]
    assert [line["what"] for line in one.lines if line["what"] != "asked"] == ["start", "leads"]


def test_a_holder_whose_clock_is_an_hour_off_keeps_it(leases, contend):
    leases.write(holderIdentity="other", leaseDurationSeconds=2, renewTime="2020-01-01T00:00:00.000000Z")
    one = contend("one")
    end = time.monotonic() + 4
    while time.monotonic() < end:
        leases.write()
        time.sleep(0.1)
    assert not one.ask()["leads"] and one.ask()["holder"] == "other"
    one.wait("leads")
    assert leases.written[-1][0] > 0 and leases.lease["spec"]["holderIdentity"] == "one"


def test_one_that_was_taken_away_is_lost_and_one_that_was_deleted_is_made_again(leases, contend):
    one = contend("one")
    one.wait("leads")
    leases.write(holderIdentity="thief", leaseDurationSeconds=1)
    assert "thief" in one.wait("lost")["text"]
    assert not one.ask()["leads"]
    one.wait("leads", 2)
    with leases.lock:
        leases.lease = None
    one.wait("lost", 2)
    one.wait("leads", 3)


def test_one_that_was_deleted_is_not_taken_from_its_holder(leases, contend):
    """Who leads does not know yet: others make it only when it must have stopped."""
    one = contend("one")
    one.wait("leads")
    two = contend("two")
    wait_for(lambda: sum(method == "GET" for method, _, _ in leases.requests) > 3)
    with leases.lock:
        leases.lease = None
    one.wait("lost")
    one.wait("leads", 2)
    assert not two.ask()["leads"] and {holder for _, holder in leases.written} == {"one"}
    one.end(signal.SIGKILL)
    last = now()
    with leases.lock:
        leases.lease = None
    assert two.wait("leads")["at"] > last + TIMES["most"]


def test_where_it_cannot_be_made_it_says_so_and_asks_now_and_then(leases, contend):
    leases.lease = None
    leases.always["POST", "leases"] = Fault(status=404)  # no such namespace
    one = contend("one")
    wait_for(lambda: "fault" in one.ask()["problem"])
    begin = len(leases.requests)
    time.sleep(1)
    assert len(leases.requests) - begin < 2 * 2 * 1000 / TIMES["look"]
    leases.always.clear()
    one.wait("leads")


def test_without_the_right_it_says_so_and_goes_on(leases, contend):
    leases.always["GET", "leases"] = Fault(status=403)
    one = contend("one")
    wait_for(lambda: "fault" in one.ask()["problem"])
    leases.always.clear()
    one.wait("leads")
    assert one.ask()["problem"] == ""


@pytest.mark.parametrize("lease", [b"[]", b"{", b'{"metadata": {}, "spec": {}}', b'{"metadata": {"resourceVersion": "1"}}'])
def test_an_answer_that_is_no_lease_is_a_problem(leases, contend, lease):
    good = leases.result
    leases.result = lambda method, sent: (200, json.loads(lease) if lease != b"{" else "{")
    one = contend("one")
    wait_for(lambda: "not valid" in one.ask()["problem"])
    assert not one.ask()["leads"]
    leases.result = good
    one.wait("leads")


def test_of_many_that_start_at_once_one_leads(leases, contend):
    many = [contend(f"c{i}") for i in range(6)]
    wait_for(lambda: all(one.ask()["holder"] for one in many))  # the slowest has looked too
    begin = len(leases.requests)
    time.sleep(1)
    assert [one.ask()["leads"] for one in many].count(True) == 1
    # One that came second looks now and then.
    assert len(leases.requests) - begin < 6 * 2 * 1000 / TIMES["look"]
    assert "POST" not in [method for method, *_ in leases.requests[begin:]]
    assert len({holder for _, holder in leases.written}) == 1
