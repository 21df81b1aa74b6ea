#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "instruction_set.hpp"
#include "kido/lcp/active_system.hpp"
#include "kido/lcp/projected_gauss_seidel.hpp"
#include "lcp.hpp"

using namespace kido;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr LcpMethod kMethods[] = {LcpMethod::projected_gauss_seidel, LcpMethod::dantzig, LcpMethod::lemke,
                                  LcpMethod::semismooth_newton};

// Contacts of a body that is hit: rows 3 c are normal, those after them tangents, with pyramids or cones.
struct Impact {
    int n;
    std::vector<double> A, b, lower, upper, friction;
    std::vector<int> index, cones;

    Impact(int contacts, bool pyramids, unsigned seed) : n(3 * contacts) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        const int coordinates = 2 * n;
        std::vector<double> J(n * coordinates), v(coordinates);
        for (double& x : J) x = normal(random);
        for (double& x : v) x = normal(random);
        A.assign(n * n, 0.0);
        b.assign(n, 0.0);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < coordinates; ++k) {
                b[i] += J[i * coordinates + k] * v[k];
                for (int j = 0; j < n; ++j) A[i * n + j] += J[i * coordinates + k] * J[j * coordinates + k];
            }
        }
        for (int i = 0; i < n; ++i) {
            const bool tangent = i % 3 != 0;
            index.push_back(tangent && pyramids ? i - i % 3 : -1);
            lower.push_back(tangent ? (pyramids ? -0.5 : -kInfinity) : 0.0);
            upper.push_back(tangent && pyramids ? 0.5 : kInfinity);
            if (!tangent && !pyramids) {
                cones.insert(cones.end(), {i, i + 1, i + 2});
                friction.push_back(0.5);
            }
        }
    }

    LcpProblem view() const {
        return {n, A.data(), b.data(), lower.data(), upper.data(), index.data(), static_cast<int>(friction.size()), cones.data(),
                friction.data()};
    }
};

struct Answer {
    std::vector<double> x, w;
    LcpResult result;
    explicit Answer(int n) : x(n), w(n), result{x.data(), w.data(), kInfinity, 0, LcpReason::stalled} {}
};

LcpSettings settings(LcpMethod method) { return {method, 1e-9, 100000, 1.0, kInfinity}; }

bool takes(LcpMethod method, bool pyramids) {
    return pyramids || method == LcpMethod::projected_gauss_seidel || method == LcpMethod::semismooth_newton;
}

}  // namespace

TEST("every method solves impacts with the friction that it takes, and leaves w as A x + b") {
    for (const bool pyramids : {true, false}) {
        for (const LcpMethod method : kMethods) {
            for (unsigned seed = 0; takes(method, pyramids) && seed < 5; ++seed) {
                const Impact impact(1 + static_cast<int>(seed), pyramids, seed);
                Answer answer(impact.n);
                LcpTask task{impact.view(), nullptr, answer.result};
                solve_lcps(settings(method), &task, 1, nullptr);
                CHECK(task.result.reason == LcpReason::solved);
                CHECK_WITHIN(task.result.residual, 1e-9);
                for (int i = 0; i < impact.n; ++i) {
                    double w = impact.b[i];
                    for (int j = 0; j < impact.n; ++j) w += impact.A[i * impact.n + j] * answer.x[j];
                    CHECK_WITHIN(std::fabs(w - answer.w[i]), 1e-12 * (1.0 + std::fabs(w)));
                }
            }
        }
    }
}

TEST("nothing is computed with what stood in the working memory or in the results") {
    for (const KernelTable* table : available_kernels()) {
        for (const LcpMethod method : kMethods) {
            const Impact impact(4, takes(method, false) ? false : true, 3);
            const LcpProblem problem = impact.view();
            const std::size_t bytes = table->lcp.bytes(problem, method);
            std::vector<double> first;
            for (const int fill : {0x00, 0xFF}) {  // zeros, NaN
                void* memory = ::operator new(bytes, std::align_val_t(64));
                std::memset(memory, fill, bytes);
                Answer answer(impact.n);
                answer.x.assign(impact.n, fill ? std::nan("") : 0.0);
                answer.result.x = answer.x.data();
                table->lcp.solve(problem, settings(method), nullptr, answer.result, nullptr, memory);
                ::operator delete(memory, std::align_val_t(64));
                if (fill == 0) first = answer.x;
                for (int i = 0; i < impact.n; ++i) CHECK(check::same_bits(first[i], answer.x[i]));
            }
        }
    }
}

