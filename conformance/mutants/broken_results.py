"""Mistakes of the kit: results and text."""
import base64
import json
import os
import re
import unicodedata

import kit
from frames import Raw, encode
from kit import Kit
from mutation import around, drop, mutant, replace, results, tool, without, written


@mutant
def empty_is_nothing():
    tool("text", lambda call, text: text(call) or None)


@mutant
def none_is_text():
    tool("nothing", lambda *_: "None")


@mutant
def no_structured():
    drop("tool_result", "structured_content")


@mutant
def view_unasked():
    around(Kit, "shows_views")(lambda *_: True)


@mutant
def view_dropped():
    around(Kit, "shows_views")(lambda *_: False)


@mutant
def zero_dropped():
    results(lambda frame: {key: without(one, lambda _, two: two == 0) for key, one in frame.items()})


@mutant
def image_last():
    results(lambda frame: {**frame, "content": sorted(frame["content"], key=lambda one: one["type"] == "image")})


def base64_by(encoder):
    block = lambda data: {"type": "image", "mime_type": "image/png", "data": encoder(data).decode()}
    replace("image_block", block)


@mutant
def base64_url():
    base64_by(base64.urlsafe_b64encode)


@mutant
def base64_unpadded():
    base64_by(lambda data: base64.b64encode(data).rstrip(b"="))


@mutant
def image_lines():
    base64_by(base64.encodebytes)


@mutant
def line_limit():
    put = lambda reply, self, call, frame: reply(self, call, frame) if len(encode(frame)) < 2_000_000 else None
    around(Kit, "reply")(put)


@mutant
def no_limit():
    kit.FRAME_BYTES = 1 << 40


@mutant
def too_large_dies():
    put = lambda reply, self, call, frame: reply(self, call, frame) if len(encode(frame)) < 4_194_304 else os._exit(1)
    around(Kit, "reply")(put)


@mutant
def limit_fixed():
    def forget(ack, self, frame, raw):
        ack(self, {**frame, "limits": {}}, raw)
    around(Kit, "on_hello_ack")(forget)


@mutant
def long_args():
    around(Kit, "parse")(lambda parse, self, data, first: parse(self, data, first) if len(data) < 1_000_000 else None)


@mutant
def ascii_escapes():
    written(lambda text: "".join(one if ord(one) < 128 else json.dumps(one)[1:-1] for one in text))


@mutant
def normalises():
    tool("text", lambda call, text: unicodedata.normalize("NFC", text(call)))


@mutant
def escapes_kept():
    tool("text", lambda call, _: call.raw["args"][len('{"text":"'):-len('"}')])


@mutant
def splits_unicode():
    def lines(lines, self):
        for line in lines(self):
            yield from (part.encode() for part in line.decode("utf-8", "replace").splitlines())
    around(Kit, "lines")(lines)


@mutant
def escapes_more():
    written(lambda text: text.replace("\x7f", "\\u007f"))


@mutant
def escapes_upper():
    written(lambda text: re.sub(r"\\u00(..)", lambda found: "\\u00" + found.group(1).upper(), text))


@mutant
def pasted_text():
    def paste(frame):
        text = frame["content"][0].get("text", "") if frame.get("content") else ""
        return {**frame, "content": Raw('[{"type":"text","text":"' + text + '"}]')}
    results(paste)


@mutant
def half_out():
    replace("line", lambda frame: encode(frame).encode("utf-8", "surrogatepass") + b"\n")


@mutant
def chunk_decodes():
    read = os.read
    os.read = lambda pipe, size: read(pipe, size).decode("utf-8", "replace").encode()


@mutant
def c_strings():
    tool("text", lambda call, text: text(call).partition("\0")[0])
