/* Events, panels, and handlers that ask the host while they hold a lock. */
#include "common.h"

static pthread_mutex_t seeing = PTHREAD_MUTEX_INITIALIZER;
static int64_t seen[256];
static int seen_count;

/* Slow enough that another thread takes the session over. */
static void began(void *user, extline_extension *ext, const extline_event *event) {
    UNUSED(user), UNUSED(ext);
    pause_ms(7);
    int64_t step = -1;
    extline_json_int(extline_event_payload(event), "/step", &step);
    pthread_mutex_lock(&seeing);
    seen[seen_count++] = step;
    pthread_mutex_unlock(&seeing);
}

static void told(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    char text[2048] = "";
    size_t length = 0;
    pthread_mutex_lock(&seeing);
    for (int at = 0; at < seen_count; at++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%d ", (int)seen[at]);
    pthread_mutex_unlock(&seeing);
    extline_call_text(call, text);
}

static char keys[64];

static void show(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    const char *lines[] = {"one"};
    extline_panel_content content = {
        EXTLINE_PANEL_CONTENT_INIT, .id = "p", .title = "T", .lines = lines, .line_count = 1};
    extline_respond_open_panel(call, &content);
}

static void pressed(void *user, extline_extension *ext, extline_str key, extline_str text) {
    UNUSED(user), UNUSED(text);
    pause_ms(7);
    strncat(keys, key.ptr, key.len);
    const char *lines[] = {keys};
    extline_panel_content content = {
        EXTLINE_PANEL_CONTENT_INIT, .id = "p", .lines = lines, .line_count = 1};
    extline_panel_render(ext, &content);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void answer_with(extline_call *call, extline_result result, extline_answer *answer) {
    if (result == EXTLINE_OK)
        extline_call_text(call, extline_answer_text(answer).ptr);
    else
        extline_call_textf(call, "%s: %s", extline_result_name(result), extline_last_error());
    if (result == EXTLINE_OK || result == EXTLINE_REMOTE)
        extline_answer_free(answer);
}

/* Holds a lock while the host works; the next call waits for it in another thread. */
static void ask(void *user, extline_call *call, extline_str args) {
    UNUSED(user);
    extline_answer *answer = NULL;
    pthread_mutex_lock(&lock);
    extline_result result =
        extline_call_tool(extline_call_extension(call), call, "add", args.ptr, &answer);
    pthread_mutex_unlock(&lock);
    answer_with(call, result, answer);
}

static void answered(void *user, extline_extension *ext, extline_answer *answer) {
    extline_call *call = user;
    UNUSED(answer);
    extline_answer *second = NULL;
    extline_result result = extline_call_tool(ext, NULL, "add", "{\"n\":2}", &second);
    answer_with(call, result, second);
    extline_call_release(call);
}

static void *begin_chain(void *argument) {
    extline_call *call = argument;
    must(extline_call_tool_then(extline_call_extension(call), NULL, "add", "{\"n\":1}", answered,
                                call, NULL));
    return NULL;
}

/* Asks from a thread of its own, and waits for a second answer where the first one comes. */
static void chain(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    in_a_thread(begin_chain, call);
}

static void confirm(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_answer *answer = NULL;
    extline_result result = extline_request(extline_call_extension(call), call, "ui.confirm",
                                            "{\"question\":\"well?\"}", 0, &answer);
    if (result == EXTLINE_OK) {
        extline_str text = {0};
        extline_json_text(extline_answer_json(answer), "", &text);
        extline_call_json_n(call, text.ptr, text.len);
        extline_answer_free(answer);
        return;
    }
    answer_with(call, result, answer);
}

/* The three dialogs, one after the other, as long as they are answered. */
static void ship(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    static const char *const places[] = {"north", "the \"south\""};
    bool yes = false;
    size_t place = 0;
    extline_str name = {0};
    extline_result result = extline_ui_confirm(call, "Ship \"it\"?", "To all\nof them.", &yes);
    if (result == EXTLINE_OK && yes)
        result = extline_ui_select(call, "Where?", places, 2, &place);
    if (result == EXTLINE_OK && yes)
        result = extline_ui_input(call, "By whom?", true, &name);
    if (result != EXTLINE_OK)
        extline_call_textf(call, "%s: %s", extline_result_name(result), extline_last_error());
    else if (!yes)
        extline_call_text(call, "kept");
    else
        extline_call_textf(call, "%zu by %.*s", place, (int)name.len, name.ptr);
}

/* A secret, of which only the caller shows what it is. */
static void secret(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_str key = {0};
    extline_result result = extline_secret(call, "K\"EY", &key);
    if (result == EXTLINE_OK)
        extline_call_textf(call, "%zu %s", key.len, key.ptr);
    else
        extline_call_textf(call, "%s: %s", extline_result_name(result), extline_last_error());
}

static char parts[256];

static void part_came(void *user, extline_str part) {
    UNUSED(user);
    snprintf(parts + strlen(parts), sizeof parts - strlen(parts), "%s ", part.ptr);
}

/* The parts of an answer, then the answer. */
static void list(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_answer *answer = NULL;
    parts[0] = '\0';
    extline_result result = extline_request_in_parts(extline_call_extension(call), call, "ui.confirm",
                                                     NULL, 0, part_came, NULL, &answer);
    if (result == EXTLINE_OK)
        extline_call_textf(call, "%s%s", parts, extline_answer_text(answer).ptr);
    else
        extline_call_textf(call, "%s%s", parts, extline_result_name(result));
    extline_answer_free(answer);
}

/* More parts than may wait, the first of which fills a pipe. */
static void flood(void *user, extline_call *call, extline_str params) {
    UNUSED(user), UNUSED(params);
    static char part[64 * 1024];
    memset(part, 'x', sizeof part - 1);
    part[0] = part[sizeof part - 2] = '"';
    for (int sent = 0; sent < 40; sent++) {
        extline_result result = extline_call_part(call, sent == 0 ? part : "1");
        if (result != EXTLINE_OK) {
            extline_call_errorf(call, "internal", "part %d: %s", sent, extline_result_name(result));
            return;
        }
    }
    extline_call_json(call, "\"all\"");
}

static void health(void *user, extline_call *call, extline_str params) {
    UNUSED(user);
    extline_call_json_n(call, params.ptr, params.len);
}

static void *rewrite_later(void *argument) {
    extline_call *call = argument;
    pause_ms(30);
    extline_call_rewrite(call, "{\"safe\":true}");
    extline_call_release(call);
    return NULL;
}

/* Decides when it has returned, in another thread. */
static void rewrites(void *user, extline_call *call, extline_str frame) {
    UNUSED(user), UNUSED(frame);
    in_a_thread(rewrite_later, call);
}

/* Sees what the one before made. */
static void guards(void *user, extline_call *call, extline_str frame) {
    UNUSED(user), UNUSED(frame);
    bool is_safe = false;
    extline_json_bool(extline_call_args(call), "/tool_args/safe", &is_safe);
    if (is_safe)
        extline_call_allow(call);
    else
        extline_call_block(call, "not safe");
}

int main(int count, char **arguments) {
    extline_extension *ext = extline_new("talk", "1.0.0");
    if (count > 1)
        must(extline_set_max_threads(ext, (uint32_t)atoi(arguments[1])));
    must(extline_on(ext, "turn_start", began, NULL, NULL));
    extline_command_options command = {
        EXTLINE_COMMAND_OPTIONS_INIT, .name = "show", .description = "show", .run = show};
    must(extline_command(ext, &command));
    extline_panel_options panel = {EXTLINE_PANEL_OPTIONS_INIT, .id = "p", .on_key = pressed};
    must(extline_panel(ext, &panel));
    must(extline_method(ext, "health.check", health, NULL, NULL));
    must(extline_intercept(ext, "tool_call", rewrites, NULL, NULL));
    must(extline_guard(ext, "safety", guards, NULL, NULL));
    must(extline_method(ext, "flood", flood, NULL, NULL));
    add_tool(ext, "told", told);
    add_tool(ext, "ask", ask);
    add_tool(ext, "chain", chain);
    add_tool(ext, "confirm", confirm);
    add_tool(ext, "list", list);
    add_tool(ext, "ship", ship);
    add_tool(ext, "secret", secret);
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
