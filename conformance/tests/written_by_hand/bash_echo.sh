#!/usr/bin/env bash
# A tool in bash that picks JSON apart with patterns and pastes the reply together.
echo '{"type":"hello","name":"bash-echo","version":"1.0.0","capabilities":["tools"]}'
echo '{"type":"register_tool","name":"echo","description":"Gives the text back.","schema":{"type":"object"}}'
echo '{"type":"ready"}'
while read line; do
    case $line in
    *'"type":"tool_call"'*)
        id=${line#*'"id":"'}
        id=${id%%'"'*}
        name=${line#*'"name":"'}
        name=${name%%'"'*}
        if [ "$name" = echo ]; then
            echo "{\"type\":\"tool_result\",\"id\":\"$id\",\"content\":[{\"type\":\"text\",\"text\":\"hello\"}]}"
        else
            echo "{\"type\":\"tool_result\",\"id\":\"$id\",\"content\":[{\"type\":\"text\",\"text\":\"unknown tool\"}],\"is_error\":true}"
        fi
        ;;
    *'"type":"shutdown"'*)
        echo '{"type":"shutdown_ack"}'
        exit 0
        ;;
    esac
done
