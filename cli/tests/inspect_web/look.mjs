// Uses the page in a browser by keys alone, and looks at what a person and a screen reader get. Writes
// {"steps", "problems"}.
//
//     node look.mjs BROWSER PROFILE URL WIDTH HEIGHT

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const [browser, profile, url, width, height] = process.argv.slice(2);
const PATIENCE = 60_000;
const problems = [];
let steps = 0;

// In a container it has no sandbox, and it reads nothing but the page of this test.
const words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
  "--disable-background-networking", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"];
const running = spawn(browser, words, { stdio: ["ignore", "ignore", "inherit", "pipe", "pipe"] });
const [, , , toBrowser, fromBrowser] = running.stdio;
const waiting = new Map();
let last = 0;
let rest = "";
fromBrowser.setEncoding("utf8").on("data", (text) => {
  const messages = (rest + text).split("\0");
  rest = messages.pop();
  for (const message of messages.map((one) => JSON.parse(one))) {
    const { method, params } = message;
    if (message.id) waiting.get(message.id)(message);
    else if (method === "Runtime.exceptionThrown") problems.push(`exception: ${params.exceptionDetails.exception?.description}`);
    // Among them what the Content-Security-Policy has stopped.
    else if (method === "Log.entryAdded" && params.entry.level === "error") problems.push(`log: ${params.entry.text}`);
  }
});

let sessionId;
function send(method, params = {}) {
  const id = ++last;
  toBrowser.write(JSON.stringify({ id, method, params, sessionId }) + "\0");
  return new Promise((resolve, reject) => waiting.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result))));
}

