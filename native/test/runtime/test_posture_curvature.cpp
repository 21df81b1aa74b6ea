#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/ik/posture_curvature.hpp"

// The curvature that searches for postures learn, against matrices that are known: those of quadratic Lagrangians, and the update of the
// inverse, which is another formula.

using namespace kido;

namespace {

constexpr int kUnknowns = 5, kRows = 3;
using Vector = std::vector<double>;

struct Matrix {
    int n = kUnknowns;
    Vector x = Vector(static_cast<std::size_t>(kUnknowns) * kUnknowns, 0.0);

    double& operator()(int i, int j) { return x[i * n + j]; }
    double operator()(int i, int j) const { return x[i * n + j]; }
    Matrix plus(const Matrix& other, double factor = 1.0) const {
        Matrix sum = *this;
        for (std::size_t k = 0; k < x.size(); ++k) sum.x[k] += factor * other.x[k];
        return sum;
    }
    Matrix times(const Matrix& other) const {
        Matrix product;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                for (int k = 0; k < n; ++k) product(i, j) += (*this)(i, k) * other(k, j);
            }
        }
        return product;
    }
    Vector times(const Vector& v) const {
        Vector product(n, 0.0);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) product[i] += (*this)(i, j) * v[j];
        }
        return product;
    }
    double distance(const Matrix& other) const {
        double most = 0.0;
        for (std::size_t k = 0; k < x.size(); ++k) most = std::max(most, std::fabs(x[k] - other.x[k]));
        return most;
    }
};

double product(const Vector& a, const Vector& b) { return dot_numbers(a.data(), b.data(), kUnknowns); }

Matrix diagonal(const Vector& of) {
    Matrix m;
    for (int i = 0; i < kUnknowns; ++i) m(i, i) = of[i];
    return m;
}

class Random {
public:
    double number() { return std::uniform_real_distribution<double>(-1.0, 1.0)(random_); }
    Vector vector() {
        Vector v(kUnknowns);
        for (double& x : v) x = number();
        return v;
    }
    // Orthonormal columns.
    Matrix axes() {
        Matrix m;
        for (int j = 0; j < kUnknowns; ++j) {
            Vector v = vector();
            for (int round = 0; round < 2; ++round) {
                for (int k = 0; k < j; ++k) {
                    double along = 0.0;
                    for (int i = 0; i < kUnknowns; ++i) along += m(i, k) * v[i];
                    for (int i = 0; i < kUnknowns; ++i) v[i] -= along * m(i, k);
                }
            }
            const double length = std::sqrt(product(v, v));
            for (int i = 0; i < kUnknowns; ++i) m(i, j) = v[i] / length;
        }
        return m;
    }

private:
    std::mt19937 random_{11};
};

Vector column(const Matrix& m, int j) {
    Vector v(kUnknowns);
    for (int i = 0; i < kUnknowns; ++i) v[i] = m(i, j);
    return v;
}

// The symmetric matrix with given eigenvalues along axes.
Matrix along(const Matrix& axes, const Vector& values) {
    Matrix m;
    for (int k = 0; k < kUnknowns; ++k) {
        const Vector v = column(axes, k);
        for (int i = 0; i < kUnknowns; ++i) {
            for (int j = 0; j < kUnknowns; ++j) m(i, j) += values[k] * v[i] * v[j];
        }
    }
    return m;
}

// Rows whose values are quadratic, and a cost with a quadratic part beside half of squares, in memory full of numbers that are none.
struct Lagrangian {
    Matrix squares, rest, rows[kRows];  // curvatures: of squares in the cost, of the rest of it, of each row
    Vector force = Vector(kRows, 0.0), scale = {0.5, 1.0, 2.0, 0.25, 4.0};
    PostureProgram program{};
    std::vector<double> memory;
    std::unique_ptr<PosturePoint> here, there;
    std::unique_ptr<PostureCurvature> curvature;

