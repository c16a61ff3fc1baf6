"""Opens suites in yaml-language-server and waits for what it says, as an editor does.

`python yaml_language_server.py SERVER SCHEMA PATH`: the process ends when every suite is checked.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import IO, Any


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any]:
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    message: dict[str, Any] = json.loads(stream.read(length))
    return message


def main(server: str, schema: str, path: str) -> int:
    suites = sorted(Path(path).glob("*.yaml")) if Path(path).is_dir() else [Path(path)]
    process = subprocess.Popen(
        ["node", server, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    to, out = process.stdin, process.stdout
    settings = {"validate": True, "schemas": {Path(schema).as_uri(): "*.yaml"}, "schemaStore": {"enable": False}}  # fmt: skip
    send(to, {"id": 0, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}})  # fmt: skip
    waiting = set()
    while True:
        message = receive(out)
        if message.get("id") == 0 and "result" in message:
            send(to, {"method": "initialized", "params": {}})
            send(to, {"method": "workspace/didChangeConfiguration", "params": {"settings": {"yaml": settings}}})  # fmt: skip
            for suite in suites:
                waiting.add(suite.as_uri())
                item = {"uri": suite.as_uri(), "languageId": "yaml", "version": 1, "text": suite.read_text("utf-8")}  # fmt: skip
                send(to, {"method": "textDocument/didOpen", "params": {"textDocument": item}})
        elif "id" in message and "method" in message:
            items = message.get("params", {}).get("items", [{}])
            answer = [settings if it.get("section") == "yaml" else None for it in items]
            send(to, {"id": message["id"], "result": answer})
        elif message.get("method") == "textDocument/publishDiagnostics":
            waiting.discard(message["params"]["uri"])
            if not waiting:
                break
    send(to, {"id": 1, "method": "shutdown"})
    while receive(out).get("id") != 1:
        pass
    send(to, {"method": "exit"})
    process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
