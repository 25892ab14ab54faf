"use strict";
// Nothing that an extension says becomes HTML: make() sets text alone.

const MOST_LINES = 500;
const byId = (id) => document.getElementById(id);
const token = location.hash.slice(1);
// The links of the page change the fragment, so the token is kept for a reload in this tab.
const TOKEN = /^[0-9a-f]{64}$/;
if (TOKEN.test(token)) {
  sessionStorage.setItem("token", token);
  history.replaceState(null, "", location.pathname);
}
const bearer = { Authorization: `Bearer ${sessionStorage.getItem("token") ?? ""}` };
let numbers = 0;

function make(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...inside.filter((one) => one != null).map((one) => (one instanceof Node ? one : String(one))));
  return made;
}

async function ask(path, body, signal) {
  const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(path, { headers: bearer, signal, ...post });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

function announce(text) {
  byId("announcer").textContent = text;
}

function connected(text, isBad = false) {
  byId("connection").textContent = text;
  byId("connection").className = isBad ? "bad" : "";
}

// ---- Forms from JSON Schemas. A field is its element, and a function for the value: undefined where it is left out.

function field(name, schema, isRequired, label = name) {
  const id = `field-${++numbers}`;
  const help = [schema.description, schema.default === undefined ? null : `Default: ${JSON.stringify(schema.default)}`];
  const text = help.filter(Boolean).join(" ");
  const about = text ? make("p", { class: "help", id: `${id}-help` }, text) : null;
  const common = { id, name, "aria-describedby": about && `${id}-help`, required: isRequired };
  const title = make("label", { for: id }, label, isRequired ? " (required)" : "");
  const kind = Array.isArray(schema.type) ? schema.type.find((it) => it !== "null") : schema.type;
  if (schema.properties && kind === "object") return group(label, schema, isRequired, about);
  const [element, read] = control(schema, kind, common, isRequired);
  return { element: make("div", {}, title, about, element), value: () => read(element) };
}

function control(schema, kind, common, isRequired) {
  const options = schema.enum ?? (kind === "boolean" ? [true, false] : undefined);
  if (options) {
    const unset = isRequired ? [] : [make("option", { value: "" }, "(left out)")];
    const chosen = options.map((one, at) => make("option", { value: at }, typeof one === "string" ? one : JSON.stringify(one)));
    return [make("select", common, ...unset, ...chosen), (it) => (it.value === "" ? undefined : options[it.value])];
  }
  if (kind === "integer" || kind === "number") {
    const bounds = { min: schema.minimum, max: schema.maximum, step: kind === "integer" ? 1 : "any" };
    return [make("input", { ...common, ...bounds, type: "number", autocomplete: "off" }), (it) => (it.value === "" ? undefined : Number(it.value))];
  }
  if (kind === "string") {
    // A required text may be empty, where the schema lets it.
    const rest = { ...common, required: isRequired && schema.minLength > 0, "aria-required": isRequired ? "true" : null };
    return [make("textarea", { ...rest, rows: 1, spellcheck: "false" }), (it) => (it.value === "" && !isRequired ? undefined : it.value)];
  }
  return [make("textarea", { ...common, rows: 3, spellcheck: "false", placeholder: "JSON" }), (it) => (it.value.trim() === "" ? undefined : json(it, common.name))];
}

function json(element, name) {
  try {
    return JSON.parse(element.value);
  } catch (error) {
    element.focus();
    throw new Error(`${name} is no JSON: ${error.message}`);
  }
}

function group(label, schema, isRequired, about) {
  const fields = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, field(name, typeof one === "object" ? one : {}, isRequired && (schema.required ?? []).includes(name))]);
  const value = () => {
    const read = fields.map(([name, one]) => [name, one.value()]).filter(([, it]) => it !== undefined);
    return read.length || isRequired ? Object.fromEntries(read) : undefined;
  };
  const elements = fields.map(([, one]) => one.element);
  const element = label ? make("fieldset", {}, make("legend", {}, label), about, ...elements) : make("div", {}, ...elements);
  return { element, value };
}

