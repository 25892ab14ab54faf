"""A model that says what a script says, in place of a real one: it speaks the streams of Anthropic's
Messages, OpenAI's Responses and Gemini's generateContent, and keeps what it is asked.

A script is a list of steps, played one for each turn of the conversation: {"call": NAME, "args": {...}},
with "namespace" where OpenAI has one, or {"say": TEXT}. "before" is called before the step is said.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    """Serves on a port of the loopback until it is closed."""

    def __init__(self, steps):
        self.steps = steps
        self.asked = []
        self.bodies = []
        self.lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                model.answer(self)

            def do_GET(self):
                send(self, 200, "application/json", json.dumps({"data": [], "models": []}))

            def log_message(self, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        path = request.path.split("?")[0]
        try:
            asked = json.loads(body)
        except ValueError:
            asked = {}
        with self.lock:
            self.bodies.append(body.decode(errors="replace"))
        for api in APIS:
            if api.serves(path):
                results, is_main = api.results(asked), api.is_main(asked)
                if is_main:
                    with self.lock:
                        self.asked.append(results)
                # What was called so far says which step is next; side questions get a word.
                step = {"say": "ok"}
                if is_main and len(results) < len(self.steps):
                    step = self.steps[len(results)]
                    step.get("before", lambda: None)()
                return api.send(request, path, step, len(results))
        send(request, 200, "application/json", "{}")

    def results(self):
        """What the agent gave back for the calls, as text, in their order."""
        with self.lock:
            return max(self.asked, key=len, default=[])

    def was_told(self, text):
        """Whether a text stood in anything that it was asked."""
        with self.lock:
            return any(text in body for body in self.bodies)


def send(request, status, kind, text):
    data = text.encode()
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)


def stream(request, events, named=True):
    lines = []
    for event in events:
        if named:
            lines.append(f"event: {event['type']}\n")
        lines.append(f"data: {json.dumps(event)}\n\n")
    send(request, 200, "text/event-stream", "".join(lines))


def text_of(content):
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part.get("text", "")) if isinstance(part, dict) else str(part) for part in content)
    return json.dumps(content)


class Anthropic:
    @staticmethod
    def serves(path):
        return path.endswith("/v1/messages")

    @staticmethod
    def is_main(asked):
        return bool(asked.get("tools"))

    @staticmethod
    def results(asked):
        parts = [
            part
            for message in asked.get("messages", [])
            if isinstance(message["content"], list)
            for part in message["content"]
        ]
        return [text_of(part.get("content", "")) for part in parts if part["type"] == "tool_result"]

    @staticmethod
    def send(request, path, step, number):
        if "call" in step:
            block = {"type": "tool_use", "id": f"toolu_{number}", "name": step["call"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step["args"])}
            stop = "tool_use"
        else:
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": step["say"]}
            stop = "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        stream(
            request,
            [
                {"type": "message_start", "message": message},
                {"type": "content_block_start", "index": 0, "content_block": block},
                {"type": "content_block_delta", "index": 0, "delta": delta},
                {"type": "content_block_stop", "index": 0},
                {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage},
                {"type": "message_stop"},
            ],
        )


class OpenAI:
    @staticmethod
    def serves(path):
        return path.endswith("/responses")

    @staticmethod
    def is_main(asked):
        return True

    @staticmethod
    def results(asked):
        outputs = [it for it in asked.get("input", []) if it.get("type", "").endswith("call_output")]
        return [text_of(it.get("output", "")) for it in outputs]

    @staticmethod
    def send(request, path, step, number):
        if "call" in step:
            item = {
                "type": "function_call",
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "name": step["call"],
                "arguments": json.dumps(step["args"]),
            }
            if "namespace" in step:
                item["namespace"] = step["namespace"]
        else:
            content = [{"type": "output_text", "text": step["say"], "annotations": []}]
            item = {"type": "message", "id": f"m_{number}", "role": "assistant", "content": content}
        usage = {
            "input_tokens": 1,
            "input_tokens_details": None,
            "output_tokens": 1,
            "output_tokens_details": None,
            "total_tokens": 2,
        }
        stream(
            request,
            [
                {"type": "response.created", "response": {"id": f"resp_{number}"}},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": {"id": f"resp_{number}", "usage": usage}},
            ],
        )


class Gemini:
    @staticmethod
    def serves(path):
        return path.endswith((":streamGenerateContent", ":generateContent"))

    @staticmethod
    def is_main(asked):
        return bool(asked.get("tools"))

    @staticmethod
    def results(asked):
        parts = [part for message in asked.get("contents", []) for part in message.get("parts", [])]
        responses = [part["functionResponse"] for part in parts if "functionResponse" in part]
        return [json.dumps(it.get("response")) for it in responses]

    @staticmethod
    def send(request, path, step, number):
        if "call" in step:
            part = {"functionCall": {"name": step["call"], "args": step["args"]}}
        else:
            part = {"text": step["say"]}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        said = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
        if path.endswith(":streamGenerateContent"):
            stream(request, [said], named=False)
        else:
            send(request, 200, "application/json", json.dumps(said))


APIS = (Anthropic, OpenAI, Gemini)
