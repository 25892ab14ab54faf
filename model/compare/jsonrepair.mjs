// Reads texts, one JSON string a line, and writes what jsonrepair makes of each: JSON, or a blank line.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { jsonrepair } = createRequire(`${process.argv[2]}/`)("jsonrepair");
for await (const line of createInterface({ input: process.stdin })) {
  let became = "";
  try {
    became = JSON.stringify(JSON.parse(jsonrepair(JSON.parse(line))));
  } catch {
    // Refused.
  }
  process.stdout.write(`${became}\n`);
}
