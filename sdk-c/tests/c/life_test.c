/* Versions, codes, texts for people, and making and freeing an extension. */
#include "host.h"

static void version_is_that_of_the_header(void) {
    char made[40];
    CHECK_TEXT(extline_version(), EXTLINE_VERSION);
    snprintf(made, sizeof made, "%d.%d.%d", EXTLINE_VERSION_MAJOR, EXTLINE_VERSION_MINOR, EXTLINE_VERSION_PATCH);
    CHECK_TEXT(made, EXTLINE_VERSION);
}

/* The numbers are part of the ABI: a number that changes here breaks every program out there. */
static void codes_have_their_numbers_and_names(void) {
    static const struct {
        extline_result code;
        int number;
        const char *name;
    } codes[] = {
        {EXTLINE_OK, 0, "OK"},
        {EXTLINE_NULL_POINTER, 1, "NULL_POINTER"},
        {EXTLINE_UTF8, 2, "UTF8"},
        {EXTLINE_ARGUMENT, 3, "ARGUMENT"},
        {EXTLINE_JSON, 4, "JSON"},
        {EXTLINE_DUPLICATE, 5, "DUPLICATE"},
        {EXTLINE_STATE, 6, "STATE"},
        {EXTLINE_ANSWERED, 7, "ANSWERED"},
        {EXTLINE_VALIDATION, 8, "VALIDATION"},
        {EXTLINE_TOO_LARGE, 9, "TOO_LARGE"},
        {EXTLINE_NOT_FOUND, 10, "NOT_FOUND"},
        {EXTLINE_TYPE, 11, "TYPE"},
        {EXTLINE_CANCELLED, 20, "CANCELLED"},
        {EXTLINE_UNSUPPORTED, 21, "UNSUPPORTED"},
        {EXTLINE_TIMEOUT, 22, "TIMEOUT"},
        {EXTLINE_CLOSED, 23, "CLOSED"},
        {EXTLINE_IO, 24, "IO"},
        {EXTLINE_AGAIN, 25, "AGAIN"},
        {EXTLINE_REMOTE, 26, "REMOTE"},
        {EXTLINE_FORKED, 27, "FORKED"},
        {EXTLINE_REQUIRED, 78, "REQUIRED"},
        {EXTLINE_PANIC, 99, "PANIC"},
        {EXTLINE_TERMINATED, 143, "TERMINATED"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        CHECK_EQ(codes[i].code, codes[i].number);
        CHECK_HAS(extline_result_name(codes[i].code), codes[i].name);
    }
    CHECK(extline_result_name(12345) != NULL);
    CHECK(extline_result_name(-1) != NULL);
}

static void the_last_error_is_for_people(void) {
    CHECK(extline_new("\xff", "1.0.0") == NULL);
    CHECK_HAS(extline_last_error(), "name");
    CHECK_HAS(extline_last_error(), "UTF-8");
}

static void *ask_in_a_thread(void *ptr) {
    (void)ptr;
    WANT(*extline_last_error() == '\0');
    WANT_CODE(extline_tool(NULL, NULL), EXTLINE_NULL_POINTER);
    return NULL;
}

static void each_thread_has_its_last_error(void) {
    pthread_t thread;
    CHECK(extline_new("\xff", "1.0.0") == NULL);
    CHECK_EQ(pthread_create(&thread, NULL, ask_in_a_thread, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_HAS(extline_last_error(), "UTF-8");
}

static void names_and_versions_are_checked(void) {
    CHECK(extline_new("", "1.0.0") == NULL);
    CHECK_HAS(extline_last_error(), "empty");
    CHECK(extline_new("test", "\xc3\x28") == NULL);
    CHECK_HAS(extline_last_error(), "UTF-8");
}

static void an_extension_that_never_ran_can_be_freed(void) {
    extline_free(extline_new("test", "1.0.0"));
}

static void what_was_given_is_copied(void) {
    char name[] = "test", version[] = "1.0.0";
    extline_extension *ext = extline_new(name, version);
    memset(name, 'x', strlen(name));
    memset(version, '9', strlen(version));
    CHECK_OK(extline_start_detached(ext));
    CHECK_HAS(host_hears(ext), "{\"type\":\"hello\",\"name\":\"test\",\"version\":\"1.0.0\"");
    extline_free(ext);
}

static void hello_names_the_sdk(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_start_detached(ext));
    CHECK_HAS(host_hears(ext), "\"sdk\":{\"name\":\"extline\",\"version\":\"" EXTLINE_VERSION "\",\"language\":\"c\"},\"protocol_version\":2}");
    extline_free(ext);
}

static void the_number_of_threads_is_checked(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_OK(extline_set_max_threads(ext, 1));
    CHECK_OK(extline_set_max_threads(ext, 32));
    CHECK_FAILS(extline_set_max_threads(ext, 0), EXTLINE_ARGUMENT, "32");
    CHECK_FAILS(extline_set_max_threads(ext, 33), EXTLINE_ARGUMENT, "33");
    extline_free(ext);
}

static void a_session_knows_its_host(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK_STR(extline_host_name(ext), "");
    CHECK(!extline_host_supports(ext, "tools"));
    host_begin(ext);
    CHECK_STR(extline_host_name(ext), "test");
    CHECK_STR(extline_host_version(ext), "1.2.3");
    CHECK_STR(extline_host_provider(ext), "anthropic");
    CHECK_STR(extline_host_model(ext), "a-model");
    CHECK_STR(extline_host_cwd(ext), "/home/ada");
    CHECK_STR(extline_extension_dir(ext), "/ext");
    CHECK_STR(extline_data_dir(ext), "/data");
    CHECK_STR(extline_session_id(ext), "s-1");
    CHECK(extline_host_supports(ext, "rpc"));
    CHECK(!extline_host_supports(ext, "magic"));
    CHECK(!extline_host_serves(ext, "no/such"));
    extline_free(ext);
}

#define ACK_CONFIG(config) \
    "{\"type\":\"hello_ack\",\"protocol_version\":1,\"capabilities\":[\"config\"],\"zot_version\":\"\"," \
    "\"provider\":\"\",\"model\":\"\",\"cwd\":\"/\"" config "}"

static void the_configuration_is_the_newest(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    CHECK(extline_config(ext) == NULL);
    host_begin_with(ext, ACK_CONFIG(",\"config\":{\"url\":\"a\",\"n\":5}"));
    const extline_json *first = extline_config(ext);
    extline_str url;
    int64_t n = 0;
    CHECK_OK(extline_json_string(first, "/url", &url));
    CHECK_STR(url, "a");
    CHECK_OK(extline_json_int(first, "/n", &n));
    CHECK_EQ(n, 5);
    CHECK(extline_config(ext) == first);
    host_says(ext, "{\"type\":\"event\",\"event\":\"config_changed\",\"config\":{\"url\":\"b\"}}");
    const extline_json *second = extline_config(ext);
    CHECK_OK(extline_json_string(second, "/url", &url));
    CHECK_STR(url, "b");
    CHECK_CODE(extline_json_int(second, "/n", &n), EXTLINE_NOT_FOUND);
    /* What was handed out before is still there. */
    CHECK_OK(extline_json_string(first, "/url", &url));
    CHECK_STR(url, "a");
    extline_free(ext);
}

static void a_host_without_configurations_gives_an_empty_one(void) {
    extline_extension *ext = extline_new("test", "1.0.0");
    host_begin_with(ext, ACK_CONFIG(""));
    extline_str text;
    CHECK_OK(extline_json_text(extline_config(ext), "", &text));
    CHECK_STR(text, "{}");
    extline_free(ext);
}

TESTS(TEST(version_is_that_of_the_header), TEST(codes_have_their_numbers_and_names),
      TEST(the_last_error_is_for_people), TEST(each_thread_has_its_last_error),
      TEST(names_and_versions_are_checked), TEST(an_extension_that_never_ran_can_be_freed),
      TEST(what_was_given_is_copied), TEST(hello_names_the_sdk), TEST(the_number_of_threads_is_checked),
      TEST(a_session_knows_its_host), TEST(the_configuration_is_the_newest),
      TEST(a_host_without_configurations_gives_an_empty_one))
