/* echo sdk|raw: the C SDK under the benchmark, one tool that answers with its `text`. `sdk` takes it
 * by the typed accessor, as an author would; `raw` has it passed through as JSON: the string is found in
 * the arguments and answered as it stands there, its escapes neither resolved nor written anew. */
#include <stdio.h>
#include <string.h>

#include <extline.h>

#define SCHEMA \
    "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}"

static void typed(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str text;
    if (extline_args_string(call, "/text", &text) != EXTLINE_OK) return;
    extline_call_text_n(call, text.ptr, text.len);
}

/* Without the answer to what is wrong: the schema has been checked. */
static void raw(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_str text = {"", 0};
    extline_json_text(extline_call_args(call), "/text", &text);
    extline_call_text_json_n(call, text.ptr, text.len);
}

int main(int count, char **arguments) {
    extline_extension *echo = extline_new("echo", "1.0.0");
    if (echo == NULL) {
        fprintf(stderr, "%s\n", extline_last_error());
        return 1;
    }
    extline_tool_options tool = {EXTLINE_TOOL_OPTIONS_INIT};
    tool.name = "echo";
    tool.description = "Answers with the text.";
    tool.schema = SCHEMA;
    tool.run = strcmp(arguments[count - 1], "raw") == 0 ? raw : typed;
    int status = extline_tool(echo, &tool);
    if (status == EXTLINE_OK) status = extline_run(echo);
    if (status != EXTLINE_OK) fprintf(stderr, "%s\n", extline_last_error());
    extline_free(echo);
    return status;
}
