#!/bin/sh
# An extension for coding agents: the tool greet and the command /{{name}}.
#
# It reads a frame, one JSON object a line, and writes its own frames with printf. This is no JSON
# parser: it relies on how hosts write their frames, on one line and with `type`, `id` and `name`
# before `args`. Text that came from the host goes back as the same raw text, so escapes need not
# be decoded.

# Bytes, not characters: a frame in any encoding is cut in the right places.
LC_ALL=C
export LC_ALL

main() {
    printf '%s\n' '{"type":"hello","name":"{{name}}","version":"0.1.0","capabilities":["commands","tools"]}'
    registered=no

    # The loop ends at end of file too: then the host is gone.
    while IFS= read -r frame; do
        string_member type || continue
        case $value in
        hello_ack) register ;;
        command_invoked) answer_command ;;
        tool_call) answer_tool_call ;;
        shutdown)
            printf '%s\n' '{"type":"shutdown_ack"}'
            exit 0
            ;;
        esac # Frames of other types are for other extensions, or for later ones.
    done
}

# Everything this extension offers, then `ready`, in one write.
register() {
    [ "$registered" = no ] || return 0 # a second hello_ack changes nothing
    registered=yes
    printf '%s\n' \
        '{"type":"register_command","name":"{{name}}","description":"asks the model for a greeting","usage":"WHO"}' \
        '{"type":"register_tool","name":"greet","description":"Greets somebody by name.","schema":{"type":"object","required":["who"],"properties":{"who":{"type":"string","minLength":1,"description":"Whom to greet"}},"additionalProperties":false}}' \
        '{"type":"ready"}'
}

# command_invoked -> exactly one command_response, an error for what we do not know.
answer_command() {
    string_member id || { complain 'command_invoked without an id'; return; }
    id=$value
    string_member name || value=
    name=$value
    string_member args || value= # a host leaves it out when the user typed nothing
    case $name in
    {{name}}) printf '{"type":"command_response","id":"%s","action":"prompt","prompt":"Greet %s in one line."}\n' "$id" "$value" ;;
    *) printf '{"type":"command_response","id":"%s","action":"noop","error":"unknown command %s"}\n' "$id" "$name" ;;
    esac
}

# tool_call -> exactly one tool_result, is_error for what we do not know. A host has checked the
# arguments against the schema, but not every host does.
answer_tool_call() {
    string_member id || { complain 'tool_call without an id'; return; }
    id=$value
    string_member name || value=
    if [ "$value" != greet ]; then
        tool_result "unknown tool $value" ',"is_error":true'
    elif string_member who; then
        tool_result "Hello, $value!" ''
    else
        tool_result '/who must be a string, and not empty' ',"is_error":true'
    fi
}

# What is put in is raw JSON string text: it came from the host, or needs no escapes.
tool_result() { printf '{"type":"tool_result","id":"%s","content":[{"type":"text","text":"%s"}]%s}\n' "$id" "$1" "$2"; }

# stderr goes to the extension's log; stdout belongs to the protocol.
complain() { printf '{{name}}: %s: %.200s\n' "$1" "$frame" >&2; }

# string_member NAME: sets `value` to the raw text between the quotes of the frame's first member of
# that name; fails if it is missing, empty or not a string. A quote inside a string is written \",
# so text that merely looks like a member cannot match, and \" does not end the string.
string_member() {
    value=
    case $frame in
    *"\"$1\":"*) rest=${frame#*"\"$1\":"} ;;
    *) return 1 ;;
    esac
    rest=${rest# } # some hosts write a blank after the colon
    case $rest in
    '"'*) rest=${rest#'"'} ;;
    *) return 1 ;;
    esac
    while :; do
        plain=${rest%%[\"\\]*}
        value=$value$plain
        rest=${rest#"$plain"}
        case $rest in
        \\?*)
            after=${rest#??}
            value=$value${rest%"$after"}
            rest=$after
            ;;
        '"'*) break ;;
        *) return 1 ;; # the line ends inside the string
        esac
    done
    [ -n "$value" ]
}

main
