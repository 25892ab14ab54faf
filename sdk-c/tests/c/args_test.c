/* A call's arguments and any other JSON, picked by pointers. */
#include "host.h"

static const char given[] =
    "{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"t\",\"args\":{\"city\":\"Bar\\u0000\\u00e9\",\"n\":42,\"big\":"
    "9223372036854775807,\"bigger\":9223372036854775808,\"x\":-1.5,\"whole\":2.0,\"huge\":1e400,\"yes\":true,\"no\":false,"
    "\"nil\":null,\"list\":[1,[\"two\"],{}],\"a/b\":{\"c~d\":\"deep\"},\"\":\"empty\",\"dup\":1,\"dup\":2}}";

/* Plays the call once; its handler must answer. */
static void play(extline_call_callback run) {
    extline_extension *ext = with_tool(run, NULL);
    host_says(ext, given);
    CHECK_TEXT(host_hears(ext), RESULT("1", "ok"));
    host_ends(ext);
}

#define IS(str, wanted) WANT((str).len == sizeof(wanted) - 1 && memcmp((str).ptr, wanted, sizeof(wanted)) == 0)

static void read_args(void *user, extline_call *call, extline_str args) {
    (void)user;
    extline_str text;
    int64_t whole;
    double number;
    bool truth;
    size_t length;
    WANT(args.ptr[args.len] == '\0' && strstr(args.ptr, "\"city\":\"Bar\\u0000") != NULL);
    WANT_OK(extline_args_string(call, "/city", &text));
    IS(text, "Bar\0é"); /* compared with its NUL */
    WANT_OK(extline_args_string(call, "/list/1/0", &text));
    IS(text, "two");
    WANT_OK(extline_args_string(call, "/a~1b/c~0d", &text));
    IS(text, "deep");
    WANT_OK(extline_args_string(call, "/", &text));
    IS(text, "empty");
    WANT_OK(extline_args_int(call, "/n", &whole));
    WANT(whole == 42);
    WANT_OK(extline_args_int(call, "/big", &whole));
    WANT(whole == INT64_MAX);
    WANT_OK(extline_args_int(call, "/dup", &whole));
    WANT(whole == 2);
    WANT_OK(extline_args_double(call, "/x", &number));
    WANT(number == -1.5);
    WANT_OK(extline_args_double(call, "/n", &number));
    WANT(number == 42);
    WANT_OK(extline_args_bool(call, "/yes", &truth));
    WANT(truth);
    WANT_OK(extline_args_bool(call, "/no", &truth));
    WANT(!truth);
    WANT_OK(extline_args_length(call, "/list", &length));
    WANT(length == 3);
    WANT_OK(extline_args_json(call, "/a~1b", &text));
    IS(text, "{\"c~d\":\"deep\"}");
    WANT_OK(extline_args_json(call, "", &text));
    WANT(text.len == args.len && memcmp(text.ptr, args.ptr, args.len) == 0);
    WANT(extline_args_has(call, "/nil"));
    WANT(!extline_args_has(call, "/nowhere"));
    WANT_OK(extline_call_text(call, "ok"));
}

static void arguments(void) { play(read_args); }

static void read_json(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    const extline_json *json = extline_call_args(call);
    extline_str text = {"as it was", 9};
    int64_t whole = -7;
    double number = -7;
    bool truth = true;
    size_t length = 77;
    int32_t type = -7;
    WANT_OK(extline_json_string(json, "/city", &text));
    IS(text, "Bar\0é");
    WANT_OK(extline_json_int(json, "/n", &whole));
    WANT(whole == 42);
    WANT_OK(extline_json_double(json, "/x", &number));
    WANT(number == -1.5);
    WANT_OK(extline_json_bool(json, "/no", &truth));
    WANT(!truth);
    WANT_OK(extline_json_length(json, "/list", &length));
    WANT(length == 3);
    WANT_OK(extline_json_member_count(json, "/a~1b", &length));
    WANT(length == 1);
    WANT_OK(extline_json_member_count(json, "/list/2", &length));
    WANT(length == 0);
    WANT_OK(extline_json_text(json, "/list/2", &text));
    IS(text, "{}");
    static const struct {
        const char *at;
        int32_t type;
    } types[] = {{"/nil", EXTLINE_JSON_NULL},     {"/yes", EXTLINE_JSON_BOOL},   {"/x", EXTLINE_JSON_NUMBER},
                 {"/city", EXTLINE_JSON_STRING}, {"/list", EXTLINE_JSON_ARRAY}, {"", EXTLINE_JSON_OBJECT}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        WANT_OK(extline_json_type(json, types[i].at, &type));
        WANT(type == types[i].type);
    }
    WANT(extline_json_has(json, "/nil"));
    WANT(!extline_json_has(json, "/list/3"));
    WANT_OK(extline_call_text(call, "ok"));
}

