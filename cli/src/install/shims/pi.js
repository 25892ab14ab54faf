export default function extlineHooks(pi) {
  const named = (name, ctx, more) => ({
    hook_event_name: name,
    session_id: ctx.sessionManager.getSessionId(),
    cwd: ctx.cwd,
    ...more,
  });
  // Nothing that a handler resolves to is taken for an answer where it is none.
  const say = async (name, ctx, more) => {
    await tell(named(name, ctx, more), ctx.cwd);
  };
  const call = ({ toolName, toolCallId, input }) => ({
    tool_name: toolName,
    tool_use_id: toolCallId,
    tool_input: input,
  });
  pi.on("session_start", (event, ctx) => say("session_start", ctx, { source: event.reason }));
  pi.on("session_shutdown", (event, ctx) => say("session_shutdown", ctx, { reason: event.reason }));
  pi.on("session_compact", (_event, ctx) => say("session_compact", ctx));
  pi.on("before_agent_start", (event, ctx) => say("before_agent_start", ctx, { prompt: event.prompt }));
  pi.on("tool_call", async (event, ctx) => {
    // What stands in `input` then is what would run.
    const ask = (why) => ctx.ui.confirm(why, `${event.toolName} ${JSON.stringify(event.input)}`);
    const confirm = ctx.hasUI ? ask : undefined;
    const reason = await blocked(named("tool_call", ctx, call(event)), event.input, ctx.cwd, confirm);
    return reason === undefined ? undefined : { block: true, reason };
  });
  pi.on("tool_result", (event, ctx) => {
    const texts = event.content.filter((part) => part.type === "text").map((part) => part.text);
    const name = event.isError ? "tool_result.error" : "tool_result";
    return say(name, ctx, { ...call(event), tool_response: texts.join("\n") });
  });
}
