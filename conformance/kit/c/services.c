/* What a host gives the kit: secrets, values that are kept, the history, programs. */
#include "kit.h"
#include "text.h"

#define SCHEMA_NAME "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}"
#define SCHEMA_KEEP \
    "{\"type\":\"object\",\"properties\":{\"op\":{\"enum\":[\"get\",\"set\",\"delete\",\"list\",\"add\"]}," \
    "\"key\":{\"type\":\"string\"},\"value\":{}},\"required\":[\"op\",\"key\"]}"
#define SCHEMA_HISTORY \
    "{\"type\":\"object\",\"properties\":{\"op\":{\"enum\":[\"append\",\"branch\",\"info\"]},\"data\":{}}," \
    "\"required\":[\"op\"]}"
#define SCHEMA_RUN \
    "{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"}," \
    "\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},\"required\":[\"command\",\"args\"]}"

#define SCHEMA_AGENT \
    "{\"type\":\"object\",\"properties\":{\"op\":{\"enum\":[\"state\",\"abort\",\"tools\",\"activate\",\"deactivate\"," \
    "\"models\"]},\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},\"required\":[\"op\"]}"

/* Asks, and answers the call where that fails. The answer is to be freed where it does not. */
static bool asked(extline_call *call, const char *method, text *params, extline_answer **answer) {
    *answer = NULL;
    extline_result result = extline_request(extline_call_extension(call), call, method, params->ptr, 0, answer);
    forget(params);
    if (result == EXTLINE_OK) return true;
    fail_request(call, result, *answer);
    extline_answer_free(*answer);
    return false;
}

static bool is(extline_str word, const char *wanted) {
    return strcmp(word.ptr, wanted) == 0;
}

static void put_member(text *to, const char *name, extline_str string) {
    put(to, name);
    put_json_string(to, string.ptr, string.len);
}

/* The JSON text at a pointer of an answer, or null. */
static void put_found(text *to, const char *name, const extline_json *in, const char *pointer) {
    extline_str found;
    put(to, name);
    if (extline_json_text(in, pointer, &found) == EXTLINE_OK)
        put_n(to, found.ptr, found.len);
    else
        put(to, "null");
}

static void secret(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str name, key;
    if (extline_args_string(call, "/name", &name) != EXTLINE_OK) return;
    extline_result result = extline_secret(call, name.ptr, &key);
    if (result == EXTLINE_OK)
        extline_call_textf(call, "*** %s", key.ptr);
    else if (result == EXTLINE_NOT_FOUND)
        extline_call_error(call, "not_found", extline_last_error());
    else if (result == EXTLINE_REMOTE)    /* it says why, and not of which kind that is */
        extline_call_error(call, "internal", extline_last_error());
    else
        fail_request(call, result, NULL);
}

static void variable(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str name, value;
    extline_answer *answer;
    text params = {NULL, 0, 0};
    if (extline_args_string(call, "/name", &name) != EXTLINE_OK) return;
    put_member(&params, "{\"name\":", name);
    put(&params, "}");
    if (!asked(call, "env.get", &params, &answer)) return;
    if (extline_json_string(extline_answer_json(answer), "/value", &value) == EXTLINE_OK)
        extline_call_text_n(call, value.ptr, value.len);
    extline_answer_free(answer);
}

/* C says by hand which version its values have. */
static text of_session(const char *name, extline_str value) {
    text params = {NULL, 0, 0};
    put(&params, "{\"slot_version\":2,\"scope\":\"session\",");
    put_member(&params, name, value);
    return params;
}

/* Answers with what the host answered, at a pointer. */
static void answer_found(extline_call *call, const char *name, extline_answer *answer, const char *pointer) {
    text json = {NULL, 0, 0};
    put_found(&json, name, extline_answer_json(answer), pointer);
    put(&json, "}");
    extline_call_json(call, json.ptr);
    forget(&json);
    extline_answer_free(answer);
}

static void set(extline_call *call, extline_str key) {
    extline_answer *answer;
    text params = of_session("\"key\":", key);
    put_found(&params, ",\"value\":", extline_call_args(call), "/value");
    put(&params, "}");
    if (!asked(call, "state.set", &params, &answer)) return;
    extline_answer_free(answer);
    extline_call_text(call, "kept");
}

