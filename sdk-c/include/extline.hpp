// extline.hpp: extensions in C++17 and later, on the C library. Header only; links as C does.
//
// A handler is anything that can be called: a lambda, a function. What it throws becomes the error
// that answers its call, and never reaches the library. Handlers run beside each other, in several
// threads, so what they share is theirs to guard; one that throws leaves the extension running.
// `get()` of each class is the C handle, for what has no method here; extline.h documents it.
#pragma once

// Microsoft's compiler says what it takes only in _MSVC_LANG.
#if __cplusplus < 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG < 201703L)
#error "extline.hpp needs C++17: compile with -std=c++17 or later, or include extline.h, which is for C++11 too"
#endif

#include <extline.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace extline {

// A function of the library refused what it was given; `code()` is its result.
class Failure : public std::runtime_error {
public:
    explicit Failure(extline_result code) : runtime_error(extline_last_error()), code_(code) {}
    extline_result code() const noexcept { return code_; }

private:
    extline_result code_;
};

// Throws Failure for anything but EXTLINE_OK.
inline void check(extline_result code) {
    if (code != EXTLINE_OK) throw Failure(code);
}

inline std::string_view view(extline_str text) { return {text.ptr, text.len}; }

// Thrown by a handler: answers its call with an error of one of the protocol's kinds ("validation",
// "not_found", "permission", "transient", ...; any other becomes "internal"). `field` points to the argument at fault ("/city"), `hint` says
// what to do about it.
class Error : public std::exception {
public:
    Error(std::string kind, std::string message) : kind_(std::move(kind)), message_(std::move(message)) {}

    Error& field(std::string pointer) { field_ = std::move(pointer); return *this; }
    Error& hint(std::string text) { hint_ = std::move(text); return *this; }
    const char* what() const noexcept override { return message_.c_str(); }
    const char* kind() const noexcept { return kind_.c_str(); }

    extline_result answer(extline_call* call) const noexcept {
        extline_error_options options{};
        options.struct_size = sizeof options;
        options.kind = kind_.c_str();
        options.message = message_.c_str();
        options.field = field_.empty() ? nullptr : field_.c_str();
        options.hint = hint_.empty() ? nullptr : hint_.c_str();
        extline_result code = extline_call_fail(call, &options);
        if (code != EXTLINE_ARGUMENT && code != EXTLINE_UTF8) return code;
        options.kind = "internal";
        options.field = options.hint = nullptr;
        if (code == EXTLINE_UTF8) options.message = "an error whose text is no UTF-8";
        return extline_call_fail(call, &options);
    }

private:
    std::string kind_, message_, field_, hint_;
};

// Ends a handler whose call has its answer; not a std::exception, so that no handler catches it by
// accident.
struct Answered {};

class KeptCall;

// One thing that the host waits for an answer to. Valid while its handler runs; `keep` holds it for
// longer. Its methods may be called from any thread.
class Call {
public:
    explicit Call(extline_call* call) noexcept : call_(call) {}
    extline_call* get() const noexcept { return call_; }

    // The arguments of a tool, by JSON pointer. Where one is missing or of another type, the call is
    // answered with that (kind validation), and the handler ends here.
    std::string string(const char* pointer) const {
        extline_str text{};
        taken(extline_args_string(call_, pointer, &text));
        return std::string(view(text));
    }
    std::int64_t integer(const char* pointer) const {
        std::int64_t value = 0;
        taken(extline_args_int(call_, pointer, &value));
        return value;
    }
    double number(const char* pointer) const {
        double value = 0;
        taken(extline_args_double(call_, pointer, &value));
        return value;
    }
    bool boolean(const char* pointer) const {
        bool value = false;
        taken(extline_args_bool(call_, pointer, &value));
        return value;
    }
    std::size_t length(const char* pointer) const {
        std::size_t count = 0;
        taken(extline_args_length(call_, pointer, &count));
        return count;
    }
    bool has(const char* pointer) const { return extline_args_has(call_, pointer); }

