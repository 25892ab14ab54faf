#!/bin/sh
# A tool as one jq program over the stream of frames.
printf '%s\n' '{"type":"hello","name":"jq-stream","version":"1.0.0","capabilities":["tools"]}' \
    '{"type":"register_tool","name":"echo","description":"Gives the text back.","schema":{"type":"object"}}' \
    '{"type":"ready"}'
exec jq -c --unbuffered '
    if .type == "tool_call" then
        (.name == "echo") as $known
        | {type: "tool_result", id, content: [{type: "text",
            text: (if $known then (.args.text // "") else "unknown tool" end)}],
           is_error: ($known | not)}
    elif .type == "shutdown" then {type: "shutdown_ack"}
    else empty end'
