/* What the parts of the kit share. */
#ifndef KIT_H
#define KIT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <extline.h>

/* What everything says that fails because it was asked to. */
#define MESSAGE "it was to fail"

/* Two schemas that several tools have. */
#define SCHEMA_NONE "{\"type\":\"object\",\"properties\":{}}"
#define SCHEMA_ANY "{\"type\":\"object\"}"

/* Each registers its part. */
void add_commands(extline_extension *kit);
void add_values(extline_extension *kit);
void add_waiting(extline_extension *kit);
void add_faults(extline_extension *kit);
void add_knowledge(extline_extension *kit);
void add_methods(extline_extension *kit);
void add_services(extline_extension *kit);
void add_moments(extline_extension *kit);
void add_panel(extline_extension *kit);

/* Ends the program with what the library said, unless a registration went well. */
void must(extline_result result);
void add_tool(extline_extension *kit, const char *name, const char *description, const char *schema,
              extline_call_callback run);

/* memory.c: what is held, and the labels of the events. */
void hold(extline_call *call, extline_str name);
void release(extline_str name);
void record(const char *label);
void answer_labels(extline_call *call, size_t count);

/* methods.c: the tools that ask the host, what a call answers where that fails, how parts become a list,
 * and a yes or no of the person's. The answer is to be freed. */
void add_question_tools(extline_extension *kit);
void fail_request(extline_call *call, extline_result result, extline_answer *answer);
void add_part(void *user, extline_str part);
extline_result ask_person(extline_call *call, const char *title, bool *said_yes, extline_answer **answer);

/* panel.c */
extline_panel_content opened_panel(const char *title);

#endif
