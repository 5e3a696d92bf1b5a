"""A chat model of fixed latency in a process of its own: it costs the measured process nothing but the call.

It finds a fact where the first message begins with "I ": its first sentence, quoted.
"""

import asyncio
import json
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection


@contextmanager
def stub_model(latency: float, *, time_outs: int = 0, pause: float = 0.0) -> Iterator[str]:
    """The base URL of the server. Each ``time_outs``-th request (0: none) is answered after ``pause`` seconds more."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_serve, args=(there, latency, time_outs, pause), daemon=True
    )
    process.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        process.terminate()
        process.join()


def _serve(pipe: Connection, latency: float, time_outs: int, pause: float) -> None:
    count = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                arrived = asyncio.get_running_loop().time()
                length = next(
                    int(line.split(b":")[1])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length:")
                )
                body = _completion(await reader.readexactly(length))
                count += 1
                late = pause if time_outs and count % time_outs == 0 else 0.0
                await asyncio.sleep(arrived + latency + late - asyncio.get_running_loop().time())
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
                    + body
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=128)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def _completion(request: bytes) -> bytes:
    first = json.loads(json.loads(request)["messages"][-1]["content"])["messages"][0]
    quote = first["text"].split(". ")[0].rstrip(".")
    fact: dict[str, object] = {
        "message": first["number"], "quote": quote, "statement": f"{quote}.", "speaker": "user", "subject": None,
        "scope": "user", "attribute": None, "category": "profile", "memory_type": "semantic", "confidence": 0.9,
        "importance": 0.5, "sensitivity": "personal", "valid_from": None, "valid_until": None, "changes": None,
    }  # fmt: skip
    message = {"role": "assistant", "content": json.dumps({"facts": [fact] if quote.startswith("I ") else []})}
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100, "total_tokens": 1_100}
    return json.dumps(
        {
            "id": "1", "object": "chat.completion", "created": 1, "model": "stub", "usage": usage,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
    ).encode()  # fmt: skip
