/* The C SDK for extensions of coding agents. Made from the sources of libextline by cbindgen: change
 * those, and run scripts/generate.sh. */

#ifndef EXTLINE_H
#define EXTLINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** The version of this header; `extline_version()` is that of the library. */
#define EXTLINE_VERSION "0.1.0"
#define EXTLINE_VERSION_MAJOR 0
#define EXTLINE_VERSION_MINOR 1
#define EXTLINE_VERSION_PATCH 0

/** Checks the arguments of a format as the compiler does for printf. */
#if defined(__GNUC__)
#define EXTLINE_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#else
#define EXTLINE_PRINTF(format, first)
#endif

/** The first initializer of options: `{ EXTLINE_TOOL_OPTIONS_INIT, .name = "weather" }`. In C++, where
 * compilers warn of members that are left out, rather `extline_tool_options tool = {};` and then
 * `tool.struct_size = sizeof(tool);`. */
#define EXTLINE_INIT(type) .struct_size = sizeof(type)
#define EXTLINE_TOOL_OPTIONS_INIT EXTLINE_INIT(extline_tool_options)
#define EXTLINE_COMMAND_OPTIONS_INIT EXTLINE_INIT(extline_command_options)
#define EXTLINE_PANEL_OPTIONS_INIT EXTLINE_INIT(extline_panel_options)
#define EXTLINE_PANEL_CONTENT_INIT EXTLINE_INIT(extline_panel_content)
#define EXTLINE_UPDATE_OPTIONS_INIT EXTLINE_INIT(extline_update_options)
#define EXTLINE_ERROR_OPTIONS_INIT EXTLINE_INIT(extline_error_options)


/**
 * `null`.
 */
#define EXTLINE_JSON_NULL 0

/**
 * `true` or `false`.
 */
#define EXTLINE_JSON_BOOL 1

/**
 * A number.
 */
#define EXTLINE_JSON_NUMBER 2

/**
 * A string.
 */
#define EXTLINE_JSON_STRING 3

/**
 * An array.
 */
#define EXTLINE_JSON_ARRAY 4

/**
 * An object.
 */
#define EXTLINE_JSON_OBJECT 5

/**
 * The read descriptor: the host has sent something, or closed its end.
 */
#define EXTLINE_READ 1

/**
 * The write descriptor: the host takes more.
 */
#define EXTLINE_WRITE 2

/**
 * The wake descriptor: another thread has said something, or SIGTERM has come.
 */
#define EXTLINE_WAKE 4

/**
 * What the host, or a tool, answered.
 */
typedef struct extline_answer extline_answer;

/**
 * One call of the host: of a tool, a command, an interceptor, a guard or a method. It is lent to its
 * handler, which answers it or keeps it with `extline_call_retain`; its functions may be called from
 * any thread.
 */
typedef struct extline_call extline_call;

/**
 * Something that happened. It is lent to its handlers.
 */
typedef struct extline_event extline_event;

/**
 * An extension. `extline_new` makes it, `extline_free` frees it; everything else may be called from
 * any thread, also from inside handlers.
 */
typedef struct extline_extension extline_extension;

/**
 * A JSON value, to be asked by JSON pointers (RFC 6901): `/city` is the member `city`, `/days/0` the
 * first element of `days`, an empty pointer the value itself. It belongs to the call, event or answer
 * that it came from, and so does every text that it hands out. From any thread.
 */
typedef struct extline_json extline_json;

/**
 * A text that the library lends: `len` bytes of UTF-8 at `ptr`, and a NUL behind them that `len`
 * does not count (a text may hold NULs of its own). `ptr` is never NULL. How long it lives is said
 * where it is handed out.
 */
typedef struct extline_str {
    /**
     * The first byte.
     */
    const char *ptr;
    /**
     * How many bytes, without the NUL.
     */
    size_t len;
} extline_str;

/**
 * What became of a call: `EXTLINE_OK`, or one of the other `EXTLINE_...` codes. A number is never
 * used for another meaning later; new ones may be added, so treat an unknown one as a failure.
 */
typedef int32_t extline_result;

/**
 * Gets a part of an answer as JSON text, which goes when it returns. No C++ exception and no `longjmp` may
 * leave it.
 */
typedef void (*extline_part_callback)(void *user, struct extline_str part);

/**
 * Gets the answer to a question, which is the library's and goes when it returns.
 */
typedef void (*extline_answer_callback)(void *user,
                                        struct extline_extension *ext,
                                        struct extline_answer *answer);

/**
 * Gives `user` back: called exactly once, when the registration it was given with goes, at the latest
 * in `extline_free` or when the last handler that uses it has returned. From any thread.
 */
typedef void (*extline_drop_callback)(void *user);

/**
 * A call was cancelled. It should do no more than say so to whoever works on the call.
 */
typedef void (*extline_cancel_callback)(void *user, struct extline_call *call);

/**
 * Handles one call: a tool, a command, an interceptor, a guard or a method. `text` is the arguments
 * of a tool or the parameters of a method as JSON, what stands behind a command, or the frame of an
 * intercept as JSON; it lives as long as `call`. The call must be answered, here or later: see
 * `extline_call_retain`. No C++ exception and no `longjmp` may leave it.
 */
typedef void (*extline_call_callback)(void *user, struct extline_call *call, struct extline_str text);

/**
 * What a command is. Begin it with `EXTLINE_COMMAND_OPTIONS_INIT`; what is not set is left out. The
 * texts are copied.
 */
typedef struct extline_command_options {
    /**
     * `sizeof(extline_command_options)`, which the INIT macro sets.
     */
    size_t struct_size;
    /**
     * 1 to 64 letters, digits, `_` and `-`, without the slash; case does not count (`reg.names`).
     */
    const char *name;
    /**
     * What it does, in a line.
     */
    const char *description;
    /**
     * What it takes, as `CITY [UNITS]`.
     */
    const char *usage;
    /**
     * Handles an invocation; its text is what the user typed behind the name.
     */
    extline_call_callback run;
    /**
     * Given to `run` and `drop`.
     */
    void *user;
    /**
     * Gives `user` back; NULL when there is nothing to do.
     */
    extline_drop_callback drop;
    /**
     * The extension is of no use where the host does not take it (`report.required`).
     */
    bool required;
} extline_command_options;

/**
 * Why a call failed. Begin it with `EXTLINE_ERROR_OPTIONS_INIT`; what is not set is left out. The texts
 * are copied.
 */
typedef struct extline_error_options {
    /**
     * `sizeof(extline_error_options)`, which the INIT macro sets.
     */
    size_t struct_size;
    /**
     * What kind of failure it is (`err.codes`): `validation`, `not_found`, `permission`, `stale` are the
     * model's fault, and the message should tell it how to correct the call; `transient`, `timeout`,
     * `budget` are the world's; further `cancelled`, `conflict`, `unsupported`, `too_large`, `protocol`,
     * `internal`, `fatal`.
     */
    const char *kind;
    /**
     * What happened, for a person.
     */
    const char *message;
    /**
     * JSON pointer of the offending member of the arguments, as `/city`.
     */
    const char *field;
    /**
     * What to do about it.
     */
    const char *hint;
    /**
     * What led to it, outermost first: `cause_count` texts.
     */
    const char *const *causes;
    /**
     * How many there are.
     */
    size_t cause_count;
    /**
     * How long to wait before trying again, in milliseconds; 0 says nothing.
     */
    uint64_t retry_after_ms;
} extline_error_options;

/**
 * Handles an event, which is the library's and goes when it returns. No C++ exception and no `longjmp` may
 * leave it.
 */
typedef void (*extline_event_callback)(void *user,
                                       struct extline_extension *ext,
                                       const struct extline_event *event);

/**
 * How a call stands. Begin it with `EXTLINE_UPDATE_OPTIONS_INIT`; what is not set is left out. The texts
 * are copied.
 */
typedef struct extline_update_options {
    /**
     * `sizeof(extline_update_options)`, which the INIT macro sets.
     */
    size_t struct_size;
    /**
     * What is being done.
     */
    const char *message;
    /**
     * The text of the result so far.
     */
    const char *text;
    /**
     * What is counted, as `files`.
     */
    const char *unit;
    /**
     * More for the user's eyes: any JSON value.
     */
    const char *details;
    /**
     * Units done; unsaid where `total` is 0 too.
     */
    double done;
    /**
     * Units in all; 0 where nobody knows.
     */
    double total;
    /**
     * How a person is shown it, in place of the text, by a host that shows views: a view as JSON
     * (docs/views.md).
     */
    const char *view;
} extline_update_options;

