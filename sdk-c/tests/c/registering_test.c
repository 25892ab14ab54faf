/* What an extension registers: tools, commands, handlers; the mistakes in it; and that what was given
 * away is dropped once. */
#include "host.h"

static void nothing(void *user, extline_call *call, extline_str text) {
    (void)user, (void)text;
    extline_call_none(call);
}
static void no_event(void *user, extline_extension *ext, const extline_event *event) { (void)user, (void)ext, (void)event; }
static extline_result no_stage(void *user, extline_extension *ext) { (void)user, (void)ext; return EXTLINE_OK; }
static void count_drop(void *user) { ++*(int *)user; }

static void a_tool_with_all_it_can_declare(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){
                                   EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d", .run = nothing,
                                   .schema = "{\"type\":\"object\",\"properties\":{}}", .label = "T", .timeout_ms = 20000,
                                   .read_only = 1, .destructive = -1, .idempotent = 1, .open_world = -1,
                                   .sequential = true, .gated = true, .approval_tier = "read", .approval_key = "all",
                                   .approval_reason = "a test", .outputs = "labeled",
                                   .preference = "{\"enabled\":false,\"weight\":0.8,\"parameters\":{\"n\":1}}"}));
    host_begin_with(ext, ACK);
    CHECK_TEXT(host_hears_one(ext, "register_tool"),
               "{\"type\":\"register_tool\",\"name\":\"t\",\"description\":\"d\",\"schema\":{\"type\":\"object\","
               "\"properties\":{}},\"replay\":\"safe\",\"label\":\"T\",\"timeout_ms\":20000,\"annotations\":{\"read_only\":true,"
               "\"destructive\":false,\"idempotent\":true,\"open_world\":false},\"execution\":\"sequential\","
               "\"approval\":{\"gated\":true,\"tier\":\"read\",\"key\":\"all\",\"reason\":\"a test\"},"
               "\"preference\":{\"enabled\":false,\"weight\":0.8,\"parameters\":{\"n\":1}}}");
    host_forgets(ext);
    host_ends(ext);
}

static void a_tool_with_as_little_as_goes(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d",
                                                       .run = nothing}));
    host_begin_with(ext, ACK);
    CHECK_TEXT(host_hears_one(ext, "register_tool"),
               "{\"type\":\"register_tool\",\"name\":\"t\",\"description\":\"d\",\"schema\":{\"type\":\"object\"}}");
    host_forgets(ext);
    host_ends(ext);
}

static extline_result tool_named(extline_extension *ext, const char *name, const char *description, const char *schema) {
    return extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = name, .schema = schema,
                                                     .description = description, .run = nothing});
}

static extline_result tool_with(extline_extension *ext, const char *outputs, const char *preference) {
    return extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "u", .description = "d",
                                                     .run = nothing, .outputs = outputs, .preference = preference});
}

static void tools_that_are_wrong(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    char long_name[66];
    memset(long_name, 'x', 65);
    long_name[65] = '\0';
    CHECK_OK(tool_named(ext, "t", "d", NULL));
    CHECK_FAILS(tool_named(ext, "t", "d", NULL), EXTLINE_DUPLICATE, "t");
    CHECK_FAILS(tool_named(ext, "no spaces", "d", NULL), EXTLINE_ARGUMENT, "no spaces");
    CHECK_FAILS(tool_named(ext, "", "d", NULL), EXTLINE_ARGUMENT, "name");
    CHECK_FAILS(tool_named(ext, long_name, "d", NULL), EXTLINE_ARGUMENT, "64");
    CHECK_FAILS(tool_named(ext, "\xff", "d", NULL), EXTLINE_UTF8, "UTF-8");
    CHECK_FAILS(tool_named(ext, "u", "\xff", NULL), EXTLINE_UTF8, "UTF-8");
    CHECK_FAILS(tool_named(ext, "u", "d", "\xff"), EXTLINE_UTF8, "UTF-8");
    CHECK_FAILS(tool_named(ext, "u", "d", "{"), EXTLINE_JSON, "u");
    CHECK_FAILS(tool_named(ext, "u", "d", "[]"), EXTLINE_JSON, "u");
    CHECK_FAILS(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "u", .description = "d",
                                                          .run = nothing, .exposure = "everywhere"}),
                EXTLINE_ARGUMENT, "everywhere");
    CHECK_FAILS(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "u", .description = "d",
                                                          .run = nothing, .approval_tier = "enormous"}),
                EXTLINE_ARGUMENT, "enormous");
    CHECK_FAILS(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "u", .description = "d",
                                                          .run = nothing, .read_only = 7}),
                EXTLINE_ARGUMENT, "read_only");
    CHECK_FAILS(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "u", .description = "d",
                                                          .run = nothing, .output_schema = "nope"}),
                EXTLINE_JSON, "u");
    CHECK_FAILS(tool_with(ext, "labeled, xml", NULL), EXTLINE_ARGUMENT, "\"xml\" is none");
    CHECK_FAILS(tool_with(ext, "json,json", NULL), EXTLINE_ARGUMENT, "twice");
    CHECK_FAILS(tool_with(ext, " ", NULL), EXTLINE_ARGUMENT, "there is none");
    CHECK_FAILS(tool_with(ext, "\xff", NULL), EXTLINE_UTF8, "tool->outputs");
    CHECK_FAILS(tool_with(ext, NULL, "nope"), EXTLINE_JSON, "tool->preference");
    CHECK_FAILS(tool_with(ext, NULL, "[]"), EXTLINE_JSON, "tool->preference");
    CHECK_FAILS(tool_with(ext, NULL, "{\"weight\":\"much\"}"), EXTLINE_JSON, "weight");
    CHECK_FAILS(tool_with(ext, NULL, "{\"weight\":1.5}"), EXTLINE_ARGUMENT, "from 0 to 1");
    CHECK_OK(tool_named(ext, "u", "d", NULL)); /* nothing of the failed ones is left */
    extline_free(ext);
}