TEST("a batch gives what single solves give") {
    std::vector<Impact> impacts;
    for (unsigned seed = 0; seed < 30; ++seed) impacts.emplace_back(1 + static_cast<int>(seed) % 9, true, seed);
    std::vector<Answer> together, alone;
    std::vector<LcpTask> tasks;
    for (const Impact& impact : impacts) {
        together.emplace_back(impact.n);
        alone.emplace_back(impact.n);
    }
    for (std::size_t k = 0; k < impacts.size(); ++k) {
        tasks.push_back({impacts[k].view(), nullptr, together[k].result});
        LcpTask one{impacts[k].view(), nullptr, alone[k].result};
        solve_lcps(settings(LcpMethod::lemke), &one, 1, nullptr);
    }
    solve_lcps(settings(LcpMethod::lemke), tasks.data(), tasks.size(), nullptr);
    for (std::size_t k = 0; k < impacts.size(); ++k) CHECK(together[k].x == alone[k].x);
}

TEST("one step from anywhere solves the equations of a guess, whose bounds of friction move with their normal row") {
    const std::vector<double> A{2.0, 0.5, 0.25, 0.5, 3.0, 0.5, 0.25, 0.5, 1.0}, b{1.0, -2.0, 0.5}, lower{3.0, -0.4, -kInfinity},
        upper{8.0, 0.4, kInfinity};
    const std::vector<int> index{-1, 0, -1};
    const LcpProblem given{3, A.data(), b.data(), lower.data(), upper.data(), index.data(), 0, nullptr, nullptr};
    for (const RowState normal : {RowState::lower, RowState::upper, RowState::inside}) {
        for (const RowState tangent : {RowState::lower, RowState::upper, RowState::inside}) {
            alignas(64) std::byte memory[8192];
            Scratch scratch(memory);
            ScaledProblem scaled(given, scratch);
            scaled.fill();
            const LcpProblem view = scaled.view();
            ActiveSystem system(view, 3, scratch);
            double x[3] = {5.0, 7.0, -2.0}, w[3];
            multiply(view, x, w);
            system.state[0] = normal;
            system.state[1] = tangent;
            system.state[2] = RowState::inside;
            const double* step = system.solve(scaled, x, w, 0.0);
            for (int i = 0; i < 3; ++i) x[i] += step[i];
            multiply(view, x, w);
            const double side = tangent == RowState::lower ? view.lower[1] : view.upper[1];
            CHECK_WITHIN(std::fabs(normal == RowState::inside ? w[0] : x[0] - (normal == RowState::lower ? view.lower[0] : view.upper[0])),
                         1e-13);
            CHECK_WITHIN(std::fabs(tangent == RowState::inside ? w[1] : x[1] - side * x[0]), 1e-13);
            CHECK_WITHIN(std::fabs(w[2]), 1e-13);
        }
    }
}

TEST("the minimum over a disc is no worse than any point of it") {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 400; ++k) {
        const double a = normal(random), b = normal(random), c = k % 4 ? normal(random) : 0.0;
        // Positive semidefinite; every fourth of rank one, every tenth a multiple of 1.
        const bool round = k % 10 == 0;
        const double h00 = round ? 2.0 : a * a, h01 = round ? 0.0 : a * b, h11 = round ? 2.0 : b * b + c * c;
        const double g0 = k % 7 ? normal(random) : 0.0, g1 = k % 5 ? normal(random) : 0.0;
        const double radius = std::fabs(normal(random)) * (k % 3 ? 1.0 : 100.0);
        const DiscMinimum found(h00, h01, h11, g0, g1, radius);
        const auto value = [&](double x, double y) {
            return 0.5 * (h00 * x * x + 2.0 * h01 * x * y + h11 * y * y) + g0 * x + g1 * y;
        };
        CHECK(std::hypot(found.first, found.second) <= radius * (1.0 + 1e-15));
        const double least = value(found.first, found.second);
        double best = 0.0;
        for (int turn = 0; turn < 720; ++turn) {
            for (const double part : {0.1, 0.3, 0.5, 0.8, 1.0}) {
                const double angle = turn * 0.00872664625997;
                best = std::min(best, value(part * radius * std::cos(angle), part * radius * std::sin(angle)));
            }
        }
        CHECK_WITHIN(least - best, 1e-9 * (1.0 + std::fabs(best)));
    }
    CHECK(DiscMinimum(1.0, 0.0, 1.0, -1.0, 0.0, 0.0).first == 0.0);
}
