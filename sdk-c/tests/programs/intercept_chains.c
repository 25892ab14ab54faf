/* Interceptors and guards that say on stderr what they see, and do as they are told. The arguments:
 * the point, what a failure means there or "-", and for each handler its name ("interceptor 0"), what
 * it does ("allow", "args", "text", "replace", "handled", "block", "ask", "fail") and with what. */
#include "common.h"

static void decide(void *user, extline_call *call, extline_str asked) {
    UNUSED(asked);
    char **handler = user;
    extline_str saw;
    if (extline_args_has(call, "/result")) {
        extline_str value = {"null", 4};
        must(extline_args_json(call, "/result/content/0/text", &saw));
        if (extline_args_has(call, "/result/structured_content"))
            must(extline_args_json(call, "/result/structured_content", &value));
        fprintf(stderr, "saw [\"%s\",[%.*s,%s,%.*s]]\n", handler[0], (int)saw.len, saw.ptr,
                extline_args_has(call, "/result/is_error") ? "true" : "false", (int)value.len, value.ptr);
    } else {
        const char *pointer = extline_args_has(call, "/tool_args") ? "/tool_args" : "/text";
        must(extline_args_json(call, pointer, &saw));
        fprintf(stderr, "saw [\"%s\",%.*s]\n", handler[0], (int)saw.len, saw.ptr);
    }
    const char *verb = handler[1], *with = handler[2];
    if (strcmp(verb, "args") == 0)
        must(extline_call_rewrite(call, with));
    else if (strcmp(verb, "text") == 0)
        must(extline_call_replace_text(call, with));
    else if (strcmp(verb, "replace") == 0)
        must(extline_call_replace_result(call, with));
    else if (strcmp(verb, "handled") == 0)
        must(extline_call_handled(call));
    else if (strcmp(verb, "block") == 0)
        must(extline_call_block(call, with));
    else if (strcmp(verb, "ask") == 0)
        must(extline_call_ask(call, with));
    else if (strcmp(verb, "fail") == 0)
        must(extline_call_error(call, "internal", with));
    else
        must(extline_call_allow(call));
}

int main(int argc, char **argv) {
    extline_extension *ext = extline_new("intercept_chains", "1.0.0");
    if (strcmp(argv[2], "-") != 0)
        must(extline_on_failure(ext, argv[1], argv[2]));
    for (char **handler = argv + 3; handler < argv + argc; handler += 3) {
        if (handler[0][0] == 'i')
            must(extline_intercept(ext, argv[1], decide, handler, NULL));
        else
            must(extline_guard(ext, handler[0], decide, handler, NULL));
    }
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