static void commands_that_are_wrong(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    extline_command_options command = {EXTLINE_COMMAND_OPTIONS_INIT, .name = "c", .description = "d", .run = nothing};
    CHECK_OK(extline_command(ext, &command));
    CHECK_FAILS(extline_command(ext, &command), EXTLINE_DUPLICATE, "c");
    command.name = "no spaces";
    CHECK_FAILS(extline_command(ext, &command), EXTLINE_ARGUMENT, "no spaces");
    command.name = "e", command.usage = "\xff";
    CHECK_FAILS(extline_command(ext, &command), EXTLINE_UTF8, "UTF-8");
    extline_free(ext);
}

static void handlers_that_are_wrong(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_FAILS(extline_intercept(ext, "no_such_point", nothing, NULL, NULL), EXTLINE_ARGUMENT, "no_such_point");
    CHECK_FAILS(extline_on_failure(ext, "no_such_point", "allow"), EXTLINE_ARGUMENT, "no_such_point");
    CHECK_FAILS(extline_on_failure(ext, "turn_start", "perhaps"), EXTLINE_ARGUMENT, "perhaps");
    CHECK_OK(extline_on_failure(ext, "turn_start", "allow"));
    CHECK_FAILS(extline_on(ext, "\xff", no_event, NULL, NULL), EXTLINE_UTF8, "UTF-8");
    const char *tools[] = {"a\\b"};
    CHECK_FAILS(extline_on_tools(ext, "tool_call", tools, 1, no_event, NULL, NULL), EXTLINE_ARGUMENT, "backslash");
    CHECK_FAILS(extline_on_tools(ext, "tool_call", tools, 0, no_event, NULL, NULL), EXTLINE_ARGUMENT, "at least one");
    CHECK_FAILS(extline_on_tools(ext, "turn_end", tools, 1, no_event, NULL, NULL), EXTLINE_ARGUMENT, "about no tool");
    CHECK_FAILS(extline_guard(ext, "\xff", nothing, NULL, NULL), EXTLINE_UTF8, "UTF-8");
    CHECK_OK(extline_method(ext, "test/m", nothing, NULL, NULL));
    CHECK_FAILS(extline_method(ext, "test/m", nothing, NULL, NULL), EXTLINE_DUPLICATE, "test/m");
    CHECK_OK(extline_panel(ext, &(extline_panel_options){EXTLINE_PANEL_OPTIONS_INIT, .id = "p"}));
    CHECK_FAILS(extline_panel(ext, &(extline_panel_options){EXTLINE_PANEL_OPTIONS_INIT, .id = "p"}), EXTLINE_DUPLICATE, "p");
    CHECK_FAILS(extline_require(ext, "weather", "fine"), EXTLINE_ARGUMENT, "weather");
    extline_free(ext);
}

