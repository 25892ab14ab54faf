/* The panel, which shows what was typed. The library calls its handlers one at a time. */
#include <pthread.h>
#include <time.h>

#include "kit.h"
#include "text.h"

#define ID "keys"

static text typed;

extline_panel_content opened_panel(const char *title) {
    static const char *const lines[] = {""};
    forget(&typed);
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT};
    content.id = ID;
    content.title = title;
    content.lines = lines;
    content.line_count = 1;
    content.footer = "type";
    return content;
}

static void draw_line(extline_extension *kit, const char *line) {
    const char *lines[] = {line};
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT};
    content.id = ID;
    content.lines = lines;
    content.line_count = 1;
    extline_panel_render(kit, &content);
}

static void on_key(void *user, extline_extension *kit, extline_str key, extline_str pressed) {
    (void)user;
    if (strcmp(key.ptr, "tab") == 0) {
        extline_panel_close(kit, ID);
        return;
    }
    if (strcmp(key.ptr, "rune") == 0) {
        if (strcmp(pressed.ptr, "!") == 0) return; /* in C there is nothing to throw */
        put_n(&typed, pressed.ptr, pressed.len);
    } else if (strcmp(key.ptr, "enter") == 0) {
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        put(&typed, "/");
    } else {
        return;
    }
    draw_line(kit, typed.ptr);
}

static void on_resize(void *user, extline_extension *kit, uint64_t width, uint64_t height) {
    (void)user;
    char title[50];
    snprintf(title, sizeof title, "%ux%u", (unsigned)width, (unsigned)height);
    extline_panel_content content = {EXTLINE_PANEL_CONTENT_INIT};
    content.id = ID;
    content.title = title;
    extline_panel_render(kit, &content);
}

static void on_close(void *user, extline_extension *kit) {
    (void)user;
    draw_line(kit, "too late");
    extline_notify(kit, "info", "closed");
}

void add_panel(extline_extension *kit) {
    extline_panel_options panel = {EXTLINE_PANEL_OPTIONS_INIT};
    panel.id = ID;
    panel.on_key = on_key;
    panel.on_resize = on_resize;
    panel.on_close = on_close;
    must(extline_panel(kit, &panel));
}