/**
 * Wakes a loop of the program's.
 */
typedef void (*extline_wake_callback)(void *user);

/**
 * A key pressed in a panel: `key` is `up`, `down`, `left`, `right`, `enter`, `tab`, `backspace`, `delete`,
 * `home`, `end`, `pageup`, `pagedown`, `esc`, `rune` with the character in `text`, or another by the host's
 * name for it. Both go when it returns.
 */
typedef void (*extline_panel_key_callback)(void *user,
                                           struct extline_extension *ext,
                                           struct extline_str key,
                                           struct extline_str text);

/**
 * A panel has a new size, in columns and lines.
 */
typedef void (*extline_panel_resize_callback)(void *user,
                                              struct extline_extension *ext,
                                              uint64_t width,
                                              uint64_t height);

/**
 * A panel was closed by the user.
 */
typedef void (*extline_panel_close_callback)(void *user, struct extline_extension *ext);

/**
 * What handles a panel's inputs. Begin it with `EXTLINE_PANEL_OPTIONS_INIT`; what is not set is not
 * called.
 */
typedef struct extline_panel_options {
    /**
     * `sizeof(extline_panel_options)`, which the INIT macro sets.
     */
    size_t struct_size;
    /**
     * Which panel, by an id of the extension's own choice.
     */
    const char *id;
    /**
     * A key was pressed.
     */
    extline_panel_key_callback on_key;
    /**
     * It has a new size. A zot never says so: draw narrow lines.
     */
    extline_panel_resize_callback on_resize;
    /**
     * The user closed it; it cannot be drawn any more. A zot closes a panel itself at Esc and Ctrl-C, so
     * take it for "cancel".
     */
    extline_panel_close_callback on_close;
    /**
     * Given to all of these, and to `drop`.
     */
    void *user;
    /**
     * Gives `user` back; NULL when there is nothing to do.
     */
    extline_drop_callback drop;
} extline_panel_options;

/**
 * What a panel shows. Begin it with `EXTLINE_PANEL_CONTENT_INIT`. The texts are copied; colours are ANSI
 * escapes.
 */
typedef struct extline_panel_content {
    /**
     * `sizeof(extline_panel_content)`, which the INIT macro sets.
     */
    size_t struct_size;
    /**
     * Which panel.
     */
    const char *id;
    /**
     * Its title; NULL is the extension's name, or where it is drawn anew the title that it has.
     */
    const char *title;
    /**
     * Its lines, `line_count` texts; NULL where it is drawn anew leaves them as they are.
     */
    const char *const *lines;
    /**
     * How many there are.
     */
    size_t line_count;
    /**
     * The line below; NULL is none, or where it is drawn anew the one that it has.
     */
    const char *footer;
    /**
     * What is shown in place of the lines, by a host that shows views: a view as JSON (docs/views.md);
     * NULL is none.
     */
    const char *view;
} extline_panel_content;

/**
 * The beginning (setup) or the end (teardown). Anything but `EXTLINE_OK` says that it failed. No C++
 * exception and no `longjmp` may leave it.
 */
typedef extline_result (*extline_stage_callback)(void *user, struct extline_extension *ext);

/**
 * What a tool is. Begin it with `EXTLINE_TOOL_OPTIONS_INIT`; what is not set is left out. The texts
 * are copied.
 */
typedef struct extline_tool_options {
    /**
     * `sizeof(extline_tool_options)`, which the INIT macro sets.
     */
    size_t struct_size;
    /**
     * 1 to 64 letters, digits, `_` and `-` (`reg.names`).
     */
    const char *name;
    /**
     * What it does, for the model.
     */
    const char *description;
    /**
     * The JSON Schema of its arguments, an object; NULL is `{"type":"object"}`. Arguments that do not
     * match it are answered with a `validation` error before `run` is called; what only the host can
     * check is named on stderr.
     */
    const char *schema;
    /**
     * Handles a call.
     */
    extline_call_callback run;
    /**
     * Given to `run` and `drop`.
     */
    void *user;
    /**
     * Gives `user` back; NULL when there is nothing to do.
     */
    extline_drop_callback drop;
    /**
     * Its name for a person.
     */
    const char *label;
    /**
     * The JSON Schema of its structured result.
     */
    const char *output_schema;
    /**
     * Its own deadline in milliseconds; 0 is the host's, 60 s.
     */
    uint64_t timeout_ms;
    /**
     * It waits for a person, so no deadline holds.
     */
    bool interactive;
    /**
     * Its calls must not overlap; the host holds them in order.
     */
    bool sequential;
    /**
     * The same arguments give the same result until something mutates.
     */
    bool pure;
    /**
     * The provider must keep the model to the schema.
     */
    bool strict;
    /**
     * The extension is of no use where the host does not take it (`report.required`).
     */
    bool required;
    /**
     * The host asks its user before a call (`tool.approval`).
     */
    bool gated;
    /**
     * It changes nothing: 1 yes, -1 no, 0 unsaid.
     */
    int8_t read_only;
    /**
     * It may destroy what was there: 1 yes, -1 no, 0 unsaid.
     */
    int8_t destructive;
    /**
     * A second call changes nothing further: 1 yes, -1 no, 0 unsaid.
     */
    int8_t idempotent;
    /**
     * It reaches beyond the project: 1 yes, -1 no, 0 unsaid.
     */
    int8_t open_world;
    /**
     * How it is offered: `direct`, `codemode`, `deferred` or `model-only`.
     */
    const char *exposure;
    /**
     * The group it belongs to.
     */
    const char *tool_namespace;
    /**
     * What the group is.
     */
    const char *namespace_description;
    /**
     * How much it can do: `read`, `write` or `exec`.
     */
    const char *approval_tier;
    /**
     * Template over the arguments that says which calls one approval covers.
     */
    const char *approval_key;
    /**
     * Why the user is asked, for a person.
     */
    const char *approval_reason;
    /**
     * Says of each call whether the host asks its user before it: gets the arguments as `run` does, and
     * answers by `extline_call_advise`, or by `extline_call_json` with a result of `tool.approval`. When it
     * answers with an error, the user is asked about exactly this call. NULL leaves it to `gated`. Given
     * `user` too. Before the start, or later where a tool before the start has one.
     */
    extline_call_callback gated_by;
    /**
     * What an agent may do that ended after a call had begun and before it had the result: call again
     * (`safe`, unless said of one that is `pure` or `read_only`), call again with the same
     * `extline_call_operation_key` (`idempotent`, unless said of one that is `idempotent`), ask first
     * what became of it (`reconcile`, see `extline_call_reconcile`), or give the call up (`never`, unless
     * said of any other).
     */
    const char *replay;
    /**
     * How a person is shown a call: a view as JSON (docs/views.md), in whose texts `{name}` stands for the
     * argument of that name (`view.call`).
     */
    const char *call_view;
    /**
     * The forms of the JSON that it answers with, between which the model chooses by an argument `output`, which
     * `run` does not get: `labeled, json`, with commas or spaces between them. The first holds where the model does
     * not choose. One form alone adds no argument.
     */
    const char *outputs;
    /**
     * What it proposes to whoever chooses the tools of a turn (`tool.preference`), a JSON object:
     * `{"enabled":false,"weight":0.8,"parameters":{"limit":10},"reason":"few ask for it"}`, of which each member may
     * be left out.
     */
    const char *preference;
} extline_tool_options;

/**
 * It worked.
 */
#define EXTLINE_OK 0

/**
 * A pointer that must not be NULL is.
 */
#define EXTLINE_NULL_POINTER 1

/**
 * A text is not UTF-8.
 */
#define EXTLINE_UTF8 2

/**
 * A value is not allowed: a name, a level, a `struct_size`, a pointer into JSON.
 */
#define EXTLINE_ARGUMENT 3

/**
 * A text is not JSON, or no object where one is needed.
 */
#define EXTLINE_JSON 4

/**
 * There is one of that name already.
 */
#define EXTLINE_DUPLICATE 5

/**
 * Not now, or not for this: started twice, a block of a result for a command.
 */
#define EXTLINE_STATE 6

/**
 * The call has its answer already.
 */
#define EXTLINE_ANSWERED 7

/**
 * The arguments are wrong, and the call has been answered with that.
 */
#define EXTLINE_VALIDATION 8

/**
 * A text or frame is over a limit.
 */
#define EXTLINE_TOO_LARGE 9

/**
 * Nothing is there.
 */
#define EXTLINE_NOT_FOUND 10

/**
 * What is there is of another type.
 */
#define EXTLINE_TYPE 11

/**
 * The call was cancelled, and nobody waits for its answer any more.
 */
