/** The panel, which shows what was typed. */
import { setTimeout as sleep } from "node:timers/promises";
import { kit, MESSAGE } from "./memory.js";

export const ID = "keys";

export const typed: string[] = [];

kit.panel(ID, async (input, ctx) => {
  const shown = ctx.panel(ID);
  if (input.kind === "resize") {
    shown.render({ title: `${input.width}x${input.height}` });
  } else if (input.kind === "close") {
    shown.render({ lines: ["too late"] });
    ctx.notify("closed");
  } else if (input.key === "tab") {
    shown.close();
  } else if (input.key === "rune") {
    if (input.text === "!") throw new Error(MESSAGE);
    typed.push(input.text ?? "");
    shown.render({ lines: [typed.join("")] });
  } else if (input.key === "enter") {
    await sleep(20);
    typed.push("/");
    shown.render({ lines: [typed.join("")] });
  }
});
