// A calculator for models, which are bad at it: lambdas through extline.hpp, and exceptions that
// become error results.
#include <extline.hpp>

#include <atomic>
#include <cstdio>

#include "expression.hpp"

static const char* schema = R"({
    "type": "object", "required": ["expression"], "additionalProperties": false,
    "properties": { "expression": { "type": "string", "description": "as (3 + 4) * 2" } }
})";

static std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.15g", value);
    return text;
}

int main() {
    extline::Extension ext("calc", "1.0.0");
    std::atomic<int> computed{0};                   // calls run beside each other, in several threads

    ext.tool("calc", "Computes an arithmetic expression.", schema, [&](extline::Call& call) {
        try {
            const double value = Expression(call.string("/expression")).value();
            ++computed;
            call.text(shown(value));
        } catch (const std::invalid_argument& error) {
            throw extline::Error("validation", error.what()).field("/expression").hint("use + - * / and brackets");
        }
    });
    ext.command("calc", "computes an expression", [&](extline::Call& call, std::string_view args) {
        if (args.empty()) call.display(std::to_string(computed) + " computed for the model so far");
        else call.display(shown(Expression(std::string(args)).value()));
    });

    return ext.run();
}
