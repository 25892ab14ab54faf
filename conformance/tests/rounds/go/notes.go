// Notes as a first program in Go keeps them: each call in a goroutine of its own.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"strings"
)

type Frame struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
	Args struct {
		Text string `json:"text"`
	} `json:"args"`
}

var out = bufio.NewWriter(os.Stdout)

func emit(frame map[string]any) {
	line, _ := json.Marshal(frame)
	out.Write(line)
	out.WriteByte('\n')
	out.Flush()
}

func register(name, description string) {
	text := map[string]any{"type": "string"}
	schema := map[string]any{"type": "object", "properties": map[string]any{"text": text}}
	emit(map[string]any{"type": "register_tool", "name": name, "description": description, "schema": schema})
}

func call(frame Frame) {
	result := map[string]any{"type": "tool_result", "id": frame.ID}
	answer := ""
	switch frame.Name {
	case "shout":
		answer = strings.ToUpper(frame.Args.Text)
	case "echo":
		answer = frame.Args.Text
	default:
		answer = "there is no tool " + frame.Name
		result["is_error"] = true
	}
	result["content"] = []any{map[string]any{"type": "text", "text": answer}}
	emit(result)
}

func main() {
	emit(map[string]any{"type": "hello", "name": "notes-go", "version": "1.0.0", "capabilities": []string{"tools"}})
	register("shout", "Gives the text back in capitals.")
	register("echo", "Gives the text back.")
	emit(map[string]any{"type": "ready"})
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		var frame Frame
		if err := json.Unmarshal(scanner.Bytes(), &frame); err != nil {
			log.Fatal(err)
		}
		switch frame.Type {
		case "tool_call":
			go call(frame)
		case "shutdown":
			emit(map[string]any{"type": "shutdown_ack"})
			return
		}
	}
	if err := scanner.Err(); err != nil {
		log.Fatal(err)
	}
}
