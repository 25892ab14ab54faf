"""The same on asyncio's StreamReader, with its limits as they are."""
import asyncio
import json
import sys


def emit(frame):
    sys.stdout.write(json.dumps(frame, ensure_ascii=False) + "\n")
    sys.stdout.flush()


async def main():
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    emit({"type": "hello", "name": "python-asyncio", "version": "1.0.0", "capabilities": ["tools"]})
    emit({
        "type": "register_tool",
        "name": "echo",
        "description": "Gives the text back.",
        "schema": {"type": "object", "properties": {"text": {"type": "string"}}},
    })
    emit({"type": "ready"})
    while line := await reader.readline():
        line = line.strip()
        if not line:
            continue
        try:
            msg = json.loads(line)
        except json.JSONDecodeError as error:
            print(f"skipped a line: {error}", file=sys.stderr)
            continue
        if msg["type"] == "tool_call":
            known = msg["name"] == "echo"
            text = msg["args"].get("text", "") if known else "unknown tool " + msg["name"]
            emit({"type": "tool_result", "id": msg["id"], "is_error": not known,
                  "content": [{"type": "text", "text": text}]})
        elif msg["type"] == "shutdown":
            emit({"type": "shutdown_ack"})
            break


asyncio.run(main())
