#include "quadratic.hpp"

#include <algorithm>
#include <atomic>

#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "thread_pool.hpp"
#include "working_block.hpp"

namespace kido {

namespace {

// Numbers of all programs below which waking a thread costs more than it saves.
constexpr std::size_t kSmallestShare = 20000;
// Programs of a share, in whole groups of lanes.
constexpr std::size_t kPiece = 64;

}  // namespace

void solve_quadratic(const QuadraticBatch& batch, StopSignal* stop) {
    const QuadraticKernels& kernels = active_kernels().quadratic;
    const std::size_t bytes = kernels.bytes(batch.shape), n = batch.shape.unknowns, all = batch.shape.constraints();
    const std::size_t most = batch.count * n * all / kSmallestShare + 1, pieces = (batch.count + kPiece - 1) / kPiece;
    const std::size_t shares = std::min({static_cast<std::size_t>(num_threads()), most, std::max<std::size_t>(pieces, 1)});
    std::atomic<std::size_t> next{0};
    run_in_parallel(
        static_cast<int>(shares),
        [&](int) {
            WorkingBlock memory;
            void* block = memory.at_least(bytes);
            for (std::size_t i = next++; i < pieces && !(stop && stop->is_set()); i = next++) {
                kernels.solve(batch, i * kPiece, std::min(batch.count, (i + 1) * kPiece), block, stop);
            }
        },
        stop);
}

}  // namespace kido