function toolForm(tool) {
  const schema = tool.schema ?? {};
  const form = group("", { ...schema, properties: schema.properties ?? {} }, true);
  const id = `raw-${++numbers}`;
  const raw = make("textarea", { id, rows: 4, spellcheck: "false", name: "arguments" });
  const rawPart = make("div", { hidden: true }, make("label", { for: id }, "Arguments as JSON"), raw);
  const asJson = make("input", { type: "checkbox", onchange: () => {
    form.element.hidden = asJson.checked;
    rawPart.hidden = !asJson.checked;
    for (const one of form.element.querySelectorAll("input, select, textarea")) one.disabled = asJson.checked;
    if (asJson.checked) raw.value = text(() => JSON.stringify(form.value(), null, 2)) ?? "{}";
  } });
  const value = () => (asJson.checked ? json(raw, "the arguments") : form.value());
  const elements = [form.element, rawPart, make("label", { class: "inline" }, asJson, "write the arguments as JSON")];
  return action(`Call ${tool.name}`, elements, (signal) => ask("call", { tool: tool.name, args: value() }, signal));
}

function text(made) {
  try {
    return made();
  } catch {
    return undefined;
  }
}

// A form whose outcome is shown below it, and that can be given up.
function action(name, elements, act) {
  const outcome = make("div", { class: "result", role: "status" });
  const cancel = make("button", { type: "button", hidden: true }, "Cancel");
  const button = make("button", { type: "submit" }, name);
  const submit = async (event) => {
    event.preventDefault();
    if (button.hasAttribute("aria-disabled")) return;
    const giving = new AbortController();
    cancel.onclick = () => giving.abort();
    cancel.hidden = false;
    // One that is disabled loses the focus.
    button.setAttribute("aria-disabled", "true");
    outcome.replaceChildren("running");
    try {
      outcome.replaceChildren(...shown(await act(giving.signal)));
    } catch (error) {
      outcome.replaceChildren(make("p", { class: "bad" }, giving.signal.aborted ? "cancelled" : error.message));
    }
    button.removeAttribute("aria-disabled");
    if (document.activeElement === cancel) button.focus();
    cancel.hidden = true;
  };
  return make("form", { onsubmit: submit, "aria-label": name }, ...elements, make("div", { class: "buttons" }, button, cancel), outcome);
}

function shown({ result, failure, outcome, took_ms: took }) {
  const time = `${took.toFixed(1)} ms`;
  if (outcome) return [make("p", {}, `${outcome.action}, ${time}`), make("pre", { tabindex: 0 }, outcome.display ?? outcome.prompt ?? outcome.insert ?? JSON.stringify(outcome, null, 2))];
  const { content = [], is_error: isError, ...rest } = result ?? failure;
  const blocks = content.map((block) => (block.type === "text" ? block.text : `[${block.type}] ${JSON.stringify(block).slice(0, 2000)}`));
  const parts = [make("p", { class: isError ? "bad" : "" }, `${isError ? "error" : "done"}, ${time}`), make("pre", { tabindex: 0 }, blocks.join("\n"))];
  if (Object.keys(rest).length) parts.push(make("details", {}, make("summary", {}, "All of the result"), make("pre", { tabindex: 0 }, JSON.stringify(rest, null, 2))));
  return parts;
}

function commandForm(command) {
  const id = `field-${++numbers}`;
  const args = make("input", { id, autocomplete: "off", placeholder: command.usage });
  const label = make("label", { for: id }, `Arguments of /${command.name}`);
  return action(`Run /${command.name}`, [label, args], (signal) => ask("command", { name: command.name, args: args.value }, signal));
}

// ---- How things stand.

// A list is made anew only where it differs: what somebody types into the rest is kept.
function keep(list, items, keyOf, create) {
  const old = new Map([...list.children].map((one) => [one.dataset.key, one]));
  const now = items.map((item) => {
    const key = keyOf(item);
    const element = old.get(key) ?? create(item);
    element.dataset.key = key;
    return element;
  });
  if (now.length !== list.children.length || now.some((one, at) => one !== list.children[at])) list.replaceChildren(...now);
}

