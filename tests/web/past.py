#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A folder in which a daemon starts with years behind it: the jobs of a log in the Standard Workload Format, simulated.

FAIRLEAD_BUILD=build PYTHONPATH=tests/lib tests/web/past.py LOG FOLDER [LOAD [CPUS]]

bench/past.c decides and writes; LOAD above 1 brings jobs closer together.  `measure.py --store FOLDER` measures the page over a copy of it.
"""
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("PAGE_OF", "/bin/false")
from live import COHORT, daemons  # noqa: E402

CENTRES, TEAMS = 4, 16

HEAD = """\
apiVersion: fairlead.dev/v1alpha1
kind: Daemon
metadata: {{name: lab}}
spec:
  listen: [{{address: '127.0.0.1:{port}'}}]
  machine:
    cohort: lab
    flavors:
    - {{name: default, resources: {{cpu: "{cpus}", memory: {memory}Gi}}}}
    cgroup: "off"
  jobs: {{grace: 1s}}
  keep: {{jobs: 10y, events: 10y, tiers: {{exact: 90d}}}}
  limits: {{jobsPerUser: 200000, jobsPerQueue: 200000}}
  access: {{withoutAccount: allow}}
---
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
fairSharing: {{}}
"""

QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  cohortName: {parent}
  namespaceSelector: {{}}
  preemption: {{reclaimWithinCohort: {reclaim}, withinClusterQueue: LowerPriority}}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources:
      - {{name: cpu, nominalQuota: "{cpu}"}}
      - {{name: memory, nominalQuota: {memory}Gi}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: {name}, namespace: default}}
spec: {{clusterQueue: {name}}}
"""
GIB = 4  # of a core


def configuration(cpus, port):
    text = HEAD.format(port=port, cpus=cpus, memory=GIB * cpus)
    text += "".join(COHORT.format(name=f"centre-{i}") for i in range(CENTRES))
    each = cpus // TEAMS
    return text + "".join(QUEUE.format(name=f"team-{i:02}", parent=f"centre-{i % CENTRES}", cpu=each, memory=GIB * each,
                                       reclaim="Any" if i < CENTRES else "Never")
                          for i in range(TEAMS))


def main():
    log, folder, load, cpus = (sys.argv[1:] + ["1", "240"][len(sys.argv) - 3:])[:4]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / "daemon.yaml").write_text(configuration(int(cpus), daemons.free_port()))
    past = pathlib.Path(os.environ["FAIRLEAD_BUILD"]) / "bench" / "past"
    subprocess.run([past, folder / "daemon.yaml", log, folder / "state", load], check=True)


if __name__ == "__main__":
    main()
