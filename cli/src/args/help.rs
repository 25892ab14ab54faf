//! The texts below the options: examples, exit codes, variables.

/// Shown below every help text that ends with a call.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0    all went well
  1    the tool or command answered with an error (run: a line failed; lint: a client drops
       something, or a provider that was named refuses it), or a file or folder could not be read or written, or is left as it was
  2    wrong usage, or there is no such tool, command or entry
  3    the extension did not start
  4    it died in the call
  5    it did not answer in time
  6    the arguments do not fit the tool's schema
  130  stopped by Ctrl-C
  143  stopped by SIGTERM, or by the end of the terminal";

pub(super) const ENVIRONMENT: &str = "Environment:
  EXTLINE_HOME  the folder for extensions' data and logs, and for the history of the prompt;
                without it, extline in the folder for application data (XDG_DATA_HOME,
                ~/.local/share), and without HOME one for you alone in the temporary folder
  EXTLINE_EXTENSIONS
                off: no extension is started, on any path
  EXTLINE_EXTENSION_PATHS
                further folders of extensions, in place of `paths` in config.toml
  NO_COLOR      no colours, also on a terminal
  EXTLINE_MCP_TOKEN
                the token that clients of `extline mcp --http` have to send";

pub(super) const EXAMPLES: &str = "Examples:
  extline inspect examples/clock-shell
  extline call examples/clock-shell clock_now '{\"utc\":true}'
  extline command examples/hello-python-raw hellopy
  extline run examples/clock-shell examples/hello-python-raw
  extline new weather --lang rust
  extline call clock_now -- sh examples/clock-shell/clock.sh";

pub(super) const CALL_EXAMPLES: &str = "Examples:
  extline call examples/weather-rust weather '{\"city\":\"Berlin\"}'
  echo '{\"city\":\"Berlin\"}' | extline call examples/weather-rust weather -
  extline call --env API_KEY . weather '{\"city\":\"Berlin\"}'
  extline call --timeout 5 weather '{\"city\":\"Berlin\"}' -- ./my-extension --verbose

A file or another program gets the text of a result as it is. On a terminal, and in everything else
that is printed, characters that do something there are shown as escapes, like \\u{1b}.";

pub(super) const COMMAND_EXAMPLES: &str = "Examples:
  extline command examples/hello-python-raw hellopy
  extline command examples/clock-shell clock utc
  extline command . deploy --args '--force staging'
  extline command clock utc -- sh examples/clock-shell/clock.sh";

pub(super) const INSPECT_EXAMPLES: &str = "Examples:
  extline inspect examples/clock-shell
  extline inspect --json . | jq '.tools[].name'
  extline inspect --web examples/clock-shell
  extline inspect -- python3 my_extension.py";

pub(super) const MCP_EXAMPLES: &str = "Examples:
  extline mcp --list examples/clock-shell
  claude mcp add clock -- extline mcp /path/to/clock-shell
  extline mcp examples/weather-rust examples/guard-rust
  extline mcp --http 8080 examples/weather-rust
  claude mcp add --transport http weather http://127.0.0.1:8080/mcp
  extline mcp -- python3 my_extension.py";

pub(super) const INSTALL_EXAMPLES: &str = "Examples:
  extline install --for claude --dry-run examples/clock-shell
  extline install --for claude examples/clock-shell
  extline install --for codex --for gemini --name clock examples/clock-shell
  extline install --for claude --hooks examples/clock-shell
  extline install --for vscode --scope project .
  extline install --for cursor --name mine -- python3 /path/to/my_extension.py";

pub(super) const EXT_EXAMPLES: &str = "Examples:
  extline ext install examples/clock-shell
  extline ext list
  extline run
  extline ext validate .
  extline ext disable clock
  extline ext remove clock --yes";

pub(super) const EXT_LIST_EXAMPLES: &str = "Examples:
  extline ext list
  extline ext list --json | jq '.extensions[] | select(.verdict == \"untrusted\") | .name'";

pub(super) const EXT_VALIDATE_EXAMPLES: &str = "Examples:
  extline ext validate .
  extline ext validate --json ~/extensions | jq '.manifests[].faults[].code'";

pub(super) const EXT_AUDIT_EXAMPLES: &str = "Examples:
  extline ext audit index.json
  extline ext audit --json index.json | jq '.extensions[] | select(.is_update) | .name'";

pub(super) const EXT_INSTALL_EXAMPLES: &str = "Examples:
  extline ext install .
  extline ext install --yes ~/src/weather
  extline ext install --project examples/clock-shell
  extline ext install clock-1.0.0.tar.gz --sha256 \"$(cut -c -64 clock-1.0.0.tar.gz.sha256)\"
  extline ext install --replace https://example.com/me/clock.git@v1.2.0";

pub(super) const EXT_UPDATE_EXAMPLES: &str = "Examples:
  extline ext update --check
  extline ext update --yes clock
  extline ext update --check --json | jq '.extensions[] | select(.outcome == \"available\") | .name'";

