"""What the kit registers, as conformance/kit/surface.toml has it."""

LONGEST = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def schema(properties="", required=""):
    more = f',"required":["{required}"]' if required else ""
    return '{"type":"object","properties":{' + properties + "}" + more + "}"


COUNT = '"%s":{"type":"integer","minimum":0}'
STRING = '"%s":{"type":"string"}'
ANY = '{"type":"object"}'
NONE = schema()
DECLARED = {"replay": "safe", "label": "Declared", "timeout_ms": 20000,
            "annotations": {"read_only": True, "destructive": False, "idempotent": True, "open_world": False},
            "execution": "sequential",
            "approval": {"gated": True, "tier": "read", "key": "all", "reason": "it is a test"}}

# What some tools declare besides.
MORE = {"declared": DECLARED, "pay": {"replay": "reconcile"}}

TOOLS = [
    ("echo", "Gives its arguments back.", ANY),
    ("native", "Gives its arguments back by way of native values.", ANY),
    ("text", "Gives a text back.", schema(STRING % "text", "text")),
    ("typed", "Wants a city.", schema(STRING % "city", "city")),
    ("number", "Gives a number back.", schema(STRING % "literal", "literal")),
    ("nothing", "Answers with nothing.", NONE),
    ("half", "Gives half a character.", NONE),
    ("bytes", "Gives so many bytes.", schema(COUNT % "n" + ',"kind":{"enum":["text","image"]}', "n")),
    ("image", "Gives an image between two texts.", NONE),
    ("full", "Answers with everything that a result can hold.", NONE),
    ("hold", "Waits until its name is released.", schema(STRING % "name", "name")),
    ("release", "Lets what holds a name go on.", schema(STRING % "name", "name")),
    ("counter", "Counts its calls.", NONE),
    ("order", "Tells in which order events came.", schema(COUNT % "count", "count")),
    ("sleep", "Waits for a while.", schema(COUNT % "ms", "ms")),
    ("await_cancel", "Waits for its cancel.", NONE),
    ("busy", "Computes until it is cancelled.", schema(COUNT % "ms", "ms")),
    ("updates", "Tells how far it is.", schema(COUNT % "n" + "," + COUNT % "ms", 'n","ms')),
    ("notify_then", "Writes notes, then answers.", schema(COUNT % "n", "n")),
    ("log", "Writes a log line.",
     schema('"level":{"enum":["info","warn","error"]},' + STRING % "message", 'level","message')),
    ("fail", "Fails in a chosen way.", schema(STRING % "how", "how")),
    ("stdout", "Writes to stdout past the protocol.",
     schema('"via":{"enum":["print","write","child","at_exit"]}', "via")),
    ("stderr", "Writes to stderr.", schema(COUNT % "n", "n")),
    ("spawn_child", "Starts a process that lives as long as this one.", NONE),
    ("report", "Tells what it knows of its call and its host.", NONE),
    ("config", "Gives its configuration back.", NONE),
    ("ask", "Calls a tool of the host.", schema(STRING % "name" + ',"args":{"type":"object"}', 'name","args')),
    ("request", "Asks the host by method.",
     schema(STRING % "method" + ',"params":{"type":"object"}', 'method","params')),
    ("confirm", "Asks the person.", schema(STRING % "title", "title")),
    ("propose", "Proposes an action.", schema(STRING % "label", "label")),
    ("pay", "Tells what it has done.", NONE),
    ("declared", "Declares all that a tool can declare.", NONE),
    (LONGEST, "Has the longest name, with every character that a name may have.", NONE),
    ("secret", "Asks for a secret.", schema(STRING % "name", "name")),
    ("variable", "Asks for a variable.", schema(STRING % "name", "name")),
    ("keep", "Keeps values.",
     schema('"op":{"enum":["get","set","delete","list","add"]},' + STRING % "key" + ',"value":{}', 'op","key')),
    ("history", "Reads and writes the history.",
     schema('"op":{"enum":["append","branch","info"]},"data":{}', "op")),
    ("run", "Has a program run.",
     schema(STRING % "command" + ',"args":{"type":"array","items":{"type":"string"}}', 'command","args')),
    ("agent", "Asks how the agent stands.",
     schema('"op":{"enum":["state","abort","tools","activate","deactivate","models"]},'
            '"names":{"type":"array","items":{"type":"string"}}', "op")),
]

COMMANDS = [
    ("echo", "shows its arguments", "TEXT"),
    ("action", "answers with each action", "NAME"),
    ("fail", "fails", None),
    ("panic", "fails badly", None),
    ("hold", "waits until its name is released", "NAME"),
    ("panel", "opens the panel", "TITLE"),
]

METHODS = ["kit.count", "kit.wait", "state.migrate"]

SUBSCRIPTION = {
    "type": "subscribe",
    "events": ["session_start", "turn_start", "turn_end", "tool_call", "assistant_message", "tool_result"],
    "intercept": ["tool_call", "turn_start", "assistant_message", "before_agent_start", "tool_result",
                  "user_prompt_submit"],
    "guards": ["tool_call"],
    "on_failure": {"tool_result": "block", "turn_start": "allow"},
}

# By event, the tools that its handler is told of.
FILTERS = {"tool_result": {"tools": ["bash", "mcp_*"]}}
