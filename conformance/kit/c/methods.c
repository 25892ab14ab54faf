/* Requests, both ways. */
#include <time.h>

#include "kit.h"
#include "text.h"

#define SCHEMA_REQUEST \
    "{\"type\":\"object\",\"properties\":{\"method\":{\"type\":\"string\"},\"params\":{\"type\":\"object\"}}," \
    "\"required\":[\"method\",\"params\"]}"
#define SCHEMA_CONFIRM \
    "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"}},\"required\":[\"title\"]}"

#define SCHEMA_PROPOSE \
    "{\"type\":\"object\",\"properties\":{\"label\":{\"type\":\"string\"}},\"required\":[\"label\"]}"

void fail_request(extline_call *call, extline_result result, extline_answer *answer) {
    if (result == EXTLINE_REMOTE) {
        extline_str told = extline_answer_text(answer);
        extline_call_error(call, extline_answer_error_kind(answer).ptr, told.ptr);
    } else if (result == EXTLINE_UNSUPPORTED) {
        extline_call_error(call, "unsupported", extline_last_error());
    } else if (result == EXTLINE_CANCELLED) {
        extline_call_error(call, "cancelled", "cancelled");
    } else {
        extline_call_error(call, "internal", extline_last_error());
    }
}

void add_part(void *user, extline_str part) {
    text *parts = user;
    if (parts->len > 0) put(parts, ",");
    put_n(parts, part.ptr, part.len);
}

static void request(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str method, params, result_text;
    extline_answer *answer = NULL;
    text parts = {NULL, 0, 0};
    if (extline_args_string(call, "/method", &method) != EXTLINE_OK) return;
    if (extline_args_json(call, "/params", &params) != EXTLINE_OK) return;
    extline_result result = extline_request_in_parts(extline_call_extension(call), call, method.ptr, params.ptr, 0,
                                                     add_part, &parts, &answer);
    if (result != EXTLINE_OK) {
        fail_request(call, result, answer);
    } else if (extline_json_text(extline_answer_json(answer), "", &result_text) == EXTLINE_OK) {
        text json = {NULL, 0, 0};
        put(&json, "{\"parts\":[");
        if (parts.len > 0) put(&json, parts.ptr);
        put(&json, "],\"result\":");
        put_n(&json, result_text.ptr, result_text.len);
        put(&json, "}");
        extline_call_json(call, json.ptr);
        forget(&json);
    }
    forget(&parts);
    extline_answer_free(answer);
}

extline_result ask_person(extline_call *call, const char *title, bool *said_yes, extline_answer **answer) {
    text params = {NULL, 0, 0};
    put(&params, "{\"title\":");
    put_json_string(&params, title, strlen(title));
    put(&params, "}");
    extline_result result =
        extline_request(extline_call_extension(call), call, "ui.confirm", params.ptr, 0, answer);
    forget(&params);
    *said_yes = false;
    if (result == EXTLINE_OK) extline_json_bool(extline_answer_json(*answer), "/confirmed", said_yes);
    return result;
}

static void confirm(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str title;
    extline_answer *answer = NULL;
    bool said_yes;
    if (extline_args_string(call, "/title", &title) != EXTLINE_OK) return;
    extline_result result = ask_person(call, title.ptr, &said_yes, &answer);
    if (result != EXTLINE_OK)
        fail_request(call, result, answer);
    else
        extline_call_textf(call, "%s%s", said_yes ? "yes" : "no",
                           extline_call_deadline_ms(call) == 0 ? " too late" : "");
    extline_answer_free(answer);
}

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void count(void *user, extline_call *call, extline_str params) {
    (void)user, (void)params;
    const extline_json *args = extline_call_args(call);
    int64_t n = 0, bytes = -1, began = now_ms();
    text part = {NULL, 0, 0};
    extline_json_int(args, "/n", &n);
    if (extline_json_int(args, "/bytes", &bytes) == EXTLINE_OK) {
        put(&part, "\"");
        for (int64_t i = 0; i < bytes; i++) put(&part, "x");
        put(&part, "\"");
    }
    for (int64_t i = 1; i <= n; i++) {
        char number[30];
        snprintf(number, sizeof number, "%lld", (long long)i);
        extline_result result = extline_call_part(call, part.len > 0 ? part.ptr : number);
        if (result == EXTLINE_OK) continue;
        fail_request(call, result, NULL);
        forget(&part);
        return;
    }
    forget(&part);
    if (bytes >= 0 && now_ms() - began >= 500) {
        extline_call_text(call, "waited");
        return;
    }
    char number[30];
    snprintf(number, sizeof number, "%lld", (long long)n);
    extline_call_json(call, number);
}