    // The same where the argument may be absent.
    std::string string(const char* pointer, std::string otherwise) const {
        return has(pointer) ? string(pointer) : std::move(otherwise);
    }
    std::int64_t integer(const char* pointer, std::int64_t otherwise) const {
        return has(pointer) ? integer(pointer) : otherwise;
    }
    double number(const char* pointer, double otherwise) const {
        return has(pointer) ? number(pointer) : otherwise;
    }
    bool boolean(const char* pointer, bool otherwise) const {
        return has(pointer) ? boolean(pointer) : otherwise;
    }

    // A string anywhere in what came (of a guard: "/tool_name", "/tool_args/command"); empty where
    // there is none. Answers nothing.
    std::string_view look(const char* pointer) const {
        extline_str text{"", 0};
        extline_json_string(extline_call_args(call_), pointer, &text);
        return view(text);
    }

    // Answers. A second one throws Failure with EXTLINE_ANSWERED.
    void text(std::string_view text) const { check(extline_call_text_n(call_, text.data(), text.size())); }
    // Answers gated_by of a tool: "prompt", "allow" or "deny", and why.
    void advise(const char *policy, const char *reason = nullptr) const { check(extline_call_advise(call_, policy, reason)); }
    void json(std::string_view json) const { check(extline_call_json_n(call_, json.data(), json.size())); }
    // A JSON string, which is passed on as it stands.
    void text_json(std::string_view json) const { check(extline_call_text_json_n(call_, json.data(), json.size())); }
    void image(const void* data, std::size_t size, const std::string& mime) const {
        check(extline_call_image(call_, data, size, mime.c_str()));
    }
    void fail(const Error& error) const { check(error.answer(call_)); }

    // Answers of a command.
    void prompt(const std::string& text) const { check(extline_respond_prompt(call_, text.c_str())); }
    void insert(const std::string& text) const { check(extline_respond_insert(call_, text.c_str())); }
    void display(const std::string& text) const { check(extline_respond_display(call_, text.c_str())); }
    void noop() const { check(extline_respond_noop(call_)); }

    // Answers of a guard or an interceptor; returning without one allows.
    void allow() const { check(extline_call_allow(call_)); }
    void block(const std::string& reason) const { check(extline_call_block(call_, reason.c_str())); }
    void ask(const std::string& reason) const { check(extline_call_ask(call_, reason.c_str())); }
    void rewrite(const std::string& args) const { check(extline_call_rewrite(call_, args.c_str())); }
    void replace_text(const std::string& text) const { check(extline_call_replace_text(call_, text.c_str())); }
    // A JSON object with those of content, structured_content, details and is_error that are replaced.
    void replace_result(const std::string& json) const { check(extline_call_replace_result(call_, json.c_str())); }
    void handled() const { check(extline_call_handled(call_)); }
    void system_prompt(const std::string& text) const { check(extline_call_system_prompt(call_, text.c_str())); }

    // While it runs. `done` of `total` are shown where they are given.
    void update(const std::string& message, double done = 0, double total = 0) const {
        extline_update_options options{};
        options.struct_size = sizeof options;
        options.message = message.c_str();
        options.done = done;
        options.total = total;
        check(extline_call_update_with(call_, &options));
    }
    bool cancelled() const noexcept { return extline_call_cancelled(call_); }
    // Whether the time passed without a cancel.
    bool sleep_ms(std::uint32_t time) const { return extline_call_sleep_ms(call_, time) == EXTLINE_OK; }

    // Asks the person, and waits. A dialog that is closed without an answer is a no, and nothing. Throws
    // Failure where the host has none (EXTLINE_UNSUPPORTED), and when the call was cancelled meanwhile.
    bool confirm(const std::string& title, const std::string& message = {}) const {
        bool yes = false;
        check(extline_ui_confirm(call_, title.c_str(), message.empty() ? nullptr : message.c_str(), &yes));
        return yes;
    }
    // The position of the text that is chosen.
    std::optional<std::size_t> select(const std::string& title, const std::vector<std::string>& options) const {
        std::vector<const char*> texts;
        for (const std::string& option : options) texts.push_back(option.c_str());
        std::size_t chosen = 0;
        if (!given(extline_ui_select(call_, title.c_str(), texts.data(), texts.size(), &chosen))) return std::nullopt;
        return chosen;
    }
    // The line that is typed, which lives as long as the call; one that is secret is not shown.
    std::optional<std::string_view> input(const std::string& title, bool secret = false) const {
        extline_str line{"", 0};
        if (!given(extline_ui_input(call_, title.c_str(), secret, &line))) return std::nullopt;
        return view(line);
    }

