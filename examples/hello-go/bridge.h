/* What cgo does not write itself: structs with callbacks. */
#include <extline.h>
#include <stdint.h>

extline_result add_tool(extline_extension *ext, const char *name, const char *description,
                        const char *schema, uintptr_t handler);
extline_result add_command(extline_extension *ext, const char *name, const char *description,
                           uintptr_t handler);
