/* The host's side of an extension in the same process: what is said to it, and the lines it wrote.
 *
 *     host_begin(ext);                    hello, hello_ack, registrations, ready
 *     host_says(ext, "{...}");            one frame, and every handler that follows from it
 *     CHECK_TEXT(host_hears(ext), "{...}");   the next line it wrote; "" when there is none */
#ifndef EXTLINE_TEST_HOST_H
#define EXTLINE_TEST_HOST_H

#include "test.h"

/* What the host of these tests names. */
#define ACK_WITH(capabilities) \
    "{\"type\":\"hello_ack\",\"protocol_version\":1,\"capabilities\":[" capabilities "]," \
    "\"zot_version\":\"0.1.62\",\"provider\":\"anthropic\",\"model\":\"a-model\",\"cwd\":\"/home/ada\"," \
    "\"extension_dir\":\"/ext\",\"data_dir\":\"/data\",\"host\":{\"name\":\"test\",\"version\":\"1.2.3\"}," \
    "\"limits\":{\"frame_bytes\":4194303,\"tool_timeout_ms\":60000,\"intercept_timeout_ms\":5000," \
    "\"command_timeout_ms\":30000},\"session\":{\"id\":\"s-1\"}}"
#define ACK \
    ACK_WITH("\"commands\",\"tools\",\"events\",\"panels\",\"tool_cancel\",\"call_tool\",\"tool_update\"," \
             "\"tool_registry\",\"registration_report\",\"log\",\"rpc\",\"config\",\"view\"")

static char heard[1 << 16];   /* lines that were written and not looked at yet */
static size_t heard_length;
static char line[1 << 16];    /* the one that was looked at last */

static void host_listen(extline_extension *ext) {
    extline_str output = {NULL, 0};
    extline_result result = extline_take_output(ext, &output);
    if (result == EXTLINE_AGAIN) return;
    CHECK_OK(result);
    CHECK(output.ptr != NULL);
    CHECK(heard_length + output.len < sizeof heard);
    memcpy(heard + heard_length, output.ptr, output.len);
    heard_length += output.len;
}

/* Runs every handler that waits. */
static void host_lets(extline_extension *ext) {
    extline_result result;
    while ((result = extline_next(ext)) == EXTLINE_OK) continue;
    if (result != EXTLINE_CLOSED) CHECK_CODE(result, EXTLINE_AGAIN);
}

static void host_says(extline_extension *ext, const char *frame) {
    CHECK_OK(extline_feed(ext, frame, strlen(frame)));
    CHECK_OK(extline_feed(ext, "\n", 1));
    host_lets(ext);
}

static const char *host_hears(extline_extension *ext) {
    host_listen(ext);
    char *end = memchr(heard, '\n', heard_length);
    if (end == NULL) {
        CHECK_EQ(heard_length, 0);
        return "";
    }
    size_t length = (size_t)(end - heard);
    memcpy(line, heard, length);
    line[length] = '\0';
    heard_length -= length + 1;
    memmove(heard, end + 1, heard_length);
    return line;
}

/* The next line that has this in it; what comes before it is lost. */
static const char *host_hears_one(extline_extension *ext, const char *part) {
    const char *one;
    do {
        one = host_hears(ext);
        if (*one == '\0') FAIL("no line has `%s`", part);
    } while (strstr(one, part) == NULL);
    return one;
}

static void host_forgets(extline_extension *ext) {
    host_listen(ext);
    heard_length = 0;
}

/* From hello to ready, with this hello_ack; the registrations wait to be heard. */
static void host_begin_with(extline_extension *ext, const char *ack) {
    heard_length = 0;
    CHECK_OK(extline_start_detached(ext));
    host_says(ext, ack);
}

static void host_begin(extline_extension *ext) {
    host_begin_with(ext, ACK);
    host_hears_one(ext, "{\"type\":\"ready\"}");
    CHECK_EQ(heard_length, 0);
}

/* A call of the tool `t`; and of the command `c`. */
#define CALL(id, args) "{\"type\":\"tool_call\",\"id\":\"" id "\",\"name\":\"t\",\"args\":" args "}"
#define COMMAND(id, args) "{\"type\":\"command_invoked\",\"id\":\"" id "\",\"name\":\"c\",\"args\":\"" args "\"}"

/* An answer to them: text. */
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define RESULT(id, text) "{\"type\":\"tool_result\",\"id\":\"" id "\",\"content\":[" TEXT(text) "]}"

/* An extension with one tool, `t`, that has begun. */
static extline_extension *with_tool(extline_call_callback run, void *user) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK(ext != NULL);
    extline_tool_options tool = {EXTLINE_TOOL_OPTIONS_INIT};
    tool.name = "t";
    tool.description = "A tool.";
    tool.run = run;
    tool.user = user;
    CHECK_OK(extline_tool(ext, &tool));
    host_begin(ext);
    return ext;
}

static extline_extension *with_command(extline_call_callback run, void *user) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK(ext != NULL);
    extline_command_options command = {EXTLINE_COMMAND_OPTIONS_INIT};
    command.name = "c";
    command.description = "a command";
    command.run = run;
    command.user = user;
    CHECK_OK(extline_command(ext, &command));
    host_begin(ext);
    return ext;
}

/* Ends a session well: the shutdown is acknowledged. */
static void host_ends(extline_extension *ext) {
    host_says(ext, "{\"type\":\"shutdown\",\"reason\":\"exit\"}");
    host_hears_one(ext, "{\"type\":\"shutdown_ack\"}");
    extline_free(ext);
}

#endif
