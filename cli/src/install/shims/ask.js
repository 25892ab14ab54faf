import { spawn } from "node:child_process";

// `extline hook` has decided after 25 seconds.
const MILLISECONDS = 30000;
// How often extensions may change what others have seen.
const ROUNDS = 5;

// Runs one command with an event on its stdin. It always resolves: `failure` says what went wrong.
function run(command, event, cwd) {
  return new Promise((resolve) => {
    const input = JSON.stringify(event);
    const child = spawn(command[0], command.slice(1), { cwd, windowsHide: true });
    const said = { stdout: "", stderr: "" };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve({ failure: `there was no answer within ${MILLISECONDS / 1000} seconds` });
    }, MILLISECONDS);
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8");
      child[name].on("data", (text) => {
        said[name] += text;
      });
    }
    child.on("error", (error) => {
      clearTimeout(timer);
      resolve({ failure: error.message });
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve(code === null ? { failure: `it was ended by ${signal}` } : { code, ...said });
    });
    // One that ends early does not read it; how it ended says enough.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  }).catch((error) => ({ failure: error.message }));
}

// What an extension decides about a call: a reason to block it or to ask a person, other arguments, or nothing.
async function decided(command, event, cwd) {
  const { failure, code, stdout, stderr } = await run(command, event, cwd);
  const unasked = (why) => ({ block: `the call is blocked, as ${command[0]} could not be asked: ${why}` });
  if (failure !== undefined) return unasked(failure);
  if (code !== 0) return unasked(stderr.trim() || `it ended with exit code ${code}`);
  if (stdout.trim() === "") return {};
  let answer;
  try {
    answer = JSON.parse(stdout);
  } catch (error) {
    return unasked(`its answer cannot be read: ${error.message}`);
  }
  if (answer?.permissionDecision === "deny") return { block: String(answer.permissionDecisionReason) };
  const ask = answer?.permissionDecision === "ask" ? String(answer.permissionDecisionReason) : undefined;
  const args = answer?.modifiedArgs;
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return { args, ask };
  return ask === undefined ? unasked("its answer says neither yes nor no") : { ask };
}

// Asks all extensions about a call. Resolves to a reason to block it, or changes `args` in place. Where one changes
// them, all are asked again: each guard sees what will run. `confirm` asks a person, where the agent can.
async function blocked(event, args, cwd, confirm) {
  try {
    for (let round = 0; round < ROUNDS; round++) {
      let changed = false;
      const asked = [];
      for (const command of COMMANDS) {
        const said = await decided(command, { ...event, tool_input: args }, cwd);
        if (said.block !== undefined) return said.block;
        if (said.ask !== undefined) asked.push(said.ask);
        if (said.args === undefined) continue;
        for (const name of Object.keys(args)) delete args[name];
        Object.assign(args, said.args);
        changed = true;
      }
      if (changed && COMMANDS.length > 1) continue;
      const reason = asked.join("; ");
      if (reason === "" || (await confirm?.(reason)) === true) return undefined;
      return confirm === undefined ? `${reason} (nobody is there to be asked)` : `the user said no: ${reason}`;
    }
    return "the call is blocked, as its extensions change the arguments of each other again and again";
  } catch (error) {
    return `the call is blocked, as it could not be asked about: ${error}`;
  }
}

// Tells all extensions what happened. Nothing depends on it.
async function tell(event, cwd) {
  for (const command of COMMANDS) await run(command, event, cwd);
}
