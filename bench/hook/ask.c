/* What a hook cannot do without: it reads the event, asks at a socket, prints the answer. It knows the
   question and parses nothing, so what `extline hook` takes more is its own.

   ask SOCKET < EVENT */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char QUESTION[] = "{\"do\":\"decide\",\"agent\":\"claude\"}\n";

static int write_all(int to, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(to, bytes, length);
        if (written < 0) return -1;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

int main(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char bytes[65536];
    ssize_t length = 0;
    if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, argv[1]);
    int to = socket(AF_UNIX, SOCK_STREAM, 0);
    if (to < 0 || connect(to, (struct sockaddr *)&address, sizeof address) != 0) return 2;
    if (write_all(to, QUESTION, sizeof QUESTION - 1) != 0) return 2;
    while ((length = read(0, bytes, sizeof bytes)) > 0) {
        if (write_all(to, bytes, (size_t)length) != 0) return 2;
    }
    if (shutdown(to, SHUT_WR) != 0) return 2;
    while ((length = read(to, bytes, sizeof bytes)) > 0) {
        if (write_all(1, bytes, (size_t)length) != 0) return 2;
    }
    return length == 0 ? 0 : 2;
}
