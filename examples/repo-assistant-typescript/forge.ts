// The forge, where change requests are opened: one call of its HTTP interface.
import { ToolError, type Secret } from "extline";

/** Milliseconds that it has for an answer. */
const PATIENCE = 30_000;

interface Request {
  title: string;
  head: string;
  base: string;
}

/** Opens a change request, and gives the address of it. */
export async function openRequest(url: string, token: Secret, request: Request, signal: AbortSignal): Promise<string> {
  const headers = { authorization: `Bearer ${token.reveal()}`, "content-type": "application/json" };
  const init = {
    method: "POST",
    headers,
    body: JSON.stringify(request),
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
  };
  const answer = await fetch(`${url.replace(/\/$/, "")}/requests`, init).catch((error: Error) => {
    throw ToolError.transient(`${url} cannot be reached: ${error.message}`);
  });
  if (answer.status === 401 || answer.status === 403) {
    const hint = "the person sets another one: extline secret set repo-assistant forge_token";
    throw ToolError.permission(`${url} does not take the key`, { hint });
  }
  if (!answer.ok) throw ToolError.transient(`${url} answered ${answer.status} ${answer.statusText}`);
  const opened = (await answer.json()) as { url: string };
  return opened.url;
}