static void wait(void *user, extline_call *call, extline_str params) {
    (void)user, (void)params;
    while (extline_call_deadline_ms(call) != 0) {
        if (extline_call_sleep_ms(call, 2) == EXTLINE_OK) continue;
        extline_call_error(call, "cancelled", "cancelled");
        return;
    }
    extline_call_text(call, "over");
}

/* The labels of what was proposed: an action is named by its place, from 1. */
static char *proposed[64];
static int proposals;

static void propose(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str label, id;
    extline_answer *answer = NULL;
    text params = {NULL, 0, 0};
    if (extline_args_string(call, "/label", &label) != EXTLINE_OK) return;
    if (proposals == sizeof proposed / sizeof *proposed) return;
    proposed[proposals++] = strdup(label.ptr);
    char handle[30];
    snprintf(handle, sizeof handle, "%d", proposals);
    put(&params, "{\"handle\":\"");
    put(&params, handle);
    put(&params, "\",\"label\":");
    put_json_string(&params, label.ptr, label.len);
    put(&params, "}");
    extline_result result =
        extline_request(extline_call_extension(call), call, "pending.push", params.ptr, 0, &answer);
    if (result != EXTLINE_OK)
        fail_request(call, result, answer);
    else if (extline_json_string(extline_answer_json(answer), "/action_id", &id) == EXTLINE_OK)
        extline_call_textf(call, "proposed %s", id.ptr);
    forget(&params);
    extline_answer_free(answer);
}

static void answer_resolved(extline_call *call, const char *what) {
    const extline_json *params = extline_call_args(call);
    extline_str handle, reason;
    text said = {NULL, 0, 0}, result = {NULL, 0, 0};
    if (extline_json_string(params, "/handle", &handle) != EXTLINE_OK) return;
    int place = atoi(handle.ptr);
    if (place < 1 || place > proposals) return;
    if (extline_json_string(params, "/reason", &reason) != EXTLINE_OK) return;
    put(&said, what);
    put(&said, proposed[place - 1]);
    put(&said, ": ");
    put_n(&said, reason.ptr, reason.len);
    put(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
    put_json_string(&result, said.ptr, said.len);
    put(&result, "}]}");
    extline_call_json(call, result.ptr);
    forget(&said);
    forget(&result);
}

static void apply(void *user, extline_call *call, extline_str params) {
    (void)user, (void)params;
    extline_str reason;
    if (extline_json_string(extline_call_args(call), "/reason", &reason) == EXTLINE_OK &&
        strcmp(reason.ptr, "fail") == 0)
        extline_call_error(call, "internal", "it was to fail");
    else
        answer_resolved(call, "done ");
}

static void reject(void *user, extline_call *call, extline_str params) {
    (void)user, (void)params;
    answer_resolved(call, "dropped ");
}

void add_question_tools(extline_extension *kit) {
    add_tool(kit, "request", "Asks the host by method.", SCHEMA_REQUEST, request);
    add_tool(kit, "confirm", "Asks the person.", SCHEMA_CONFIRM, confirm);
    add_tool(kit, "propose", "Proposes an action.", SCHEMA_PROPOSE, propose);
}

void add_methods(extline_extension *kit) {
    must(extline_method(kit, "kit.count", count, NULL, NULL));
    must(extline_method(kit, "kit.wait", wait, NULL, NULL));
    must(extline_method(kit, "pending.apply", apply, NULL, NULL));
    must(extline_method(kit, "pending.reject", reject, NULL, NULL));
}