#define EXTLINE_CANCELLED 20

/**
 * The host does not do that.
 */
#define EXTLINE_UNSUPPORTED 21

/**
 * It did not come in time.
 */
#define EXTLINE_TIMEOUT 22

/**
 * The session is over, or the host is gone.
 */
#define EXTLINE_CLOSED 23

/**
 * The operating system refused.
 */
#define EXTLINE_IO 24

/**
 * Nothing to do now.
 */
#define EXTLINE_AGAIN 25

/**
 * The host or a tool answered with an error; the answer says it.
 */
#define EXTLINE_REMOTE 26

/**
 * In the child of a fork nobody may talk to the host.
 */
#define EXTLINE_FORKED 27

/**
 * The host does not offer what the extension requires; a good exit status too.
 */
#define EXTLINE_REQUIRED 78

/**
 * A defect of this library; the handle is of no use any more.
 */
#define EXTLINE_PANIC 99

/**
 * SIGTERM ended the session; a good exit status too.
 */
#define EXTLINE_TERMINATED 143

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/* ---- Errors ---------------------------------------------------------------------------------- */

/**
 * What was wrong with the last call of this thread that failed: what, where, what to do about it, in at
 * most 1023 bytes. Empty when none failed, never NULL. It is the library's and valid until the thread
 * ends, but its text changes with the next call that fails in this thread; each thread has its own.
 */
const char *extline_last_error(void);

/**
 * The name of a code, as `NULL_POINTER` for 1; `UNKNOWN` for a number that is none. It is never NULL
 * and lives as long as the program. From any thread.
 */
const char *extline_result_name(extline_result code);

/**
 * The version of the library, as `EXTLINE_VERSION` is that of the header. Never NULL, and it lives as
 * long as the program. From any thread.
 */
const char *extline_version(void);

/* ---- An extension ---------------------------------------------------------------------------- */

/**
 * Makes an extension with the name and version that it tells its host. NULL when a text is NULL or no
 * UTF-8, or the name is empty; `extline_last_error` says which.
 *
 * Where a host started this process, so that stdin and stdout are pipes or sockets, they are the
 * protocol's from now on: what is printed lands on stderr. `EXTLINE_STDIO=leave` or `claim` in the
 * environment decides otherwise.
 *
 * It is the caller's: free it with `extline_free`. From any thread.
 */
struct extline_extension *extline_new(const char *name,
                                      const char *version);

/**
 * Frees an extension, and gives back what was registered with it. Its session is over; calls that are
 * kept stay valid until they are released, and answering one is `EXTLINE_CLOSED`. NULL is ignored.
 *
 * It must not be used any more. Once, from any thread, but not from inside a handler.
 */
void extline_free(struct extline_extension *ext);

/**
 * Serves the extension over stdin and stdout until its end, in this thread and in others that are
 * started when a handler takes its time. `EXTLINE_OK` when it ended as its host wished; else a code
 * that is a good exit status, and `extline_last_error` says why: `EXTLINE_TERMINATED` after SIGTERM,
 * `EXTLINE_REQUIRED`, 1 when setup failed. What kept it from running is said on stderr too; with NULL
 * that is what `extline_new` said. Started by hand in a terminal it says on stderr how the
 * program is tried, and returns `EXTLINE_OK`; with `EXTLINE_STDIO=claim` frames can be typed.
 *
 * While a handler is quick it runs in this thread, which waits for the host again when it returns.
 * One that takes longer than some milliseconds keeps its thread, and another goes on: calls run
 * beside each other, at most 32 at a time (`extline_set_max_threads`); events, and what happens in
 * one panel, come one at a time. So handlers must be ready to run in several threads. Standard
 * mutexes do; a handler may hold one while it waits for the host.
 *
 * Stdout belongs to the protocol: what handlers and their child processes print lands on stderr, and
 * stdin is empty. SIGTERM ends the extension in order, SIGPIPE is left as it is and does not come for
 * a host that is gone; other signals are the program's. (On Linux one thread of the library ends the
 * read of another by SIGURG, with a handler that does nothing, unless the program handles that signal:
 * it comes to no thread that is outside of the library.) At the end handlers see a cancel; 1.5 s after
 * it began the process is ended, whatever still runs (`end.hard`), be it a handler, which is named
 * on stderr, or what the program does after this has returned. Every thread that ran handlers has ended
 * when this returns. In the child of a fork it does nothing (`EXTLINE_FORKED`), and a handler that
 * returns there ends the child.
 *
 * Once for each process, from any thread; not from inside a handler.
 */
extline_result extline_run(struct extline_extension *ext);

/**
 * At most so many handlers run at a time in `extline_run`, from 1 to 32, which it is unless it is
 * set. The others wait; cancels and the end are seen all the same.
 *
 * Before the start, from any thread.
 */
extline_result extline_set_max_threads(struct extline_extension *ext, uint32_t count);

/**
 * Has `run` called once the host has answered and before it is told what the extension offers
 * (`start.setup`). What is registered in it is offered beside the rest. It should not take long: a host
 * waits for about 3 seconds. When it fails the extension ends, with exit status 1. Several run in the
 * order in which they were given.
 *
 * Before the start; later it is `EXTLINE_STATE`. `user` is the library's when this succeeds. From any
 * thread.
 */
extline_result extline_setup(struct extline_extension *ext,
                             extline_stage_callback run,
                             void *user,
                             extline_drop_callback drop);

/**
 * Has `run` called at the end, once every call is answered: at `shutdown`, at the end of the input, at
 * SIGTERM. What it does must be done 1.25 s after the end began, a second of which a call that is never
 * answered may take (`end.answers`). It does not run when no setup has returned. Several run in the
 * order in which they were given.
 *
 * Before the start; later it is `EXTLINE_STATE`. `user` is the library's when this succeeds. From any
 * thread.
 */
extline_result extline_teardown(struct extline_extension *ext,
                                extline_stage_callback run,
                                void *user,
                                extline_drop_callback drop);

/**
 * Declares something that the extension cannot do without. `kind` is `capability` or `method`, with
 * what the host must offer, or `tool`, `command`, `event`, `intercept` or `guard`, with a registration
 * that it must take. Where it does not, the user is notified, a line on stderr says what is missing,
 * and the extension ends with `EXTLINE_REQUIRED` (`report.required`), before setup where that is known
 * by then.
 *
 * `EXTLINE_ARGUMENT` for another kind, or a capability that does not exist. What `hello_ack` tells counts
 * where it is declared before the start, a registration also later. From any thread.
 */
extline_result extline_require(struct extline_extension *ext,
                               const char *kind,
                               const char *name);

/* ---- What it offers and listens to ----------------------------------------------------------- */

/**
 * Offers a tool to the model. Before the start, in setup, or at any time where the host re-reads its
 * list (capability `tool_registry`, else `EXTLINE_UNSUPPORTED`). `EXTLINE_CLOSED` when the session is
 * over.
 *
 * `EXTLINE_NULL_POINTER` without a name or `run`, `EXTLINE_ARGUMENT` for a name or word that is not
 * allowed, `EXTLINE_JSON` for a schema that is none, `EXTLINE_DUPLICATE` for a second one of that
 * name. `user` is the library's when this succeeds, and stays the caller's when it fails. From any
 * thread.
 */
extline_result extline_tool(struct extline_extension *ext,
                            const struct extline_tool_options *tool);

/**
 * Takes a tool back. Calls of it that run go on, and `drop` is called when the last has ended.
 * `EXTLINE_NOT_FOUND` for a name that is not offered, `EXTLINE_UNSUPPORTED` where the host reads the tools only at the
 * start. From any thread.
 */
extline_result extline_unregister_tool(struct extline_extension *ext,
                                       const char *name);

/**
 * Offers a slash command, at any time. `EXTLINE_CLOSED` when the session is over.
 *
 * `EXTLINE_NULL_POINTER` without a name or `run`, `EXTLINE_ARGUMENT` for a name that is not allowed,
 * `EXTLINE_DUPLICATE` for a second one of that name. `user` is the library's when this succeeds, and
 * stays the caller's when it fails. From any thread.
 */
extline_result extline_command(struct extline_extension *ext,
                               const struct extline_command_options *command);

/**
 * Has `run` called when the event happens. Events are handled one at a time in their order
 * (`order.events`); several handlers of one event are called in the order in which they were given.
 * Until setup has returned, later `EXTLINE_STATE`. `user` is the library's when this succeeds. From any
 * thread.
 */
extline_result extline_on(struct extline_extension *ext,
                          const char *event,
                          extline_event_callback run,
                          void *user,
                          extline_drop_callback drop);

