/* libextline_model: what it answers, and that nothing it is given makes it fail. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <extline_model.h>

static int failures;

/* Compares and frees. */
static void is(char *answer, const char *wanted, int line) {
    if (strcmp(answer, wanted) != 0) {
        fprintf(stderr, "%s:%d: %s\n", __FILE__, line, answer);
        failures++;
    }
    extline_model_free(answer);
}

static void has(char *answer, const char *part, int line) {
    if (strstr(answer, part) == NULL) {
        fprintf(stderr, "%s:%d: %s has no %s\n", __FILE__, line, answer, part);
        failures++;
    }
    extline_model_free(answer);
}

static char *repair(const char *text) { return extline_model_repair(text, strlen(text)); }

static char *extract(const char *text, const char *offered) {
    return extline_model_extract(text, strlen(text), offered, strlen(offered));
}

static char *render(const char *provider, const char *name, const char *schema) {
    return extline_model_schema_for(provider, name, schema, strlen(schema));
}

static void repairs(void) {
    is(repair("{\"a\": 1}"), "{\"value\":{\"a\": 1},\"fixes\":[],\"unlisted\":0,\"truncated\":false}", __LINE__);
    has(repair("{'a': [1, 2,}"), "\"value\":{\"a\":[1,2]}", __LINE__);
    has(repair("{'a': [1, 2,}"), "\"kind\":\"trailing_comma\"", __LINE__);
    has(repair("{} {}"), "{\"error\":{\"kind\":\"several_values\",\"offset\":3,\"line\":1,\"column\":4,", __LINE__);
    has(extline_model_repair(NULL, 0), "{\"error\":{\"kind\":\"blank\"", __LINE__);
    /* So many bytes, and a NUL is one of them. */
    has(extline_model_repair("{\"a\": \"x\0y\"}", 12), "\"value\":{\"a\":\"x\\u0000y\"}", __LINE__);
}

static void finds_calls(void) {
    const char *text = "I look.\n[TOOL_" "CALLS]read[ARGS]{\"path\": \"a\"}";
    has(extract(text, "[\"read\"]"), "\"name\":\"read\",\"arguments\":{\"path\": \"a\"}", __LINE__);
    has(extract(text, "[{\"name\": \"read\", \"schema\": {\"type\": \"object\"}}, \"write\"]"), "\"remaining\":\"I look.\"", __LINE__);
    has(extract(text, "[]"), "\"reason\":\"there is no tool read\"", __LINE__);
}

static void renders_schemas(void) {
    const char *schema = "{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"format\":\"uri\"}}}";
    has(render("google", "look", schema), "\"pointer\":\"/properties/city/format\"", __LINE__);
    has(render("anthropic", NULL, schema), "\"notes\":[]", __LINE__);
    has(render("openai", NULL, "{\"type\":\"array\"}"), "{\"error\":{\"kind\":\"root_type\",\"pointer\":\"/type\",", __LINE__);
    has(render("openai", "look up", schema), "{\"error\":{\"kind\":\"name\"", __LINE__);
}

static void tells_what_was_given_wrongly(void) {
    const char *argument = "{\"error\":{\"kind\":\"argument\",\"text\":\"";
    is(extline_model_repair(NULL, 3), "{\"error\":{\"kind\":\"argument\",\"text\":\"text is NULL\"}}", __LINE__);
    has(extline_model_repair("a\xff", 2), "text is not UTF-8: byte 1 begins no character", __LINE__);
    has(extline_model_extract("a", 1, NULL, 2), "offered is NULL", __LINE__);
    has(extract("a", "read"), argument, __LINE__);
    has(extract("a", "{}"), "offered: expected an array of names, or of objects with name and schema", __LINE__);
    has(extract("a", "[\"read\", 1]"), "offered: /1: expected a name, or an object with name and schema", __LINE__);
    has(extract("a", "[{}]"), "offered: /0/name: expected a string", __LINE__);
    has(render(NULL, NULL, "{}"), "provider is NULL", __LINE__);
    has(render("mistal", NULL, "{}"), "it is one of openai, anthropic, google, mistral", __LINE__);
    has(render("openai", NULL, "{"), "schema: ", __LINE__);
    has(render("openai", "\xff", "{}"), "name is not UTF-8", __LINE__);
    extline_model_free(NULL);
}

static void *in_a_thread(void *unused) {
    int round;
    for (round = 0; round < 200; round++) {
        has(repair("{'a': [1, 2,}"), "\"value\":{\"a\":[1,2]}", __LINE__);
    }
    return unused;
}

int main(void) {
    pthread_t threads[4];
    int at;
    repairs();
    finds_calls();
    renders_schemas();
    tells_what_was_given_wrongly();
    for (at = 0; at < 4; at++) pthread_create(&threads[at], NULL, in_a_thread, NULL);
    for (at = 0; at < 4; at++) pthread_join(threads[at], NULL);
    return failures > 0;
}
