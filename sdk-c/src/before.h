
/** The version of this header; `extline_version()` is that of the library. */
#define EXTLINE_VERSION "@VERSION@"
#define EXTLINE_VERSION_MAJOR @MAJOR@
#define EXTLINE_VERSION_MINOR @MINOR@
#define EXTLINE_VERSION_PATCH @PATCH@

/** Checks the arguments of a format as the compiler does for printf. */
#if defined(__GNUC__)
#define EXTLINE_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#else
#define EXTLINE_PRINTF(format, first)
#endif

/** The first initializer of options: `{ EXTLINE_TOOL_OPTIONS_INIT, .name = "weather" }`. In C++, where
 * compilers warn of members that are left out, rather `extline_tool_options tool = {};` and then
 * `tool.struct_size = sizeof(tool);`. */
#define EXTLINE_INIT(type) .struct_size = sizeof(type)
#define EXTLINE_TOOL_OPTIONS_INIT EXTLINE_INIT(extline_tool_options)
#define EXTLINE_COMMAND_OPTIONS_INIT EXTLINE_INIT(extline_command_options)
#define EXTLINE_PANEL_OPTIONS_INIT EXTLINE_INIT(extline_panel_options)
#define EXTLINE_PANEL_CONTENT_INIT EXTLINE_INIT(extline_panel_content)
#define EXTLINE_UPDATE_OPTIONS_INIT EXTLINE_INIT(extline_update_options)
#define EXTLINE_ERROR_OPTIONS_INIT EXTLINE_INIT(extline_error_options)