    // A secret that the manifest declares, which lives as long as the call; under a host that keeps none the
    // environment variable of that name.
    std::string_view secret(const std::string& name) const {
        extline_str value{"", 0};
        check(extline_secret(call_, name.c_str(), &value));
        return view(value);
    }

    // The configuration as it is now, an object, for extline_json_int and the like: see Extension::config.
    const extline_json* config() const noexcept { return extline_config(extline_call_extension(call_)); }

    KeptCall keep() const;

protected:
    extline_call* call_;

private:
    static bool given(extline_result code) {
        if (code == EXTLINE_NOT_FOUND) return false;
        check(code);
        return true;
    }
    static void taken(extline_result code) {
        if (code == EXTLINE_OK) return;
        if (code == EXTLINE_VALIDATION || code == EXTLINE_ANSWERED || code == EXTLINE_CANCELLED) throw Answered{};
        throw Failure(code);
    }
};

// A call that outlives its handler, to be answered later, from any thread. One that goes without an
// answer is answered with an error.
class KeptCall : public Call {
public:
    explicit KeptCall(extline_call* call) : Call(extline_call_retain(call)) {}
    KeptCall(KeptCall&& other) noexcept : Call(std::exchange(other.call_, nullptr)) {}
    KeptCall& operator=(KeptCall&& other) noexcept {
        std::swap(call_, other.call_);
        return *this;
    }
    ~KeptCall() { extline_call_release(call_); }
};

inline KeptCall Call::keep() const { return KeptCall(call_); }

// A program that talks with its host over stdin and stdout. Registrations throw Failure.
class Extension {
public:
    Extension(const std::string& name, const std::string& version)
        : ext_(extline_new(name.c_str(), version.c_str())) {
        if (!ext_) throw std::invalid_argument(extline_last_error());
    }
    extline_extension* get() const noexcept { return ext_.get(); }

    // `run(Call&)` answers, or returns a string that does. `schema` is JSON, an object.
    template <class F>
    Extension& tool(const std::string& name, const std::string& description, const std::string& schema, F run) {
        extline_tool_options options{};
        options.struct_size = sizeof options;
        options.name = name.c_str();
        options.description = description.c_str();
        options.schema = schema.c_str();
        return tool(options, std::move(run));
    }
    // With everything that a tool may have; `run`, `user` and `drop` are set here.
    template <class F>
    Extension& tool(extline_tool_options options, F run) {
        Owned<F> owned(std::move(run));
        options.run = Owned<F>::template handle<Kind::tool>;
        options.user = owned.get();
        options.drop = Owned<F>::drop;
        return owned.given(*this, extline_tool(get(), &options));
    }
    // `run(Call&, std::string_view args)` answers, or returns a string that is shown.
    template <class F>
    Extension& command(const std::string& name, const std::string& description, F run) {
        Owned<F> owned(std::move(run));
        extline_command_options options{};
        options.struct_size = sizeof options;
        options.name = name.c_str();
        options.description = description.c_str();
        options.run = Owned<F>::template handle<Kind::command>;
        options.user = owned.get();
        options.drop = Owned<F>::drop;
        return owned.given(*this, extline_command(get(), &options));
    }
    // `run(Call&)` sees every tool call, and may block it. One that throws blocks.
    template <class F>
    Extension& guard(const std::string& name, F run) {
        decides<F>();
        Owned<F> owned(std::move(run));
        const auto handle = Owned<F>::template handle<Kind::decision>;
        return owned.given(*this, extline_guard(get(), name.c_str(), handle, owned.get(), Owned<F>::drop));
    }
    // `run(Call&)` at "tool_call", "turn_start", "assistant_message", "before_agent_start", "tool_result" or
    // "user_prompt_submit".
    template <class F>
    Extension& intercept(const std::string& point, F run) {
        decides<F>();
        Owned<F> owned(std::move(run));
        const auto handle = Owned<F>::template handle<Kind::decision>;
        return owned.given(*this, extline_intercept(get(), point.c_str(), handle, owned.get(), Owned<F>::drop));
    }
    // `run(const extline_json* payload)` when it happened. What it throws is logged.
    template <class F>
    Extension& on(const std::string& event, F run) {
        static_assert(std::is_void_v<std::invoke_result_t<F&, const extline_json*>>,
                      "an event is only told, and its handler returns nothing: guard() or intercept() decides");
        Owned<F> owned(std::move(run));
        return owned.given(*this, extline_on(get(), event.c_str(), Owned<F>::happened, owned.get(), Owned<F>::drop));
    }
    // The same for these tools alone; `*` in a name stands for any text.
    template <class F>
    Extension& on_tools(const std::string& event, const std::vector<std::string>& tools, F run) {
        static_assert(std::is_void_v<std::invoke_result_t<F&, const extline_json*>>,
                      "an event is only told, and its handler returns nothing: guard() or intercept() decides");
        std::vector<const char*> names;
        for (const std::string& tool : tools) names.push_back(tool.c_str());
        Owned<F> owned(std::move(run));
        return owned.given(*this, extline_on_tools(get(), event.c_str(), names.data(), names.size(),
                                                   Owned<F>::happened, owned.get(), Owned<F>::drop));
    }