/**
 * As `extline_on`, for `count` tools alone: of an event about a tool, as `tool_call` or `tool_result`. `*`
 * in a name stands for any text. A host that can sends no others; under any other the library keeps them
 * away. `EXTLINE_ARGUMENT` for an event that is about no tool, for no tools, and for a name with a backslash
 * before another character than `*` and `\`. From any thread.
 */
extline_result extline_on_tools(struct extline_extension *ext,
                                const char *event,
                                const char *const *tools,
                                size_t count,
                                extline_event_callback run,
                                void *user,
                                extline_drop_callback drop);

/**
 * Has the host ask before something happens, at one of its points: `tool_call`, `turn_start`,
 * `assistant_message`, `before_agent_start`, `tool_result`, `user_prompt_submit`. The host stands still
 * meanwhile, so the handler should decide soon, by `extline_call_allow`, `_block`, `_ask`, `_rewrite`,
 * `_replace_text`, `_replace_result`, `_handled` or `_system_prompt`; its text and `extline_call_args` are
 * the frame, with `/tool_name`, `/tool_args`, `/text`, `/result` and the like. Several
 * handlers of one point are asked in the order in which they were given, each on what the one before
 * made of it; a block ends it. Then the guards are asked.
 *
 * One that fails or takes longer than the host waits, less 500 ms, is answered as `extline_on_failure`
 * says (`intercept.failure`). `EXTLINE_ARGUMENT` for another point. Until setup has returned, later `EXTLINE_STATE`. `user` is the library's
 * when this succeeds. From any thread.
 */
extline_result extline_intercept(struct extline_extension *ext,
                                 const char *point,
                                 extline_call_callback run,
                                 void *user,
                                 extline_drop_callback drop);

/**
 * Has every tool call, whoever offers the tool, pass a guard that may block it, after every interceptor
 * and on the arguments that will run (`guard.final-args`): `/tool_name`, `/tool_args/command`. It decides by
 * `extline_call_allow`, `_block` or `_ask`. A guard fails closed: a failure, or no decision in time, blocks the
 * call, unless `extline_on_failure` says otherwise (`guard.closed`). A zot, which knows no guards, asks
 * them like interceptors. Several are asked in the order in which they were given.
 *
 * `EXTLINE_DUPLICATE` for a second one of that name, which is told to the user. Else as
 * `extline_intercept`.
 */
extline_result extline_guard(struct extline_extension *ext,
                             const char *name,
                             extline_call_callback run,
                             void *user,
                             extline_drop_callback drop);

/**
 * What a handler that fails or takes too long means at a point, for its interceptors and its guards:
 * `allow` or `block`. Unsaid it is a block at `tool_call`, `turn_start` and `assistant_message`; at the
 * others it goes on (`intercept.failure`). Until setup has returned, later `EXTLINE_STATE`; `EXTLINE_ARGUMENT` for
 * another mode or point. From any thread.
 */
extline_result extline_on_failure(struct extline_extension *ext,
                                  const char *point,
                                  const char *mode);

/**
 * Serves requests of the host by method, which `hello` names. The handler's text and `extline_call_args`
 * are the parameters, `null` when there are none; it answers by `extline_call_json`, `_text`, `_none` or
 * `_error`. Requests run concurrently like tool calls. Before the start, later `EXTLINE_STATE`;
 * `EXTLINE_DUPLICATE` for a second handler. `user` is the library's when this succeeds. From any thread.
 */
extline_result extline_method(struct extline_extension *ext,
                              const char *name,
                              extline_call_callback run,
                              void *user,
                              extline_drop_callback drop);

/**
 * Handles what happens in a panel. Its inputs come one at a time in their order, those of other panels
 * meanwhile (`order.panels`). Until setup has returned, later `EXTLINE_STATE`; `EXTLINE_DUPLICATE` for a
 * second handler of one panel. `user` is the library's when this succeeds. From any thread.
 */
extline_result extline_panel(struct extline_extension *ext,
                             const struct extline_panel_options *panel);

/* ---- A call ---------------------------------------------------------------------------------- */

/**
 * The id of the call, as the host chose it. It lives as long as the call. Empty for NULL. From any
 * thread.
 */
struct extline_str extline_call_id(const struct extline_call *call);

/**
 * What is called: the tool, the command, the point of an interceptor, the guard, the method. It lives
 * as long as the call. Empty for NULL. From any thread.
 */
struct extline_str extline_call_name(const struct extline_call *call);

/**
 * The id of the conversation that a tool call belongs to; empty where the host does not say it. It
 * lives as long as the call. Empty for NULL. From any thread.
 */
struct extline_str extline_call_session_id(const struct extline_call *call);

/**
 * Names what a tool's call does, where the agent would make it again after a crash: then with the same
 * key. A tool that tells a service passes it on, so that nothing is done twice. It lives as long as the
 * call. Empty where the host does not say it, and for NULL. From any thread.
 */
struct extline_str extline_call_operation_key(const struct extline_call *call);

/**
 * Whether the agent only asks what became of the call of that key, of a tool whose `replay` is
 * `reconcile`: do nothing, and answer by `extline_call_json` with `{"state":"completed"}` and what the
 * call gave, `{"state":"not_started"}` or `{"state":"unknown"}` (`tool.reconcile`). False for NULL. From
 * any thread.
 */
bool extline_call_reconcile(const struct extline_call *call);

/**
 * The extension that the call came to; NULL when it has been freed, and for NULL. It belongs to whoever
 * made it, as before. From any thread.
 */
struct extline_extension *extline_call_extension(const struct extline_call *call);

/**
 * How many milliseconds the host still waits; 0 when the time is up, -1 where it does not say it, and
 * for NULL. They stand still while a person is asked on behalf of the call. From any thread.
 */
int64_t extline_call_deadline_ms(const struct extline_call *call);

/**
 * Whether the host no longer wants the answer, or the extension ends. The call is answered all the
 * same. False for NULL. From any thread.
 */
bool extline_call_cancelled(const struct extline_call *call);

/**
 * Has `run` called once when the call is cancelled; at once, in this thread, when it was already. It
 * may be called in any thread, never under a lock of the library's. `drop` gives `user` back when the
 * call has its answer or `run` has returned.
 */
extline_result extline_call_on_cancel(struct extline_call *call,
                                      extline_cancel_callback run,
                                      void *user,
                                      extline_drop_callback drop);

/**
 * Waits for so many milliseconds, or until the call is cancelled: `EXTLINE_CANCELLED`. Other calls go on
 * meanwhile, except in the poll form when the thread is the loop's own. From any thread.
 */
extline_result extline_call_sleep_ms(struct extline_call *call,
                                     uint32_t milliseconds);

/**
 * Keeps a call beyond its handler, to be answered later and from any thread; gives the same call back.
 * Each is given back by one `extline_call_release`. NULL for NULL.
 *
 * A handler that returns without having answered or kept its call has it answered with an `internal`
 * error.
 */
struct extline_call *extline_call_retain(struct extline_call *call);

/**
 * Gives a call back that was kept; it must not be used after that. When nobody else keeps it and it has
 * no answer, it is answered with an `internal` error. NULL is ignored. From any thread.
 */
void extline_call_release(struct extline_call *call);

/* ---- The arguments of a call ----------------------------------------------------------------- */

/**
 * The string at a JSON pointer (RFC 6901) in the arguments, `/city` for the member `city`, its escapes
 * resolved. When nothing or no string is there the call is answered with a `validation` error that
 * names the member, and this is `EXTLINE_VALIDATION`: the handler returns. (In an interceptor or guard
 * the handler has failed, and `on_failure` decides.) A text that is no pointer is `EXTLINE_ARGUMENT`.
 *
 * The string lives as long as the call. From any thread.
 */
extline_result extline_args_string(struct extline_call *call,
                                   const char *pointer,
                                   struct extline_str *out);

/**
 * The whole number at a pointer in the arguments, `3.0` among them. Else as `extline_args_string`.
 */
extline_result extline_args_int(struct extline_call *call, const char *pointer, int64_t *out);

/**
 * The number at a pointer in the arguments. Else as `extline_args_string`.
 */
extline_result extline_args_double(struct extline_call *call, const char *pointer, double *out);

/**
 * The boolean at a pointer in the arguments. Else as `extline_args_string`.
 */
extline_result extline_args_bool(struct extline_call *call, const char *pointer, bool *out);

/**
 * How many elements the array at a pointer in the arguments has: the first is at `/list/0`. Else as
 * `extline_args_string`.
 */
