// The example repo-assistant-typescript in a real git repository: under the host, over MCP, and what becomes of its key.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { install, ROOT, run, scratch, type Done } from "./repository.mjs";

const EXAMPLE = join(ROOT, "examples/repo-assistant-typescript");
const KEY = "swordfish-7-of-the-sea";
const GIT = ["--allow", "exec.run(git%20*)"];
install(join(ROOT, "examples"), "tsx", "zod", "@types/node");

/** A repository on a branch, with a change, and the home of a person who works there. */
class Scene {
  readonly repository = scratch();
  readonly home = scratch();
  readonly said: string[] = [];

  constructor() {
    this.git("init", "-q", "-b", "main");
    this.git("config", "user.name", "Ada");
    this.git("config", "user.email", "ada@example.com");
    writeFileSync(join(this.repository, "notes.txt"), "one\n");
    this.git("add", ".");
    this.git("commit", "-q", "-m", "Begin");
    this.git("checkout", "-q", "-b", "second");
    writeFileSync(join(this.repository, "notes.txt"), "one\ntwo\n");
    writeFileSync(join(this.repository, "a new file.txt"), "new\n");
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.repository, encoding: "utf8" });
  }

  async run(args: string[], typed = ""): Promise<Done> {
    const done = await run("extline", args, { home: this.home, folder: this.repository, typed });
    this.said.push(done.stdout, done.stderr);
    return done;
  }

  call(tool: string, args: object, ...options: string[]): Promise<Done> {
    return this.run(["call", "--session", "monday", ...GIT, ...options, EXAMPLE, tool, JSON.stringify(args)]);
  }

  async setUp(url: string): Promise<void> {
    assert.equal((await this.run(["config", EXAMPLE, "forge_url", url])).code, 0);
    assert.equal((await this.run(["secret", "set", "repo-assistant", "forge_token"], `${KEY}\n`)).code, 0);
  }

  assertKeyIsNowhere(): void {
    assert.ok(!this.said.some((text) => text.includes(KEY)));
    for (const name of readdirSync(this.home, { recursive: true, encoding: "utf8" })) {
      const path = join(this.home, name);
      assert.ok(!statSync(path).isFile() || !readFileSync(path).includes(KEY), path);
    }
  }
}

test("it commits and opens a request once it is set up, and the key is nowhere", async (context) => {
  const scene = new Scene();
  const opened: unknown[] = [];
  const forge = createServer((asked, answer) => {
    let body = "";
    asked.on("data", (part: Buffer) => (body += part.toString()));
    asked.on("end", () => {
      const request = JSON.parse(body) as { head: string };
      opened.push(request);
      const hasKey = asked.headers.authorization === `Bearer ${KEY}`;
      answer.writeHead(hasKey ? 201 : 401).end(JSON.stringify({ url: `https://forge.example/${request.head}` }));
    });
  });
  await new Promise<void>((resolve) => forge.listen(0, "127.0.0.1", resolve));
  context.after(() => forge.close());

  for (const done of [await scene.run(["inspect", EXAMPLE]), await scene.call("repo_status", {})]) {
    assert.notEqual(done.code, 0);
    assert.match(done.stdout + done.stderr, /extline secret set repo-assistant forge_token/);
  }
  await scene.setUp(`http://127.0.0.1:${(forge.address() as AddressInfo).port}`);

  const status = JSON.parse((await scene.call("repo_status", {})).stdout) as { branch: string; changes: unknown };
  assert.equal(status.branch, "second");
  assert.deepEqual(status.changes, [
    { path: "notes.txt", state: "M" },
    { path: "a new file.txt", state: "??" },
  ]);
  await scene.call("repo_note", { text: "count on" });
  assert.equal((await scene.call("repo_note", { text: "keep a file" })).stdout, "- count on\n- keep a file\n");
  const kept = await scene.call("repo_commit", { subject: "Count" }, "--answer", "confirm=no");
  assert.equal(kept.stdout, "not committed: the person does not want it\n");
  const made = await scene.call("repo_commit", { subject: "Count" }, "--answer", "confirm=yes");
  assert.match(made.stdout, / Count\n$/);
  assert.equal(scene.git("log", "-1", "--format=%B").trim(), "Count\n\n- count on\n- keep a file");

  const request = await scene.call("repo_request", { title: "Second" }, "--answer", "confirm=yes");
  assert.equal(request.stdout, "https://forge.example/second\n");
  assert.deepEqual(opened, [{ title: "Second", head: "second", base: "main" }]);
  scene.assertKeyIsNowhere();
});

test("edits are shown, and written once somebody says so", async () => {
  const scene = new Scene();
  await scene.setUp("http://127.0.0.1:9");
  const lines = ['!repo_replace {"old": "two", "new": "2"}', ":pending", ":resolve apply as shown", ":quit"];
  const done = await scene.run(["run", ...GIT, "--view", "always", EXAMPLE], `${lines.join("\n")}\n`);
  assert.match(done.stdout, /-two/);
  assert.match(done.stdout, /1 file: two becomes 2/);
  assert.match(done.stdout, /wrote 1 file/);
  assert.equal(readFileSync(join(scene.repository, "notes.txt"), "utf8"), "one\n2\n");
});

test("over MCP", async () => {
  const scene = new Scene();
  await scene.setUp("http://127.0.0.1:9");
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const call = (name: string, args: object) => ({ method: "tools/call", params: { name, arguments: args } });
  const asked = [
    { id: 0, method: "initialize", params: hello },
    { method: "notifications/initialized" },
    { id: 1, ...call("repo_note", { text: "by MCP" }) },
    { id: 2, ...call("repo_commit", { subject: "Count" }) },
  ];
  const typed = asked.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
  const served = await scene.run(["mcp", ...GIT, "--answer", "confirm=yes", EXAMPLE], typed);
  assert.match(served.stdout, /- by MCP/);
  assert.match(served.stdout, /[0-9a-f]+ Count"/);
  assert.match(scene.git("log", "-1", "--format=%s"), /^Count/);
});
