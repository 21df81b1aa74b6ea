#include "evaluate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "instruction_set.hpp"
#include "kido/tree/scratch.hpp"
#include "thread_pool.hpp"

namespace kido {

namespace {

// Largest memory of a thread beside the result of a batch [bytes].
constexpr std::size_t kLargestLaneMemory = 1 << 20;
// Larger matrices over dofs have it better one at a time: their kernels use wide registers within one sample.
constexpr std::size_t kLargestLaneMatrix = 1 << 12;
// Numbers in and out below which waking a thread costs more than it saves.
constexpr std::size_t kSmallestShare = 1 << 14;
// Numbers in and out between two looks at the stop signal: some tens of microseconds to some milliseconds.
constexpr std::size_t kPiece = 1 << 16;

std::atomic<int> thread_limit{0};

// Scratch memory of a thread's kernels; reused by later calls unless it was large.
class WorkingMemory {
public:
    void* at_least(std::size_t bytes) {
        if (bytes > size_) {
            block_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t(kAlignment))));
            size_ = bytes;
        }
        return block_.get();
    }
    void release_large() {
        if (size_ > kLargestLaneMemory) {
            block_.reset();
            size_ = 0;
        }
    }

private:
    struct Free {
        void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
    };
    std::unique_ptr<std::byte, Free> block_;
    std::size_t size_ = 0;
};

thread_local WorkingMemory memory;

// Working memory of a single call, remembered for each algorithm while the model stays the same: options do not change
// it.
std::size_t scalar_bytes(const Kernel& kernel, const Problem& problem) {
    struct Entry {
        unsigned long model = 0;
        std::size_t bytes = 0;
    };
    static thread_local Entry entries[static_cast<int>(Algorithm::count)];
    Entry& entry = entries[static_cast<int>(problem.algorithm)];
    if (entry.model != problem.model->id) entry = {problem.model->id, kernel.scalar_bytes(problem)};
    return entry.bytes;
}

bool makes_large_matrix(const Kernel& kernel, const Problem& problem) {
    const std::size_t dofs = problem.model->num_dofs;
    for (int i = 0; i < kernel.outputs; ++i) {
        const std::size_t size = kernel.output_size(problem, i);
        if (size > kLargestLaneMatrix && size >= dofs * dofs) return true;
    }
    return false;
}

// Execution plan of a batch: kernel, scratch memory, and vector width.
struct Plan {
    std::size_t (*run)(const Problem&, std::size_t begin, std::size_t end, void* memory);
    std::size_t bytes;  // working memory of a thread
    std::size_t width;  // samples at a time
};

// In lanes, if their memory allows it: of the table in use, else of a narrower one, whose results have the same bits. Else one
// by one, so that threads share few large samples, and signals are seen between any two.
Plan plan(const Problem& problem) {
    const KernelTable& active = active_kernels();
    const Kernel& kernel = active.kernel(problem.algorithm);
    if (!makes_large_matrix(kernel, problem)) {
        const std::vector<const KernelTable*>& tables = available_kernels();
        for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
            if ((*table)->lanes > active.lanes) continue;
            const Kernel& candidate = (*table)->kernel(problem.algorithm);
            const std::size_t bytes = candidate.lane_bytes(problem);
            if (bytes <= kLargestLaneMemory) return {candidate.lanes, bytes, static_cast<std::size_t>((*table)->lanes)};
        }
    }
    return {kernel.scalar, kernel.scalar_bytes(problem), 1};
}

std::size_t numbers_in(const Kernel& kernel, const Problem& problem) {
    std::size_t numbers = problem.in[Problem::users] ? user_numbers(*problem.model) : 0;
    for (int i = 0; i < kernel.inputs; ++i) numbers += problem.in[i] ? kernel.input_size(problem, i) : 0;
    return numbers;
}

std::size_t numbers_out(const Kernel& kernel, const Problem& problem) {
    std::size_t numbers = 0;
    for (int i = 0; i < kernel.outputs; ++i) numbers += kernel.output_size(problem, i);
    return numbers;
}

std::size_t run_sample(const Kernel& kernel, const Problem& problem) {
    void* work = memory.at_least(scalar_bytes(kernel, problem));
    const std::size_t failed = kernel.scalar(problem, 0, 1, work);
    memory.release_large();
    return failed;
}

// Samples [begin, end) in pieces of `piece`; the first failed one, or kAllPositive. What stops the work may have used the
// memory of this thread for work of its own, so each piece asks for it anew.
std::size_t run_share(const Plan& plan, const Problem& problem, std::size_t begin, std::size_t end, std::size_t piece,
                      StopSignal* stop) {
    std::size_t failed = kAllPositive;
    for (; begin < end; begin += piece) {
        const std::size_t last = end - begin < piece ? end : begin + piece;
        failed = std::min(failed, plan.run(problem, begin, last, memory.at_least(plan.bytes)));
        if (stop && last < end && stop->poll()) break;
    }
    memory.release_large();
    return failed;
}

}  // namespace

int num_threads() {
    const int limit = thread_limit.load(std::memory_order_relaxed);
    return limit > 0 ? limit : available_processors();
}

void set_num_threads(int count) { thread_limit.store(count, std::memory_order_relaxed); }

std::size_t evaluate(const Problem& problem, StopSignal* stop) {
    const Kernel& kernel = active_kernels().kernel(problem.algorithm);
    if (problem.samples == 1) return run_sample(kernel, problem);
    const std::size_t out = numbers_out(kernel, problem), numbers = numbers_in(kernel, problem) + out;
    if (out == 0) return kAllPositive;
    const Plan how = plan(problem);
    const std::size_t groups = (problem.samples + how.width - 1) / how.width;
    const std::size_t most = std::min<std::size_t>(groups, numbers * problem.samples / kSmallestShare + 1);
    const std::size_t shares = std::min<std::size_t>(num_threads(), most);
    const std::size_t piece = (kPiece / (numbers * how.width) + 1) * how.width;
    std::atomic<std::size_t> failed{kAllPositive};
    const auto run = [&](int share) {
        const std::size_t begin = groups * share / shares * how.width;
        const std::size_t end = std::min(problem.samples, groups * (share + 1) / shares * how.width);
        const std::size_t bad = run_share(how, problem, begin, end, piece, stop);
        std::size_t first = failed.load();
        while (bad < first && !failed.compare_exchange_weak(first, bad)) {
        }
    };
    run_in_parallel(static_cast<int>(shares), run, stop);
    return failed.load();
}

}  // namespace kido