extline_result extline_args_length(struct extline_call *call, const char *pointer, size_t *out);

/**
 * The value at a pointer in the arguments as JSON text, whatever its type and as the model wrote it.
 * Else as `extline_args_string`.
 */
extline_result extline_args_json(struct extline_call *call,
                                 const char *pointer,
                                 struct extline_str *out);

/**
 * Whether something is at a pointer in the arguments, `null` included; it answers nothing, so it is
 * asked before what may be left out is read. False for NULL and a text that is no pointer. From any
 * thread.
 */
bool extline_args_has(const struct extline_call *call, const char *pointer);

/**
 * The JSON of the call: the arguments of a tool, the parameters of a method, the frame of an intercept;
 * NULL for a command, which has text. It belongs to the call. From any thread.
 */
const struct extline_json *extline_call_args(const struct extline_call *call);

/* ---- The answer of a tool or method ---------------------------------------------------------- */

/**
 * Answers a tool with a text; after a command it is shown to the user; a method returns it as a string.
 *
 * `EXTLINE_ANSWERED` when the call has its answer, `EXTLINE_CANCELLED` when the library has answered a
 * cancelled call in the handler's place, `EXTLINE_STATE` for an interceptor or guard,
 * `EXTLINE_TOO_LARGE` when the host takes no frame that long and was told so, `EXTLINE_CLOSED` when the
 * session is over. The text is copied. From any thread.
 */
extline_result extline_call_text(struct extline_call *call,
                                 const char *text);

/**
 * `extline_call_text` for `len` bytes, which need no NUL behind them and may hold some.
 */
extline_result extline_call_text_n(struct extline_call *call, const char *text, size_t len);

/**
 * `extline_call_text` for a text that is a JSON string already, with its quotes and escapes, as
 * `extline_args_json` hands one out: it goes to the host as it stands, so a long one is neither unescaped
 * nor escaped, and one that this call has handed out is not even looked at. (After a command it is shown
 * as the text that it stands for.) `EXTLINE_JSON` for a text that is none, and for any other value; the
 * last error says at which column. Then the call is not answered. Else as `extline_call_text`.
 */
extline_result extline_call_text_json(struct extline_call *call,
                                      const char *json);

/**
 * `extline_call_text_json` for `len` bytes, which need no NUL behind them.
 */
extline_result extline_call_text_json_n(struct extline_call *call, const char *json, size_t len);

/**
 * Answers a tool with a JSON value, whole as structured content and as text for models and hosts that
 * know only text; a method returns it. `EXTLINE_JSON` for a text that is none, `EXTLINE_ARGUMENT` for what
 * `gated_by` of a tool cannot answer, and then the call is not answered. Else as `extline_call_text`.
 */
extline_result extline_call_json(struct extline_call *call,
                                 const char *json);

/**
 * `extline_call_json` for `len` bytes, which need no NUL behind them.
 */
extline_result extline_call_json_n(struct extline_call *call, const char *json, size_t len);

/**
 * Answers `gated_by` of a tool: `policy` is `prompt`, the user is to be asked, `allow`, nobody is, or
 * `deny`, the call must not run. `reason` says why, for the user; NULL leaves it to `approval_reason`.
 * `EXTLINE_ARGUMENT` for another policy, and then the call is not answered; `EXTLINE_STATE` for a call of
 * another kind. Else as `extline_call_text`.
 */
extline_result extline_call_advise(struct extline_call *call,
                                   const char *policy,
                                   const char *reason);

/**
 * Answers a tool with an image: the `len` bytes of a file of that media type, as `image/png`. The bytes
 * are copied. Else as `extline_call_text`.
 */
extline_result extline_call_image(struct extline_call *call,
                                  const void *data,
                                  size_t len,
                                  const char *mime_type);

/**
 * Answers without a value: no content of a tool (but what was added before), nothing to do after a
 * command, `null` of a method. Else as `extline_call_text`.
 */
extline_result extline_call_none(struct extline_call *call);

/**
 * Answers a call of any kind with an error: its kind, one of the words of `extline_error_options`, and a
 * message. After a command the user sees the message; an interceptor or guard has failed, and
 * `on_failure` decides. `EXTLINE_ARGUMENT` for another kind; then the call is not answered. Else as
 * `extline_call_text`.
 */
extline_result extline_call_error(struct extline_call *call,
                                  const char *kind,
                                  const char *message);

/**
 * Answers with an error that says more than a message. Else as `extline_call_error`.
 */
extline_result extline_call_fail(struct extline_call *call,
                                 const struct extline_error_options *error);

/**
 * Adds a block of text to the result of a tool. `EXTLINE_STATE` for another kind of call,
 * `EXTLINE_ANSWERED` when it has its answer. The text is copied. What is added is sent by
 * `extline_call_finish`, or in front of what another function answers with. From any thread.
 */
extline_result extline_call_add_text(struct extline_call *call, const char *text);

/**
 * `extline_call_add_text` for `len` bytes, which need no NUL behind them and may hold some.
 */
extline_result extline_call_add_text_n(struct extline_call *call, const char *text, size_t len);

/**
 * Adds an image: the `len` bytes of a file of that media type. Else as `extline_call_add_text`.
 */
extline_result extline_call_add_image(struct extline_call *call,
                                      const void *data,
                                      size_t len,
                                      const char *mime_type);

/**
 * Adds a JSON value: as structured content, and as a block of text. A result holds one such value; a
 * second one takes its place. `EXTLINE_JSON` for a text that is none. Else as `extline_call_add_text`.
 */
extline_result extline_call_add_json(struct extline_call *call,
                                     const char *json);

/**
 * Sets what only the user sees of a result, not the model: any JSON value. Else as
 * `extline_call_add_json`.
 */
extline_result extline_call_details(struct extline_call *call, const char *json);

/**
 * Sets how a person is shown a result, in place of its text, by a host that shows views (docs/views.md):
 * `{"kind":"table","columns":["file","lines"],"rows":[["a.c",12]]}`. Else as `extline_call_add_json`.
 */
extline_result extline_call_view(struct extline_call *call,
                                 const char *json);

/**
 * Says what the call did to the world (`tool.effects`): a JSON array of effects, as
 * `[{"kind":"file","op":"create","path":"notes.md"}]`; those of several calls of this function add up.
 * Failures have effects too. Else as `extline_call_add_json`.
 */
extline_result extline_call_effects(struct extline_call *call,
                                    const char *json);

/**
 * Has the host offer a deferred tool to the model from now on. Else as `extline_call_add_text`.
 */
extline_result extline_call_activate(struct extline_call *call, const char *tool);

/**
 * Says how far the content may be trusted: `untrusted` for what others wrote, such as a web page, or
 * `trusted`. `EXTLINE_ARGUMENT` for another word. Else as `extline_call_add_text`.
 */
extline_result extline_call_trust(struct extline_call *call,
                                  const char *word);

/**
 * Answers a tool with what was added. Else as `extline_call_text`.
 */
extline_result extline_call_finish(struct extline_call *call);

/**
 * Shows how a tool call stands, in a word for the user. It never waits: of several within 50 ms the last
 * is sent (`update.rate`), and nothing is where the host does not know updates. `EXTLINE_ANSWERED` when
 * it has its answer, `EXTLINE_STATE` for another kind of call. The text is copied. From any thread.
 */
extline_result extline_call_update(struct extline_call *call,
                                   const char *message);

/**
 * Shows more of how a tool call stands. `EXTLINE_JSON` for details or a view that are no JSON. Else as
 * `extline_call_update`.
 */
extline_result extline_call_update_with(struct extline_call *call,
                                        const struct extline_update_options *update);

/**
 * Sends a part of a method's answer before the answer, any JSON value. In `extline_run` it waits while the
 * host does not take what was said, `EXTLINE_CANCELLED` when the call is cancelled meanwhile. Where the
 * program drives, or every thread waits, it is `EXTLINE_AGAIN` while 16 parts are not written
 * (`rpc.parts-ahead`). `EXTLINE_STATE` for another kind of call, `EXTLINE_ANSWERED` when it has its answer,
 * `EXTLINE_TOO_LARGE`. From any thread.
 */
extline_result extline_call_part(struct extline_call *call,
                                 const char *json);

/* ---- The answer of a command ----------------------------------------------------------------- */

/**
 * Answers a command by submitting a prompt to the model. `EXTLINE_STATE` for another kind of call. Else
 * as `extline_call_text`.
 */
extline_result extline_respond_prompt(struct extline_call *call,
                                      const char *prompt);

/**
 * Answers a command by putting text into the user's editor. Else as `extline_respond_prompt`.
 */
