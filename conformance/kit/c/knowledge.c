/* What the kit knows of its call, and what a tool can declare. */
#include <pthread.h>
#include <stdlib.h>

#include "kit.h"
#include "text.h"

#define SCHEMA_ASK \
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"args\":{\"type\":\"object\"}}," \
    "\"required\":[\"name\",\"args\"]}"
#define LONGEST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

static void put_fact(text *to, const char *name, extline_str fact) {
    put(to, name);
    put_json_string(to, fact.ptr, fact.len);
}

static void report(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_extension *kit = extline_call_extension(call);
    text json = {NULL, 0, 0};
    put_fact(&json, "{\"call_id\":", extline_call_id(call));
    put_fact(&json, ",\"host\":", extline_host_name(kit));
    put_fact(&json, ",\"host_version\":", extline_host_version(kit));
    put_fact(&json, ",\"model\":", extline_host_model(kit));
    put_fact(&json, ",\"cwd\":", extline_host_cwd(kit));
    put_fact(&json, ",\"data_dir\":", extline_data_dir(kit));
    put(&json, extline_call_deadline_ms(call) >= 0 ? ",\"deadline\":true" : ",\"deadline\":false");
    put(&json, extline_host_supports(kit, "tool_update") ? ",\"tool_update\":true" : ",\"tool_update\":false");
    put(&json, extline_host_supports(kit, "call_tool") ? ",\"call_tool\":true}" : ",\"call_tool\":false}");
    extline_call_json(call, json.ptr);
    forget(&json);
}

static void config(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str text;
    if (extline_json_text(extline_config(extline_call_extension(call)), "", &text) == EXTLINE_OK)
        extline_call_json(call, text.ptr);
    else
        extline_call_error(call, "internal", extline_last_error());
}

static void ask(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str name, with;
    extline_answer *answer;
    if (extline_args_string(call, "/name", &name) != EXTLINE_OK) return;
    if (extline_args_json(call, "/args", &with) != EXTLINE_OK) return;
    extline_result result = extline_call_tool(extline_call_extension(call), call, name.ptr, with.ptr, &answer);
    if (result == EXTLINE_UNSUPPORTED)
        extline_call_error(call, "unsupported", extline_last_error());
    else if (result == EXTLINE_CANCELLED)
        extline_call_error(call, "cancelled", "cancelled");
    else if (result != EXTLINE_OK && result != EXTLINE_REMOTE)
        extline_call_error(call, "internal", extline_last_error());
    else {
        extline_str told = extline_answer_text(answer);
        if (result == EXTLINE_REMOTE)
            extline_call_error(call, extline_answer_error_kind(answer).ptr, told.ptr);
        else
            extline_call_text_n(call, told.ptr, told.len);
        extline_answer_free(answer);
    }
}

/* The host may ask while a call is done. */
static void pay(void *user, extline_call *call, extline_str args) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int paid;
    static char *paid_for;
    (void)user, (void)args;
    extline_str key = extline_call_operation_key(call);
    pthread_mutex_lock(&lock);
    if (extline_call_reconcile(call)) {
        bool is_done = paid_for != NULL && strcmp(paid_for, key.ptr) == 0;
        extline_call_json(call, is_done ? "{\"state\":\"completed\"}" : "{\"state\":\"not_started\"}");
    } else {
        char number[32];
        text json = {NULL, 0, 0};
        free(paid_for);
        paid_for = strdup(key.ptr);
        put_fact(&json, "{\"key\":", key);
        snprintf(number, sizeof number, ",\"paid\":%d}", ++paid);
        put(&json, number);
        extline_call_json(call, json.ptr);
        forget(&json);
    }
    pthread_mutex_unlock(&lock);
}

/* Answers with a text that it was registered with. */
static void answer(void *user, extline_call *call, extline_str args) {
    (void)args;
    extline_call_text(call, user);
}

void add_knowledge(extline_extension *kit) {
    static char of_declared[] = "declared", of_named[] = "named";
    add_tool(kit, "report", "Tells what it knows of its call and its host.", SCHEMA_NONE, report);
    add_tool(kit, "config", "Gives its configuration back.", SCHEMA_NONE, config);
    add_tool(kit, "ask", "Calls a tool of the host.", SCHEMA_ASK, ask);
    add_question_tools(kit);

    extline_tool_options paying = {EXTLINE_TOOL_OPTIONS_INIT};
    paying.name = "pay";
    paying.description = "Tells what it has done.";
    paying.schema = SCHEMA_NONE;
    paying.replay = "reconcile";
    paying.run = pay;
    must(extline_tool(kit, &paying));

    extline_tool_options declared = {EXTLINE_TOOL_OPTIONS_INIT};
    declared.name = "declared";
    declared.description = "Declares all that a tool can declare.";
    declared.schema = SCHEMA_NONE;
    declared.label = "Declared";
    declared.timeout_ms = 20000;
    declared.read_only = 1;
    declared.destructive = -1;
    declared.idempotent = 1;
    declared.open_world = -1;
    declared.sequential = true;
    declared.gated = true;
    declared.approval_tier = "read";
    declared.approval_key = "all";
    declared.approval_reason = "it is a test";
    declared.user = of_declared;
    declared.run = answer;
    must(extline_tool(kit, &declared));

    extline_tool_options named = {EXTLINE_TOOL_OPTIONS_INIT};
    named.name = LONGEST;
    named.description = "Has the longest name, with every character that a name may have.";
    named.schema = SCHEMA_NONE;
    named.user = of_named;
    named.run = answer;
    must(extline_tool(kit, &named));
}
