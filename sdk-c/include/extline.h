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

/** The first initializer of options: `{ EXTLINE_TOOL_OPTIONS_INIT, .name = "weather" }`. Before C++20
 * nothing can be named behind it; set the members after it there. */
#if defined(__cplusplus) && __cplusplus < 202002L
#define EXTLINE_INIT(type) sizeof(type)
#else
#define EXTLINE_INIT(type) .struct_size = sizeof(type)
#endif
#define EXTLINE_TOOL_OPTIONS_INIT EXTLINE_INIT(extline_tool_options)
#define EXTLINE_COMMAND_OPTIONS_INIT EXTLINE_INIT(extline_command_options)


/**
 * One call of the host: of a tool, a command, an interceptor, a guard or a method. It is lent to its
 * handler, which answers it or keeps it with `extline_call_retain`; its functions may be called from
 * any thread.
 */
typedef struct extline_call extline_call;

/**
 * An extension. `extline_new` makes it, `extline_free` frees it; everything else may be called from
 * any thread, also from inside handlers.
 */
typedef struct extline_extension extline_extension;

/**
 * What became of a call: `EXTLINE_OK`, or one of the other `EXTLINE_...` codes. A number is never
 * used for another meaning later; new ones may be added, so treat an unknown one as a failure.
 */
typedef int32_t extline_result;

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
 * Handles one call: a tool, a command, an interceptor, a guard or a method. `text` is the arguments
 * of a tool or the parameters of a method as JSON, what stands behind a command, or the frame of an
 * intercept as JSON; it lives as long as `call`. The call must be answered, here or later: see
 * `extline_call_retain`. No C++ exception and no `longjmp` may leave it.
 */
typedef void (*extline_call_callback)(void *user, struct extline_call *call, struct extline_str text);

/**
 * Gives `user` back: called exactly once, when the registration it was given with goes, at the latest
 * in `extline_free` or when the last handler that uses it has returned. From any thread.
 */
typedef void (*extline_drop_callback)(void *user);

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

/**
 * The name of a code, as `NULL_POINTER` for 1; `UNKNOWN` for a number that is none. It is never NULL
 * and lives as long as the program. From any thread.
 */
const char *extline_result_name(extline_result code);

/**
 * Offers a slash command, at any time.
 *
 * `EXTLINE_NULL_POINTER` without a name or `run`, `EXTLINE_ARGUMENT` for a name that is not allowed,
 * `EXTLINE_DUPLICATE` for a second one of that name. `user` is the library's when this succeeds, and
 * stays the caller's when it fails. From any thread.
 */
extline_result extline_command(struct extline_extension *ext,
                               const struct extline_command_options *command);

/**
 * Begins a session whose bytes the program moves: what comes from the host goes to `extline_feed`,
 * what `extline_take_output` gives goes to the host, and `extline_next` runs the handlers. stdin and
 * stdout are left alone, or given back where `extline_new` took them. `EXTLINE_STATE` when the extension was started before. From any thread.
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

/**
 * Does what is due and runs the next handler, in this thread. `EXTLINE_OK` when one ran, so that
 * another may wait; `EXTLINE_AGAIN` when none waits; `EXTLINE_CLOSED` when the session is over and
 * only what `extline_take_output` still has is to be written. From one thread at a time.
 */
extline_result extline_next(struct extline_extension *ext);

/**
 * Makes an extension with the name and version that it tells its host. NULL when a text is NULL or no
 * UTF-8; `extline_last_error` says which.
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
 * What was wrong with the last call of this thread that failed: what, where, what to do about it, in at
 * most 1023 bytes. Empty when none failed, never NULL. It is the library's and valid until the thread
 * ends, but its text changes with the next call that fails in this thread; each thread has its own.
 */
const char *extline_last_error(void);

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
 * a host that is gone; other signals are the program's. From 1.5 s after the host asked for the end
 * the process ends, whatever still runs (`end.overdue`): handlers see it as a cancel. Every thread of
 * the library has ended when this returns. In the child of a fork it does nothing (`EXTLINE_FORKED`),
 * and a handler that returns there ends the child.
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
 * SIGTERM. What it does must be done one second after the end began (`end.answers`). It does not run
 * when no setup has returned. Several run in the order in which they were given.
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
 * `EXTLINE_ARGUMENT` for another kind, or a capability that does not exist. From any thread.
 */
extline_result extline_require(struct extline_extension *ext,
                               const char *kind,
                               const char *name);

/**
 * Answers the call of a tool with a text; a command shows it to the user.
 *
 * `EXTLINE_ANSWERED` when it has its answer, `EXTLINE_CANCELLED` when the library has answered a
 * cancelled call in the handler's place, `EXTLINE_STATE` for another kind of call. The text is copied.
 * From any thread.
 */
extline_result extline_call_text(struct extline_call *call,
                                 const char *text);

/**
 * `extline_call_text` for `len` bytes, which need no NUL behind them and may hold some.
 */
extline_result extline_call_text_n(struct extline_call *call, const char *text, size_t len);

/**
 * Offers a tool to the model. Before the start, in setup, or at any time where the host re-reads its
 * list (capability `tool_registry`, else `EXTLINE_UNSUPPORTED`).
 *
 * `EXTLINE_NULL_POINTER` without a name or `run`, `EXTLINE_ARGUMENT` for a name or word that is not
 * allowed, `EXTLINE_JSON` for a schema that is none, `EXTLINE_DUPLICATE` for a second one of that
 * name. `user` is the library's when this succeeds, and stays the caller's when it fails. From any
 * thread.
 */
extline_result extline_tool(struct extline_extension *ext,
                            const struct extline_tool_options *tool);

/**
 * Takes a tool back; a name that is not offered is ignored. Calls of it that run go on, and `drop` is
 * called when the last has ended. `EXTLINE_UNSUPPORTED` where the host reads the tools only at the
 * start. From any thread.
 */
extline_result extline_unregister_tool(struct extline_extension *ext,
                                       const char *name);

/**
 * The version of the library, as `EXTLINE_VERSION` is that of the header. Never NULL, and it lives as
 * long as the program. From any thread.
 */
const char *extline_version(void);

/* What C's variable arguments make impossible in a library that is not written in C. */

/** Answers like `extline_call_text`, with a text that printf's format makes. `EXTLINE_ARGUMENT` for a
 * format that cannot be written. From any thread. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_textf(extline_call *call, const char *format, ...) {
    char small[512];
    char *text = small;
    va_list arguments;
    int length;
    extline_result result;

    va_start(arguments, format);
    length = vsnprintf(small, sizeof(small), format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof(small)) {
        text = (char *)malloc((size_t)length + 1);
        if (text != NULL) {
            va_start(arguments, format);
            length = vsnprintf(text, (size_t)length + 1, format, arguments);
            va_end(arguments);
        }
    }
    if (length < 0 || text == NULL) {
        return EXTLINE_ARGUMENT;
    }
    result = extline_call_text_n(call, text, (size_t)length);
    if (text != small) {
        free(text);
    }
    return result;
}

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EXTLINE_H */