extline_result extline_respond_insert(struct extline_call *call, const char *text);

/**
 * Answers a command by showing text to the user. Else as `extline_respond_prompt`.
 */
extline_result extline_respond_display(struct extline_call *call, const char *text);

/**
 * Answers a command that failed; the user sees the message. Else as `extline_respond_prompt`.
 */
extline_result extline_respond_error(struct extline_call *call, const char *message);

/**
 * Answers a command after which nothing is to happen. Else as `extline_respond_prompt`.
 */
extline_result extline_respond_noop(struct extline_call *call);

/**
 * Answers a command by opening a panel; what happens in it goes to the handlers of `extline_panel`. Else
 * as `extline_respond_prompt`.
 */
extline_result extline_respond_open_panel(struct extline_call *call,
                                          const struct extline_panel_content *panel);

/**
 * Answers a command by submitting a prompt as if the model had called a tool with these arguments, a
 * JSON object. A host that may not know this gets the prompt alone (`command.tool-prompt`).
 * `EXTLINE_JSON` for arguments that are none. Else as `extline_respond_prompt`.
 */
extline_result extline_respond_tool_prompt(struct extline_call *call,
                                           const char *tool,
                                           const char *args,
                                           const char *prompt);

/* ---- What a guard or an interceptor decides -------------------------------------------------- */

/**
 * Lets what is about to happen go on, as far as this handler is concerned. `EXTLINE_STATE` for a call
 * that is no intercept, `EXTLINE_ANSWERED` when it is decided. From any thread.
 */
extline_result extline_call_allow(struct extline_call *call);

/**
 * Has it not happen; the model, or the user for a call of the model and a prompt, reads why. A
 * `tool_result` is withheld: the tool has run, and nobody gets what it answered. `before_agent_start`
 * cannot be blocked: `EXTLINE_STATE`. Else as `extline_call_allow`.
 */
extline_result extline_call_block(struct extline_call *call,
                                  const char *reason);

/**
 * Has a person asked before a tool call happens, who reads why: of a guard, else `EXTLINE_STATE`. Where the
 * host cannot ask, the call does not happen (`guard.ask`). Else as `extline_call_allow`.
 */
extline_result extline_call_ask(struct extline_call *call,
                                const char *reason);

/**
 * Lets a tool call go on with other arguments, a JSON object: at the point `tool_call`, not for a guard,
 * else `EXTLINE_STATE`. `EXTLINE_JSON` for anything but an object. Else as `extline_call_allow`.
 */
extline_result extline_call_rewrite(struct extline_call *call,
                                    const char *args);

/**
 * Lets a message of the model count with another text, a zot takes an empty one for no change; has the
 * agent take another prompt; has the caller of a tool get this text in place of its result's content and
 * value: at the points `assistant_message`, `user_prompt_submit`, `tool_result`, else `EXTLINE_STATE`.
 * Else as `extline_call_allow`.
 */
extline_result extline_call_replace_text(struct extline_call *call,
                                         const char *text);

/**
 * Has the caller of a tool get another result: a JSON object with those of `content` (a list of blocks),
 * `structured_content`, `details` and `is_error` that are to be replaced. What is not there stays; but
 * where there is `content` and no `structured_content`, the old value goes, which says the same
 * (`result.replaced`). At the point `tool_result`, else `EXTLINE_STATE`. `EXTLINE_JSON` for anything but
 * such an object. Else as `extline_call_allow`.
 */
extline_result extline_call_replace_result(struct extline_call *call,
                                           const char *result);

/**
 * Says that the extension has dealt with a prompt of the user: the agent sends nothing to the model
 * (`prompt.handled`). At the point `user_prompt_submit`, else `EXTLINE_STATE`. Else as
 * `extline_call_allow`.
 */
extline_result extline_call_handled(struct extline_call *call);

/**
 * Lets an agent start with another system prompt; an empty one removes it: at the point
 * `before_agent_start`, else `EXTLINE_STATE`. Else as `extline_call_allow`.
 */
extline_result extline_call_system_prompt(struct extline_call *call, const char *prompt);

/* ---- An event -------------------------------------------------------------------------------- */

/**
 * What happened, as `turn_start`. It lives as long as the event. Empty for NULL. From any thread.
 */
struct extline_str extline_event_name(const struct extline_event *event);

/**
 * The whole frame of the event as JSON, with members as `/step`, `/tool_name`, `/text`. It belongs to
 * the event. NULL for NULL. From any thread.
 */
const struct extline_json *extline_event_payload(const struct extline_event *event);

/* ---- JSON ------------------------------------------------------------------------------------ */

/**
 * The string at a pointer, its escapes resolved. `EXTLINE_NOT_FOUND` when nothing is there,
 * `EXTLINE_TYPE` when it is no string, `EXTLINE_ARGUMENT` for a text that is no pointer. It lives as
 * long as what the value belongs to. From any thread.
 */
extline_result extline_json_string(const struct extline_json *json,
                                   const char *pointer,
                                   struct extline_str *out);

/**
 * The whole number at a pointer, `3.0` among them. `EXTLINE_TYPE` when it is none, or does not fit.
 * Else as `extline_json_string`.
 */
extline_result extline_json_int(const struct extline_json *json, const char *pointer, int64_t *out);

/**
 * The number at a pointer. `EXTLINE_TYPE` when it is none, or too large for a double. Else as
 * `extline_json_string`.
 */
extline_result extline_json_double(const struct extline_json *json,
                                   const char *pointer,
                                   double *out);

/**
 * The boolean at a pointer. Else as `extline_json_string`.
 */
extline_result extline_json_bool(const struct extline_json *json, const char *pointer, bool *out);

/**
 * How many elements the array at a pointer has. Else as `extline_json_string`.
 */
extline_result extline_json_length(const struct extline_json *json,
                                   const char *pointer,
                                   size_t *out);

/**
 * The value at a pointer as JSON text, whatever its type and as its author wrote it: for a JSON library
 * of the program's own. Else as `extline_json_string`.
 */
extline_result extline_json_text(const struct extline_json *json,
                                 const char *pointer,
                                 struct extline_str *out);

/**
 * The type of the value at a pointer, one of `EXTLINE_JSON_...`. Else as `extline_json_string`.
 */
extline_result extline_json_type(const struct extline_json *json,
                                 const char *pointer,
                                 int32_t *out);

/**
 * How many members the object at a pointer has, a name that stands twice counted twice. Else as
 * `extline_json_string`.
 */
extline_result extline_json_member_count(const struct extline_json *json,
                                         const char *pointer,
                                         size_t *out);

/**
 * Whether something is at a pointer, `null` included. False for NULL and for a text that is no pointer.
 * From any thread.
 */
bool extline_json_has(const struct extline_json *json,
                      const char *pointer);

/* ---- Telling the host ------------------------------------------------------------------------ */

/**
 * Shows the user a note. The level is `debug`, `info`, `success`, `warn` or `error`, else
 * `EXTLINE_ARGUMENT`. `EXTLINE_STATE` before the start, `EXTLINE_CLOSED` when the session is over. From
 * any thread.
 */
extline_result extline_notify(struct extline_extension *ext,
                              const char *level,
                              const char *text);

/**
 * Takes the extension's notes back (an addition of mid-2026). Else as `extline_notify`.
 */
extline_result extline_clear_notes(struct extline_extension *ext);

/**
 * Writes a line to the host's log, or to stderr where the host keeps none. `fields` are values that
 * belong to it, a JSON object, or NULL. Else as `extline_notify`.
 */
extline_result extline_log(struct extline_extension *ext,
                           const char *level,
                           const char *text,
                           const char *fields);

/**
 * Queues a prompt for the model (an addition of mid-2026). Else as `extline_notify`.
 */
extline_result extline_submit(struct extline_extension *ext, const char *text);

/**
 * Runs a slash command as if the user had typed it, its slash in front (an addition of mid-2026). Else
 * as `extline_notify`.
 */
extline_result extline_submit_slash(struct extline_extension *ext,
                                    const char *text);

/**
 * Opens a panel, or puts it in the place of the one that is open under this id. Hosts before mid-2026
 * may not know this outside a command; one line on stderr says so then (`cap.upstream-warning`).
 * `EXTLINE_JSON` for a view that is no JSON,
 * `EXTLINE_STATE` before the start, `EXTLINE_CLOSED` when the session is over. From any thread.
 */
extline_result extline_panel_open(struct extline_extension *ext,
                                  const struct extline_panel_content *panel);

/**
 * Draws a panel anew; what is NULL stays as it was (`panel.resend`). `EXTLINE_NOT_FOUND` when it is not
 * open, or the user has closed it (`panel.closed`). Else as `extline_panel_open`.
 */
