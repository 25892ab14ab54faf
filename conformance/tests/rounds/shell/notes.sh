#!/usr/bin/env bash
# Notes as a first script in bash keeps them: jq takes each line apart.
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT

reply() {
    jq -cn --arg id "$1" --arg text "$2" '{type: "tool_result", id: $id, content: [{type: "text", text: $text}]}'
}

echo '{"type":"hello","name":"notes-bash","version":"1.0.0","capabilities":["tools"]}'
echo '{"type":"register_tool","name":"add_note","description":"Keeps a note.","schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}'
echo '{"type":"register_tool","name":"list_notes","description":"Gives all notes.","schema":{"type":"object"}}'
echo '{"type":"ready"}'
while read line; do
    type=$(echo "$line" | jq -r .type)
    id=$(echo "$line" | jq -r .id)
    if [ "$type" = tool_call ]; then
        name=$(echo "$line" | jq -r .name)
        if [ "$name" = add_note ]; then
            echo "$line" | jq -r .args.text >>"$notes"
            reply "$id" kept
        else
            reply "$id" "$(cat "$notes")"
        fi
    elif [ "$type" = shutdown ]; then
        echo '{"type":"shutdown_ack"}'
        exit 0
    fi
done