    // The configuration that the host gives, an object, to be asked by pointers: extline_json_int(ext.config(),
    // "/timeout_ms", &timeout). nullptr before the host has answered. It lives as long as the extension.
    const extline_json* config() const noexcept { return extline_config(get()); }

    void notify(const std::string& level, const std::string& text) const {
        check(extline_notify(get(), level.c_str(), text.c_str()));
    }

    // Serves until the host ends it; returns an exit status.
    int run() { return extline_run(get()); }

private:
    enum class Kind { tool, command, decision };

    template <class F>
    static constexpr void decides() {
        static_assert(std::is_void_v<std::invoke_result_t<F&, Call&>>,
                      "what a guard or an interceptor returns decides nothing: call.block(reason), call.rewrite(args)");
    }

    // A handler on the heap, until the library says that it is done with it.
    template <class F>
    class Owned {
    public:
        explicit Owned(F run) : run_(std::make_unique<F>(std::move(run))) {}
        void* get() const noexcept { return run_.get(); }
        Extension& given(Extension& ext, extline_result code) {
            check(code);
            run_.release();
            return ext;
        }

        static void drop(void* user) { delete static_cast<F*>(user); }

        template <Kind kind>
        static void handle(void* user, extline_call* raw, extline_str text) noexcept {
            try {
                Call call(raw);
                answer<kind>(*static_cast<F*>(user), call, view(text));
                if constexpr (kind == Kind::decision) extline_call_allow(raw); // refused where it has decided
            } catch (const Answered&) {
            } catch (const Error& error) {
                if constexpr (kind == Kind::command) extline_respond_error(raw, error.what());
                else error.answer(raw);
            } catch (const std::exception& error) {
                failed<kind>(raw, error.what());
            } catch (...) {
                failed<kind>(raw, "its handler threw what is no std::exception");
            }
        }

        static void happened(void* user, extline_extension* ext, const extline_event* event) noexcept {
            try {
                (*static_cast<F*>(user))(extline_event_payload(event));
            } catch (const std::exception& error) {
                extline_log(ext, "error", error.what(), nullptr);
            } catch (...) {
                extline_log(ext, "error", "a handler of an event threw what is no std::exception", nullptr);
            }
        }

    private:
        template <Kind kind>
        static void answer(F& run, Call& call, [[maybe_unused]] std::string_view text) {
            if constexpr (kind == Kind::command) {
                if constexpr (std::is_void_v<std::invoke_result_t<F&, Call&, std::string_view>>) run(call, text);
                else call.text(run(call, text));
            } else {
                if constexpr (std::is_void_v<std::invoke_result_t<F&, Call&>>) run(call);
                else call.text(run(call));
            }
        }

        template <Kind kind>
        static void failed(extline_call* raw, const char* what) noexcept {
            if constexpr (kind == Kind::command) extline_respond_error(raw, what);
            else extline_call_error(raw, "internal", what);
        }

        std::unique_ptr<F> run_;
    };

    struct Free {
        void operator()(extline_extension* ext) const noexcept { extline_free(ext); }
    };
    std::unique_ptr<extline_extension, Free> ext_;
};

} // namespace extline