extline_result extline_panel_render(struct extline_extension *ext,
                                    const struct extline_panel_content *panel);

/**
 * Closes a panel. Keys that wait for its handler are dropped. Nothing happens when it is not open. Else
 * as `extline_panel_open`.
 */
extline_result extline_panel_close(struct extline_extension *ext,
                                   const char *id);

/**
 * Whether a panel is open, as far as is known here. False for NULL. From any thread.
 */
bool extline_panel_is_open(const struct extline_extension *ext, const char *id);

/* ---- What the host is ------------------------------------------------------------------------ */

/**
 * The name of the host program; `zot` for one that does not say it. Empty before the host has answered,
 * and for NULL. It lives as long as the extension. From any thread.
 */
struct extline_str extline_host_name(const struct extline_extension *ext);

/**
 * The version of the host program. Else as `extline_host_name`.
 */
struct extline_str extline_host_version(const struct extline_extension *ext);

/**
 * The model's provider. Else as `extline_host_name`.
 */
struct extline_str extline_host_provider(const struct extline_extension *ext);

/**
 * The model. Else as `extline_host_name`.
 */
struct extline_str extline_host_model(const struct extline_extension *ext);

/**
 * The project's directory. Else as `extline_host_name`.
 */
struct extline_str extline_host_cwd(const struct extline_extension *ext);

/**
 * Whether the host understands what an extension would send under that capability (`cap.send`), as
 * `call_tool` or `tool_update`. False before it has answered, for NULL, and for a name that is none. From
 * any thread.
 */
bool extline_host_supports(const struct extline_extension *ext,
                           const char *capability);

/**
 * Whether the host serves a method, for `extline_request`. Else as `extline_host_supports`.
 */
bool extline_host_serves(const struct extline_extension *ext, const char *method);

/**
 * Where the extension is; empty where the host does not say it. Else as `extline_host_name`.
 */
struct extline_str extline_extension_dir(const struct extline_extension *ext);

/**
 * Where the extension may keep data; empty where the host does not say it. Else as `extline_host_name`.
 */
struct extline_str extline_data_dir(const struct extline_extension *ext);

/**
 * The id of the conversation that the extension serves; empty where the host does not say it. Else as
 * `extline_host_name`.
 */
struct extline_str extline_session_id(const struct extline_extension *ext);

/**
 * The configuration that the host gives, an object, to be asked by pointers: `extline_json_int(config,
 * "/timeout_ms", &timeout)`. It is empty where the host gives none, as a zot; a secret in it is a
 * reference, `{"$secret": "api_key"}`. A host sends another one while the extension runs
 * (`config_changed`): each call of this has the newest. NULL before the host has answered, and for NULL.
 * What it returned lives as long as the extension, also when there is a newer one. From any thread.
 */
const struct extline_json *extline_config(const struct extline_extension *ext);

/* ---- Asking the host ------------------------------------------------------------------------- */

/**
 * Calls any tool of the host, built in or another extension's, as the model would, and waits for its
 * answer: guards see it, the user may be asked. `args` is a JSON object, NULL an empty one. In a tool's
 * handler `call` is its call: then what is called belongs to it, and is cancelled with it; else NULL.
 *
 * `EXTLINE_OK` and `EXTLINE_REMOTE`, when the tool failed or was refused, give an answer, which the caller
 * frees with `extline_answer_free`. `EXTLINE_UNSUPPORTED` where the host does not offer it,
 * `EXTLINE_CANCELLED`, `EXTLINE_ANSWERED` when `call` has its answer, `EXTLINE_JSON`, `EXTLINE_TOO_LARGE`,
 * `EXTLINE_CLOSED`. From any thread but the one that drives the poll or detached form, the last that called
 * `extline_next`, `extline_step` or `extline_feed`: there it is `EXTLINE_STATE`.
 */
extline_result extline_call_tool(struct extline_extension *ext,
                                 struct extline_call *call,
                                 const char *name,
                                 const char *args,
                                 struct extline_answer **out);

/**
 * `extline_call_tool` that does not wait: `run` gets the answer, which is the library's and goes when it
 * returns. It is called once, like a handler; when the extension is freed before, `drop` alone is. `user`
 * is the library's when this succeeds. From any thread, in every form.
 */
extline_result extline_call_tool_then(struct extline_extension *ext,
                                      struct extline_call *call,
                                      const char *name,
                                      const char *args,
                                      extline_answer_callback run,
                                      void *user,
                                      extline_drop_callback drop);

/**
 * Asks the host for something by method, and waits for its answer. `params` is any JSON value, or NULL.
 * `timeout_ms` is how long to wait at most, 0 for ever: `EXTLINE_TIMEOUT`. `EXTLINE_UNSUPPORTED` where the
 * host does not serve the method (`rpc.unsupported-send`). A `call` of any kind may be its parent. Parts
 * that come before the answer are left out: see `extline_request_in_parts`. Else as `extline_call_tool`.
 */
extline_result extline_request(struct extline_extension *ext,
                               struct extline_call *call,
                               const char *method,
                               const char *params,
                               uint64_t timeout_ms,
                               struct extline_answer **out);

/**
 * `extline_request` that gives `part` the parts that come before the answer (`rpc.parts-seq`), each as JSON
 * text, in their order and in this thread, before it returns. `user` stays the caller's.
 */
extline_result extline_request_in_parts(struct extline_extension *ext,
                                        struct extline_call *call,
                                        const char *method,
                                        const char *params,
                                        uint64_t timeout_ms,
                                        extline_part_callback part,
                                        void *user,
                                        struct extline_answer **out);

/**
 * `extline_request` that does not wait: see `extline_call_tool_then`.
 */
extline_result extline_request_then(struct extline_extension *ext,
                                    struct extline_call *call,
                                    const char *method,
                                    const char *params,
                                    uint64_t timeout_ms,
                                    extline_answer_callback run,
                                    void *user,
                                    extline_drop_callback drop);

/**
 * Whether it is an error: the tool failed or was refused, the host refused the request. True for NULL.
 * From one thread at a time, as all that looks at an answer.
 */
bool extline_answer_is_error(const struct extline_answer *answer);

/**
 * Whether the host left a part of the content out (`call.truncated`). False for NULL. From one thread
 * at a time.
 */
bool extline_answer_truncated(const struct extline_answer *answer);

/**
 * The text: of a tool every block of text, a line break between two; of a request its result as JSON
 * text; of an error its message. It lives as long as the answer. Empty for NULL. From one
 * thread at a time.
 */
struct extline_str extline_answer_text(const struct extline_answer *answer);

/**
 * What kind of error it is (`err.codes`), `internal` for a tool that failed; empty for none, and for
 * NULL. It lives as long as the answer. From one thread at a time.
 */
struct extline_str extline_answer_error_kind(const struct extline_answer *answer);

/**
 * As JSON: of a tool its blocks, an array; of a request its result, or what an error says for programs,
 * and NULL when that is nothing. It belongs to the answer. From one thread at a time.
 */
const struct extline_json *extline_answer_json(const struct extline_answer *answer);

/**
 * Frees an answer that `extline_call_tool` or `extline_request` gave. NULL is ignored. Once, from any
 * thread.
 */
void extline_answer_free(struct extline_answer *answer);

/**
 * Asks the person for a yes or no, and waits for the answer. A dialog that is closed without one, and one
 * that nobody can be shown, is a no. `message` says more, in several lines perhaps; NULL for none.
 *
 * The dialog belongs to `call`, the handler's, and closes with it. `EXTLINE_UNSUPPORTED` where the host has
 * no such dialog: `extline_host_serves(ext, "ui.confirm")` tells before. `EXTLINE_REMOTE` when the host
 * refused it; `extline_last_error` says why. For more than this asks, as a time that the person has, see
 * `extline_request`, and for the threads in which it may be called.
 */
extline_result extline_ui_confirm(struct extline_call *call,
                                  const char *title,
                                  const char *message,
                                  bool *out);

/**
 * Has the person choose one of `count` texts, and gives its position, from 0. `EXTLINE_NOT_FOUND` where the
 * dialog was closed. Else as `extline_ui_confirm`.
 */
extline_result extline_ui_select(struct extline_call *call,
                                 const char *title,
                                 const char *const *options,
                                 size_t count,
                                 size_t *out);

/**
 * Asks the person for a line of text, which may be empty; one that is `secret` is not shown while it is
 * typed. The line lives as long as `call`. `EXTLINE_NOT_FOUND` where the dialog was closed. Else as
 * `extline_ui_confirm`.
 */
