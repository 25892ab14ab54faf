/* The kit on the C SDK: what conformance/kit/surface.toml says, for `extline conformance --level
 * kit`. docs/tester/kits.md says what a kit is. */
#include <stdlib.h>

#include "kit.h"

void must(extline_result result) {
    if (result == EXTLINE_OK) return;
    fprintf(stderr, "extline-kit: %s\n", extline_last_error());
    exit(EXIT_FAILURE);
}

void add_tool(extline_extension *kit, const char *name, const char *description, const char *schema,
              extline_call_callback run) {
    extline_tool_options tool = {EXTLINE_TOOL_OPTIONS_INIT};
    tool.name = name;
    tool.description = description;
    tool.schema = schema;
    tool.run = run;
    must(extline_tool(kit, &tool));
}

int main(void) {
    extline_extension *kit = extline_new("extline-kit", "1.0.0");
    if (kit == NULL) must(EXTLINE_ARGUMENT);
    add_commands(kit);
    add_values(kit);
    add_waiting(kit);
    add_faults(kit);
    add_knowledge(kit);
    add_methods(kit);
    add_services(kit);
    add_moments(kit);
    add_panel(kit);
    int status = extline_run(kit);
    if (status != EXTLINE_OK) fprintf(stderr, "extline-kit: %s\n", extline_last_error());
    extline_free(kit);
    return status;
}
