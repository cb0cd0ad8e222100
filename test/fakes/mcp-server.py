"""A server of the Model Context Protocol over stdio, with the standard library alone."""

import json
import os
import sys

NOTES: list[str] = []
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def send(message: dict) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def call(name: str, given: dict) -> dict:
    if name == "add_note":
        NOTES.append(given["text"])
        with open("calls.log", "a") as log:
            log.write("add_note\n")
        return {"content": [{"type": "text", "text": f"{len(NOTES)} notes"}]}
    if name == "show_notes":
        return {"content": [], "structuredContent": {"notes": NOTES, "who": os.environ.get("WHO")}}
    if name == "plot":
        return {"content": [{"type": "image", "mimeType": "image/png", "data": PIXEL}]}
    if name == "die":
        os._exit(3)
    return {"content": [{"type": "text", "text": f"no tool {name}"}], "isError": True}


def main() -> None:
    print("some words that are no message")
    send({"method": "notifications/message", "params": {}})
    for line in sys.stdin:
        message = json.loads(line)
        method, params, number = message.get("method"), message.get("params", {}), message.get("id")
        if method == "initialize":
            send({"id": "mine", "method": "ping"})
            send(
                {
                    "id": number,
                    "result": {
                        "protocolVersion": params["protocolVersion"],
                        "capabilities": {"tools": {}},
                    },
                }
            )
        elif method == "tools/list":
            names = ["plot", "die"] if params.get("cursor") == "2" else ["add_note", "show_notes"]
            tools = [
                {"name": name, "description": f"does {name}", "inputSchema": SCHEMA}
                for name in names
            ]
            more = {} if params.get("cursor") == "2" else {"nextCursor": "2"}
            send({"id": number, "result": {"tools": tools, **more}})
        elif method == "tools/call" and params["name"] == "slow":
            pass
        elif method == "tools/call":
            send({"id": number, "result": call(params["name"], params["arguments"])})


main()
