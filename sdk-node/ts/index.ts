/**
 * Extensions for coding agents, in TypeScript and JavaScript.
 *
 * @packageDocumentation
 */

import "./stdio.js"; // before the author's code has printed anything

export type { Block, Content, ImageBlock, ResourceBlock, ResourceLinkBlock, TextBlock } from "./content.js";
export { ConfigError } from "./config.js";
export type { ConfigObject, ConfigOf } from "./config.js";
export { Context } from "./context.js";
export type { SessionInfo, TrackOptions } from "./context.js";
export type { Effect, FileEffect, ProcessEffect } from "./effect.js";
export { DefinitionError, ToolError } from "./errors.js";
export type { ErrorKind } from "./error-kinds.js";
export type { ToolErrorOptions } from "./errors.js";
export { Extension } from "./extension.js";
export type { CommandOptions, InterceptOptions, RequiredOption, ToolEventOptions, UnlistedOption } from "./options.js";
export { Host } from "./host.js";
export type { HostLimits } from "./host.js";
export { Image, image } from "./image.js";
export { RawJson } from "./json.js";
export {
  AgentStart,
  BlockableMoment,
  Decision,
  GuardedToolUse,
  Message,
  ModelCall,
  Moment,
  RewritableToolUse,
  ToolAnswer,
  ToolUse,
  UserPrompt,
} from "./moment.js";
export type { AnswerError, ReplaceOptions } from "./moment.js";
export type { EventName, EventPayload, Events, Told, ToolEventName } from "./events.js";
export type { Event, EventMessage, Points, Todo, Unheard } from "./moment.js";
export { Panel } from "./panel.js";
export type { PanelChange, PanelInput } from "./panel.js";
export type { AskOptions, RequestOptions } from "./questions.js";
export { Response } from "./response.js";
export type { PanelContent } from "./response.js";
export { ToolResult } from "./result.js";
export type { LogLevel, NoteLevel } from "./say.js";
export { Secret } from "./secret.js";
export type { SecretOptions } from "./secret.js";
export type { ResultObject, ToolResultOptions, Update } from "./result.js";
export type { ArgsOf, OneSchema, Schema } from "./schema/input.js";
export type { FromSchema, JsonSchema, JsonType } from "./schema/json-schema.js";
export type { ValueOf } from "./schema/output.js";
export type { StandardIssue, StandardResult, StandardSchema } from "./schema/standard.js";
export { ToolOutput } from "./tool-output.js";
export type { OutputBlock } from "./tool-output.js";
export type { Main } from "./run.js";
export type { Advice, Advised } from "./adviser.js";
export type { Approval, OutputFormat, Preference, Returned, ToolHandler, ToolOptions } from "./tool.js";
export type { ExecOptions, Ran } from "./exec.js";
export type {
  ExecStream,
  UiChoice,
  UiPlacement,
  UiQuestion,
  View,
  ViewCell,
  ViewLine,
  ViewSpan,
  ViewStyle,
} from "./services.js";
export { view } from "./view.js";
export type { ViewOptions } from "./view.js";
export type {
  AuthOptions,
  Choice,
  ConfirmOptions,
  DialogOptions,
  EditorOptions,
  InputOptions,
  SelectOptions,
  Ui,
  UiName,
} from "./ui.js";
export { Agent } from "./agent.js";
export { Pending } from "./pending.js";
export type { Proposal, Resolver } from "./pending.js";
export { History, Slot, State } from "./state.js";
export type { HistoryEntry, HistoryInfo, Migrate, StateOptions } from "./state.js";
