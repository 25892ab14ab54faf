# Notes as a first script in Ruby keeps them.
require "json"

NOTES = []
TEXT = {type: "object", properties: {text: {type: "string"}}, required: ["text"]}

def emit(frame)
  puts JSON.generate(frame)
end

def register(name, description, schema)
  emit({type: "register_tool", name: name, description: description, schema: schema})
end

emit({type: "hello", name: "notes-ruby", version: "1.0.0", capabilities: ["tools"]})
register("add_note", "Keeps a note.", TEXT)
register("list_notes", "Gives all notes.", {type: "object"})
register("count_words", "Counts the words of a text.", TEXT)
emit({type: "ready"})

$stdin.each_line do |line|
  msg = JSON.parse(line)
  if msg["type"] == "tool_call"
    args = msg["args"]
    case msg["name"]
    when "add_note"
      NOTES << args["text"]
      emit({type: "tool_result", id: msg["id"], content: [{type: "text", text: "kept"}]})
    when "list_notes"
      emit({type: "tool_result", id: msg["id"], content: NOTES.join("\n")})
    when "count_words"
      abort "no text" if args["text"].empty?
      count = args["text"].split.length
      emit({type: "tool_result", id: msg["id"], content: [{type: "text", text: count.to_s}]})
      exit
    end
  elsif msg["type"] == "shutdown"
    emit({type: "shutdown_ack"})
    break
  end
end