/* One more than there is, again and again while somebody else is quicker. */
static void add(extline_call *call, extline_str key) {
    for (;;) {
        extline_answer *answer;
        int64_t value = 0, revision = 0;
        char rest[80];
        text params = of_session("\"key\":", key);
        put(&params, "}");
        if (!asked(call, "state.get", &params, &answer)) return;
        extline_json_int(extline_answer_json(answer), "/value", &value);
        extline_json_int(extline_answer_json(answer), "/revision", &revision);
        extline_answer_free(answer);
        params = of_session("\"key\":", key);
        snprintf(rest, sizeof rest, ",\"value\":%lld,\"revision\":%lld}", (long long)++value, (long long)revision);
        put(&params, rest);
        answer = NULL;
        extline_result result = extline_request(extline_call_extension(call), call, "state.set", params.ptr, 0, &answer);
        forget(&params);
        bool is_again = result == EXTLINE_REMOTE && is(extline_answer_error_kind(answer), "conflict");
        if (!is_again && result != EXTLINE_OK) fail_request(call, result, answer);
        extline_answer_free(answer);
        if (is_again) continue;
        if (result != EXTLINE_OK) return;
        snprintf(rest, sizeof rest, "{\"value\":%lld}", (long long)value);
        extline_call_json(call, rest);
        return;
    }
}

/* Adds of each member of a list what stands at `member`. */
static void put_members(text *all, const extline_json *json, const char *list, const char *member) {
    extline_str found;
    char pointer[80];
    for (size_t i = 0;; i++) {
        snprintf(pointer, sizeof pointer, "%s/%zu%s", list, i, member);
        if (extline_json_text(json, pointer, &found) != EXTLINE_OK) return;
        if (all->len > 1) put(all, ",");
        put_n(all, found.ptr, found.len);
    }
}

/* The members of all pages of a list, of each what stands at `member`, as a JSON list. `params` is what the first page
 * is asked for with, without the brace that ends it. */
static void answer_pages(extline_call *call, const char *method, text params, const char *list, const char *member) {
    text all = {NULL, 0, 0}, next = {NULL, 0, 0};
    bool has_more = true;
    put(&all, "[");
    while (has_more) {
        extline_answer *answer;
        extline_str found;
        text page = {NULL, 0, 0};
        put_n(&page, params.ptr, params.len);
        if (next.len > 0) put_n(&page, next.ptr, next.len);
        put(&page, "}");
        if (!asked(call, method, &page, &answer)) break;
        const extline_json *json = extline_answer_json(answer);
        put_members(&all, json, list, member);
        forget(&next);
        has_more = extline_json_string(json, "/next", &found) == EXTLINE_OK;
        if (has_more) put_member(&next, ",\"after\":", found);
        extline_answer_free(answer);
    }
    if (!has_more) {
        put(&all, "]");
        extline_call_json(call, all.ptr);
    }
    forget(&all);
    forget(&next);
    forget(&params);
}

static void keep(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str op, key;
    extline_answer *answer;
    if (extline_args_string(call, "/op", &op) != EXTLINE_OK) return;
    if (extline_args_string(call, "/key", &key) != EXTLINE_OK) return;
    if (is(op, "set")) {
        set(call, key);
    } else if (is(op, "add")) {
        add(call, key);
    } else if (is(op, "list")) {
        answer_pages(call, "state.list", of_session("\"prefix\":", key), "/keys", "/key");
    } else {
        bool is_delete = is(op, "delete");
        text params = of_session("\"key\":", key);
        put(&params, "}");
        if (!asked(call, is_delete ? "state.delete" : "state.get", &params, &answer)) return;
        if (is_delete)
            answer_found(call, "{\"deleted\":", answer, "/deleted");
        else
            answer_found(call, "{\"value\":", answer, "/value");
    }
}

static void history(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str op, id;
    extline_answer *answer;
    text params = {NULL, 0, 0};
    if (extline_args_string(call, "/op", &op) != EXTLINE_OK) return;
    if (is(op, "append")) {
        put_found(&params, "{\"type\":\"note\",\"data\":", extline_call_args(call), "/data");
        put(&params, "}");
        if (!asked(call, "session.append", &params, &answer)) return;
        if (extline_json_string(extline_answer_json(answer), "/id", &id) == EXTLINE_OK)
            extline_call_text_n(call, id.ptr, id.len);
        extline_answer_free(answer);
    } else if (is(op, "branch")) {
        put(&params, "{\"types\":[\"note\"]");
        answer_pages(call, "session.branch", params, "/entries", "/data");
    } else {
        put(&params, "{}");
        if (!asked(call, "session.info", &params, &answer)) return;
        text json = {NULL, 0, 0};
        put_found(&json, "{\"durable\":", extline_answer_json(answer), "/durable");
        put_found(&json, ",\"id\":", extline_answer_json(answer), "/id");
        put(&json, "}");
        extline_call_json(call, json.ptr);
        forget(&json);
        extline_answer_free(answer);
    }
}

