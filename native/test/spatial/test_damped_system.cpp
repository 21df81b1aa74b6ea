#include <limits>
#include <memory>

#include "kernels.hpp"
#include "kido/optimize/damped_system.hpp"

using namespace kido;

namespace {

// Rows of some numbers, padded by zeros as the columns of a step are.
struct Rows {
    int rows, columns;
    std::vector<double> P;

    Rows(int r, int c, unsigned seed) : rows(r), columns(c), P(static_cast<std::size_t>(r) * c) {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        for (double& x : P) x = number(random);
    }
    double* row(int r) { return P.data() + static_cast<std::ptrdiff_t>(r) * columns; }
    void clear(int column) {
        for (int r = 0; r < rows; ++r) row(r)[column] = 0.0;
    }
};

// The largest component of P (P^T x) + R x - b; infinite where one is no number.
double residual(Rows& p, const std::vector<double>& ridge, const std::vector<double>& x, const std::vector<double>& b) {
    double most = 0.0;
    for (int r = 0; r < p.rows; ++r) {
        double sum = ridge[r] * x[r] - b[r];
        for (int j = 0; j < p.columns; ++j) {
            double along = 0.0;
            for (int k = 0; k < p.rows; ++k) along += p.row(k)[j] * x[k];
            sum += p.row(r)[j] * along;
        }
        if (!std::isfinite(sum)) return std::numeric_limits<double>::infinity();
        most = std::fmax(most, std::fabs(sum));
    }
    return most;
}

struct Solved {
    std::vector<double> x;
    double residual;
};

// Solves with some columns left out, in memory that is full of numbers that are none, and for larger systems.
Solved solve(int rows, int columns, const std::vector<int>& removed) {
    const int most_rows = rows + 3, most_columns = columns + 8;
    Rows p(rows, columns, 11);
    std::vector<double> ridge(rows), b(rows);
    for (int r = 0; r < rows; ++r) {
        ridge[r] = 0.5 + 0.1 * r;
        b[r] = 1.0 - 0.3 * r;
    }
    const std::size_t bytes = measure<DampedSystem>(most_rows, most_columns);
    std::vector<double> memory(bytes / sizeof(double) + kAlignment, std::numeric_limits<double>::signaling_NaN());
    void* start = memory.data();
    std::size_t space = memory.size() * sizeof(double);
    std::align(kAlignment, bytes, start, space);
    Scratch scratch(start);
    DampedSystem system(most_rows, most_columns, scratch);
    system.begin(rows, columns);
    system.set_rows(p.row(0), columns);
    system.multiply();
    for (const int j : removed) {
        system.remove_column(j);
        p.clear(j);
    }
    Solved solved{b, 0.0};
    system.solve(ridge.data(), solved.x.data());
    solved.residual = residual(p, ridge, solved.x, b);
    return solved;
}

// Six rows and their sums in pairs, as large as `scale`, with a diagonal far below what rounding leaves of them.
Solved solve_with_copies(double scale) {
    const int rows = 9, columns = 16;
    Rows p(rows, columns, 3);
    for (int j = 0; j < columns; ++j) {
        for (int r = 0; r < 6; ++r) p.row(r)[j] *= scale;
        for (int r = 6; r < 9; ++r) p.row(r)[j] = p.row(2 * (r - 6))[j] + p.row(2 * (r - 6) + 1)[j];
    }
    std::vector<double> ridge(rows, 1e-30), b(rows);
    for (int r = 0; r < 6; ++r) b[r] = 1.0 - 0.3 * r;
    for (int r = 6; r < 9; ++r) b[r] = b[2 * (r - 6)] + b[2 * (r - 6) + 1];
    std::vector<std::byte> memory(measure<DampedSystem>(rows, columns) + kAlignment);
    void* start = memory.data();
    std::size_t space = memory.size();
    std::align(kAlignment, 1, start, space);
    Scratch scratch(start);
    DampedSystem system(rows, columns, scratch);
    system.begin(rows, columns);
    for (int r = 0; r < rows; ++r) system.set_row(r, p.row(r));
    system.multiply();
    Solved solved{b, 0.0};
    system.solve(ridge.data(), solved.x.data());
    solved.residual = residual(p, ridge, solved.x, b);
    return solved;
}

}  // namespace

TEST("a damped system of any size is solved") {
    for (const int rows : {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 29, 33}) {
        for (const int columns : {8, 16, 40}) CHECK_WITHIN(solve(rows, columns, {}).residual, 1e-12);
    }
}

TEST("columns that are removed are as good as zero") {
    for (const int rows : {1, 3, 6, 13, 29}) {
        CHECK_WITHIN(solve(rows, 40, {0}).residual, 1e-12);
        CHECK_WITHIN(solve(rows, 40, {7, 31, 12}).residual, 1e-12);
    }
}

TEST("a damped system is solved again with another diagonal, and by its factors for other numbers") {
    Rows p(9, 16, 5);
    std::vector<std::byte> memory(measure<DampedSystem>(9, 16) + kAlignment);
    void* start = memory.data();
    std::size_t space = memory.size();
    std::align(kAlignment, 1, start, space);
    Scratch scratch(start);
    DampedSystem system(9, 16, scratch);
    system.begin(9, 16);
    for (int r = 0; r < 9; ++r) system.set_row(r, p.row(r));
    system.multiply();
    for (const double strength : {1.0, 1e-3, 10.0}) {
        const std::vector<double> ridge(9, strength), b(9, 1.0);
        std::vector<double> x = b;
        system.solve(ridge.data(), x.data());
        CHECK_WITHIN(residual(p, ridge, x, b), 1e-11);
        const std::vector<double> other = {1.0, -2.0, 3.0, 0.0, 0.5, -0.5, 2.0, 1.0, -1.0};
        x = other;
        system.solve_again(x.data());
        CHECK_WITHIN(residual(p, ridge, x, other), 1e-11);
    }
}

TEST("rows that depend on others are left out where nothing damps them") {
    for (const double scale : {1.0, 1e6}) {
        const Solved solved = solve_with_copies(scale);
        CHECK_WITHIN(solved.residual, 1e-11);
        for (const double x : solved.x) CHECK(std::isfinite(x));
    }
}
