/* A call while it runs and after its handler has returned: updates, cancels, calls that are kept and
 * answered later, from this thread or another. */
#include "host.h"

#define CANCEL(id) "{\"type\":\"tool_cancel\",\"id\":\"" id "\"}"

static extline_call *kept;

static void keep(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    kept = extline_call_retain(call);
    WANT(kept == call);
}

static void answered_after_its_handler(void) {
    extline_extension *ext = with_tool(keep, NULL);
    host_says(ext, CALL("1", "{\"a\":\"b\"}"));
    CHECK_TEXT(host_hears(ext), "");
    /* All of it is still there. */
    extline_str text;
    CHECK_STR(extline_call_id(kept), "1");
    CHECK_STR(extline_call_name(kept), "t");
    CHECK(extline_call_extension(kept) == ext);
    CHECK_OK(extline_json_string(extline_call_args(kept), "/a", &text));
    CHECK_STR(text, "b");
    CHECK_OK(extline_call_text(kept, "later"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "later"));
    CHECK_CODE(extline_call_text(kept, "again"), EXTLINE_ANSWERED);
    CHECK_STR(extline_call_id(kept), "1");
    extline_call_release(kept);
    host_ends(ext);
}

static void released_without_an_answer(void) {
    extline_extension *ext = with_tool(keep, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "");
    extline_call_release(kept);
    host_hears_one(ext, "\"type\":\"tool_result\"");
    CHECK_HAS(line, "\"kind\":\"internal\"");
    CHECK_HAS(line, "t");
    host_ends(ext);
}

static void keep_twice(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    kept = extline_call_retain(extline_call_retain(call));
}

static void retained_twice_is_released_twice(void) {
    extline_extension *ext = with_tool(keep_twice, NULL);
    host_says(ext, CALL("1", "{}"));
    extline_call_release(kept);
    CHECK_TEXT(host_hears(ext), "");
    CHECK_OK(extline_call_text(kept, "still mine"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "still mine"));
    extline_call_release(kept);
    host_ends(ext);
}

/* A release that no retain belongs to takes the handler's own handle, or one that somebody else
 * keeps. It is found while the handler runs, and ignored. */
static void release_too_often(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_call_release(call);
    WANT(*extline_last_error() != '\0');
    extline_call_release(call);
    WANT_OK(extline_call_text(call, "still here"));
    extline_call_release(call);
}

static void a_release_too_many_in_the_handler(void) {
    extline_extension *ext = with_tool(release_too_often, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "still here"));
    host_ends(ext);
}

static void *answer_in_a_thread(void *call) {
    WANT_OK(extline_call_text(call, "from another thread"));
    extline_call_release(call);
    return NULL;
}

static void count_wake(void *user) { __atomic_add_fetch((int *)user, 1, __ATOMIC_SEQ_CST); }

static void answered_from_another_thread(void) {
    int wakes = 0;
    pthread_t thread;
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .run = keep}));
    CHECK_OK(extline_on_wake(ext, count_wake, &wakes, NULL));
    host_begin(ext);
    host_says(ext, CALL("1", "{}"));
    wakes = 0;
    CHECK_EQ(pthread_create(&thread, NULL, answer_in_a_thread, kept), 0);
    pthread_join(thread, NULL);
    CHECK(wakes > 0);
    CHECK_TEXT(host_hears(ext), RESULT("1", "from another thread"));
    host_ends(ext);
}

static struct {
    pthread_barrier_t barrier;
    int answered, refused;
} race;

static void *race_to_answer(void *call) {
    pthread_barrier_wait(&race.barrier);
    extline_result result = extline_call_text(call, "won");
    if (result == EXTLINE_OK) __atomic_add_fetch(&race.answered, 1, __ATOMIC_SEQ_CST);
    if (result == EXTLINE_ANSWERED) __atomic_add_fetch(&race.refused, 1, __ATOMIC_SEQ_CST);
    extline_call_release(call);
    return NULL;
}

static void two_threads_answer_one_call(void) {
    extline_extension *ext = with_tool(keep, NULL);
    pthread_barrier_init(&race.barrier, NULL, 2);
    for (int round = 0; round < 50; round++) {
        pthread_t threads[2];
        race.answered = race.refused = 0;
        host_says(ext, CALL("1", "{}"));
        extline_call_retain(kept);
        for (int i = 0; i < 2; i++) CHECK_EQ(pthread_create(&threads[i], NULL, race_to_answer, kept), 0);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        CHECK_EQ(race.answered, 1);
        CHECK_EQ(race.refused, 1);
        CHECK_TEXT(host_hears(ext), RESULT("1", "won"));
        CHECK_TEXT(host_hears(ext), "");
    }
    pthread_barrier_destroy(&race.barrier);
    host_ends(ext);
}

