#include "check.hpp"

#if defined(__GNUC__) && defined(__x86_64__)
static bool processor_has_instruction_set() {
#if defined(__AVX512F__)
    return __builtin_cpu_supports("x86-64-v4");
#elif defined(__AVX2__)
    return __builtin_cpu_supports("x86-64-v3");
#else
    return true;
#endif
}
#else
static bool processor_has_instruction_set() { return true; }
#endif

int main() {
    constexpr int cannot_run = 77;
    if (!processor_has_instruction_set()) return cannot_run;
    int failed = 0;
    for (const check::Test& test : check::tests()) {
        const int before = check::failures();
        test.run();
        const bool good = check::failures() == before;
        failed += good ? 0 : 1;
        std::printf("%s %s\n", good ? "ok  " : "FAIL", test.name);
    }
    std::printf("%zu tests, %d failed\n", check::tests().size(), failed);
    return failed == 0 ? 0 : 1;
}