    Lagrangian() : memory(4000, std::numeric_limits<double>::signaling_NaN()) {
        program.unknowns = kUnknowns - 1;
        program.extras = 1;
        program.rows = kRows;
        program.scale = scale.data();
        void* start = memory.data();
        std::size_t space = memory.size() * sizeof(double);
        Scratch scratch(std::align(kAlignment, 3000 * sizeof(double), start, space));
        here = std::make_unique<PosturePoint>(program, scratch);
        there = std::make_unique<PosturePoint>(program, scratch);
        curvature = std::make_unique<PostureCurvature>(program, scratch);
        curvature->forget();
    }
    Lagrangian(const Lagrangian&) = delete;
    Lagrangian& operator=(const Lagrangian&) = delete;

    void fill(PosturePoint& point, const Vector& at, const Matrix& squares_there) const {
        const Vector of_squares = squares.times(at), of_rest = rest.times(at);
        for (int j = 0; j < kUnknowns; ++j) point.g[j] = 0.3 * j + of_squares[j] + of_rest[j];
        for (int r = 0; r < kRows; ++r) {
            const Vector slope = rows[r].times(at);
            for (int j = 0; j < kUnknowns; ++j) point.J[r * kUnknowns + j] = 0.1 * (r - j) + slope[j];
        }
        std::copy(squares_there.x.begin(), squares_there.x.end(), point.H);
    }
    // From a posture by a step.
    void learn(const Vector& from, const Vector& step, const Matrix& squares_here, const Matrix& squares_there) {
        Vector to = from;
        for (int j = 0; j < kUnknowns; ++j) to[j] += step[j];
        fill(*here, from, squares_here);
        fill(*there, to, squares_there);
        curvature->learn(*here, *there, step.data(), force.data());
    }
    void learn(const Vector& from, const Vector& step) { learn(from, step, squares, squares); }
    Matrix whole() const {
        Matrix sum = squares.plus(rest);
        for (int r = 0; r < kRows; ++r) sum = sum.plus(rows[r], -force[r]);
        return sum;
    }
    Matrix B() const {
        Matrix m;
        std::copy(curvature->B, curvature->B + m.x.size(), m.x.begin());
        return m;
    }
    // At a point that is left as it was, with other squares.
    Matrix with_squares(const Matrix& squares_here) {
        std::copy(squares_here.x.begin(), squares_here.x.end(), here->H);
        curvature->add_squares(*here);
        return B();
    }
};

// The inverse of what B becomes by BFGS: (1 - s y^T / s^T y) B^-1 (1 - y s^T / s^T y) + s s^T / s^T y.
Matrix inverse_update(const Matrix& inverse, const Vector& s, const Vector& y) {
    const double rho = 1.0 / product(s, y);
    Matrix left, right, result;
    for (int i = 0; i < kUnknowns; ++i) {
        for (int j = 0; j < kUnknowns; ++j) {
            left(i, j) = (i == j) - rho * s[i] * y[j];
            right(i, j) = (i == j) - rho * y[i] * s[j];
        }
    }
    result = left.times(inverse).times(right);
    for (int i = 0; i < kUnknowns; ++i) {
        for (int j = 0; j < kUnknowns; ++j) result(i, j) += rho * s[i] * s[j];
    }
    return result;
}

Matrix unit() { return diagonal(Vector(kUnknowns, 1.0)); }

const Matrix kNone;

}  // namespace

