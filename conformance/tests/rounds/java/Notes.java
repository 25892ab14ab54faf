import java.util.HashMap;
import java.util.List;
import java.util.ArrayList;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Notes as a first program in Java keeps them: a Scanner for the lines, a pool for the calls. */
public class Notes {
    static final List<String> notes = new ArrayList<>();
    static final ExecutorService pool = Executors.newFixedThreadPool(4);

    public static void main(String[] words) {
        emit("{\"type\":\"hello\",\"name\":\"notes-java\",\"version\":\"1.0.0\",\"capabilities\":[\"tools\"]}");
        register("add_note", "Keeps a note.");
        register("list_notes", "Gives all notes.");
        emit("{\"type\":\"ready\"}");
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            Map<?, ?> msg = (Map<?, ?>) new Json(lines.nextLine()).whole();
            String type = (String) msg.get("type");
            if (type.equals("tool_call")) {
                pool.submit(() -> call(msg));
            } else if (type.equals("shutdown")) {
                emit("{\"type\":\"shutdown_ack\"}");
                return;
            }
        }
    }

    static void call(Map<?, ?> msg) {
        String id = (String) msg.get("id");
        String name = (String) msg.get("name");
        Map<?, ?> args = (Map<?, ?>) msg.get("args");
        if (name.equals("add_note")) {
            synchronized (notes) {
                notes.add((String) args.get("text"));
            }
            answer(id, "kept", false);
        } else if (name.equals("list_notes")) {
            synchronized (notes) {
                answer(id, String.join("\n", notes), false);
            }
        } else {
            throw new IllegalArgumentException("there is no tool " + name);
        }
    }

    static void answer(String id, String text, boolean isError) {
        emit("{\"type\":\"tool_result\",\"id\":" + Json.text(id) + ",\"content\":[{\"type\":\"text\",\"text\":"
            + Json.text(text) + "}],\"is_error\":" + isError + "}");
    }

    static void register(String name, String description) {
        emit("{\"type\":\"register_tool\",\"name\":\"" + name + "\",\"description\":\"" + description
            + "\",\"schema\":{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}}");
    }

    static synchronized void emit(String frame) {
        System.out.println(frame);
    }

    /** The least of a reader of JSON. */
    static class Json {
        final String text;
        int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object whole() {
            Object value = value();
            space();
            if (at < text.length()) {
                throw new IllegalStateException("more behind the value");
            }
            return value;
        }

        char peek() {
            space();
            return text.charAt(at);
        }

        void space() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        void take(char wanted) {
            if (peek() != wanted) {
                throw new IllegalStateException(wanted + " expected at " + at);
            }
            at++;
        }

        Object value() {
            switch (peek()) {
                case '{': return object();
                case '[': return list();
                case '"': return string();
                case 't': return word("true", true);
                case 'f': return word("false", false);
                case 'n': return word("null", null);
                default: return number();
            }
        }

        Map<String, Object> object() {
            Map<String, Object> members = new HashMap<>();
            take('{');
            while (peek() != '}') {
                String name = string();
                take(':');
                members.put(name, value());
                if (peek() == ',') {
                    take(',');
                }
            }
            take('}');
            return members;
        }

        List<Object> list() {
            List<Object> items = new ArrayList<>();
            take('[');
            while (peek() != ']') {
                items.add(value());
                if (peek() == ',') {
                    take(',');
                }
            }
            take(']');
            return items;
        }

        String string() {
            take('"');
            StringBuilder built = new StringBuilder();
            for (char next = text.charAt(at++); next != '"'; next = text.charAt(at++)) {
                if (next == '\\') {
                    next = text.charAt(at++);
                    if (next == 'u') {
                        next = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                        at += 4;
                    } else {
                        int place = "bfnrt".indexOf(next);
                        next = place < 0 ? next : "\b\f\n\r\t".charAt(place);
                    }
                }
                built.append(next);
            }
            return built.toString();
        }

        Object word(String word, Object value) {
            if (!text.startsWith(word, at)) {
                throw new IllegalStateException("no value at " + at);
            }
            at += word.length();
            return value;
        }

        Double number() {
            int begin = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return Double.valueOf(text.substring(begin, at));
        }

        static String text(String text) {
            StringBuilder built = new StringBuilder("\"");
            for (char next : text.toCharArray()) {
                if (next == '"' || next == '\\') {
                    built.append('\\').append(next);
                } else if (next < ' ') {
                    built.append(String.format("\\u%04x", (int) next));
                } else {
                    built.append(next);
                }
            }
            return built.append('"').toString();
        }
    }
}
