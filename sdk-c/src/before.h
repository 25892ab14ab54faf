
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

/** The first initializer of options: `{ EXTLINE_TOOL_OPTIONS_INIT, .name = "weather" }`. Before C++20
 * nothing can be named behind it; set the members after it there. */
#if defined(__cplusplus) && __cplusplus < 202002L
#define EXTLINE_INIT(type) sizeof(type)
#else
#define EXTLINE_INIT(type) .struct_size = sizeof(type)
#endif
#define EXTLINE_TOOL_OPTIONS_INIT EXTLINE_INIT(extline_tool_options)
#define EXTLINE_COMMAND_OPTIONS_INIT EXTLINE_INIT(extline_command_options)
