#!/bin/sh
# A guard in plain sh, which starts in a few milliseconds, for the races of guards: it forbids every
# call whose arguments have "forbidden":true.
#
# Arguments: a file that counts its processes, and a file whose nth line says how the nth process
# starts; the lines are read again from the first one when there are no more.

# A start that goes wrong is none of those that are played.
set -e
count=$1 plan=$2
printf x >>"$count"
before=$(($(wc -c <"$count") - 1))
lines=$(wc -l <"$plan")
start=$(sed -n "$((before % lines + 1))p" "$plan")

hello() { printf '{"type":"hello","name":"guard"%s}\n' "$1"; }
subscribe() { printf '{"type":"subscribe"%s}\n' "$1"; }
wait_for() { sleep "$1" || exit 2; }
ready() { echo '{"type":"ready"}'; }

declared=',"guards":["tool_call"]'
guards=',"intercept":["tool_call"],"guards":["tool_call"]'
case $start in
whole) hello "$declared"; subscribe "$guards"; ready ;;
plain) hello; subscribe "$guards"; ready ;;
late\ *) hello; wait_for "${start#late }"; subscribe "$guards"; ready ;;
late_declared\ *) hello "$declared"; wait_for "${start#late_declared }"; subscribe "$guards"; ready ;;
behind_ready\ *) hello; ready; wait_for "${start#behind_ready }"; subscribe "$guards" ;;
hangs) hello; exec sleep 1000 ;;
hangs_declared) hello "$declared"; exec sleep 1000 ;;
mute) exec sleep 1000 ;;
dies_before_hello) exit 3 ;;
dies_before_ready) hello; subscribe "$guards"; exit 3 ;;
string) hello; subscribe ',"intercept":["tool_call"],"guards":"tool_call"'; ready ;;
mended) hello; subscribe ',"guards":"tool_call"'; sleep 0.05; subscribe "$guards"; ready ;;
in_part) hello; subscribe ',"events":["x",5],"guards":["tool_call"]'; ready ;;
in_two) hello; subscribe ',"events":["turn_start"]'; sleep 0.05; subscribe "$guards"; ready ;;
no_ready) hello; subscribe "$guards" ;;
*) echo "unknown start: $start" >&2; exit 2 ;;
esac

while read -r frame; do
    case $frame in
    '{"type":"event_intercept"'*)
        id=${frame#*'"id":"'}
        id=${id%%'"'*}
        answer=
        case $frame in
        *'"phase":"guard"'*'"forbidden":true'*) answer=',"block":true,"reason":"forbidden"' ;;
        esac
        printf '{"type":"event_intercept_response","id":"%s"%s}\n' "$id" "$answer"
        ;;
    '{"type":"shutdown"'*) exit 0 ;;
    esac
done
