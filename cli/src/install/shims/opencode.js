export const ExtlineHooks = async ({ directory }) => {
  // Conversations that the extensions were told of, and those of sub-agents, whose prompts are no user's.
  const begun = new Set();
  const children = new Set();
  const named = (name, session, more) => ({ hook_event_name: name, session_id: session, cwd: directory, ...more });
  const say = (name, session, more) => tell(named(name, session, more), directory);
  const begin = async (session) => {
    if (begun.has(session) || children.has(session)) return;
    begun.add(session);
    await say("session.start", session);
  };
  const end = async (session) => {
    if (begun.delete(session)) await say("session.end", session);
  };
  return {
    event: async ({ event }) => {
      const { info, sessionID } = event.properties ?? {};
      if (event.type === "session.created" && info?.parentID) {
        children.add(info.id);
        await say("subagent.start", info.parentID);
      }
      if (event.type === "session.deleted" && info) await end(info.id);
      if (event.type === "session.compacted") await say("session.compacted", sessionID);
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      if (children.has(sessionID)) return;
      await begin(sessionID);
      const texts = parts.filter((part) => part.type === "text" && !part.synthetic);
      await say("chat.message", sessionID, { prompt: texts.map((part) => part.text).join("\n") });
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      await begin(sessionID);
      const event = named("tool.execute.before", sessionID, { tool_name: tool, tool_use_id: callID });
      const reason = await blocked(event, args, directory);
      if (reason !== undefined) throw new Error(reason);
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, result) => {
      const call = { tool_name: tool, tool_use_id: callID, tool_input: args };
      await say("tool.execute.after", sessionID, { ...call, tool_response: result?.output ?? result });
    },
    dispose: async () => {
      for (const session of [...begun]) await end(session);
    },
  };
};
