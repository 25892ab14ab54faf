# A tool in awk that writes its answers as awk does, without a thought for the pipe.
BEGIN {
    print "{\"type\":\"hello\",\"name\":\"awk\",\"version\":\"1.0.0\",\"capabilities\":[\"tools\"]}"
    print "{\"type\":\"register_tool\",\"name\":\"words\",\"description\":\"Counts words.\",\"schema\":{\"type\":\"object\"}}"
    print "{\"type\":\"ready\"}"
    fflush()
}
/"type":"tool_call"/ {
    match($0, /"id":"[^"]*"/)
    id = substr($0, RSTART + 6, RLENGTH - 7)
    print "{\"type\":\"tool_result\",\"id\":\"" id "\",\"content\":[{\"type\":\"text\",\"text\":\"" NF "\"}]}"
}
/"type":"shutdown"/ { exit }