static void updating(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_update_options update = {EXTLINE_UPDATE_OPTIONS_INIT, .message = "half", .text = "so far", .unit = "files",
                                     .details = "{\"n\":1}", .done = 1, .total = 2,
                                     .view = "{\"kind\":\"meter\",\"value\":1,\"max\":2}"};
    WANT_OK(extline_call_update_with(call, &update));
    WANT_CODE(extline_call_update(call, "\xff"), EXTLINE_UTF8);
    WANT_CODE(extline_call_updatef(call, "%s", "\xff"), EXTLINE_UTF8);
    update.details = "nope";
    WANT_CODE(extline_call_update_with(call, &update), EXTLINE_JSON);
    update.details = NULL;
    update.view = "nope";
    WANT_CODE(extline_call_update_with(call, &update), EXTLINE_JSON);
    update.struct_size = 3;
    WANT_CODE(extline_call_update_with(call, &update), EXTLINE_ARGUMENT);
    kept = extline_call_retain(call);
}

static void updates(void) {
    extline_extension *ext = with_tool(updating, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_update\",\"id\":\"1\",\"seq\":1,\"content\":[" TEXT("so far")
                                "],\"details\":{\"n\":1},\"view\":{\"kind\":\"meter\",\"value\":1,\"max\":2},"
                                "\"progress\":{\"done\":1,\"total\":2,\"unit\":\"files\","
                                "\"message\":\"half\"}}");
    CHECK_OK(extline_call_text(kept, "done"));
    CHECK_CODE(extline_call_update(kept, "too late"), EXTLINE_ANSWERED);
    CHECK_CODE(extline_call_updatef(kept, "%s", "too late"), EXTLINE_ANSWERED);
    CHECK_TEXT(host_hears(ext), RESULT("1", "done"));
    extline_call_release(kept);
    host_ends(ext);
}

static void updating_simply(void *user, extline_call *call, extline_str args) {
    (void)args;
    *(extline_result *)user = extline_call_update(call, "asking");
    WANT_OK(extline_call_none(call));
}

static void a_host_without_updates_gets_none(void) {
    extline_result result = EXTLINE_PANIC;
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d",
                                                       .run = updating_simply, .user = &result}));
    host_begin_with(ext, ACK_WITH("\"tools\""));
    host_forgets(ext);
    host_says(ext, CALL("1", "{}"));
    CHECK(result == EXTLINE_OK || result == EXTLINE_UNSUPPORTED);
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[]}");
    host_ends(ext);
}

static int cancels, drops;

static void on_cancel(void *user, extline_call *call) {
    (void)user;
    cancels++;
    WANT(extline_call_cancelled(call));
}
static void on_drop(void *user) {
    (void)user;
    drops++;
}

static void keep_and_watch(void *user, extline_call *call, extline_str args) {
    keep(user, call, args);
    WANT(!extline_call_cancelled(call));
    WANT_OK(extline_call_on_cancel(call, on_cancel, NULL, on_drop));
}

static void a_cancel_is_told(void) {
    extline_extension *ext = with_tool(keep_and_watch, NULL);
    cancels = drops = 0;
    host_says(ext, CALL("1", "{}"));
    CHECK_EQ(cancels, 0);
    host_says(ext, CANCEL("1"));
    CHECK_EQ(cancels, 1);
    CHECK(extline_call_cancelled(kept));
    host_says(ext, CANCEL("1"));
    CHECK_EQ(cancels, 1);
    /* Told at once, now that it is. */
    CHECK_OK(extline_call_on_cancel(kept, on_cancel, NULL, on_drop));
    CHECK_EQ(cancels, 2);
    CHECK_OK(extline_call_error(kept, "cancelled", "cancelled"));
    CHECK_TEXT(host_hears(ext), "{\"type\":\"tool_result\",\"id\":\"1\",\"content\":[" TEXT("cancelled") "],\"is_error\":true,"
                                "\"error\":{\"kind\":\"cancelled\",\"message\":\"cancelled\"}}");
    extline_call_release(kept);
    CHECK_EQ(drops, 2);
    host_ends(ext);
    CHECK_EQ(drops, 2);
}

static void what_is_not_cancelled_is_dropped_too(void) {
    extline_extension *ext = with_tool(keep_and_watch, NULL);
    cancels = drops = 0;
    host_says(ext, CALL("1", "{}"));
    CHECK_OK(extline_call_text(kept, "done"));
    extline_call_release(kept);
    CHECK_EQ(cancels, 0);
    CHECK_EQ(drops, 1);
    host_forgets(ext);
    host_says(ext, CANCEL("1"));
    CHECK_EQ(cancels, 0);
    host_ends(ext);
}

/* An answer that crosses with the cancel is an answer. */
static void an_answer_after_the_cancel(void) {
    extline_extension *ext = with_tool(keep, NULL);
    host_says(ext, CALL("1", "{}"));
    host_says(ext, CANCEL("1"));
    extline_result result = extline_call_text(kept, "all the same");
    CHECK(result == EXTLINE_OK || result == EXTLINE_CANCELLED);
    host_hears_one(ext, "\"type\":\"tool_result\",\"id\":\"1\"");
    CHECK_TEXT(host_hears(ext), "");
    CHECK_CODE(extline_call_text(kept, "twice"), EXTLINE_ANSWERED);
    extline_call_release(kept);
    host_ends(ext);
}

