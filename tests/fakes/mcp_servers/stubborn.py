"""Ignores the end of its input and SIGTERM, and has children that do, too: one
in a session of its own. Writes their pids into the file that its argument
names."""
import os
import signal
import subprocess
import sys
import time

from base import Server

signal.signal(signal.SIGTERM, signal.SIG_IGN)
CHILD = "trap '' TERM HUP; while :; do sleep 1; done"
near = subprocess.Popen(["/bin/sh", "-c", CHILD], stdin=subprocess.DEVNULL)
far = subprocess.Popen(["/bin/sh", "-c", CHILD], stdin=subprocess.DEVNULL,
                       start_new_session=True)
with open(sys.argv[1] + ".new", "w") as out:
    out.write("%d %d %d" % (os.getpid(), near.pid, far.pid))
os.rename(sys.argv[1] + ".new", sys.argv[1])
Server().serve()
while True:
    time.sleep(1)
