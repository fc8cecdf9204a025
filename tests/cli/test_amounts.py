# SPDX-License-Identifier: Apache-2.0
"""An amount looks the same in every answer: as it was written, where that is short."""
import re

import pytest

import entitle_manifests as kai
import manifests as m


def answers(fairlead, *names):
    yield fairlead("tree", "-f", "c.json").out
    yield fairlead("plan", "-f", "c.json").out
    yield fairlead("explain", "-f", "c.json", "ns/w").out
    for text in names:
        yield fairlead("what-if", "-f", "c.json", "--set", text).out


def amounts(text):
    """All that look like bytes, but for those of a command that is proposed."""
    shown = "\n".join(line for line in text.split("\n") if "fairlead what-if" not in line and "  set " not in line)
    return set(re.findall(r"(?<![\w.-])\d[\d.]*(?:[KMGTPE]i?|k)(?![\w-])", shown)) | set(re.findall(r"\b\d{7,}\b", shown))


@pytest.mark.parametrize("quota, asked, held", [
    ("4G", "5G", "1500M"), ("4Gi", "5Gi", "1536Mi"), ("3906250Ki", "5000000000", "1500000k"), ("100M", "200M", "50M")])
def test_of_kueue(fairlead, write, quota, asked, held):
    write("c.json", m.dump(m.namespace("ns"), m.flavor("f"), m.cluster_queue("a", m.quota("f", memory=quota)), m.local_queue("a", "a"),
                           m.workload("r", "a", memory=held, admitted=("a", "f")), m.workload("w", "a", memory=asked)))
    seen = set()
    for text in answers(fairlead, f"ClusterQueue/a: nominalQuota[memory]={asked}"):
        seen |= amounts(text)
    # Quota, what is held, asked and left; what is short, and what it would take.
    assert {"4G": {"4G", "5G", "1500M", "2500M", "6500M", "3500M"}, "4Gi": {"4Gi", "5Gi", "1536Mi", "2560Mi", "6656Mi", "3584Mi"},
            "3906250Ki": {"4G", "5G", "1500M", "2500M", "6500M", "3500M"},
            "100M": {"100M", "200M", "50M", "150M", "250M"}}[quota] >= seen, seen
    assert len(seen) >= 3


def test_of_kai(fairlead, write):
    write("c.json", kai.dump(kai.machine("m1", memory="512G"), kai.queue("d"), kai.queue("q", "d", memory=(1500, 1, 4000)),
                             *kai.gang("r", "q", gpu=0, memory="1500M", on="m1"), *kai.gang("w", "q", gpu=0, memory="5G")))
    seen = set()
    for text in answers(fairlead):
        seen |= amounts(text)
    assert seen >= {"1500M", "4G", "5G"} and not [text for text in seen if "." in text or text.isdigit()], seen
