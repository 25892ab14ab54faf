#!/bin/sh
# The current time, as the command /clock and the tool clock_now.
#
# Plain POSIX sh without an SDK: frames are read with `read`, written with `printf`, and the only
# process ever started is `date`.
#
# This is not a JSON parser. It finds the members of a frame that are strings, in whatever order they
# stand, and steps over what lies in braces, brackets and texts. It does not decode escapes, and need
# not: text that came from the host goes back as the same raw text, so an id is echoed byte for byte.
# An extension that has to read nested args wants a real parser.

# Bytes, not characters: a frame in any encoding is cut in the right places, and `date` is English.
LC_ALL=C
export LC_ALL

main() {
    printf '%s\n' '{"type":"hello","name":"clock-shell","version":"1.0.0","capabilities":["commands","tools"]}'
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
        '{"type":"register_command","name":"clock","description":"show the current time","usage":"[utc]"}' \
        '{"type":"register_tool","name":"clock_now","description":"The current date and time.","schema":{"type":"object","properties":{"utc":{"type":"boolean","description":"UTC instead of local time"}}}}' \
        '{"type":"ready"}'
}

# command_invoked -> exactly one command_response, an error for what we do not know.
answer_command() {
    string_member id || { complain 'command_invoked without an id'; return; }
    id=$value
    string_member name || value=
    name=$value
    string_member args || value= # a host leaves it out when the user typed nothing
    case $name:$value in
    clock:) command_response display "$(local_time)" ;;
    clock:utc) command_response display "$(utc_time)" ;;
    clock:*) command_response error "/clock takes nothing or utc, not: $value" ;;
    *) command_response error "unknown command $name" ;;
    esac
}

# tool_call -> exactly one tool_result, is_error for what we do not know.
answer_tool_call() {
    string_member id || { complain 'tool_call without an id'; return; }
    id=$value
    string_member name || value=
    if [ "$value" != clock_now ]; then
        tool_error "unknown tool $value"
        return
    fi
    case $frame in
    *'"utc":true'* | *'"utc": true'*) tool_text "$(utc_time)" ;;
    *'"utc":false'* | *'"utc": false'*) tool_text "$(local_time)" ;;
    *'"utc":'*) tool_error '/utc must be true or false' ;;
    *) tool_text "$(local_time)" ;;
    esac
}

# A child inherits our stdin, and what it reads there is lost to us: `date` gets an empty one.
local_time() { date '+%Y-%m-%d %H:%M:%S %Z' </dev/null; }
utc_time() { date -u '+%Y-%m-%d %H:%M:%S UTC' </dev/null; }

# The frames. What is put in is raw JSON string text: it came from the host, or needs no escapes.
command_response() {
    case $1 in
    error) printf '{"type":"command_response","id":"%s","action":"noop","error":"%s"}\n' "$id" "$2" ;;
    *) printf '{"type":"command_response","id":"%s","action":"%s","%s":"%s"}\n' "$id" "$1" "$1" "$2" ;;
    esac
}
tool_text() { printf '{"type":"tool_result","id":"%s","content":[{"type":"text","text":"%s"}]}\n' "$id" "$1"; }
tool_error() { printf '{"type":"tool_result","id":"%s","content":[{"type":"text","text":"%s"}],"is_error":true}\n' "$id" "$1"; }

# stderr goes to the extension's log; stdout belongs to the protocol.
complain() { printf 'clock-shell: %s: %.200s\n' "$1" "$frame" >&2; }

# string_member NAME: sets `value` to the raw text of the frame's own member of that name; fails if it
# is missing, empty or not a string. A name inside of args, or of a text, is none of the frame's.
string_member() {
    case $frame in *"\"$1\""*) ;; *) return 1 ;; esac
    rest=$frame
    depth=0
    while :; do
        # shellcheck disable=SC2295 # it is a pattern
        plain=${rest%%$structure}
        rest=${rest#"$plain"}
        case $rest in
        '{'* | '['*) depth=$((depth + 1)) rest=${rest#?} ;;
        '}'* | ']'*) depth=$((depth - 1)) rest=${rest#?} ;;
        '"'*)
            next_string || return 1
            skip_blanks
            case $depth:$value:$rest in "1:$1::"*) break ;; esac
            ;;
        *) return 1 ;;
        esac
    done
    rest=${rest#:}
    skip_blanks
    next_string && [ -n "$value" ]
}
structure='[]["{}]*' # what matters between two texts

skip_blanks() {
    while :; do case $rest in [[:blank:]]*) rest=${rest#?} ;; *) return ;; esac; done
}

# next_string: `rest` begins with a string; sets `value` to its raw text and `rest` to what follows. A
# quote inside a string is written \", which does not end it.
next_string() {
    value=
    case $rest in '"'*) rest=${rest#?} ;; *) return 1 ;; esac
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
        '"'*) rest=${rest#?} && return ;;
        *) return 1 ;; # the line ends inside the string
        esac
    done
}

main
