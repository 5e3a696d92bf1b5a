"""A web process: `python -m memoryplane.web --port 8000`, or `--listener N` with a socket that its parent opened."""

import argparse
import signal
import socket
import sys

from memoryplane.httpd import Server, listen


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="memoryplane.web", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")
    parser.add_argument("--listener", type=int, help="number of an open file: a listening socket, instead of the two")
    options = parser.parse_args(argv)
    # The application first: one that refuses to run must say so before anybody can connect.
    from memoryplane.wsgi import application

    try:
        handed_down = options.listener is not None
        listener = socket.socket(fileno=options.listener) if handed_down else listen(options.host, options.port)
    except OSError as error:
        print(f"memoryplane: {options.host}:{options.port} can't be listened on: {error.strerror}", file=sys.stderr)
        return 1
    server = Server(application, listener, refused)
    for sig in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sig, lambda number, frame: server.stop())
    server.run()
    return 0


def refused(status: int) -> tuple[str, list[tuple[str, str]], bytes]:
    """What to answer when the HTTP server refuses a request before the application sees it: status line, headers,
    body."""
    from apps.api.errors import unread
    from apps.api.middleware import HEADERS

    answer = unread(status)
    return f"{answer.status_code} {answer.reason_phrase}", [*answer.items(), *HEADERS.items()], answer.content


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