TEST("curvature of rows and costs is known once steps have gone along each direction by itself") {
    Random random;
    const Matrix axes = random.axes();
    for (const bool squares : {false, true}) {
        Lagrangian problem;
        // Of the sum of all, along the axes: what squares have is a part of it, and no direction is learned by a step along another.
        if (squares) problem.squares = along(axes, {0.5, 1.0, 2.0, 3.0, 1.5});
        for (int r = 0; r < kRows; ++r) {
            problem.rows[r] = along(random.axes(), random.vector());
            problem.force[r] = 0.5 + r;
        }
        const Matrix learned = along(axes, {1.0, 3.0, 20.0, 40.0, 30.0});
        problem.rest = learned;
        for (int r = 0; r < kRows; ++r) problem.rest = problem.rest.plus(problem.rows[r], problem.force[r]);
        CHECK_WITHIN(problem.whole().distance(problem.squares.plus(learned)), 1e-14);
        for (double& x : problem.scale) x = 10.0;
        Vector at = random.vector();
        for (int k = 0; k < kUnknowns; ++k) {
            Vector step = column(axes, k);
            for (double& x : step) x *= 0.1 * (k + 1);
            problem.learn(at, step);
            for (int j = 0; j < kUnknowns; ++j) at[j] += step[j];
        }
        CHECK_WITHIN(problem.B().distance(problem.whole()), 2e-5);  // B is shifted by 1e-8 of its largest element before each step
        // With the squares of another place, what was learned is kept.
        if (squares) CHECK_WITHIN(problem.with_squares(unit()).distance(learned.plus(unit())), 2e-5);
        const Vector s = random.vector();
        CHECK_WITHIN(std::fabs(problem.curvature->quadratic(s.data()) - product(s, problem.B().times(s))), 1e-12);
    }
}

TEST("without squares and before anything was learned, unknowns count in their scales") {
    Lagrangian problem;
    CHECK_WITHIN(problem.with_squares(kNone).distance(diagonal({4.0, 1.0, 0.25, 16.0, 0.0625})), 0.0);
    CHECK_WITHIN(problem.with_squares(diagonal({0.0, 0.0, 0.0, 0.0, 7.0})).distance(diagonal({0.0, 0.0, 0.0, 0.0, 7.0})), 0.0);
}

TEST("a step is learned as the update of the inverse says, damped where it shows little curvature") {
    Random random;
    bool damped[2] = {};
    for (int k = 0; k < 40; ++k) {
        Lagrangian problem;
        problem.rest = along(random.axes(), {0.1, 0.3, -1.0, 2.0, 4.0});
        Matrix inverse;
        for (int i = 0; i < kUnknowns; ++i) inverse(i, i) = problem.scale[i] * problem.scale[i];
        const Matrix before = problem.with_squares(kNone);
        const Vector s = random.vector(), y = problem.rest.times(s), Bs = before.times(s);
        const double curved = product(s, Bs), shown = product(s, y);
        // Powell's: the step shows a fifth of what B has at least, by as much of B as that takes.
        const bool little = shown < 0.2 * curved;
        const double part = little ? 0.8 * curved / (curved - shown) : 1.0;
        Vector seen = y;
        for (int i = 0; i < kUnknowns; ++i) seen[i] = part * y[i] + (1.0 - part) * Bs[i];
        CHECK_WITHIN(0.2 * curved, product(s, seen) * (1.0 + 1e-12));
        problem.learn(random.vector(), s);
        CHECK_WITHIN(problem.B().times(inverse_update(inverse, s, seen)).distance(unit()), 1e-4);
        damped[little] = true;
    }
    CHECK(damped[0] && damped[1]);
}

namespace {

// Has learned curvature along axes beside squares.
void teach(Lagrangian& problem, const Matrix& axes, const Matrix& learned) {
    problem.rest = learned;
    for (int k = 0; k < kUnknowns; ++k) problem.learn(Vector(kUnknowns, 0.0), column(axes, k));
    CHECK_WITHIN(problem.B().distance(problem.squares.plus(learned)), 1e-5);
}

}  // namespace

TEST("what was learned shrinks to what a step shows of it, in all directions, and does not grow") {
    Random random;
    const Matrix axes = random.axes(), learned = along(axes, {1.0, 2.0, 4.0, 5.0, 3.0});
    for (const double share : {0.0, 0.25, 0.9, -0.1, 1.5}) {
        for (const double more : {0.0, 0.4, -1.0}) {  // of squares at the end of the step, along it
            Lagrangian problem;
            problem.squares = along(axes, {6.0, 8.0, 10.0, 9.0, 7.0});
            teach(problem, axes, learned);
            problem.rest = along(axes, {share * 1.0, share * 2.0, share * 4.0, share * 5.0, share * 3.0});
            const Matrix squares = problem.squares.plus(along(axes, {0.0, 0.0, more, 0.0, 0.0}));
            problem.learn(random.vector(), column(axes, 2), problem.squares, squares);
            const double left = std::min(std::fabs(share * 4.0 - more) / 4.0, 1.0);
            // Along the step what it shows, elsewhere what is left.
            const Matrix expected = along(axes, {left * 1.0, left * 2.0, share * 4.0 - more, left * 5.0, left * 3.0});
            CHECK_WITHIN(problem.B().distance(squares.plus(expected)), 1e-5);
            CHECK_WITHIN(problem.with_squares(unit()).distance(expected.plus(unit())), 1e-5);
        }
    }
}

