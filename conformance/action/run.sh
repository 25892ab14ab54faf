#!/bin/sh
# What action.yml runs: the tester with its reports, drawn sessions where they are asked for, then
# annotations and outputs. It takes the action's inputs from the environment, INPUT_NAME each, and
# the tester from EXTLINE.
set -eu

report=${INPUT_REPORT:-conformance-report}
mkdir -p "$report"
rm -f "$report/report.ndjson" "$report/summary.md" "$report/fuzz.ndjson"

# jq's name for what an annotation holds: %, CR and LF end its text, : and , the name of one.
text='def text: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");'

main() {
    status=0
    test_it || status=$?
    findings=''
    # Where it does not conform, sessions would only find the same.
    if [ -n "${INPUT_FUZZ:-}" ] && [ -z "${INPUT_DRIVER:-}${INPUT_CLIENT_DRIVER:-}" ] && [ "$status" -eq 0 ]; then
        draw_sessions || status=$?
    fi
    case $status in
        0) outcome=conformant ;;
        1) outcome=not-conformant ;;
        2) outcome=incomplete ;;
        3) outcome=usage ;;
        *) outcome=harness-error ;;
    esac
    grade='' failed=''
    [ ! -s "$report/report.ndjson" ] || annotate
    if [ -s "$report/summary.md" ]; then
        cat "$report/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
    fi
    {
        printf 'outcome=%s\n' "$outcome"
        printf 'grade=%s\n' "$grade"
        printf 'failed=%s\n' "$failed"
        printf 'findings=%s\n' "$findings"
        printf 'report=%s\n' "$report"
    } >>"${GITHUB_OUTPUT:-/dev/null}"
    exit "$status"
}

test_it() {
    # The author's options and command are words of a shell, as in a step of his own.
    eval "set -- ${INPUT_OPTIONS:-}"
    [ -z "${INPUT_BASELINE:-}" ] || set -- "$@" --baseline "$INPUT_BASELINE"
    set -- "$@" --report "ndjson=$report/report.ndjson" --report "html=$report/report.html" \
        --report "junit=$report/report.xml" --report "tap=$report/report.tap" \
        --report "markdown=$report/summary.md" --report "badge=$report/badge.svg" \
        --report "badge-json=$report/badge.json"
    if [ -n "${INPUT_DRIVER:-}" ]; then
        eval "set -- host \"\$@\" --driver ${INPUT_DRIVER}"
        "$EXTLINE" conformance "$@"
    elif [ -n "${INPUT_CLIENT_DRIVER:-}" ]; then
        eval "set -- mcp-client \"\$@\" --driver ${INPUT_CLIENT_DRIVER}"
        "$EXTLINE" conformance "$@"
    else
        [ "${INPUT_PROTOCOL:-extline}" != mcp ] || INPUT_DEEP=false
        [ "${INPUT_DEEP:-false}" != true ] || set -- "$@" --deep
        run_with_target "$@"
    fi
}

draw_sessions() {
    run_with_target fuzz --time "$INPUT_FUZZ" --to "$report" --json >"$report/fuzz.ndjson" || fuzzed=$?
    findings=$(jq -s '[.[] | select(.kind == "finding")] | length' "$report/fuzz.ndjson")
    jq -r "$text"'
        select(.kind == "finding")
        | "::error title=\(.id)::" + ("\(.failure.got)\nplay it again: \(.again)" | text)
    ' "$report/fuzz.ndjson"
    jq -r '
        select(.kind == "summary")
        | "\n\(.findings) rules broken in \(.sessions) drawn sessions (seed \(.seed))"
    ' "$report/fuzz.ndjson" >>"$report/summary.md"
    return "${fuzzed:-0}"
}

# run_with_target WORDS...: the tester with these words, and what is tested behind them.
run_with_target() {
    [ "${INPUT_CALL:-false}" != true ] || set -- "$@" --call
    if [ "${INPUT_PROTOCOL:-extline}" = mcp ]; then
        set -- "$@" --protocol mcp
    else
        set -- "$@" --level "${INPUT_LEVEL:-base}"
    fi
    if [ -n "${INPUT_COMMAND:-}" ]; then
        eval "set -- \"\$@\" -- ${INPUT_COMMAND}"
    else
        set -- "$@" "${INPUT_EXTENSION:-.}"
    fi
    "$EXTLINE" conformance "$@"
}

annotate() {
    grade=$(jq -r 'select(.kind == "summary") | .grade // ""' "$report/report.ndjson")
    failed=$(jq -s '[.[] | select(.verdict == "fail" or .verdict == "flaky" or .verdict == "unexpected-pass")] | length' "$report/report.ndjson")
    jq -r "$text"'
        {"fail": "error", "flaky": "error", "unexpected-pass": "error", "warn": "warning"} as $kinds
        | select(.kind == "case" and $kinds[.verdict])
        | "::\($kinds[.verdict]) title=\(.id)::"
          + ([.title, .failure.got, .cause.cause, .cause.fix] | map(select(.)) | join("\n") | text)
    ' "$report/report.ndjson"
}

main