async function value(expression) {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
  if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`);
  return result.value;
}

async function until(what, expression) {
  const began = Date.now();
  // A page that is being loaded answers nothing.
  while (!(await value(expression).catch(() => false))) {
    if (Date.now() - began > PATIENCE) throw new Error(`${what} did not come: ${await value("document.body.innerText")}`);
    await new Promise((later) => setTimeout(later, 20));
  }
  steps++;
}

const SHIFT = 8;
const NAMED = { Tab: 9, Enter: 13, Escape: 27, End: 35, ArrowDown: 40, ArrowUp: 38, " ": 32 };
async function press(key, modifiers = 0) {
  const common = { key, code: key === " " ? "Space" : key, modifiers, windowsVirtualKeyCode: NAMED[key] };
  const text = { Enter: "\r", " ": " " }[key];
  await send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...common });
  await send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
}

async function type(text) {
  for (const one of text) {
    await send("Input.dispatchKeyEvent", { type: "keyDown", key: one, text: one });
    await send("Input.dispatchKeyEvent", { type: "keyUp", key: one });
  }
}

// Goes on by Tab until what has the focus is meant.
async function tabTo(what, test, modifiers = 0) {
  for (let presses = 0; presses < 200; presses++) {
    if (await value(`(() => { const it = document.activeElement; return !!it && it !== document.body && (${test}); })()`)) {
      const isSeen = await value("(() => { const { width, height } = document.activeElement.getBoundingClientRect(); return width > 0 && height > 0; })()");
      if (!isSeen) problems.push(`${what} has the focus and is not to be seen`);
      steps++;
      return;
    }
    await press("Tab", modifiers);
  }
  throw new Error(`${what} cannot be reached by Tab`);
}

const tool = (name) => `it.matches("summary") && it.querySelector("b")?.textContent === ${JSON.stringify(name)}`;
const form = (name) => `document.querySelector('form[aria-label="${name}"]')`;
const outcome = (name) => `${form(name)}.querySelector(".result").innerText`;
const button = (name) => `it.matches("button") && it.textContent === ${JSON.stringify(name)}`;

async function open(name, key = name) {
  await tabTo(`the tool ${name}`, tool(key));
  await press("Enter");
}

async function layout(where) {
  const wide = await value("document.documentElement.scrollWidth - innerWidth");
  if (wide > 0) problems.push(`${where}: wider than the window by ${wide}`);
  const outside = await value(`[...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest("pre, .lines, .wide")).map((one) => one.outerHTML.slice(0, 80))`);
  problems.push(...outside.map((one) => `${where}: outside of the window: ${one}`));
  const small = await value(`[...document.querySelectorAll("main button")].map((one) => one.getBoundingClientRect()).filter((one) => one.width > 0 && Math.min(one.width, one.height) < 40).length`);
  if (small) problems.push(`${where}: ${small} buttons are too small for a finger`);
}

async function accessible(where) {
  const { nodes } = await send("Accessibility.getFullAXTree");
  const shown = nodes.filter((node) => !node.ignored);
  const roles = new Set(shown.map((node) => node.role?.value));
  for (const role of ["banner", "navigation", "main", "region", "log", "status"]) {
    if (!roles.has(role)) problems.push(`${where}: a screen reader finds no ${role}`);
  }
  const controls = new Set(["textbox", "button", "combobox", "checkbox", "spinbutton", "searchbox", "radio", "link", "DisclosureTriangle", "form", "application"]);
  for (const node of shown) {
    if (controls.has(node.role?.value) && !node.name?.value) problems.push(`${where}: a ${node.role.value} has no name`);
  }
}

// For a person who wants to see it: EXTLINE_PICTURE is how the names of the files begin.
async function picture(name) {
  const { data } = await send("Page.captureScreenshot", { captureBeyondViewport: true });
  writeFileSync(`${name}-${width}.png`, Buffer.from(data, "base64"));
}

async function use() {
  await until("the tools", `document.querySelectorAll("#tool-list details").length === 6`);
  await press("Tab");
  if (!(await value(`document.activeElement.matches(".skip")`))) problems.push("the first Tab is not the way to the tools");
  await press("Enter");
  if (await value("location.href.includes('#') && location.hash.length > 20")) problems.push("the token stays in the address");

  await open("add");
  await tabTo("the text", `it.name === "text"`);
  await type("mild");
  await tabTo("the count", `it.name === "count"`);
  await type("3");
  await tabTo("the unit", `it.name === "unit"`);
  await press("ArrowDown");
  await tabTo("the city", `it.name === "city"`);
  await type("Rome");
  await tabTo("the call", button("Call add"));
  await layout("the form");
  await accessible("the form");
  await press("Enter");
  await until("the result", `${outcome("Call add")}.includes('"city": "Rome"')`);
  const said = JSON.parse(await value(`${form("Call add")}.querySelector("pre").textContent`));
  const wanted = { text: "mild", count: 3, unit: "mm", where: { city: "Rome" } };
  if (JSON.stringify(said) !== JSON.stringify(wanted)) problems.push(`the arguments were ${JSON.stringify(said)}`);
  if (!(await value(`${form("Call add")}.querySelector("[role=status]") !== null`))) problems.push("the result is not told");

  await tabTo("the other way to write them", `it.type === "checkbox"`, SHIFT);
  await press(" ");
  await tabTo("the arguments as JSON", `it.name === "arguments"`, SHIFT);
  const written = await value("JSON.stringify(JSON.parse(document.activeElement.value))");
  if (written !== JSON.stringify(wanted)) problems.push(`as JSON the arguments were ${written}`);
  await type(" x");
  await tabTo("the call", button("Call add"));
  await press("Enter");
  await until("what is wrong with it", `${outcome("Call add")}.includes("is no JSON")`);
  if (!(await value(`document.activeElement.name === "arguments"`))) problems.push("what is wrong has not the focus");

  await open("ask");
  await tabTo("the method", `it.name === "method"`);
  await tabTo("the call", button("Call ask"));
  await press("Enter");
  await until("the question", `document.querySelector("#question-list form") !== null`);
  await until("its focus", `document.activeElement.textContent === "Yes"`);
  await accessible("the question");
  await layout("the question");
  if (!(await value(`document.getElementById("announcer").textContent.includes("Ship it?")`))) problems.push("the question is not announced");
  await press("Enter");
  await until("the answer", `${outcome("Call ask")}.includes('"confirmed": true')`);
  await until("the end of the question", `document.getElementById("questions").hidden`);
  if (!(await value(`document.activeElement.textContent === "Call ask"`))) problems.push("the focus does not come back from a question");

  await tabTo("the method again", `it.name === "method"`, SHIFT);
  await press("ArrowDown");
  await tabTo("the call", button("Call ask"));
  await press("Enter");
  await until("the options", `document.activeElement.type === "radio"`);
  await accessible("the options");
  await press("ArrowDown");
  await tabTo("the answer", button("Answer"));
  await press("Enter");
  await until("the choice", `${outcome("Call ask")}.includes('"value": "s"')`);

  await tabTo("the method again", `it.name === "method"`, SHIFT);
  await press("ArrowDown");
  await tabTo("the call", button("Call ask"));
  await press("Enter");
  await until("the line to type", `document.activeElement.matches("#question-list input[type=text]")`);
  await type("Ada");
  await press("Enter");
  await until("what was typed", `${outcome("Call ask")}.includes('"value": "Ada"')`);

  await tabTo("the method again", `it.name === "method"`, SHIFT);
  await press("ArrowDown");
  await tabTo("the call", button("Call ask"));
  await press("Enter");
  await until("the editor", `document.activeElement.matches("#question-list textarea")`);
  await press("End");
  await type("it");
  await tabTo("the answer", button("Answer"));
  await press("Enter");
  await until("what was edited", `${outcome("Call ask")}.includes('"value": "fix it"')`);

  await tabTo("the method again", `it.name === "method"`, SHIFT);
  await press("ArrowDown");
  await tabTo("the call", button("Call ask"));
  await press("Enter");
  await until("where to sign in", `document.activeElement.matches("#question-list a[href='https://example.com/device']")`);
  if (!(await value(`document.getElementById("question-list").innerText.includes("AB-12")`))) problems.push("the code is not shown");
  await accessible("the sign-in");
  await layout("the sign-in");
  await tabTo("that it is done", button("I have signed in"));
  await press("Enter");
  await until("the sign-in", `${outcome("Call ask")}.includes('"confirmed": true')`);

  await tabTo("the method again", `it.name === "method"`, SHIFT);
  await press("ArrowDown");
  await tabTo("the call", button("Call ask"));
  await press("Enter");
  await until("several questions", `document.activeElement.matches("#question-list input[type=radio]")`);
  await accessible("several questions");
  await layout("several questions");
  await tabTo("a part", `it.type === "checkbox" && it.parentElement.textContent === "b"`);
  await press(" ");
  await tabTo("the name", `it.matches("#question-list input:not([type])")`);
  await type("Ada");
  await tabTo("the answers", button("Answer"));
  await press("Enter");
  await until("the answers", `${outcome("Call ask")}.includes('"parts"')`);
  const answers = JSON.stringify(JSON.parse(await value(`${form("Call ask")}.querySelector("pre").textContent`)));
  const chosen = JSON.stringify({ answers: { name: ["Ada"], parts: ["b"], size: ["large"] } });
  if (answers !== chosen) problems.push(`the answers were ${answers}`);

  await open("wipe");
  await tabTo("the call", button("Call wipe"));
  await press("Enter");
  await until("whether it may run", `document.activeElement.textContent === "Run it"`);
  await layout("the approval");
  await press("Enter");
  await until("that it ran", `${outcome("Call wipe")}.includes("done")`);

  await open("loud");
  await tabTo("the call", button("Call loud"));
  await press("Enter");
  await until("what is loud, as text", `${outcome("Call loud")}.includes("<b>loud</b>")`);
  await open("slow");
  await tabTo("the call", button("Call slow"));
  await press("Enter");
  await until("the call", `${outcome("Call slow")}.includes("running")`);
  await tabTo("to give up", button("Cancel"));
  await press("Enter");
  await until("the end of it", `${outcome("Call slow")}.includes("cancelled")`);
  await until("the log of it", `document.getElementById("log-list").innerText.includes("cancelled by the page")`);

  await open("the command", "/panel");
  await tabTo("the command", button("Run /panel"));
  await press("Enter");
  await until("the panel", `document.querySelector("#panel-list pre")?.textContent === "none"`);
  await until("its size", `/type, [0-9]+ wide/.test(document.querySelector("#panel-list .hint").textContent)`);
  await tabTo("the panel", `it.matches("#panel-list pre")`);
  await press("ArrowDown");
  await type("x");
  await until("the keys", `document.querySelector("#panel-list pre").textContent === "down\\nx"`);
  await layout("the panel");
  await accessible("the panel");
  await press("Escape");
  await until("the end of the panel", `document.querySelector("#panel-list pre") === null`);

  await until("the frames", `document.getElementById("frame-list").innerText.includes("tool_result")`);
  await until("the times", `document.getElementById("time-list").innerText.includes("add")`);
  await layout("all of it");
  if (await value("document.querySelectorAll('main img, main b b').length > 0 || document.title === 'taken'")) problems.push("what the extension says became HTML");
  if (process.env.EXTLINE_PICTURE) await picture(process.env.EXTLINE_PICTURE);
  await value("window.isBefore = true");
  await send("Page.reload");
  await until("the tools after a reload", `!window.isBefore && document.querySelectorAll("#tool-list details").length === 6 && document.readyState === "complete"`);
}

try {
  const { targetInfos } = await send("Target.getTargets");
  const { targetId } = targetInfos.find((one) => one.type === "page");
  ({ sessionId } = await send("Target.attachToTarget", { targetId, flatten: true }));
  for (const domain of ["Page", "Runtime", "Log", "Accessibility"]) await send(`${domain}.enable`);
  const isPhone = Number(width) < 600;
  await send("Emulation.setDeviceMetricsOverride", { width: Number(width), height: Number(height), deviceScaleFactor: 1, mobile: isPhone });
  await send("Page.navigate", { url });
  await use();
} catch (error) {
  problems.push(String(error.message));
}
running.kill("SIGKILL");
console.log(JSON.stringify({ steps, problems }));
process.exit(0);
