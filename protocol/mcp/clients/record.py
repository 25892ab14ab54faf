"""A server that keeps what its client says: record.py FILE COMMAND... starts the command, passes its stdin on
line by line, and adds the lines to the file: a client may start a server twice."""

import subprocess
import sys


def main(file, command):
    with open(file, "ab", buffering=0) as kept, subprocess.Popen(command, stdin=subprocess.PIPE) as server:
        for line in sys.stdin.buffer:
            kept.write(line)
            server.stdin.write(line)
            server.stdin.flush()
        server.stdin.close()
    return server.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
