#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "instruction_set.hpp"
#include "quadratic.hpp"
#include "working_block.hpp"

using namespace kido;

namespace {

// Random programs of one shape, some with a singular H, some with equations.
struct Programs {
    int n, m;
    std::size_t count;
    std::vector<double> H, g, A, row_lower, row_upper, lower, upper;

    Programs(int unknowns, int rows, std::size_t programs, unsigned seed) : n(unknowns), m(rows), count(programs) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        const auto some = [&] { return std::fabs(normal(random)); };
        for (std::size_t s = 0; s < count; ++s) {
            const int rank = 1 + static_cast<int>(random() % n);
            std::vector<double> root(rank * n);
            for (double& x : root) x = normal(random);
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    double sum = 0.0;
                    for (int k = 0; k < rank; ++k) sum += root[k * n + i] * root[k * n + j];
                    H.push_back(sum);
                }
                g.push_back(normal(random));
                lower.push_back(-some());
                upper.push_back(some());
            }
            for (int r = 0; r < m; ++r) {
                for (int j = 0; j < n; ++j) A.push_back(normal(random));
                row_lower.push_back(r % 3 == 2 ? 0.0 : -some());
                row_upper.push_back(r % 3 == 2 ? 0.0 : some());
            }
        }
    }
};

struct Answers {
    std::vector<double> x, force, side;
    std::vector<QuadraticOutcome> outcome;

    bool same_as(const Answers& other) const {
        const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
            return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
        };
        bool status = true;
        for (std::size_t i = 0; i < outcome.size(); ++i) status = status && outcome[i].status == other.outcome[i].status;
        return same(x, other.x) && same(force, other.force) && same(side, other.side) && status;
    }
};

// With memory full of ones, which as numbers are NaN, solved `at_once` together.
Answers solve(const Programs& p, std::size_t at_once) {
    const std::size_t n = p.n, all = p.n + p.m;
    Answers a = {std::vector<double>(p.count * n), std::vector<double>(p.count * all), std::vector<double>(p.count * all),
                 std::vector<QuadraticOutcome>(p.count)};
    QuadraticBatch batch{};
    batch.shape = {p.n, p.m};
    batch.count = p.count;
    batch.H = p.H.data(), batch.H_stride = n * n;
    batch.g = p.g.data(), batch.g_stride = n;
    batch.A = p.A.data(), batch.A_stride = n * p.m;
    batch.row_lower = p.row_lower.data(), batch.row_lower_stride = p.m;
    batch.row_upper = p.row_upper.data(), batch.row_upper_stride = p.m;
    batch.lower = p.lower.data(), batch.lower_stride = n;
    batch.upper = p.upper.data(), batch.upper_stride = n;
    batch.x = a.x.data();
    batch.force = a.force.data();
    batch.side = a.side.data();
    batch.outcome = a.outcome.data();
    const QuadraticKernels& kernels = active_kernels().quadratic;
    const std::size_t bytes = kernels.bytes(batch.shape);
    WorkingBlock memory;
    void* block = memory.at_least(bytes);
    for (std::size_t i = 0; i < p.count; i += at_once) {
        std::memset(block, 0xFF, bytes);
        kernels.solve(batch, i, std::min(p.count, i + at_once), block, nullptr);
    }
    return a;
}

}  // namespace

TEST("quadratic programs have the same bits one by one, in lanes and on all instruction sets") {
    for (const int n : {1, 3, 7, 12}) {
        for (const int m : {0, 2, 9}) {
            const Programs programs(n, m, 37, 100 * n + m);
            const Answers expected = solve(programs, 1);
            for (const KernelTable* table : available_kernels()) {
                CHECK(use_kernels(table->instruction_set));
                CHECK(solve(programs, 37).same_as(expected));
                CHECK(solve(programs, 1).same_as(expected));
                CHECK(solve(programs, 5).same_as(expected));
            }
            CHECK(use_kernels(available_kernels().back()->instruction_set));
        }
    }
}

TEST("solutions of quadratic programs are stationary and within bounds") {
    const Programs p(7, 0, 200, 5);
    const Answers a = solve(p, 200);
    for (std::size_t s = 0; s < p.count; ++s) {
        CHECK(a.outcome[s].status == QuadraticStatus::solved);
        for (int i = 0; i < p.n; ++i) {
            const std::size_t at = s * p.n + i;
            double gradient = p.g[at], size = std::fabs(p.g[at]);
            for (int j = 0; j < p.n; ++j) {
                const double part = p.H[at * p.n + j] * a.x[s * p.n + j];
                gradient += part;
                size += std::fabs(part);
            }
            CHECK(a.x[at] >= p.lower[at] && a.x[at] <= p.upper[at]);
            CHECK(std::fabs(gradient - a.force[at]) <= 1e-11 * (size + std::fabs(a.force[at])));
            CHECK(a.force[at] <= 0.0 || a.x[at] == p.lower[at]);
            CHECK(a.force[at] >= 0.0 || a.x[at] == p.upper[at]);
        }
    }
}
