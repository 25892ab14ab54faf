/* Until the tool can be called: `ready` of an extension, the list of tools of an MCP server. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

static void say(const char *line) {
    ssize_t length = (ssize_t)strlen(line);
    if (write(child.input, line, (size_t)length) != length) stop("cannot write to the child");
}

static void wait_for_member(const char *name, const char *value) {
    for (;;) {
        size_t length;
        const char *line = lines_wait(&length);
        if (json_is_string(line, length, name, value)) return;
    }
}

static void wait_for_answer(char id) {
    for (;;) {
        size_t length;
        const char *line = lines_wait(&length);
        const char *found = json_member(line, length, "id");
        if (!found || *found != id) continue;
        errno = 0;
        if (!json_member(line, length, "result")) stop("a refusal: %.*s", (int)length, line);
        return;
    }
}

void handshake(enum protocol protocol) {
    if (protocol == PROTOCOL_MCP) {
        say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
            "\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n");
        wait_for_answer('1');
        say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{}}\n");
        wait_for_answer('2');
    } else if (protocol == PROTOCOL_MCP_MODERN) {
        say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{" MODERN_META "}}\n");
        wait_for_answer('1');
        say("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{" MODERN_META "}}\n");
        wait_for_answer('2');
    } else {
        wait_for_member("type", "hello");
        say("{\"type\":\"hello_ack\",\"protocol_version\":1,\"zot_version\":\"\",\"provider\":\"\",\"model\":\"\",\"cwd\":\"/\"}\n");
        wait_for_member("type", "ready");
    }
}
