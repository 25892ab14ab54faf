// Arithmetic: numbers, + - * /, brackets.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

// One expression, computed while it is read.
class Expression {
public:
    explicit Expression(const std::string& text) : at_(text.c_str()), begin_(at_) {}

    // Throws std::invalid_argument, with the place in the text, for what is no expression.
    double value() {
        const double result = sum();
        if (next() != '\0') wrong("unexpected '" + std::string(1, *at_) + "'");
        return result;
    }

private:
    double sum() {
        double left = product();
        for (;;) {
            if (take('+')) left += product();
            else if (take('-')) left -= product();
            else return left;
        }
    }

    double product() {
        double left = factor();
        for (;;) {
            if (take('*')) left *= factor();
            else if (take('/')) left /= divisor();
            else return left;
        }
    }

    double divisor() {
        const double value = factor();
        if (value == 0) wrong("division by zero");
        return value;
    }

    double factor() {
        if (take('-')) return -factor();
        if (take('(')) {
            // The brackets of a model may be many, and each takes some of the stack.
            if (++depth_ > 100) wrong("more than 100 brackets in each other");
            const double inner = sum();
            if (!take(')')) wrong("')' is missing");
            --depth_;
            return inner;
        }
        const char first = next();
        if (first == '\0') wrong("a number is missing");
        // Of what strtod reads, words such as "nan" are no numbers here.
        if (first != '.' && (first < '0' || first > '9')) wrong("a number is expected");
        char* end;
        const double number = std::strtod(at_, &end);
        if (end == at_) wrong("a number is expected");
        at_ = end;
        return number;
    }

    char next() {
        while (*at_ == ' ') ++at_;
        return *at_;
    }

    bool take(char wanted) {
        if (next() != wanted) return false;
        ++at_;
        return true;
    }

    [[noreturn]] void wrong(const std::string& what) const {
        throw std::invalid_argument(what + " at character " + std::to_string(at_ - begin_ + 1));
    }

    const char* at_;
    const char* begin_;
    int depth_ = 0;
};
