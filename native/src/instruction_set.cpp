#include "instruction_set.hpp"

#include <atomic>

namespace kido {

// instruction_sets.inc is written by the build: KIDO_SET(name) for each set that native/src/kernels/ is compiled for.
#define KIDO_SET(set) KernelTable kernels_##set();
#include "instruction_sets.inc"
#undef KIDO_SET

namespace {

bool runs_here(const std::string& set) {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();
    const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512cd");
    if (set == "x86_64_v2") return v2;
    if (set == "x86_64_v3") return v3;
    if (set == "x86_64_v4") return v4;
#endif
    return set == "generic";
}

std::atomic<const KernelTable*> active{nullptr};

}  // namespace

const std::vector<const KernelTable*>& available_kernels() {
    // Never freed: threads may compute while the process ends.
    static const std::vector<const KernelTable*>& tables = *[] {
        auto* result = new std::vector<const KernelTable*>;
#define KIDO_SET(set)                                     \
    if (runs_here(#set)) {                                \
        static const KernelTable table = kernels_##set(); \
        result->push_back(&table);                        \
    }
#include "instruction_sets.inc"
#undef KIDO_SET
        return result;
    }();
    return tables;
}

const KernelTable& active_kernels() {
    const KernelTable* table = active.load(std::memory_order_relaxed);
    if (!table) {
        table = available_kernels().back();
        active.store(table, std::memory_order_relaxed);
    }
    return *table;
}

bool use_kernels(const std::string& instruction_set) {
    for (const KernelTable* table : available_kernels()) {
        if (instruction_set == table->instruction_set) {
            active.store(table, std::memory_order_relaxed);
            return true;
        }
    }
    return false;
}

}  // namespace kido