function show(state) {
  const { extension, panels, questions } = state;
  if (extension) {
    byId("name").textContent = `${extension.name} ${extension.version}`;
    document.title = `${extension.name}: extline inspect`;
    const ready = state.state === "ready" && extension.ready_after_ms != null ? ` after ${extension.ready_after_ms} ms` : "";
    byId("about").textContent = [extension.description, `${state.state}${ready}`, `about ${extension.tokens_estimate} tokens of tools (estimate)`].filter(Boolean).join(" · ");
    byId("log-file").textContent = extension.log ? `Its stderr is in ${extension.log}` : "";
    keep(byId("tool-list"), extension.tools, JSON.stringify, (tool) => make("details", {},
      make("summary", {}, make("b", {}, tool.name), `about ${tool.tokens_estimate} tokens${tool.approval ? `, approval: ${tool.approval}` : ""}`),
      make("p", {}, tool.description), toolForm(tool)));
    keep(byId("command-list"), extension.commands, JSON.stringify, (command) => make("details", {},
      make("summary", {}, make("b", {}, `/${command.name}`), command.description ?? ""), commandForm(command)));
  }
  byId("no-panel").hidden = panels.length > 0;
  keep(byId("panel-list"), panels, (panel) => `${panel.extension} ${panel.id}`, panelCard);
  panels.forEach((panel, at) => drawPanel(byId("panel-list").children[at], panel));
  showQuestions(questions);
}

// What had the focus before somebody was asked.
let focusedBefore = null;

function showQuestions(questions) {
  const list = byId("question-list");
  const before = list.childElementCount;
  const wasInside = list.contains(document.activeElement);
  keep(list, questions, (question) => String(question.number), questionForm);
  byId("questions").hidden = questions.length === 0;
  // A link first: where a person signs in comes before that it is done.
  const focusLast = () => list.lastElementChild.querySelector("a[href], input, select, textarea, button").focus();
  if (questions.length > before) {
    if (!wasInside) focusedBefore = document.activeElement;
    announce(`${questions.at(-1).extension} asks: ${titleOf(questions.at(-1))}`);
    focusLast();
  } else if (wasInside && !list.contains(document.activeElement)) {
    if (questions.length) focusLast();
    else focusedBefore?.focus();
  }
}

const KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "enter", Backspace: "backspace", Delete: "delete", Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown" };

