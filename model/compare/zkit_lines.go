// Reads texts, one JSON string a line, and writes what zkit's repair makes of each: JSON, or a blank line.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"compare/repair"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		fmt.Println(repaired(text))
	}
}

func repaired(text string) string {
	mended := []byte(text)
	if !json.Valid(mended) {
		var ok bool
		if mended, ok = repair.Repair(mended); !ok {
			return ""
		}
	}
	var line bytes.Buffer
	if err := json.Compact(&line, mended); err != nil {
		return ""
	}
	return line.String()
}