/* Sizes: an older program's options end early, a newer one's hold more. */
static void options_of_other_sizes(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    struct {
        extline_tool_options known;
        char later[64];
    } newer = {{.struct_size = sizeof newer, .name = "newer", .description = "d", .run = nothing}, ""};
    CHECK_OK(extline_tool(ext, &newer.known));

    size_t size = offsetof(extline_tool_options, label);
    extline_tool_options *older = malloc(size); /* AddressSanitizer sees a read behind it */
    extline_tool_options options = {.struct_size = size, .name = "older", .description = "d", .run = nothing};
    memcpy(older, &options, size);
    CHECK_OK(extline_tool(ext, older));
    free(older);
    host_begin_with(ext, ACK);
    host_hears_one(ext, "\"name\":\"newer\"");
    host_hears_one(ext, "\"name\":\"older\"");
    host_forgets(ext);
    host_ends(ext);
}

static void options_without_a_size(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    extline_tool_options forgotten = {.name = "u", .description = "d", .run = nothing};
    CHECK_FAILS(extline_tool(ext, &forgotten), EXTLINE_ARGUMENT, "_INIT");
    forgotten.struct_size = sizeof(size_t);
    CHECK_CODE(extline_tool(ext, &forgotten), EXTLINE_ARGUMENT);
    forgotten.struct_size = SIZE_MAX;
    CHECK_CODE(extline_tool(ext, &forgotten), EXTLINE_ARGUMENT);
    struct {
        extline_tool_options known;
        char later[64];
    } newer = {{.struct_size = sizeof newer, .name = "newer", .description = "d", .run = nothing}, "set"};
    CHECK_FAILS(extline_tool(ext, &newer.known), EXTLINE_ARGUMENT, "older");
    extline_command_options command = {.name = "c", .description = "d", .run = nothing};
    CHECK_FAILS(extline_command(ext, &command), EXTLINE_ARGUMENT, "struct_size");
    extline_panel_options panel = {.id = "p"};
    CHECK_FAILS(extline_panel(ext, &panel), EXTLINE_ARGUMENT, "struct_size");
    extline_free(ext);
}

/* Who checks no registration is told all the same, before the host hears a word. */
static void the_first_mistake_is_remembered(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(tool_named(ext, "t", "d", NULL));
    CHECK_CODE(tool_named(ext, "t", "d", NULL), EXTLINE_DUPLICATE);
    CHECK_CODE(tool_named(ext, "no spaces", "d", NULL), EXTLINE_ARGUMENT);
    CHECK_OK(tool_named(ext, "u", "d", NULL));
    CHECK_FAILS(extline_start_detached(ext), EXTLINE_DUPLICATE, "t");
    CHECK_CODE(extline_start(ext), EXTLINE_DUPLICATE);
    CHECK_EQ(extline_run(ext), EXTLINE_DUPLICATE);
    extline_free(ext);
}

/* What was given away comes back once, when the extension is freed. */
static void what_was_registered_is_dropped_once(void) {
    int drops[9] = {0};
    extline_extension *ext = extline_new("test", "1.0.0");
    extline_tool_options tool = {EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d", .run = nothing,
                                 .user = &drops[0], .drop = count_drop};
    CHECK_OK(extline_tool(ext, &tool));
    CHECK_OK(extline_command(ext, &(extline_command_options){EXTLINE_COMMAND_OPTIONS_INIT, .name = "c", .description = "d",
                                                             .run = nothing, .user = &drops[1], .drop = count_drop}));
    CHECK_OK(extline_on(ext, "turn_start", no_event, &drops[2], count_drop));
    CHECK_OK(extline_intercept(ext, "tool_call", nothing, &drops[3], count_drop));
    CHECK_OK(extline_guard(ext, "g", nothing, &drops[4], count_drop));
    CHECK_OK(extline_method(ext, "test/m", nothing, &drops[5], count_drop));
    CHECK_OK(extline_setup(ext, no_stage, &drops[6], count_drop));
    CHECK_OK(extline_teardown(ext, no_stage, &drops[7], count_drop));
    CHECK_OK(extline_panel(ext, &(extline_panel_options){EXTLINE_PANEL_OPTIONS_INIT, .id = "p", .user = &drops[8],
                                                         .drop = count_drop}));
    host_begin(ext);
    for (int i = 0; i < 9; i++) CHECK_EQ(drops[i], i == 6); /* setup has run, and runs no more */
    host_ends(ext);
    for (int i = 0; i < 9; i++) CHECK_EQ(drops[i], 1);
}

