//! The numbers of the wire, each once. See docs/protocol/specification.md, "Framing" and "Order, time, failure".

use std::time::Duration;

/// Longest frame sent, without its LF, unless `hello_ack.limits.frame_bytes` says more
/// (`frm.max-line`).
pub const FRAME_BYTES: usize = 4_194_303;

/// Longest frame an extension accepts from a host, without its LF (`frm.accept-extension`).
pub const EXTENSION_ACCEPTS_BYTES: usize = 64 * 1024 * 1024;

/// Objects and arrays open at once, the frame's own object included (`frm.depth`).
pub const DEPTH: usize = 128;

/// Objects and arrays open at once in the arguments a host takes from a model.
pub const MODEL_ARGS_DEPTH: usize = 64;

/// Longest schema of a tool (`reg.schema-limits`).
pub const SCHEMA_BYTES: usize = 1024 * 1024;

/// Values in a schema: objects, arrays, strings, numbers and all others, however deep.
pub const SCHEMA_VALUES: usize = 100_000;

/// Subschemas in a schema, the whole among them.
pub const SCHEMA_SUBSCHEMAS: usize = 10_000;

/// `$ref`s in a schema.
pub const SCHEMA_REFERENCES: usize = 5_000;

/// The length of the JSON pointers to all subschemas together.
pub const SCHEMA_POINTER_BYTES: usize = 4 * 1024 * 1024;

/// Bytes that are looked through for `$ref`s to places where no keyword wants a schema.
pub const SCHEMA_LOOKED_THROUGH: usize = 64 * 1024 * 1024;

/// What checking the arguments of one call may cost. A look at a byte of them is one step, a look
/// at a subschema 16.
pub const CHECK_STEPS: u64 = 256 * 1024 * 1024;

/// Longest view, as JSON text.
pub const VIEW_BYTES: usize = 16 * 1024;

/// Objects and arrays open at once in a view; the deepest kind needs five.
pub const VIEW_DEPTH: usize = 8;

/// Events waiting for a handler before the oldest are dropped.
pub const WAITING_EVENTS: usize = 10_000;

/// Frames read ahead while a write waits.
pub const READ_AHEAD_FRAMES: usize = 4_096;

/// Bytes read ahead while a write waits.
pub const READ_AHEAD_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of log frames that may wait to be written before further ones are dropped.
pub const WAITING_LOG_BYTES: usize = 1024 * 1024;

/// Least time between two `tool_update` frames of one call: 20 a second.
pub const UPDATE_INTERVAL: Duration = Duration::from_millis(50);

/// Unsent `response_part` frames one request may have.
pub const PARTS_AHEAD: usize = 16;

/// How often an extension in a slow `setup` writes an empty `subscribe`.
pub const SETUP_KEEPALIVE: Duration = Duration::from_millis(150);

/// How long before the host's limit an extension answers an intercept itself.
pub const INTERCEPT_MARGIN: Duration = Duration::from_millis(500);

/// A host's deadline for `hello`, from the start of the process.
pub const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// The latest `hello` of an extension that goes on writing `bootstrap` (`hello.bootstrap`).
pub const BOOTSTRAP_CEILING: Duration = Duration::from_secs(600);

/// The start of zot's family that an extension says it reads: that of zut and ncode.
pub const PROTOCOL_VERSION: u64 = 2;

/// A host's deadline for `ready`, from `hello_ack`.
pub const READY_DEADLINE: Duration = Duration::from_secs(3);

/// So much silence, after which a zot takes an extension for ready (`zot.idle-ready`).
pub const READY_IDLE: Duration = Duration::from_millis(250);

/// A host's deadline for `command_response`.
pub const COMMAND_DEADLINE: Duration = Duration::from_secs(30);

/// A host's deadline for `tool_result`, unless the tool declares `timeout_ms` or `interactive`.
pub const TOOL_DEADLINE: Duration = Duration::from_secs(60);

/// A host's deadline for `event_intercept_response`, write time included.
pub const INTERCEPT_DEADLINE: Duration = Duration::from_secs(5);

/// How long one write to an extension may take.
pub const WRITE_DEADLINE: Duration = Duration::from_secs(5);

/// An extension's shutdown: until then results are written as they come.
pub const SHUTDOWN_ANSWERS: Duration = Duration::from_secs(1);

/// An extension's shutdown: teardown has until then, whether it began at once or after the last call
/// was answered as cancelled.
pub const SHUTDOWN_TEARDOWN: Duration = Duration::from_millis(1_250);

/// What an author is told of a teardown that takes longer than [`SHUTDOWN_TEARDOWN`].
pub const LATE_TEARDOWN: &str = "teardown did not end in time: it has 1.25 s from the beginning of the \
    end, and a host ends the process soon after";

/// An extension's shutdown: the process ends at once.
pub const SHUTDOWN_END: Duration = Duration::from_millis(1_500);

/// A host's shutdown: SIGTERM to the process group after this long.
pub const SHUTDOWN_TERM: Duration = Duration::from_secs(2);

/// A host's shutdown: SIGKILL this long after SIGTERM.
pub const SHUTDOWN_KILL: Duration = Duration::from_secs(1);

/// Text, base64 and media types in the answer to a `call_tool` (`call.truncated`).
pub const CALL_TOOL_BYTES: usize = 262_144;

/// Messages in an event, at most (`event.message-bound`).
pub const EVENT_MESSAGES: usize = 1_000;

/// A host's deadline for the answer to a `call_tool`.
pub const CALL_TOOL_DEADLINE: Duration = Duration::from_secs(60);

/// Nested `call_tool`s: a tool called by a tool called by ... at most this long.
pub const CALL_CHAIN: usize = 4;
