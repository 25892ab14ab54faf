/* The weather, the same in every city: a tool with an update and an error that says what to do, a
   command, a guard. */
#include <extline.h>
#include <string.h>

static const char SCHEMA[] =
    "{ \"type\": \"object\", \"required\": [\"city\"], \"additionalProperties\": false,"
    "  \"properties\": {"
    "    \"city\":  { \"type\": \"string\", \"description\": \"City name\" },"
    "    \"units\": { \"enum\": [\"c\", \"f\"], \"default\": \"c\" } } }";

static void weather(void *user, extline_call *call, extline_str args)
{
    extline_str city, units = { "c", 1 };
    if (extline_args_string(call, "/city", &city) != EXTLINE_OK)
        return;                                        /* it is answered: validation, field /city */
    if (extline_args_has(call, "/units") && extline_args_string(call, "/units", &units) != EXTLINE_OK)
        return;

    extline_update_options update = { EXTLINE_UPDATE_OPTIONS_INIT };
    update.message = "asking";
    update.done = 1;
    update.total = 2;
    extline_call_update_with(call, &update);

    if (strcmp(city.ptr, "Atlantis") == 0) {
        extline_error_options error = { EXTLINE_ERROR_OPTIONS_INIT };
        error.kind = "not_found";
        error.message = "no such city";
        error.field = "/city";
        error.hint = "try a city that exists";
        extline_call_fail(call, &error);
        return;
    }
    extline_call_textf(call, units.ptr[0] == 'f' ? "%s: 61°F, fog" : "%s: 16°C, fog", city.ptr);
}

static void weather_command(void *user, extline_call *call, extline_str args)
{
    extline_respond_promptf(call, "Show today's weather for %s in one line.", args.ptr);
}

/* A guard sees every tool call, and may only block. When it fails, the call is blocked. */
static void no_rm(void *user, extline_call *call, extline_str event)
{
    extline_str command;
    const extline_json *args = extline_call_args(call);
    if (extline_json_string(args, "/tool_args/command", &command) == EXTLINE_OK
        && strstr(command.ptr, "rm -rf") != NULL)
        extline_call_block(call, "refused: rm -rf");
    else
        extline_call_allow(call);
}

int main(void)
{
    extline_extension *ext = extline_new("weather", "1.0.0");
    extline_tool(ext, &(extline_tool_options){ EXTLINE_TOOL_OPTIONS_INIT, .name = "weather",
        .description = "Current weather for a city.", .schema = SCHEMA, .run = weather });
    extline_command(ext, &(extline_command_options){ EXTLINE_COMMAND_OPTIONS_INIT, .name = "weather",
        .description = "current weather for a city", .usage = "CITY", .run = weather_command });
    extline_guard(ext, "no-rm", no_rm, NULL, NULL);
    int status = extline_run(ext);                     /* 0, or what went wrong, which it has said */
    extline_free(ext);
    return status;
}
