# SPDX-License-Identifier: Apache-2.0
"""What a caller is told of itself."""
import os
import pwd
import subprocess


def test_over_the_socket(daemon):
    who = daemon.get("/v1/whoami").json()
    assert who == {"user": pwd.getpwuid(os.geteuid()).pw_name, "uid": os.geteuid(), "token": None, "role": "admin"}
    done = subprocess.run([os.environ["FAIRLEAD"], "login"], capture_output=True, text=True, check=True,
                          env={**os.environ, "FAIRLEAD_SOCKET": str(daemon.socket)})
    assert done.stdout == f"server  {daemon.socket}\nuser    {who['user']}\nrole    admin\n"
