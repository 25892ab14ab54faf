#include <extline.h>

/* What the model passes. The descriptions are what it reads. */
static const char GREET[] =
    "{ \"type\": \"object\", \"required\": [\"who\"], \"additionalProperties\": false,"
    "  \"properties\": {"
    "    \"who\": { \"type\": \"string\", \"minLength\": 1, \"description\": \"Whom to greet\" } } }";

static void greet(void *user, extline_call *call, extline_str args)
{
    extline_str who;
    if (extline_args_string(call, "/who", &who) != EXTLINE_OK)
        return; /* the call is answered already, with what is wrong */
    extline_call_update(call, "thinking of a greeting");
    extline_call_textf(call, "Hello, %s!", who.ptr);
}

static void ask_for_greeting(void *user, extline_call *call, extline_str args)
{
    extline_respond_promptf(call, "Greet %s in one line.", args.ptr);
}

int main(void)
{
    extline_extension *ext = extline_new("{{name}}", "0.1.0");
    extline_tool(ext, &(extline_tool_options){ EXTLINE_TOOL_OPTIONS_INIT,
        .name = "greet", .description = "Greets somebody by name.", .schema = GREET, .run = greet });
    extline_command(ext, &(extline_command_options){ EXTLINE_COMMAND_OPTIONS_INIT,
        .name = "{{name}}", .description = "asks the model for a greeting", .usage = "WHO",
        .run = ask_for_greeting });
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
