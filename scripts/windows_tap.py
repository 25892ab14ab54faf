"""`extline tap` under wine: it passes bytes on, and closes its output when the extension does."""

from commands import output, run
from windows_conversation import Wrong, converse

# Its output ends long before it does.
EXTENSION = """
#include <stdio.h>
#include <windows.h>
int main(void)
{
    fclose(stdout);
    Sleep(4000);
    return 0;
}
"""
# A program of wine holds the pipes of Linux that it was given, so only a host under wine sees their ends.
HOST = """
#include <stdio.h>
#include <windows.h>
int main(int count, char **words)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    STARTUPINFOA start = {sizeof start};
    PROCESS_INFORMATION process;
    HANDLE input, writes, reads, output;
    DWORD got, began = GetTickCount();
    char bytes[256];
    if (count < 2 || !CreatePipe(&input, &writes, &inherited, 0)) return 1;
    if (!CreatePipe(&reads, &output, &inherited, 0)) return 1;
    SetHandleInformation(writes, HANDLE_FLAG_INHERIT, 0);
    SetHandleInformation(reads, HANDLE_FLAG_INHERIT, 0);
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = input;
    start.hStdOutput = output;
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    if (!CreateProcessA(NULL, words[1], NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) return 2;
    CloseHandle(input);
    CloseHandle(output);
    while (ReadFile(reads, bytes, sizeof bytes, &got, NULL) && got > 0) {}
    printf("%lu", GetTickCount() - began);
    WaitForSingleObject(process.hProcess, INFINITE);
    printf(" %lu\\n", GetTickCount() - began);
    return 0;
}
"""


def taps(command, compiler, probe):
    """An extension converses through it, and the end of its output is seen while it runs."""
    converse([command.wine, command.program, "tap", "--", probe], command.env)
    folder = command.folder / "tap"
    folder.mkdir()
    for name, source in (("extension", EXTENSION), ("host", HOST)):
        (folder / f"{name}.c").write_text(source)
        words = [compiler, "-static", "-o", folder / f"{name}.exe", folder / f"{name}.c"]
        run(f"the {name} of a tap", words, quiet=True)
    line = f"Z:{command.program} tap -- Z:{folder / 'extension.exe'}".replace("/", "\\")
    output_ended, ended = map(int, output([command.wine, folder / "host.exe", line], env=command.env).split())
    if ended - output_ended < 2000:
        raise Wrong(f"the output of an extension that ran {ended} ms was seen to end after {output_ended} ms")
