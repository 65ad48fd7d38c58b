"""Is busy for SECONDS before it reads anything, and says so on standard error
when there is a second argument."""
import sys
import time

from base import Server

end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    if len(sys.argv) > 2:
        print("still installing", file=sys.stderr, flush=True)
    time.sleep(0.05)
Server().serve()
