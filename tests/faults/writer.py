"""One process of many that write at once, through the client: `python -m tests.faults.writer URL NUMBER VALUES`.

It says "ready", waits for a line, adds the fact that all add and writes its values under the key that all write, and prints what
it was answered: {"id", "writes": [[value, begun, ended]]}, in seconds of a clock that all processes of a machine share. The API key
is in MP_KEY.
"""

import json
import os
import sys
import time

from memoryplane_client import Client

FACT = "Said at once by everybody."
PLACE = ("support", "pr:456", "findings")
"""Agent, scope and key."""


def main() -> None:
    url, number, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with Client(url, os.environ["MP_KEY"], timeout=120) as client:
        client.check()
        print("ready", flush=True)
        sys.stdin.readline()
        fact_id = client.add_fact(FACT, scope="agent", scope_id="support").id
        writes = []
        for turn in range(many):
            value, begun = number * 1_000 + turn, time.monotonic()
            client.put_memory(*PLACE, value)
            writes.append([value, begun, time.monotonic()])
    print(json.dumps({"id": fact_id, "writes": writes}), flush=True)


if __name__ == "__main__":
    main()