pub(super) const EXT_STATUS_EXAMPLES: &str = "Examples:
  extline ext status clock
  extline ext doctor
  extline ext doctor --bundle support.json
  extline ext doctor --json | jq '.extensions[].findings[] | select(.level == \"fail\") | .mend'";

pub(super) const EXT_LOGS_EXAMPLES: &str = "Examples:
  extline ext logs clock
  extline ext logs clock --follow
  extline ext logs clock -n 1000 | grep -i error";

pub(super) const EXT_DESCRIBE_EXAMPLES: &str = "Examples:
  extline ext describe weather forecast 'The weather of the next days, in Celsius.'
  extline ext describe weather forecast --parameter city 'Its name in English'
  extline ext describe weather forecast --unset";

pub(super) const EXT_REMOVE_EXAMPLES: &str = "Examples:
  extline ext remove clock
  extline ext remove --project --yes clock";

pub(super) const EXT_SWITCH_EXAMPLES: &str = "Examples:
  extline ext disable clock
  extline ext enable clock";

pub(super) const EXT_TRUST_EXAMPLES: &str = "Examples:
  extline ext trust
  extline ext trust --yes clock
  extline ext untrust clock";

pub(super) const UNINSTALL_EXAMPLES: &str = "Examples:
  extline uninstall --for claude examples/clock-shell
  extline uninstall --for codex --for gemini clock
  extline uninstall --for vscode --scope project --dry-run .";

pub(super) const DISCOVER_EXAMPLES: &str = "Examples:
  extline discover
  extline discover --for claude --start
  extline discover --json | jq '.files[].servers[]? | select(.ours) | .name'";

pub(super) const CONFIG_EXAMPLES: &str = "Examples:
  extline config weather
  extline config . timeout_ms 5000
  extline config . base_url https://api.example
  extline config weather --unset timeout_ms
  extline config weather --tool rain enabled false";

pub(super) const PACKAGE_EXAMPLES: &str = "Examples:
  extline package examples/guard-python
  extline package --for claude --out dist .
  claude --plugin-dir packages/claude
  gemini extensions link packages/gemini";

pub(super) const SECRET_EXAMPLES: &str = "Examples:
  extline secret set . OPENWEATHER_KEY
  extline secret set weather OPENWEATHER_KEY < key.txt
  extline secret list
  extline secret list weather
  extline secret remove weather OPENWEATHER_KEY";

pub(super) const SECRET_SET_EXAMPLES: &str = "Examples:
  extline secret set weather OPENWEATHER_KEY
  pass show openweather | extline secret set weather OPENWEATHER_KEY";

pub(super) const SECRET_LIST_EXAMPLES: &str = "Examples:
  extline secret list
  extline secret list --json . | jq '.secrets[] | select(.set | not) | .name'";

pub(super) const HOOK_EXAMPLES: &str = "Examples:
  extline hook --agent claude examples/guard-python < event.json
  extline hook --status
  extline hook --stop

Exit codes:
  0  the answer is on stdout, as the agent reads it
  1  an event that cannot be blocked was not told; stderr says why
  2  a tool call is blocked, since nobody could decide about it; stderr says why
  --status and --stop end with 0, or with 1 where something did not answer";

pub(super) const LINT_EXAMPLES: &str = "Examples:
  extline lint examples/clock-shell
  extline lint --client cursor --client vscode --name my-weather .
  extline lint --call examples/weather-rust
  extline lint --provider openai --provider google .
  extline lint --json . | jq '.findings[] | select(.severity == \"dropped\")'
  extline lint -- python3 my_extension.py";

pub(super) const REPAIR_EXAMPLES: &str = "Examples:
  echo \"{'path': 'a.txt', lines: [1, 2,],}\" | extline repair
  extline repair --json < answer.txt | jq '.fixes[].text'

Exit codes:
  0  the JSON is on stdout, repaired or as it was
  1  it cannot be repaired, or more than one value could be meant
  2  wrong usage, or stdin is no text";

pub(super) const EXTRACT_EXAMPLES: &str = "Examples:
  extline extract --tool read --tool write < answer.txt
  extline extract --json --tool read < answer.txt | jq '.calls[] | select(.truncated | not)'

Exit codes:
  0  all calls are on stdout; there may be none
  1  what looks like a call is none, or the text ends in a call
  2  wrong usage, or stdin is no text";

pub(super) const CONFORMANCE_EXAMPLES: &str = "\
Nothing that the extension registers is called unless --call allows it: a call for a tool that
nobody registered tells whether it lives, and runs none of its code.

