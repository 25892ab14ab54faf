/* An extension for scripts/test_windows.py: what it prints in the ways of C must not reach the wire. */
#include <extline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SCHEMA[] = "{\"type\":\"object\"}";

static void echo(void *user, extline_call *call, extline_str args)
{
    extline_str text;
    if (extline_args_string(call, "/text", &text) == EXTLINE_OK)
        extline_call_textf(call, "%s", text.ptr);
}

/* The script asks for so much. */
static void big(void *user, extline_call *call, extline_str args)
{
    size_t amount = 3000000;
    char *text = malloc(amount + 1);
    memset(text, 'x', amount);
    text[amount] = '\0';
    extline_call_textf(call, "%s", text);
    free(text);
}

static void stray(void *user, extline_call *call, extline_str args)
{
    printf("no line end");
    fflush(stdout);
    /* It would take a frame away if it got hold of the wire. */
    int status = system("echo from a child& set /p line=");
    extline_call_textf(call, "the child ended: %d", status);
}

int main(void)
{
    extline_extension *ext = extline_new("probe", "1.0.0");
    extline_tool(ext, &(extline_tool_options){ EXTLINE_TOOL_OPTIONS_INIT, .name = "echo",
        .description = "Says it again.", .schema = SCHEMA, .run = echo });
    extline_tool(ext, &(extline_tool_options){ EXTLINE_TOOL_OPTIONS_INIT, .name = "big",
        .description = "Gives many bytes.", .schema = SCHEMA, .run = big });
    extline_tool(ext, &(extline_tool_options){ EXTLINE_TOOL_OPTIONS_INIT, .name = "stray",
        .description = "Prints.", .schema = SCHEMA, .run = stray });
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
