#!/bin/sh
# One version of an extension in plain sh, which starts in a few milliseconds, for the tests of reloads. Its
# arguments are what it answers, and its folder. The tool `say` answers with the version, `wait` when the file
# `go` is there, and each `shutdown` is kept in the file `ends`; a third tool has the version's name. It guards every call of `danger`, which nobody has.
version=$1
cd "$2" || exit 2
emit() { printf '%s\n' "$1"; }
result() { emit '{"type":"tool_result","id":"'"$1"'","content":[{"type":"text","text":"'"$version"'"}]}'; }

emit '{"type":"hello","name":"versioned","version":"'"$version"'","capabilities":["tools"]}'
emit '{"type":"register_tool","name":"say","description":"Says '"$version"'.","schema":{"type":"object"}}'
emit '{"type":"register_tool","name":"wait","description":"Waits.","schema":{"type":"object"}}'
emit '{"type":"register_tool","name":"only_'"$version"'","description":"Is there.","schema":{"type":"object"}}'
emit '{"type":"subscribe","intercept":["tool_call"],"guards":["tool_call"]}'
emit '{"type":"ready"}'
while IFS= read -r line; do
    id=${line#*'"id":"'}
    id=${id%%'"'*}
    case $line in
        *'"type":"event_intercept"'*danger*) emit '{"type":"event_intercept_response","id":"'"$id"'","block":true,"reason":"no"}' ;;
        *'"type":"event_intercept"'*) emit '{"type":"event_intercept_response","id":"'"$id"'"}' ;;
        *'"name":"wait"'*)
            : >waits
            while ! [ -e go ]; do sleep 0.01; done
            result "$id" ;;
        *'"type":"tool_call"'*) result "$id" ;;
        *'"type":"shutdown"'*)
            printf '%s\n' "$line" >>ends
            exit ;;
    esac
done
