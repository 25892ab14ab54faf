#include "bridge.h"
#include "_cgo_export.h"

static void handle(void *user, extline_call *call, extline_str args)
{
    goHandle((uintptr_t)user, call, args);
}

static void drop(void *user)
{
    goDrop((uintptr_t)user);
}

extline_result add_tool(extline_extension *ext, const char *name, const char *description,
                        const char *schema, uintptr_t handler)
{
    extline_tool_options options = { EXTLINE_TOOL_OPTIONS_INIT, .name = name,
        .description = description, .schema = schema, .run = handle, .user = (void *)handler,
        .drop = drop };
    return extline_tool(ext, &options);
}

extline_result add_command(extline_extension *ext, const char *name, const char *description,
                           uintptr_t handler)
{
    extline_command_options options = { EXTLINE_COMMAND_OPTIONS_INIT, .name = name,
        .description = description, .run = handle, .user = (void *)handler, .drop = drop };
    return extline_command(ext, &options);
}