extline_result extline_ui_input(struct extline_call *call,
                                const char *title,
                                bool secret,
                                struct extline_str *out);

/**
 * Gives a secret that "permissions": {"secrets": [...]} in `extension.json` declares, and waits for it. The text
 * lives as long as `call`, the handler's; print and log it nowhere.
 *
 * `EXTLINE_REMOTE` when the host refused it, as one that is not declared or not set: `extline_last_error` says why
 * and what sets it. Under a host that keeps no secrets it is the environment variable of that name, and
 * `EXTLINE_NOT_FOUND` where that is not set. Else as `extline_request`, also for the threads in which it may be
 * called.
 */
extline_result extline_secret(struct extline_call *call,
                              const char *name,
                              struct extline_str *out);

/* ---- A loop of the program's own ------------------------------------------------------------- */

/**
 * Begins a session over stdin and stdout that a loop of the program's drives, and says hello. The loop
 * waits for the descriptors of `extline_fds` that `extline_interest` names, but no longer than
 * `extline_timeout_ms`; then it calls `extline_step`, and `extline_next` until that is not `EXTLINE_OK`.
 * At `EXTLINE_CLOSED` it ends, with `extline_exit_status`.
 *
 * Stdout belongs to the protocol: what is printed lands on stderr. SIGTERM ends the extension in order.
 * From 1.5 s after the host asked for the end the process ends, whatever still runs (`end.hard`).
 *
 * `EXTLINE_STATE` when the extension was started before, or another of this process has stdin and
 * stdout, `EXTLINE_IO` when one of them is closed; and the first mistake that a registration made, with
 * its code. From any thread.
 */
extline_result extline_start(struct extline_extension *ext);

/**
 * The descriptors to wait for: to read, to write, and one that is readable when another thread has said
 * something or SIGTERM has come. Each may be NULL. They stay the library's: nobody else reads or writes
 * them, and nobody closes them. They are the same until the end. `EXTLINE_STATE` in another form. From any
 * thread.
 */
extline_result extline_fds(struct extline_extension *ext,
                           int *read_fd,
                           int *write_fd,
                           int *wake_fd);

/**
 * Which of the descriptors to wait for now, as the sum of `EXTLINE_READ`, `EXTLINE_WRITE` and
 * `EXTLINE_WAKE`. It changes with every step, handler and word said. Do not wait for one that is not
 * named: a host that has closed its end would wake the loop for ever. 0 in another form, and for NULL.
 * From any thread.
 */
uint32_t extline_interest(const struct extline_extension *ext);

/**
 * Reads and writes what goes without waiting, and does what is due; no handler runs. `ready` is what the
 * wait has reported, as the sum of `EXTLINE_READ`, `EXTLINE_WRITE` and `EXTLINE_WAKE`: 0 when the time was
 * up, and all three do no harm. `EXTLINE_CLOSED` when the session is over and everything is written. From
 * one thread at a time.
 */
extline_result extline_step(struct extline_extension *ext,
                            uint32_t ready);

/**
 * Does what is due and runs the next handler, in this thread. `EXTLINE_OK` when one ran, so that another
 * may wait; `EXTLINE_AGAIN` when none waits; `EXTLINE_CLOSED` when the session is over: the poll form has
 * written everything then, in the detached form `extline_take_output` may have more. `EXTLINE_STATE`
 * inside a handler, and with `extline_run`. From one thread at a time.
 */
extline_result extline_next(struct extline_extension *ext);

/**
 * In how many milliseconds at the latest `extline_next` is to be called, though nothing comes: 0 when a
 * handler waits, -1 when nothing is due. -1 before the start and for NULL too. From any thread.
 */
int32_t extline_timeout_ms(const struct extline_extension *ext);

/**
 * Has `run` called when another thread has answered a call or said something in the detached form, so
 * that the program calls `extline_next` and `extline_take_output` again: it should do no more than wake
 * the loop. It may be called in any thread and more often than needed. Before the start, later
 * `EXTLINE_STATE`. `user` is the library's when this succeeds.
 */
extline_result extline_on_wake(struct extline_extension *ext,
                               extline_wake_callback run,
                               void *user,
                               extline_drop_callback drop);

/**
 * What the process should end with once the session is over: 0, `EXTLINE_TERMINATED` after SIGTERM,
 * `EXTLINE_REQUIRED`, 1 when setup failed; -1 while it goes on, and for NULL. From any thread.
 */
int32_t extline_exit_status(const struct extline_extension *ext);

/**
 * Begins a session whose bytes the program moves: what comes from the host goes to `extline_feed`,
 * what `extline_take_output` gives goes to the host, and `extline_next` runs the handlers. stdin and
 * stdout are left alone, or given back where `extline_new` took them.
 *
 * `EXTLINE_STATE` when the extension was started before; and the first mistake that a registration made,
 * with its code. From any thread.
 */
extline_result extline_start_detached(struct extline_extension *ext);

/**
 * Takes bytes from the host, in pieces of any size. They are copied; no handler runs. From any thread,
 * but in the order in which they came.
 */
extline_result extline_feed(struct extline_extension *ext,
                            const void *data,
                            size_t len);

/**
 * The host has closed its end: open calls are cancelled, and the session ends when they are answered.
 * From any thread.
 */
extline_result extline_feed_eof(struct extline_extension *ext);

/**
 * What is to be written to the host now: whole frames, each with its line end. `EXTLINE_AGAIN` when
 * there is nothing. Take it only when it can be written: until then updates can still be replaced by
 * later ones.
 *
 * It is the library's, and valid until the next `extline_take_output` or `extline_free` of this
 * extension. From one thread at a time.
 */
extline_result extline_take_output(struct extline_extension *ext,
                                   struct extline_str *out);

/**
 * What was taken cannot be written, because the host is gone: open calls are given up, and the session
 * ends. From any thread.
 */
extline_result extline_output_failed(struct extline_extension *ext);

/* ---- Texts made as printf does --------------------------------------------------------------- */

/**
 * Says that a text could not be made as printf does: what the functions that take a format answer then,
 * which stand in the header. `EXTLINE_ARGUMENT`. From any thread.
 */
extline_result extline_format_refused(void);

/* What C's variable arguments make impossible in a library that is not written in C. Each makes a text as
 * printf does and hands it on; `EXTLINE_ARGUMENT` for a format that cannot be written. From any thread. */

/** Writes a text into `small`, or where it is too long into memory to be freed; NULL when that fails. Used
 * by what follows. */
EXTLINE_PRINTF(4, 0)
static inline char *extline_format(char *small, size_t size, size_t *length, const char *format,
                                   va_list arguments) {
    char *text = small;
    va_list again;
    int written;

    va_copy(again, arguments);
    written = vsnprintf(small, size, format, arguments);
    if (written >= 0 && (size_t)written >= size) {
        text = (char *)malloc((size_t)written + 1);
        if (text != NULL) {
            written = vsnprintf(text, (size_t)written + 1, format, again);
        }
    }
    va_end(again);
    if (written < 0) {
        if (text != small) {
            free(text);
        }
        return NULL;
    }
    *length = (size_t)written;
    return text;
}

/* What each of them does with its text. */
#define EXTLINE_FORMATTED(said)                                                        \
    char small[512];                                                                   \
    char *text;                                                                        \
    va_list arguments;                                                                 \
    size_t length = 0;                                                                 \
    extline_result result;                                                             \
                                                                                       \
    va_start(arguments, format);                                                       \
    text = extline_format(small, sizeof(small), &length, format, arguments);           \
    va_end(arguments);                                                                 \
    if (text == NULL) {                                                                \
        return extline_format_refused();                                               \
    }                                                                                  \
    result = said;                                                                     \
    if (text != small) {                                                               \
        free(text);                                                                    \
    }                                                                                  \
    return result;

/** `extline_call_text`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_textf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_text_n(call, text, length))
}

/** `extline_call_error`, with a message as printf writes it. */
EXTLINE_PRINTF(3, 4)
static inline extline_result extline_call_errorf(extline_call *call, const char *kind, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_error(call, kind, text))
}

/** `extline_call_block`, with a reason as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_blockf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_block(call, text))
}

/** `extline_call_update`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_updatef(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_update(call, text))
}

/** `extline_respond_prompt`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_respond_promptf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_respond_prompt(call, text))
}

/** `extline_respond_display`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_respond_displayf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_respond_display(call, text))
}

/** `extline_respond_error`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_respond_errorf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_respond_error(call, text))
}

#undef EXTLINE_FORMATTED

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EXTLINE_H */