Examples:
  extline conformance examples/clock-shell
  extline conformance -- python3 my_extension.py
  extline conformance --protocol mcp -- python3 my_mcp_server.py
  extline conformance --only E-FRM --verbose -- ./my-extension
  extline conformance --report junit=report.xml --report ndjson=report.ndjson .
  extline conformance --call --report html=report.html --report badge=badge.svg .
  extline conformance --watch --call .
  extline conformance --list --only 'E-*-01'
  extline conformance --write-baseline . && $EDITOR conformance.baseline.toml
  extline conformance --baseline conformance.baseline.toml .
  extline conformance --cases tests/weather.toml --only own .
  extline conformance copy E-FRM-14 --to tests
  extline conformance explain E-FRM-14
  extline record trace.ndjson . && extline conformance check trace.ndjson
  extline conformance replay trace.ndjson .
  extline conformance fuzz --seed 7 --time 10m .

Exit codes:
  0    every MUST holds, or fails as the baseline says
  1    some do not, or the baseline says otherwise
  2    some cases could not run, or none did
  3    wrong usage, or the extension's program or its manifest is missing
  4    the tester itself failed, which says nothing about the extension
  130  stopped by Ctrl-C
  143  stopped by SIGTERM, or by the end of the terminal";

pub(super) const TAP_EXAMPLES: &str = "Examples:
  extline tap --trace trace.ndjson -- python3 my_extension.py
  in an extension.json: \"exec\": \"extline\", \"args\": [\"tap\", \"--\", \"./my-extension\"]
  extline conformance check trace.ndjson

Exit codes: the extension's own; 128 and the signal's number when one ended it. 2 is wrong usage, 3 an
extension that cannot be started or a trace that cannot be written.";

pub(super) const RECORD_EXAMPLES: &str = "Examples:
  extline record session.ndjson examples/clock-shell
  printf '!clock_now {}\\n' | extline record session.ndjson examples/clock-shell
  extline conformance replay session.ndjson examples/clock-shell
  extline mock session.ndjson";

pub(super) const MOCK_EXAMPLES: &str = "Examples:
  extline call clock_now '{}' -- extline mock session.ndjson
  extline mock tests/weather.toml
  in an extension.json: \"exec\": \"extline\", \"args\": [\"mock\", \"session.ndjson\"]

Exit codes: that of the recorded extension when the host tells it to end, or what `exit` in a case
says; 2 is wrong usage, or a file that cannot be played.";

pub(super) const STATE_EXAMPLES: &str = "Examples:
  extline state todo                             what it keeps with this project, and for all
  extline state todo --session s-1 --json        with that conversation too, as JSON
  extline state todo --scope project --clear     begin anew in this project";

pub(super) const RUN_EXAMPLES: &str = "At the prompt:
  /NAME ARGS    run a slash command
  !NAME JSON    call a tool, without JSON with {}
  :tools        list the tools, :commands the slash commands
  :status       how each extension stands
  :frames       the last lines on the wire; :frames on and :frames off show them live
  :expand       all of the last result whose view was folded
  :panel        the panel that is open: it gets the keys until Esc; :panel down x presses keys in it
  :emit         tell an event: :emit turn_start {\"step\":1}
  :intercept    ask about something that does not happen: :intercept tool_call {\"tool_name\":\"bash\"}
  :turn         a call of the model with its events and questions; :turn TEXT is what it says
  :session      which one is open; :session start and :session end tell it again
  :pending      list what extensions propose and have not done yet
  :resolve      do or drop the first of it; :resolve apply REASON, :resolve discard REASON
  :reload       start what is there now in the place of an extension; :reload NAME
  :help         all there is
  :quit         stop them all, as do Ctrl-D and a second Ctrl-C
  Tab           completes names, a tool's arguments and their values
  Ctrl-C        cancels the running call, or takes back the line

With --json each line of output is one JSON object: the outcome of a line that was typed, or what an
extension did or what happened to it, with the member \"news\" (see docs/host/news.md).

Examples:
  extline run
  extline run examples/clock-shell examples/hello-python-raw
  extline run --ext .
  printf '/clock\\n!clock_now {\"utc\":true}\\n' | extline run examples/clock-shell
  extline run --mcp 'npx -y @modelcontextprotocol/server-everything'
  extline run examples/guard-rust --mcp-config .mcp.json";

pub(super) const NEW_EXAMPLES: &str = "Examples:
  extline new weather
  extline new notes --lang python
  extline new weather --lang typescript
  extline new clock --lang sh
  extline new weather --dir ~/extensions/weather --sdk ~/extline/sdk-rust";

pub(super) const COMPLETIONS_EXAMPLES: &str = "Examples:
  extline completions bash >~/.local/share/bash-completion/completions/extline
  extline completions zsh >\"${fpath[1]}/_extline\"
  extline completions fish >~/.config/fish/completions/extline.fish";

pub(super) const MAN_EXAMPLES: &str = "Examples:
  extline man ~/.local/share/man/man1
  man extline-call";

pub(super) const DEV_EXAMPLES: &str = "The prompt is that of `extline run`.

Examples:
  extline dev
  extline dev examples/weather-python
  extline dev --build 'npm run build' examples/weather-typescript";
