#include <algorithm>
#include <limits>
#include <memory>

#include "kernels.hpp"
#include "kido/optimize/quadratic_solver.hpp"

using namespace kido;

namespace {

using Solver = QuadraticSolver<double>;

constexpr double kOpen = std::numeric_limits<double>::infinity();

// A program in memory of its own, full of numbers that are none.
struct Program {
    std::vector<double> memory;
    std::unique_ptr<Solver> qp;

    Program(int n, int m) {
        const std::size_t bytes = measure<Solver>(QuadraticShape{n, m});
        memory.assign(bytes / sizeof(double) + kAlignment, std::numeric_limits<double>::signaling_NaN());
        void* start = memory.data();
        std::size_t space = memory.size() * sizeof(double);
        std::align(kAlignment, bytes, start, space);
        Scratch scratch(start);
        qp = std::make_unique<Solver>(QuadraticShape{n, m}, scratch);
        for (int j = 0; j < n; ++j) {
            qp->lower[j] = -kOpen;
            qp->upper[j] = kOpen;
        }
        std::fill(qp->side, qp->side + n + m, 0.0);
    }
    bool solve() {
        qp->solve({});
        return qp->outcome[0].status == QuadraticStatus::solved;
    }
    Solver* operator->() { return qp.get(); }
};

// Positive definite curvature, a gradient, rows between bounds that some point keeps, some of them equations, and bounds around it.
void fill(Program& p, std::mt19937_64& random, double equations) {
    std::uniform_real_distribution<double> number(-1.0, 1.0), part(0.0, 1.0);
    const int n = p->n, m = p->m;
    std::vector<double> root(static_cast<std::size_t>(n) * n), point(n);
    for (double& x : root) x = number(random);
    for (int i = 0; i < n; ++i) {
        p->g[i] = 3.0 * number(random);
        point[i] = number(random);
        for (int k = 0; k < n; ++k) {
            double sum = i == k ? 0.1 : 0.0;
            for (int c = 0; c < n; ++c) sum += root[i * n + c] * root[k * n + c];
            p->H[i * n + k] = sum;
        }
        if (part(random) < 0.7) {
            p->lower[i] = point[i] - 0.3 * part(random);
            p->upper[i] = part(random) < 0.1 ? p->lower[i] : point[i] + 0.3 * part(random);
            if (p->upper[i] == p->lower[i]) point[i] = p->lower[i];
        }
    }
    for (int r = 0; r < m; ++r) {
        double at = 0.0;
        for (int j = 0; j < n; ++j) at += (p->A[r * n + j] = number(random)) * point[j];
        p->row_lower[r] = part(random) < equations ? at : at - 0.2 * part(random);
        p->row_upper[r] = p->row_lower[r] == at ? at : part(random) < 0.2 ? kOpen : at + 0.2 * part(random);
    }
}

// The largest violation of the conditions of Karush, Kuhn and Tucker.
double violation(Solver& p) {
    double most = 0.0;
    const auto keeps = [&](double at, double least, double largest, double force) {
        most = std::fmax(most, std::fmax(least - at, at - largest));
        if (least == largest) return;
        if (force > 0.0) most = std::fmax(most, force * std::fabs(at - least));
        if (force < 0.0) most = std::fmax(most, -force * std::fabs(at - largest));
    };
    for (int i = 0; i < p.n; ++i) {
        double sum = p.g[i] - p.force[i];
        for (int k = 0; k < p.n; ++k) sum += p.H[i * p.n + k] * p.x[k];
        for (int r = 0; r < p.m; ++r) sum -= p.A[r * p.n + i] * p.force[p.n + r];
        most = std::fmax(most, std::fabs(sum));
        keeps(p.x[i], p.lower[i], p.upper[i], p.force[i]);
        if (p.side[i] == 0) most = std::fmax(most, std::fabs(p.force[i]));
    }
    for (int r = 0; r < p.m; ++r) {
        double at = 0.0;
        for (int j = 0; j < p.n; ++j) at += p.A[r * p.n + j] * p.x[j];
        keeps(at, p.row_lower[r], p.row_upper[r], p.force[p.n + r]);
        if (p.side[p.n + r] == 0) most = std::fmax(most, std::fabs(p.force[p.n + r]));
    }
    return most;
}

}  // namespace

TEST("solutions of quadratic programs meet the conditions of Karush, Kuhn and Tucker") {
    std::mt19937_64 random(3);
    int rows_active = 0, bounds_active = 0;
    for (int n : {1, 2, 3, 7, 12, 35}) {
        for (int m : {0, 1, 4, 9}) {
            for (int i = 0; i < 20; ++i) {
                Program p(n, m);
                fill(p, random, m < n ? 0.3 : 0.0);
                CHECK(p.solve());
                CHECK_WITHIN(violation(*p.qp), 1e-8);
                for (int r = 0; r < m; ++r) rows_active += p->side[n + r] != 0 && p->row_lower[r] != p->row_upper[r];
                for (int j = 0; j < n; ++j) bounds_active += p->side[j] != 0;
            }
        }
    }
    CHECK(rows_active > 100 && bounds_active > 500);
}

TEST("equations that depend on others are as good as left out") {
    std::mt19937_64 random(5);
    for (int i = 0; i < 20; ++i) {
        Program p(6, 4);
        fill(p, random, 1.0);
        for (int j = 0; j < 6; ++j) {
            p->lower[j] = -kOpen;
            p->upper[j] = kOpen;
            p->A[2 * 6 + j] = p->A[j] - 2.0 * p->A[6 + j];
        }
        p->row_lower[2] = p->row_upper[2] = p->row_lower[0] - 2.0 * p->row_lower[1];
        CHECK(p.solve());
        CHECK_WITHIN(violation(*p.qp), 1e-8);
    }
}

TEST("a program without a point that keeps all is not solved") {
    std::mt19937_64 random(7);
    Program p(3, 2);
    fill(p, random, 0.0);
    for (int j = 0; j < 3; ++j) p->A[3 + j] = p->A[j];
    p->row_lower[0] = 1.0;
    p->row_upper[0] = 2.0;
    p->row_lower[1] = -2.0;
    p->row_upper[1] = -1.0;
    CHECK(!p.solve());
}
