# Ends what a killed host left running, within 2 s (`end.host-killed`). $1 is the mark that every
# process of its extensions carries in its environment. Stdin ends with the host, after a line "end"
# where nothing is left to do. Stdout is no output but the list of the process groups there are, which
# the host keeps: one a line, blank lines between them.
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
# Descriptors that the host itself was given without close-on-exec: whoever waits for their end must
# not wait for this process.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-

read -r goodbye
if [ "$goodbye" = end ]; then
    exit 0
fi
groups=
while read -r group; do
    groups="$groups $group"
done <&1

# Not `kill -s NAME -- -GROUP`, as POSIX has it: busybox does not.
signal() {
    for group in $groups; do
        kill "-$1" "-$group" 2>/dev/null
    done
}

# Waits until all groups are gone, at most that many tenths of a second. One that is gone is never
# signalled again: its number may belong to others.
wait_for_groups() {
    tenths=$1
    while :; do
        kept=
        for group in $groups; do
            kill -0 "-$group" 2>/dev/null && kept="$kept $group"
        done
        groups=$kept
        if [ -z "$groups" ] || [ "$tenths" -le 0 ]; then
            return
        fi
        # Not every sleep takes fractions.
        sleep 0.1 2>/dev/null || { sleep 1 && tenths=0; }
        tenths=$((tenths - 1))
    done
}

wait_for_groups 3 # the end of their stdin is enough for most
signal TERM
wait_for_groups 10
signal KILL

# Where /proc shows environments: what left its group, or was started in the host's last moment.
for environment in $(grep -lsF "EXTLINE_MARK=$1/" /proc/[0-9]*/environ); do
    process=${environment#/proc/}
    kill -KILL "${process%/environ}" 2>/dev/null
done
exit 0