static void json(void) { play(read_json); }

/* Nothing is written and nothing is answered. */
static void read_wrong_json(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    const extline_json *json = extline_call_args(call);
    extline_str text = {"as it was", 9};
    int64_t whole = -7;
    double number = -7;
    bool truth = true;
    size_t length = 77;
    int32_t type = -7;
    WANT_CODE(extline_json_string(json, "/nowhere", &text), EXTLINE_NOT_FOUND);
    WANT(strstr(extline_last_error(), "/nowhere") != NULL);
    WANT_CODE(extline_json_string(json, "/n", &text), EXTLINE_TYPE);
    WANT(strstr(extline_last_error(), "/n") != NULL);
    WANT_CODE(extline_json_string(json, "/nil", &text), EXTLINE_TYPE);
    WANT_CODE(extline_json_int(json, "/nowhere", &whole), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_json_int(json, "/city", &whole), EXTLINE_TYPE);
    WANT_CODE(extline_json_int(json, "/x", &whole), EXTLINE_TYPE);
    WANT_CODE(extline_json_int(json, "/bigger", &whole), EXTLINE_TYPE);
    WANT_CODE(extline_json_double(json, "/nowhere", &number), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_json_double(json, "/city", &number), EXTLINE_TYPE);
    WANT_CODE(extline_json_bool(json, "/nowhere", &truth), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_json_bool(json, "/n", &truth), EXTLINE_TYPE);
    WANT_CODE(extline_json_length(json, "/nowhere", &length), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_json_length(json, "/city", &length), EXTLINE_TYPE);
    WANT_CODE(extline_json_member_count(json, "/nowhere", &length), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_json_member_count(json, "/list", &length), EXTLINE_TYPE);
    WANT_CODE(extline_json_text(json, "/nowhere", &text), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_json_type(json, "/list/9", &type), EXTLINE_NOT_FOUND);
    WANT_CODE(extline_json_string(json, "city", &text), EXTLINE_ARGUMENT); /* a pointer begins with / */
    WANT(strstr(extline_last_error(), "city") != NULL);
    WANT_CODE(extline_json_string(json, "/\xff", &text), EXTLINE_UTF8);
    WANT(!extline_json_has(json, "city"));
    WANT(text.len == 9 && whole == -7 && number == -7 && truth && length == 77 && type == -7);
    WANT_OK(extline_call_text(call, "ok"));
}

static void json_that_is_not_there_or_of_another_type(void) { play(read_wrong_json); }

static const char *wrong_pointer;
static extline_result (*wrong_read)(extline_call *, const char *);

static void read_wrong_args(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    WANT_CODE(wrong_read(call, wrong_pointer), EXTLINE_VALIDATION);
    WANT_CODE(extline_call_text(call, "too late"), EXTLINE_ANSWERED);
}

static extline_result as_string(extline_call *call, const char *at) {
    extline_str out;
    return extline_args_string(call, at, &out);
}
static extline_result as_int(extline_call *call, const char *at) {
    int64_t out;
    return extline_args_int(call, at, &out);
}
static extline_result as_double(extline_call *call, const char *at) {
    double out;
    return extline_args_double(call, at, &out);
}
static extline_result as_bool(extline_call *call, const char *at) {
    bool out;
    return extline_args_bool(call, at, &out);
}
static extline_result as_length(extline_call *call, const char *at) {
    size_t out;
    return extline_args_length(call, at, &out);
}
static extline_result as_json(extline_call *call, const char *at) {
    extline_str out;
    return extline_args_json(call, at, &out);
}