TEST("squares at the end of a step count unless they leave a direction of negative curvature") {
    Random random;
    const Matrix axes = random.axes(), learned = along(axes, {-1.0, -1.0, -1.0, -1.0, -1.0});
    for (const double end : {0.9, 1.1}) {  // of squares, in directions other than the step's
        Lagrangian problem;
        problem.squares = along(axes, {4.0, 4.0, 4.0, 4.0, 4.0});
        teach(problem, axes, learned);
        const Matrix squares = along(axes, {end, 4.0, 4.0, 4.0, 4.0});
        problem.learn(random.vector(), column(axes, 3), problem.squares, squares);
        const double first = end < 1.0 ? 3.0 : end - 1.0;
        const Matrix expected = along(axes, {first, 3.0, 3.0, 3.0, 3.0});
        CHECK_WITHIN(problem.B().distance(expected), 1e-5);
        CHECK_WITHIN(problem.with_squares(squares).distance(expected), 1e-5);
        CHECK_WITHIN(problem.with_squares(kNone).distance(expected.plus(squares, -1.0)), 1e-5);
    }
}

TEST("a direction in which squares have no curvature is learned as any other") {
    for (const double here : {0.0, 5.0}) {  // what squares have along another direction without any at the end of the step
        Lagrangian problem;
        problem.rest = diagonal({2.0, 0.0, 0.0, 0.0, 0.0});
        const Matrix before = diagonal({0.0, here, 1.0, 2.0, 3.0}), after = diagonal({0.0, 0.0, 1.0, 2.0, 3.0});
        problem.squares = after;
        problem.learn(Vector(kUnknowns, 1.0), {0.7, 0.0, 0.0, 0.0, 0.0}, before, after);
        CHECK_WITHIN(problem.B().distance(diagonal({2.0, 0.0, 1.0, 2.0, 3.0})), 1e-6);
    }
}

TEST("tiny steps teach nothing, and curvature that is none or huge has all be forgotten") {
    Random random;
    const Matrix axes = random.axes(), learned = along(axes, {1.0, 2.0, 4.0, 5.0, 3.0});
    for (const double largest : {1e7, 1e9}) {
        Lagrangian problem;
        problem.squares = unit();
        teach(problem, axes, learned);
        Vector tiny(kUnknowns, 0.0);
        tiny[4] = -0.9e-12;
        problem.rest = along(axes, Vector(kUnknowns, 50.0));
        problem.learn(random.vector(), tiny);
        CHECK_WITHIN(problem.with_squares(unit()).distance(learned.plus(unit())), 1e-5);
        problem.rest = along(axes, Vector(kUnknowns, largest));
        problem.learn(Vector(kUnknowns, 0.0), column(axes, 1));
        const Matrix expected = largest < 1e8 ? along(axes, {1.0, largest, 4.0, 5.0, 3.0}) : kNone;
        CHECK_WITHIN(problem.with_squares(unit()).distance(expected.plus(unit())), 1e-7 * largest);
    }
    Lagrangian problem;
    problem.squares = unit();
    teach(problem, axes, learned);
    const Matrix hollow = along(axes, {-9.0, 1.0, 1.0, 1.0, 1.0});
    problem.learn(Vector(kUnknowns, 0.0), column(axes, 0), hollow, hollow);
    CHECK_WITHIN(problem.with_squares(unit()).distance(unit()), 0.0);
}
