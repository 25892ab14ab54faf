/* Tools that answer at once, with each kind of value. */
#include <stdlib.h>

#include "kit.h"
#include "native.h"
#include "text.h"

#define SCHEMA_TEXT "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}"
#define SCHEMA_CITY "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"}},\"required\":[\"city\"]}"
#define SCHEMA_NUMBER \
    "{\"type\":\"object\",\"properties\":{\"literal\":{\"type\":\"string\"}},\"required\":[\"literal\"]}"
#define SCHEMA_BYTES \
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":0}," \
    "\"kind\":{\"enum\":[\"text\",\"image\"]}},\"required\":[\"n\"]}"

static void echo(void *user, extline_call *call, extline_str args) {
    (void)user;
    extline_call_json_n(call, args.ptr, args.len);
}

/* C has no values of its own for JSON: native.c makes a tree of them. */
static void native(void *user, extline_call *call, extline_str args) {
    (void)user;
    text written = {NULL, 0, 0};
    value *tree = parse_value(args.ptr, args.len);
    write_value(tree, &written);
    free_value(tree);
    extline_call_json_n(call, written.ptr, written.len);
    forget(&written);
}

static void one_string(void *pointer, extline_call *call, extline_str args) {
    (void)args;
    extline_str string;
    if (extline_args_string(call, pointer, &string) != EXTLINE_OK) return;
    extline_call_text_n(call, string.ptr, string.len);
}

static void number(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str literal;
    if (extline_args_string(call, "/literal", &literal) != EXTLINE_OK) return;
    text json = {NULL, 0, 0};
    put(&json, "{\"number\":");
    put_n(&json, literal.ptr, literal.len);
    put(&json, "}");
    extline_call_json_n(call, json.ptr, json.len);
    forget(&json);
}

static void nothing(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_call_none(call);
}

/* A text in C is UTF-8, which has no half characters. */
static void half(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_call_text(call, "\xEF\xBF\xBD");
}

static void bytes(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t n;
    extline_str kind;
    if (extline_args_int(call, "/n", &n) != EXTLINE_OK) return;
    bool is_image = extline_json_string(extline_call_args(call), "/kind", &kind) == EXTLINE_OK &&
                    strcmp(kind.ptr, "image") == 0;
    char *made = malloc(n > 0 ? (size_t)n : 1);
    if (made == NULL) abort();
    for (int64_t i = 0; i < n; i++) made[i] = is_image ? (char)(i % 256) : 'x';
    if (is_image)
        extline_call_image(call, made, (size_t)n, "image/png");
    else
        extline_call_text_n(call, made, (size_t)n);
    free(made);
}

static void image(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_call_add_text(call, "before");
    extline_call_add_image(call, "\x89PNG\r\n\x1a\n", 8, "image/png");
    extline_call_add_text(call, "after");
    extline_call_finish(call);
}

static void full(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_call_add_text(call, "full");
    extline_call_activate(call, "declared");
    extline_call_details(call, "{\"lines\":0}");
    extline_call_view(call, "{\"kind\":\"lines\",\"lines\":[\"full\"]}");
    extline_call_effects(
        call,
        "[{\"kind\":\"file\",\"op\":\"modify\",\"path\":\"notes.md\",\"bytes_before\":0,\"bytes_after\":12},"
        "{\"kind\":\"process\",\"command\":\"make\",\"pid\":7,\"exit_code\":0}]");
    extline_call_trust(call, "untrusted");
    extline_call_finish(call);
}

static void add_one_string(extline_extension *kit, const char *name, const char *description, const char *schema,
                           char *pointer) {
    extline_tool_options tool = {EXTLINE_TOOL_OPTIONS_INIT};
    tool.name = name;
    tool.description = description;
    tool.schema = schema;
    tool.user = pointer;
    tool.run = one_string;
    must(extline_tool(kit, &tool));
}

void add_values(extline_extension *kit) {
    static char of_text[] = "/text", of_city[] = "/city";
    add_tool(kit, "echo", "Gives its arguments back.", SCHEMA_ANY, echo);
    add_tool(kit, "native", "Gives its arguments back by way of native values.", SCHEMA_ANY, native);
    add_one_string(kit, "text", "Gives a text back.", SCHEMA_TEXT, of_text);
    add_one_string(kit, "typed", "Wants a city.", SCHEMA_CITY, of_city);
    add_tool(kit, "number", "Gives a number back.", SCHEMA_NUMBER, number);
    add_tool(kit, "nothing", "Answers with nothing.", SCHEMA_NONE, nothing);
    add_tool(kit, "half", "Gives half a character.", SCHEMA_NONE, half);
    add_tool(kit, "bytes", "Gives so many bytes.", SCHEMA_BYTES, bytes);
    add_tool(kit, "image", "Gives an image between two texts.", SCHEMA_NONE, image);
    add_tool(kit, "full", "Answers with everything that a result can hold.", SCHEMA_NONE, full);
}
