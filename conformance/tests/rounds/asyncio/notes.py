"""Notes as a first program with asyncio keeps them: each call in a task of its own."""
import asyncio
import json
import sys

NOTES = []


def emit(frame):
    print(json.dumps(frame), flush=True)


async def call(msg):
    args = msg["args"]
    if msg["name"] == "add_note":
        NOTES.append(args["text"])
        text = "kept"
    elif msg["name"] == "list_notes":
        text = "\n".join(NOTES)
    else:
        raise ValueError("there is no tool " + msg["name"])
    emit({"type": "tool_result", "id": msg["id"], "content": [{"type": "text", "text": text}]})


async def main():
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    emit({"type": "hello", "name": "notes-asyncio", "version": "1.0.0", "capabilities": ["tools"]})
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    emit({"type": "register_tool", "name": "add_note", "description": "Keeps a note.", "schema": text})
    emit({"type": "register_tool", "name": "list_notes", "description": "Gives all notes.", "schema": {"type": "object"}})
    emit({"type": "ready"})
    while True:
        line = await reader.readline()
        if not line.strip():
            continue
        msg = json.loads(line)
        if msg["type"] == "tool_call":
            asyncio.create_task(call(msg))
        elif msg["type"] == "shutdown":
            emit({"type": "shutdown_ack"})
            return


asyncio.run(main())
