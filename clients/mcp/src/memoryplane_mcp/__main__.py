"""memoryplane-mcp: over stdio for the one who starts it, or over streamable HTTP for everybody who brings a key."""

import argparse
import os
import sys

from mcp.server.transport_security import TransportSecuritySettings

from memoryplane_mcp.plane import Plane
from memoryplane_mcp.server import Settings, build


def main() -> int:
    parser = argparse.ArgumentParser(prog="memoryplane-mcp", description=__doc__)
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp instead of stdio")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on with --http (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8900, help="port to listen on with --http (8900)")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        help="a Host header that is served beside this machine's, with its port",
    )
    options = parser.parse_args()
    url = os.environ.get("MEMORYPLANE_URL", "")
    if not url:
        print("memoryplane-mcp: MEMORYPLANE_URL says where the plane is.", file=sys.stderr)
        return 2
    plane = Plane(url)
    if not options.http:
        given = {name: os.environ.get(f"MEMORYPLANE_{env}", "") for name, env in NAMES.items()}
        if not given["key"]:
            print("memoryplane-mcp: MEMORYPLANE_API_KEY holds the key to ask with.", file=sys.stderr)
            return 2
        build(plane, Settings(**given)).run("stdio")
        return 0
    own = [f"{host}:{options.port}" for host in ("127.0.0.1", "localhost", "[::1]")]
    build(plane, Settings()).run(
        "streamable-http",
        host=options.host,
        port=options.port,
        # Nothing is kept between two calls, so that any number of these may run beside each other.
        stateless_http=True,
        json_response=True,
        # A page in somebody's browser must not reach a server on his machine by a name that it made up.
        transport_security=TransportSecuritySettings(
            allowed_hosts=[*own, *options.allow_host], allowed_origins=[f"http://{host}" for host in own]
        ),
    )
    return 0


NAMES = {"key": "API_KEY", "agent": "AGENT", "user": "USER"}

if __name__ == "__main__":
    sys.exit(main())