function panelCard(panel) {
  const press = (key) => ask("key", { panel: panel.id, key }).catch((error) => announce(error.message));
  const onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    const key = event.key === "Escape" ? "close" : KEYS[event.key] ?? (event.key.length === 1 ? event.key : null);
    if (!key) return;
    event.preventDefault();
    press(key);
  };
  const id = `panel-${++numbers}`;
  const screen = make("pre", { tabindex: 0, role: "application", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-hint`, onkeydown });
  // It is told how much fits, as a terminal tells it.
  let told = "";
  new ResizeObserver(() => {
    const [columns, lines] = [Math.floor(screen.clientWidth / widthOf(screen)) - 3, 24];
    if (!(columns >= 1) || told === `${columns}`) return;
    told = `${columns}`;
    ask("resize", { panel: panel.id, columns, lines }).catch((error) => announce(error.message));
  }).observe(screen);
  const buttons = [["↑", "up"], ["↓", "down"], ["←", "left"], ["→", "right"], ["Enter", "enter"], ["Tab", "tab"], ["Esc", "esc"], ["Close", "close"]];
  return make("div", { class: "card" }, make("h3", { id: `${id}-title` }), screen,
    make("p", { class: "hint", role: "status" }),
    make("p", { class: "help", id: `${id}-hint` }, "Keys that are typed in the panel go to it. Escape closes it, Tab leaves it."),
    make("div", { class: "buttons" }, ...buttons.map(([label, key]) => make("button", { type: "button", "aria-label": key === "close" ? "Close the panel" : `Key ${key}`, onclick: () => press(key) }, label))));
}

// Pixels of a character.
function widthOf(screen) {
  const probe = make("span", {}, "0".repeat(20));
  screen.after(probe);
  probe.style.font = getComputedStyle(screen).font;
  const width = probe.getBoundingClientRect().width / 20;
  probe.remove();
  return width;
}

function drawPanel(card, panel) {
  const put = (element, words) => { if (element.textContent !== words) element.textContent = words; };
  put(card.querySelector("h3"), panel.title || panel.id);
  put(card.querySelector("pre"), panel.lines.join("\n"));
  put(card.querySelector(".hint"), panel.footer);
}

// ---- Questions.

const titleOf = ({ params, method }) => params.title ?? params.url ?? (method === "approval" ? `Run ${params.tool}?` : (params.questions ?? []).map((one) => one.question).join(" "));

function questionForm({ number, extension, method, params }) {
  const id = `question-${number}`;
  const answer = (value) => ask("answer", { number, answer: value }).catch((error) => announce(error.message));
  const button = (label, value, type = "button") => make("button", { type, onclick: type === "button" ? () => answer(value) : null }, label);
  const close = button("Close without an answer", { dismissed: "user" });
  const [elements, value, buttons] = questionParts(method, params, button);
  const onsubmit = (event) => {
    event.preventDefault();
    if (value) answer(value());
  };
  const more = [params.message, params.reason, ...(params.details ?? []), params.doubt].filter(Boolean);
  return make("form", { class: "card", "aria-labelledby": id, onsubmit },
    make("h3", { id }, `${extension} asks: ${titleOf({ params, method })}`),
    ...more.map((line) => make("p", {}, line)), ...elements,
    make("div", { class: "buttons" }, ...buttons, method === "approval" ? null : close));
}

function questionParts(method, params, button) {
  const send = button("Answer", null, "submit");
  switch (method) {
    case "ui.confirm": return [[], null, [button("Yes", { confirmed: true }), button("No", { confirmed: false })]];
    case "ui.auth": {
      const link = make("a", { href: /^https?:/.test(params.url) ? params.url : null, rel: "noreferrer noopener", target: "_blank" }, params.url);
      return [[make("p", {}, link), params.code ? make("p", {}, `Code: ${params.code}`) : null], null, [button("I have signed in", { confirmed: true }), button("I have not", { confirmed: false })]];
    }
    case "approval": {
      const args = make("pre", { tabindex: 0 }, params.args);
      const who = make("p", {}, [params.caller && `called by ${params.caller}`, params.tier].filter(Boolean).join(", "));
      const always = params.always ? `Always: ${params.always}` : "Always with these arguments";
      return [[who, args], null, [button("Run it", "once"), button(always, "always"), button("Do not run it", "no")]];
    }
    case "ui.ask": {
      const parts = params.questions.map((one) => [one.id, chooser(one.question, one.options ?? [], one.multi, one.recommended)]);
      const value = () => ({ answers: Object.fromEntries(parts.map(([id, part]) => [id, part.values()])) });
      return [parts.map(([, part]) => part.element), value, [send]];
    }
    case "ui.select": {
      const part = chooser("Options", params.options, params.multi, params.initial);
      return [[part.element], () => (params.multi ? { values: part.values() } : { value: part.values()[0] }), [send]];
    }
    default: {
      const id = `field-${++numbers}`;
      const isEditor = method === "ui.editor";
      const input = make(isEditor ? "textarea" : "input", { id, type: isEditor ? null : params.secret ? "password" : "text", rows: isEditor ? 8 : null, placeholder: params.placeholder, autocomplete: "off" });
      input.value = params.prefill ?? params.initial ?? "";
      return [[make("label", { for: id }, "Answer"), input], () => ({ value: input.value }), [send]];
    }
  }
}

function chooser(label, options, multi = false, first = undefined) {
  const name = `choice-${++numbers}`;
  if (!options.length) {
    const input = make("input", { id: name, autocomplete: "off" });
    return { element: make("div", {}, make("label", { for: name }, label), input), values: () => [input.value] };
  }
  const choices = options.map((option, at) => {
    const { label: shownAs, description, value = shownAs } = typeof option === "string" ? { label: option } : option;
    const isFirst = first === undefined ? at === 0 && !multi : value === first;
    const input = make("input", { type: multi ? "checkbox" : "radio", name, checked: isFirst });
    return { input, value, element: make("label", { class: "choice" }, input, description ? `${shownAs}: ${description}` : shownAs) };
  });
  const values = () => choices.filter(({ input }) => input.checked).map(({ value }) => value);
  return { element: make("fieldset", {}, make("legend", {}, label), ...choices.map(({ element }) => element)), values };
}

// ---- What happens.

function addLine(list, words, className) {
  const line = make("li", { class: className }, words);
  list.append(line);
  while (list.childElementCount > MOST_LINES) list.firstElementChild.remove();
  return line;
}

function addFrame(record) {
  const sign = { "h>e": "→", "e>h": "←" }[record.dir] ?? " ";
  const { t_us: at, line, more_bytes: more, dir, extension, ...event } = record;
  const words = `${(at / 1e6).toFixed(3)} ${sign} ${line ?? JSON.stringify(event)}${more ? ` and ${more} bytes more` : ""}`;
  const list = byId("frame-list");
  filterFrame(addLine(list, words));
  if (byId("frame-follow").checked) list.scrollTop = list.scrollHeight;
}

function filterFrame(line) {
  line.hidden = !line.textContent.includes(byId("frame-filter").value);
}

function addTime({ tool, caller, status, took_ms: took }) {
  const list = byId("time-list");
  list.prepend(make("tr", {}, ...[tool, caller ?? "", status, took].map((one) => make("td", {}, one))));
  while (list.childElementCount > MOST_LINES) list.lastElementChild.remove();
}

function addNews(news) {
  if (news.news === "call_ended") addTime(news);
  // Lines that it logs stand in its log.
  if (["call_started", "call_ended", "log"].includes(news.news)) return;
  const { news: kind, extension, level, message, ...rest } = news;
  const isBad = kind === "failed" || level === "error";
  const more = Object.keys(rest).length ? JSON.stringify(rest) : "";
  addLog([kind, level, message, more].filter(Boolean).join(" "), isBad ? "bad" : "");
}

function addLog(words, className = "") {
  const list = byId("log-list");
  addLine(list, words, className);
  list.scrollTop = list.scrollHeight;
}

let refreshing = null;
let isStale = false;

// One at a time; what changes meanwhile is asked for once more.
function refresh() {
  isStale = true;
  refreshing ??= (async () => {
    while (isStale) {
      isStale = false;
      show(await ask("state"));
    }
  })().catch((error) => connected(error.message, true)).finally(() => { refreshing = null; });
}

function happened({ event, what }) {
  if (event === "changed") refresh();
  else if (event === "frame") addFrame(what);
  else if (event === "news") addNews(what);
  else if (event === "shown") addLog(`${what.method} ${JSON.stringify(what.params)}`);
  else if (event === "log") addLog(what);
}

// Server-sent events, read by fetch: an EventSource sends no header, and a token is not for a URL.
async function listen() {
  const answer = await fetch("events", { headers: bearer });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  connected("connected");
  for (const id of ["frame-list", "log-list", "time-list"]) byId(id).replaceChildren();
  refresh();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const one of events) {
      const data = one.split("\n").find((line) => line.startsWith("data: "));
      if (data) happened(JSON.parse(data.slice(6)));
    }
  }
}

byId("frame-filter").addEventListener("input", () => [...byId("frame-list").children].forEach(filterFrame));

(async () => {
  for (;;) {
    try {
      await listen();
      connected("extline has ended, or the connection broke; trying again", true);
    } catch (error) {
      connected(`not connected: ${error.message}`, true);
    }
    await new Promise((later) => setTimeout(later, 1000));
  }
})();
