// A tool in Go, lines by bufio.Scanner, members by type assertion.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
)

func emit(frame map[string]any) {
	line, _ := json.Marshal(frame)
	fmt.Println(string(line))
}

func main() {
	emit(map[string]any{"type": "hello", "name": "go-scanner", "version": "1.0.0", "capabilities": []string{"tools"}})
	emit(map[string]any{"type": "register_tool", "name": "echo", "description": "Gives the text back.", "schema": map[string]any{"type": "object"}})
	emit(map[string]any{"type": "ready"})
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		var msg map[string]any
		if json.Unmarshal(scanner.Bytes(), &msg) != nil {
			continue
		}
		switch msg["type"].(string) {
		case "tool_call":
			content := []any{map[string]any{"type": "text", "text": fmt.Sprint("there is no tool ", msg["name"])}}
			emit(map[string]any{"type": "tool_result", "id": msg["id"], "content": content, "is_error": true})
		case "shutdown":
			emit(map[string]any{"type": "shutdown_ack"})
			return
		}
	}
	if err := scanner.Err(); err != nil {
		log.Fatal(err)
	}
}
