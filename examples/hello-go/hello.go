// An extension in Go, through cgo: a tool and a command. extline.go beside it is the bridge.
package main

import "os"

const schema = `{
	"type": "object", "required": ["who"], "additionalProperties": false,
	"properties": { "who": { "type": "string", "description": "Whom to greet" } }
}`

func main() {
	ext := New("hello-go", "1.0.0")
	ext.Tool("hello", "Greets somebody by name.", schema, func(call Call, _ string) {
		who, ok := call.String("/who")
		if !ok {
			return // it is answered
		}
		switch who {
		case "nobody":
			call.Error("not_found", "there is nobody")
		case "panic":
			panic("asked to")
		default:
			call.Text("Hello, " + who + "!")
		}
	})
	ext.Command("hello-go", "greets whom you name", func(call Call, args string) {
		call.Text("Hello, " + args + "!") // of a command: shown to the user
	})
	os.Exit(ext.Run())
}