/* After a mistake it was never given away. */
static void what_was_not_registered_is_not_dropped(void) {
    int drops = 0;
    extline_extension *ext = extline_new("test", "1.0.0");
    extline_tool_options tool = {EXTLINE_TOOL_OPTIONS_INIT, .name = "no spaces", .description = "d", .run = nothing,
                                 .user = &drops, .drop = count_drop};
    extline_command_options command = {EXTLINE_COMMAND_OPTIONS_INIT, .name = "no spaces", .description = "d",
                                       .run = nothing, .user = &drops, .drop = count_drop};
    CHECK_CODE(extline_tool(ext, &tool), EXTLINE_ARGUMENT);
    CHECK_CODE(extline_command(ext, &command), EXTLINE_ARGUMENT);
    CHECK_CODE(extline_on(ext, "\xff", no_event, &drops, count_drop), EXTLINE_UTF8);
    CHECK_CODE(extline_intercept(ext, "no_such_point", nothing, &drops, count_drop), EXTLINE_ARGUMENT);
    CHECK_CODE(extline_guard(ext, "\xff", nothing, &drops, count_drop), EXTLINE_UTF8);
    CHECK_CODE(extline_method(ext, "\xff", nothing, &drops, count_drop), EXTLINE_UTF8);
    CHECK_CODE(extline_setup(ext, NULL, &drops, count_drop), EXTLINE_NULL_POINTER);
    extline_free(ext);
    CHECK_EQ(drops, 0);
}

static void freed_without_a_session_drops_too(void) {
    int drops = 0;
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_on(ext, "turn_start", no_event, &drops, count_drop));
    extline_free(ext);
    CHECK_EQ(drops, 1);
}

/* Tools and commands may come later; what is subscribed to must be said before `ready`. */
static void registering_after_the_start(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    CHECK_OK(tool_named(ext, "later", "d", NULL));
    host_hears_one(ext, "\"name\":\"later\"");
    CHECK_FAILS(tool_named(ext, "later", "d", NULL), EXTLINE_DUPLICATE, "later");
    CHECK_OK(extline_unregister_tool(ext, "later"));
    host_hears_one(ext, "unregister_tool");
    CHECK_CODE(extline_unregister_tool(ext, "never"), EXTLINE_NOT_FOUND);
    CHECK_FAILS(extline_on(ext, "turn_start", no_event, NULL, NULL), EXTLINE_STATE, "setup");
    CHECK_CODE(extline_intercept(ext, "tool_call", nothing, NULL, NULL), EXTLINE_STATE);
    CHECK_CODE(extline_guard(ext, "g", nothing, NULL, NULL), EXTLINE_STATE);
    CHECK_CODE(extline_on_failure(ext, "turn_start", "allow"), EXTLINE_STATE);
    CHECK_CODE(extline_setup(ext, no_stage, NULL, NULL), EXTLINE_STATE);
    CHECK_CODE(extline_set_max_threads(ext, 2), EXTLINE_STATE);
    CHECK_CODE(extline_start_detached(ext), EXTLINE_STATE);
    CHECK_CODE(extline_start(ext), EXTLINE_STATE);
    CHECK_EQ(extline_run(ext), EXTLINE_STATE);
    host_ends(ext);
}

static void registering_after_the_end(void) {
    extline_extension *ext = with_tool(nothing, NULL);
    extline_command_options late = {EXTLINE_COMMAND_OPTIONS_INIT, .name = "late", .run = nothing};
    host_says(ext, "{\"type\":\"shutdown\",\"reason\":\"exit\"}");
    host_hears_one(ext, "{\"type\":\"shutdown_ack\"}");
    CHECK_FAILS(tool_named(ext, "late", "d", NULL), EXTLINE_CLOSED, "register it before extline_run");
    CHECK_FAILS(extline_command(ext, &late), EXTLINE_CLOSED, "register it before extline_run");
    extline_free(ext);
}

static void a_tool_that_goes_is_dropped(void) {
    int drops = 0;
    extline_extension *ext = with_tool(nothing, NULL);
    CHECK_OK(extline_tool(ext, &(extline_tool_options){EXTLINE_TOOL_OPTIONS_INIT, .name = "later", .description = "d",
                                                       .run = nothing, .user = &drops, .drop = count_drop}));
    CHECK_OK(extline_unregister_tool(ext, "later"));
    host_lets(ext);
    CHECK_EQ(drops, 1);
    host_forgets(ext);
    host_ends(ext);
    CHECK_EQ(drops, 1);
}

TESTS(TEST(a_tool_with_all_it_can_declare), TEST(a_tool_with_as_little_as_goes), TEST(tools_that_are_wrong),
      TEST(commands_that_are_wrong), TEST(handlers_that_are_wrong), TEST(options_of_other_sizes),
      TEST(options_without_a_size), TEST(the_first_mistake_is_remembered), TEST(what_was_not_registered_is_not_dropped),
      TEST(what_was_registered_is_dropped_once), TEST(freed_without_a_session_drops_too),
      TEST(registering_after_the_start), TEST(registering_after_the_end), TEST(a_tool_that_goes_is_dropped))