static void sleeping(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_OK(extline_call_sleep_ms(call, 1));
    WANT_OK(extline_call_text(call, "slept"));
}

static void a_sleep(void) {
    extline_extension *ext = with_tool(sleeping, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_TEXT(host_hears(ext), RESULT("1", "slept"));
    host_ends(ext);
}

static void a_cancelled_sleep_is_none(void) {
    extline_extension *ext = with_tool(keep, NULL);
    host_says(ext, CALL("1", "{}"));
    host_says(ext, CANCEL("1"));
    CHECK_CODE(extline_call_sleep_ms(kept, PATIENCE_MS), EXTLINE_CANCELLED);
    CHECK_OK(extline_call_error(kept, "cancelled", "cancelled"));
    extline_call_release(kept);
    host_forgets(ext);
    host_ends(ext);
}

static void facts(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT(strcmp(extline_call_id(call).ptr, "7") == 0);
    WANT(strcmp(extline_call_name(call).ptr, "t") == 0);
    WANT(strcmp(extline_call_session_id(call).ptr, "s-9") == 0);
    WANT(extline_call_deadline_ms(call) > 0 && extline_call_deadline_ms(call) <= 5000);
    WANT_OK(extline_call_none(call));
}

static void tell_repetition(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    char answer[64];
    snprintf(answer, sizeof answer, "{\"key\":\"%s\",\"state\":\"%s\"}", extline_call_operation_key(call).ptr,
             extline_call_reconcile(call) ? "not_started" : "completed");
    WANT_OK(extline_call_json(call, answer));
}

static void a_call_that_may_be_made_again_says_so(void) {
    extline_extension *wrong = extline_new("wrong", "1.0.0");
    CHECK_FAILS(extline_tool(wrong, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "u", .description = "d",
                                                          .run = tell_repetition, .replay = "often"}),
                EXTLINE_ARGUMENT, "never, safe, idempotent, reconcile");
    extline_free(wrong);
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d",
                                                       .run = tell_repetition, .replay = "reconcile"}));
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "other", .description = "d",
                                                       .run = tell_repetition, .replay = "idempotent"}));
    host_begin_with(ext, ACK);
    host_hears_one(ext, "\"replay\":\"reconcile\"");
    host_hears_one(ext, "\"replay\":\"idempotent\"");
    host_forgets(ext);
    const struct { const char *call, *answer; } cases[] = {
        {"{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"t\",\"args\":{}}",
         "{\"key\":\"\",\"state\":\"completed\"}"},
        {"{\"type\":\"tool_call\",\"id\":\"2\",\"name\":\"t\",\"args\":{},\"operation_key\":\"op-7\"}",
         "{\"key\":\"op-7\",\"state\":\"completed\"}"},
        {"{\"type\":\"tool_call\",\"id\":\"3\",\"name\":\"t\",\"args\":{},\"operation_key\":\"op-7\",\"reconcile\":true}",
         "{\"key\":\"op-7\",\"state\":\"not_started\"}"},
        /* It does not declare it, so its handler is not entered. */
        {"{\"type\":\"tool_call\",\"id\":\"4\",\"name\":\"other\",\"args\":{},\"operation_key\":\"op-7\",\"reconcile\":true}",
         "\"structured_content\":{\"state\":\"unknown\"}"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; ++at) {
        host_says(ext, cases[at].call);
        host_hears_one(ext, cases[at].answer);
        host_forgets(ext);
    }
    host_ends(ext);
}

static void what_a_call_knows(void) {
    extline_extension *ext = with_tool(facts, NULL);
    host_says(ext, "{\"type\":\"tool_call\",\"id\":\"7\",\"name\":\"t\",\"args\":{},\"deadline_ms\":5000,\"session\":{\"id\":\"s-9\"}}");
    host_hears_one(ext, "\"content\":[]");
    host_ends(ext);
}

/* A call that is kept outlives its session: the answer goes nowhere, and nothing breaks. */
static void answered_after_the_session(void) {
    extline_extension *ext = with_tool(keep, NULL);
    host_says(ext, CALL("1", "{}"));
    CHECK_OK(extline_feed_eof(ext));
    host_lets(ext);
    extline_free(ext);
    CHECK_CODE(extline_call_text(kept, "to nobody"), EXTLINE_CLOSED);
    CHECK_CODE(extline_call_update(kept, "to nobody"), EXTLINE_CLOSED);
    CHECK_STR(extline_call_id(kept), "1");
    extline_call_release(kept);
}

TESTS(TEST(answered_after_its_handler), TEST(released_without_an_answer), TEST(retained_twice_is_released_twice),
      TEST(a_release_too_many_in_the_handler), TEST(answered_from_another_thread), TEST(two_threads_answer_one_call),
      TEST(updates), TEST(a_host_without_updates_gets_none), TEST(a_cancel_is_told),
      TEST(what_is_not_cancelled_is_dropped_too), TEST(an_answer_after_the_cancel), TEST(a_sleep),
      TEST(a_cancelled_sleep_is_none), TEST(a_call_that_may_be_made_again_says_so), TEST(what_a_call_knows),
      TEST(answered_after_the_session))
