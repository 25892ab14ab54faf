#!/bin/sh
# What action.yml runs: the tester with its reports, then annotations and outputs. It takes the
# action's inputs from the environment, INPUT_NAME each, and the tester from EXTLINE.
set -eu

report=${INPUT_REPORT:-conformance-report}
mkdir -p "$report"
rm -f "$report/report.ndjson" "$report/summary.md"

# The author's options and command are words of a shell, as in a step of his own.
eval "set -- ${INPUT_OPTIONS:-}"
[ "${INPUT_CALL:-false}" = true ] && set -- "$@" --call
[ -n "${INPUT_BASELINE:-}" ] && set -- "$@" --baseline "$INPUT_BASELINE"
set -- "$@" --level "${INPUT_LEVEL:-base}" \
    --report "ndjson=$report/report.ndjson" --report "html=$report/report.html" \
    --report "junit=$report/report.xml" --report "tap=$report/report.tap" \
    --report "markdown=$report/summary.md" --report "badge=$report/badge.svg" \
    --report "badge-json=$report/badge.json"
if [ -n "${INPUT_COMMAND:-}" ]; then
    eval "set -- \"\$@\" -- ${INPUT_COMMAND}"
else
    set -- "$@" "${INPUT_EXTENSION:-.}"
fi

status=0
"$EXTLINE" conformance "$@" || status=$?

case $status in
    0) outcome=conformant ;;
    1) outcome=not-conformant ;;
    2) outcome=incomplete ;;
    3) outcome=usage ;;
    *) outcome=harness-error ;;
esac
grade='' failed=''
if [ -s "$report/report.ndjson" ]; then
    grade=$(jq -r 'select(.kind == "summary") | .grade // ""' "$report/report.ndjson")
    failed=$(jq -s '[.[] | select(.verdict == "fail" or .verdict == "flaky" or .verdict == "unexpected-pass")] | length' "$report/report.ndjson")
    # %, CR and LF end an annotation's text, : and , the name of one.
    jq -r '
        def text: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
        {"fail": "error", "flaky": "error", "unexpected-pass": "error", "warn": "warning"} as $kinds
        | select(.kind == "case" and $kinds[.verdict])
        | "::\($kinds[.verdict]) title=\(.id)::"
          + ([.title, .failure.got, .cause.cause, .cause.fix] | map(select(.)) | join("\n") | text)
    ' "$report/report.ndjson"
fi
if [ -s "$report/summary.md" ]; then
    cat "$report/summary.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
{
    printf 'outcome=%s\n' "$outcome"
    printf 'grade=%s\n' "$grade"
    printf 'failed=%s\n' "$failed"
    printf 'report=%s\n' "$report"
} >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$status"