/* They answer themselves, with the place. */
static void wrong_arguments_are_answered(void) {
    static const struct {
        extline_result (*read)(extline_call *, const char *);
        const char *at;
    } wrong[] = {
        {as_string, "/nowhere"}, {as_string, "/n"},      {as_string, "/nil"},  {as_int, "/nowhere"},
        {as_int, "/city"},       {as_int, "/x"},         {as_int, "/bigger"},  {as_double, "/nowhere"},
        {as_double, "/city"},    {as_bool, "/nowhere"},  {as_bool, "/n"},      {as_length, "/nowhere"},
        {as_length, "/city"},    {as_json, "/nowhere"},  {as_string, "/list/9"},
    };
    extline_extension *ext = with_tool(read_wrong_args, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char field[60];
        wrong_read = wrong[i].read;
        wrong_pointer = wrong[i].at;
        snprintf(field, sizeof field, "\"field\":\"%s\"", wrong_pointer);
        host_says(ext, given);
        host_hears_one(ext, "\"type\":\"tool_result\"");
        CHECK_HAS(line, "\"is_error\":true");
        CHECK_HAS(line, "\"kind\":\"validation\"");
        CHECK_HAS(line, field);
        CHECK_TEXT(host_hears(ext), "");
    }
    host_ends(ext);
}

static void misread_args(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str text;
    WANT_CODE(extline_args_string(call, "city", &text), EXTLINE_ARGUMENT);
    WANT_CODE(extline_args_string(call, "/\xff", &text), EXTLINE_UTF8);
    WANT(!extline_args_has(call, "city"));
    WANT_OK(extline_call_text(call, "ok"));
}

/* That is no fault of the model: the call is not answered. */
static void a_pointer_that_is_none(void) { play(misread_args); }

/* 2.0 is an integer in JSON Schema. */
static void read_whole(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    int64_t whole;
    WANT_OK(extline_json_int(extline_call_args(call), "/whole", &whole));
    WANT(whole == 2);
    WANT_OK(extline_call_text(call, "ok"));
}

static void two_point_zero_is_an_integer(void) { play(read_whole); }

static void read_none(void *user, extline_call *call, extline_str args) {
    (void)user;
    WANT(args.len == 2 && strcmp(args.ptr, "{}") == 0);
    WANT(!extline_args_has(call, "/a"));
    WANT_OK(extline_call_text(call, "ok"));
}

static void arguments_that_are_missing_are_an_empty_object(void) {
    extline_extension *ext = with_tool(read_none, NULL);
    host_says(ext, "{\"type\":\"tool_call\",\"id\":\"1\",\"name\":\"t\"}");
    CHECK_TEXT(host_hears(ext), RESULT("1", "ok"));
    host_ends(ext);
}

static void count(void *user, extline_call *call, extline_str args) {
    (void)args;
    ++*(int *)user;
    extline_call_none(call);
}

static void a_schema_is_checked_before_the_handler(void) {
    int runs = 0;
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_tool(ext, &(extline_tool_options){
                                   EXTLINE_TOOL_OPTIONS_INIT, .name = "t", .description = "d", .run = count, .user = &runs,
                                   .schema = "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\","
                                             "\"minimum\":3}},\"required\":[\"n\"]}"}));
    host_begin(ext);
    host_says(ext, CALL("1", "{\"n\":2}"));
    host_hears_one(ext, "\"kind\":\"validation\"");
    CHECK_HAS(line, "\"field\":\"/n\"");
    CHECK_EQ(runs, 0);
    host_says(ext, CALL("2", "{\"n\":3}"));
    host_hears_one(ext, "\"content\":[]");
    CHECK_EQ(runs, 1);
    host_ends(ext);
}

TESTS(TEST(arguments), TEST(json), TEST(json_that_is_not_there_or_of_another_type), TEST(wrong_arguments_are_answered),
      TEST(a_pointer_that_is_none), TEST(two_point_zero_is_an_integer),
      TEST(arguments_that_are_missing_are_an_empty_object), TEST(a_schema_is_checked_before_the_handler))