static void run(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str command;
    extline_answer *answer = NULL;
    text params = {NULL, 0, 0}, heard = {NULL, 0, 0}, json = {NULL, 0, 0};
    if (extline_args_string(call, "/command", &command) != EXTLINE_OK) return;
    put_member(&params, "{\"command\":", command);
    put_found(&params, ",\"args\":", extline_call_args(call), "/args");
    put(&params, ",\"stream\":true}");
    extline_result result = extline_request_in_parts(extline_call_extension(call), call, "exec.run", params.ptr, 0,
                                                     add_part, &heard, &answer);
    if (result != EXTLINE_OK) {
        fail_request(call, result, answer);
    } else {
        const extline_json *ran = extline_answer_json(answer);
        put_found(&json, "{\"code\":", ran, "/code");
        put(&json, ",\"heard\":[");
        if (heard.len > 0) put(&json, heard.ptr);
        put_found(&json, "],\"signal\":", ran, "/signal");
        put_found(&json, ",\"stdout\":", ran, "/stdout");
        put(&json, "}");
        extline_call_json(call, json.ptr);
    }
    forget(&params);
    forget(&heard);
    forget(&json);
    extline_answer_free(answer);
}

/* Answers with a list: of each member what stands at `member`. */
static void answer_list(extline_call *call, extline_answer *answer, const char *list, const char *member) {
    text all = {NULL, 0, 0};
    put(&all, "[");
    put_members(&all, extline_answer_json(answer), list, member);
    put(&all, "]");
    extline_call_json(call, all.ptr);
    forget(&all);
    extline_answer_free(answer);
}

static void agent(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str op, model;
    extline_answer *answer;
    text params = {NULL, 0, 0};
    if (extline_args_string(call, "/op", &op) != EXTLINE_OK) return;
    if (is(op, "abort")) {
        put(&params, "{\"reason\":\"it was to end\"}");
        if (asked(call, "agent.abort", &params, &answer)) answer_found(call, "{\"calls\":", answer, "/calls");
    } else if (is(op, "state")) {
        put(&params, "{}");
        if (!asked(call, "agent.state", &params, &answer)) return;
        if (extline_json_string(extline_answer_json(answer), "/model", &model) == EXTLINE_OK)
            extline_call_text_n(call, model.ptr, model.len);
        extline_answer_free(answer);
    } else if (is(op, "tools") || is(op, "models")) {
        bool is_tools = is(op, "tools");
        put(&params, "{}");
        if (!asked(call, is_tools ? "tools.list" : "models.list", &params, &answer)) return;
        answer_list(call, answer, is_tools ? "/tools" : "/models", is_tools ? "/name" : "/id");
    } else {
        put_found(&params, "{\"names\":", extline_call_args(call), "/names");
        put(&params, "}");
        if (asked(call, is(op, "activate") ? "tools.activate" : "tools.deactivate", &params, &answer))
            answer_list(call, answer, "/changed", "");
    }
}

static void migrate(void *user, extline_call *call, extline_str params) {
    (void)user, (void)params;
    int64_t from = 0;
    char begin[64];
    text json = {NULL, 0, 0};
    extline_json_int(extline_call_args(call), "/from", &from);
    snprintf(begin, sizeof begin, "{\"data\":{\"v%lld\":", (long long)from);
    put_found(&json, begin, extline_call_args(call), "/data");
    put(&json, "}}");
    extline_call_json(call, json.ptr);
    forget(&json);
}

void add_services(extline_extension *kit) {
    add_tool(kit, "secret", "Asks for a secret.", SCHEMA_NAME, secret);
    add_tool(kit, "variable", "Asks for a variable.", SCHEMA_NAME, variable);
    add_tool(kit, "keep", "Keeps values.", SCHEMA_KEEP, keep);
    add_tool(kit, "history", "Reads and writes the history.", SCHEMA_HISTORY, history);
    add_tool(kit, "run", "Has a program run.", SCHEMA_RUN, run);
    add_tool(kit, "agent", "Asks how the agent stands.", SCHEMA_AGENT, agent);
    must(extline_method(kit, "state.migrate", migrate, NULL, NULL));
}
