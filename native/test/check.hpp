#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// A small test framework: TEST("behaviour") { CHECK(...); }. Every failed check is printed with its numbers.

namespace check {

struct Test {
    const char* name;
    void (*run)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registration {
    Registration(const char* name, void (*run)()) { tests().push_back({name, run}); }
};

inline void fail(const char* file, int line, const std::string& what) {
    if (++failures() <= 30) std::printf("%s:%d: %s\n", file, line, what.c_str());
}

inline void holds(bool condition, const char* text, const char* file, int line) {
    if (!condition) fail(file, line, text);
}

// NaN is never within a bound.
inline void within(double error, double bound, const char* text, const char* file, int line) {
    if (error <= bound) return;
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, " is %.4g, not within %.4g", error, bound);
    fail(file, line, text + std::string(numbers));
}

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace check

#define CHECK_JOIN2(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN2(a, b)
#define TEST(name)                                                                                      \
    static void CHECK_JOIN(test_, __LINE__)();                                                          \
    static const check::Registration CHECK_JOIN(registration_, __LINE__)(name,                          \
                                                                         &CHECK_JOIN(test_, __LINE__)); \
    static void CHECK_JOIN(test_, __LINE__)()
#define CHECK(condition) check::holds(condition, #condition, __FILE__, __LINE__)
#define CHECK_WITHIN(error, bound) check::within(error, bound, #error, __FILE__, __LINE__)
