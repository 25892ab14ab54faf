"""Which events an extension wants."""
import re

from host_basics import broken


def pattern(named):
    """None for a name that nothing can be compared with."""
    parts = re.findall(r"\\[*\\]|[^\\]", named)
    if "".join(parts) != named:
        return None
    return "".join(".*" if part == "*" else re.escape(part[-1]) for part in parts)


class Filters:
    def __init__(self):
        # By event, the tools that it is wanted of; None for all.
        self.tools = {}

    def add(self, events, filters):
        """Gives the events whose filter is wrong."""
        wrong = []
        for event in events:
            one = filters.get(event) or {}
            tools = None if broken("ignores-event-filters") else one.get("tools")
            if one and "tools" not in one and broken("unknown-filters-keep-all-away"):
                tools = []
            patterns = None if tools is None else [pattern(tool) for tool in tools]
            if None in (patterns or []):
                patterns = None
                wrong.append(event)
            self.widen(event, patterns)
        return [] if broken("wrong-filters-in-silence") else wrong

    def widen(self, event, patterns):
        known = self.tools.get(event, [])
        if patterns is None:
            self.tools[event] = None
        elif known is None:
            if broken("filters-what-is-wanted-whole"):
                self.tools[event] = patterns
        else:
            self.tools[event] = patterns if broken("newest-filter-alone") else known + patterns

    def lets(self, event, payload):
        tools, tool = self.tools[event], payload.get("tool_name", "")
        return tools is None or any(re.fullmatch(meant, tool, re.S) for meant in tools)
