/* The commands. */
#include "kit.h"

static void echo(void *user, extline_call *call, extline_str args) {
    (void)user;
    extline_call_text_n(call, args.ptr, args.len);
}

static void action(void *user, extline_call *call, extline_str name) {
    (void)user;
    if (strcmp(name.ptr, "prompt") == 0)
        extline_respond_prompt(call, "a text");
    else if (strcmp(name.ptr, "insert") == 0)
        extline_respond_insert(call, "a text");
    else if (strcmp(name.ptr, "display") == 0)
        extline_respond_display(call, "a text");
    else if (strcmp(name.ptr, "noop") == 0)
        extline_respond_noop(call);
    else if (strcmp(name.ptr, "tool_prompt") == 0)
        extline_respond_tool_prompt(call, "text", "{\"text\":\"a\"}", "a text");
    else
        extline_respond_error(call, "there is no such action");
}

static void fail(void *user, extline_call *call, extline_str args) {
    (void)user, (void)args;
    extline_respond_error(call, MESSAGE);
}

/* The worst that C can do and still be caught: it returns and has not answered. */
static void panic(void *user, extline_call *call, extline_str args) {
    (void)user, (void)call, (void)args;
}

static void hold_command(void *user, extline_call *call, extline_str name) {
    (void)user;
    hold(call, name);
}

static void open_panel(void *user, extline_call *call, extline_str title) {
    (void)user;
    extline_panel_content content = opened_panel(title.ptr);
    extline_respond_open_panel(call, &content);
}

static void add(extline_extension *kit, const char *name, const char *description, const char *usage,
                extline_call_callback run) {
    extline_command_options command = {EXTLINE_COMMAND_OPTIONS_INIT};
    command.name = name;
    command.description = description;
    command.usage = usage;
    command.run = run;
    must(extline_command(kit, &command));
}

void add_commands(extline_extension *kit) {
    add(kit, "echo", "shows its arguments", "TEXT", echo);
    add(kit, "action", "answers with each action", "NAME", action);
    add(kit, "fail", "fails", NULL, fail);
    add(kit, "panic", "fails badly", NULL, panic);
    add(kit, "hold", "waits until its name is released", "NAME", hold_command);
    add(kit, "panel", "opens the panel", "TITLE", open_panel);
}
