#include "kido/soft/soft_layer.hpp"

#include <random>

#include "check.hpp"

// Points around a body against the same equations as one dense matrix.

KIDO_BEGIN
namespace {

using Dense = std::vector<std::vector<double>>;

// x with A x = b, by elimination with pivots.
std::vector<double> solved(Dense A, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t p = k;
        for (std::size_t i = k; i < n; ++i) {
            if (std::abs(A[i][k]) > std::abs(A[p][k])) p = i;
        }
        std::swap(A[k], A[p]);
        std::swap(b[k], b[p]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double f = A[i][k] / A[k][k];
            for (std::size_t j = k; j < n; ++j) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
    return b;
}

class Random {
public:
    double number(double low, double high) { return low + (high - low) * (random_() * 0x1p-32); }
    Vec3<double> vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
    bool chance(double p) { return number(0.0, 1.0) < p; }

private:
    std::mt19937 random_{7};
};

SoftMaterial material_of(Random& random, int count, double joined) {
    SoftMaterial m;
    for (int i = 0; i < count; ++i) {
        m.mass.push_back(random.number(0.01, 0.05));
        m.vertex_stiffness.push_back(random.number(50.0, 200.0));
        m.damping.push_back(random.number(0.1, 1.0));
        m.rest.push_back(random.vector(0.1));
        m.frozen.push_back(0);
        for (int j = 0; j < i; ++j) {
            if (!random.chance(joined)) continue;
            m.edges.push_back({j, i});
            m.edge_stiffness.push_back(random.number(100.0, 500.0));
        }
    }
    return m;
}

// A grid of points on a torus, each joined with six neighbors.
std::vector<GraphEdge> torus(int around) {
    std::vector<GraphEdge> edges;
    const auto at = [&](int i, int j) { return i % around * around + j % around; };
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < around; ++j) {
            for (const auto [a, b] : {GraphEdge{1, 0}, GraphEdge{0, 1}, GraphEdge{1, 1}}) edges.push_back({at(i, j), at(i + a, j + b)});
        }
    }
    return edges;
}

// The matrix of a cross product, row by row.
void add_cross(Dense& A, int row, int column, const Vec3<double>& p, double factor) {
    const double of[3][3] = {{0.0, -p.z, p.y}, {p.z, 0.0, -p.x}, {-p.y, p.x, 0.0}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) A[row + i][column + j] += factor * of[i][j];
    }
}
void add(std::vector<double>& b, int row, const Vec3<double>& v) {
    b[row] += v.x;
    b[row + 1] += v.y;
    b[row + 2] += v.z;
}
void add_diagonal(Dense& A, int row, int column, double x) {
    for (int i = 0; i < 3; ++i) A[row + i][column + i] += x;
}

// A body of mass 1.3 kg whose center is its origin, with points. The equations of motion of all, springs implicit in a step:
// accelerations of the body (angular, linear as components in its moving axes), then of the points relative to it.
struct FreeBody {
    SoftLayer layer;
    double h;
    Vec3<double> spin, velocity, gravity, moments{0.01, 0.012, 0.02};
    double mass = 1.3;

    Vec3<double> turned(const Vec3<double>& v) const { return {moments.x * v.x, moments.y * v.y, moments.z * v.z}; }

    std::vector<double> dense() const {
        const SoftMaterial& m = layer.material();
        const int n = 6 + 3 * m.size();
        Dense A(n, std::vector<double>(n, 0.0));
        std::vector<double> b(n, 0.0);
        const double I[3] = {moments.x, moments.y, moments.z};
        for (int i = 0; i < 3; ++i) A[i][i] = I[i];
        add_diagonal(A, 3, 3, mass);
        add(b, 0, cross(turned(spin), spin));
        add(b, 3, (gravity - cross(spin, velocity)) * mass);
        for (int i = 0; i < m.size(); ++i) add_point(i, A, b);
        for (std::size_t e = 0; e < m.edges.size(); ++e) add_edge(e, A, b);
        for (int i = 0; i < m.size(); ++i) {
            if (!m.frozen[i]) continue;
            for (int k = 6 + 3 * i; k < 9 + 3 * i; ++k) {
                for (int j = 0; j < n; ++j) A[k][j] = A[j][k] = 0.0;
                A[k][k] = 1.0;
                b[k] = 0.0;
            }
        }
        return solved(A, b);
    }
    void add_point(int i, Dense& A, std::vector<double>& b) const {
        const SoftMaterial& m = layer.material();
        const int row = 6 + 3 * i;
        const double mi = m.mass[i], k = m.vertex_stiffness[i], d = m.damping[i];
        const Vec3<double> p = layer.place(i), x = layer.displacements[i], v = layer.velocities[i];
        // J^T m J, m J^T, m J with J = [-p x, 1].
        for (int c = 0; c < 3; ++c) {
            const Vec3<double> e = {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0};
            const Vec3<double> column = cross(p, cross(e, p)) * mi;
            A[0][c] += column.x;
            A[1][c] += column.y;
            A[2][c] += column.z;
        }
        add_cross(A, 0, 3, p, mi);
        add_cross(A, 3, 0, p, -mi);
        add_diagonal(A, 3, 3, mi);
        add_cross(A, 0, row, p, mi);
        add_diagonal(A, 3, row, mi);
        add_cross(A, row, 0, p, -mi);
        add_diagonal(A, row, 3, mi);
        add_diagonal(A, row, row, mi + h * d + h * h * k);
        const Vec3<double> bias = cross(spin, v) * 2.0 + cross(spin, velocity) + cross(spin, cross(spin, p));
        const Vec3<double> acting = layer.forces[i] + (gravity - bias) * mi;
        add(b, 0, cross(p, acting));
        add(b, 3, acting);
        add(b, row, acting - (x + v * h) * k - v * d);
    }
    void add_edge(std::size_t e, Dense& A, std::vector<double>& b) const {
        const SoftMaterial& m = layer.material();
        const auto [i, j] = m.edges[e];
        const double k = m.edge_stiffness[e];
        for (const auto [from, to] : {GraphEdge{i, j}, GraphEdge{j, i}}) {
            add_diagonal(A, 6 + 3 * from, 6 + 3 * from, h * h * k);
            add_diagonal(A, 6 + 3 * from, 6 + 3 * to, -h * h * k);
            const Vec3<double> x = layer.displacements[to] - layer.displacements[from];
            const Vec3<double> v = layer.velocities[to] - layer.velocities[from];
            add(b, 6 + 3 * from, (x + v * h) * k);
        }
    }
    // The same by elimination.
    std::vector<double> eliminated() {
        SoftLoad load;
        CHECK(layer.eliminate(h, spin, load));
        const double M = mass + load.mass;
        const Vec3<double> c = load.first;
        Dense A(6, std::vector<double>(6, 0.0));
        std::vector<double> b(6, 0.0);
        const Sym3<double>& s = load.second;
        const double second[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
        const double own[3] = {moments.x, moments.y, moments.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) A[i][j] = second[i][j] + (i == j ? own[i] : 0.0);
        }
        add_cross(A, 0, 3, c, 1.0);
        add_cross(A, 3, 0, c, -1.0);
        add_diagonal(A, 3, 3, M);
        const Vec3<double> momentum = turned(spin) + s * spin + cross(c, velocity), linear = velocity * M - cross(c, spin);
        add(b, 0, cross(momentum, spin) + cross(linear, velocity) + cross(c, gravity) + load.torque);
        add(b, 3, cross(linear, spin) + gravity * M + load.force);
        std::vector<double> a = solved(A, b);
        const Vec3<double> angular = {a[0], a[1], a[2]}, origin = Vec3<double>{a[3], a[4], a[5]} + cross(spin, velocity);
        layer.accelerate(angular, origin - gravity, spin);
        for (const Vec3<double>& x : layer.accelerations) a.insert(a.end(), {x.x, x.y, x.z});
        return a;
    }
};

FreeBody moving_body(Random& random, SoftMaterial material, double h) {
    FreeBody body{SoftLayer(std::move(material)), h, random.vector(2.0), random.vector(1.0), random.vector(10.0)};
    SoftLayer& layer = body.layer;
    for (int i = 0; i < layer.size(); ++i) {
        layer.displacements[i] = random.vector(0.01);
        layer.forces[i] = random.vector(1.0);
        if (!layer.material().frozen[i]) layer.velocities[i] = random.vector(0.5);
    }
    return body;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double difference = a.size() == b.size() ? 0.0 : HUGE_VAL, size = 1.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = std::max(difference, std::abs(a[i] - b[i]));
        size = std::max(size, std::abs(b[i]));
    }
    return difference / size;
}

}  // namespace

TEST("a sparse factor solves what elimination solves, for eight right-hand sides") {
    Random random;
    for (const double joined : {0.0, 0.1, 0.4, 1.0}) {
        const SoftMaterial m = material_of(random, 23, joined);
        SparseCholesky factor(m.size(), m.edges);
        Dense A(m.size(), std::vector<double>(m.size(), 0.0));
        std::vector<double> diagonal(m.size(), 1.0), beside;
        for (int i = 0; i < m.size(); ++i) A[i][i] = 1.0;
        for (const auto [a, b] : m.edges) {
            const double k = random.number(0.1, 2.0);
            beside.push_back(-k);
            A[a][b] = A[b][a] = -k;
            for (const int v : {a, b}) A[v][v] = diagonal[v] += k;
        }
        CHECK(factor.factor(diagonal, beside));
        std::vector<SparseCholesky::Row> x(m.size());
        std::vector<std::vector<double>> sides(8, std::vector<double>(m.size()));
        for (int c = 0; c < 8; ++c) {
            for (int i = 0; i < m.size(); ++i) x[factor.place(i)].v[c] = sides[c][i] = random.number(-1.0, 1.0);
        }
        factor.solve(x.data());
        for (int c = 0; c < 8; ++c) {
            std::vector<double> found;
            for (int i = 0; i < m.size(); ++i) found.push_back(x[factor.place(i)].v[c]);
            CHECK_WITHIN(largest_difference(found, solved(A, sides[c])), 1e-13);
        }
    }
}

TEST("sides with numbers at some places are solved there from what these reach alone, to the same bits") {
    Random random;
    const std::vector<GraphEdge> edges = torus(20);
    const int n = 400;
    SparseCholesky factor(n, edges);
    CHECK(factor.factor(std::vector<double>(n, 9.0), std::vector<double>(edges.size(), -1.0)));
    for (const int count : {0, 1, 3, 40}) {
        std::vector<int> places;
        std::vector<Lanes<4>> whole(n, Lanes<4>(0.0)), part = whole;
        for (int k = 0; k < count; ++k) {
            places.push_back(factor.place(7 * k));
            for (int c = 0; c < 4; ++c) whole[places[k]].v[c] = part[places[k]].v[c] = random.number(-1.0, 1.0);
        }
        const std::vector<int> reached = factor.reach(places);
        CHECK(std::is_sorted(reached.begin(), reached.end()));
        CHECK(reached.size() < static_cast<std::size_t>(count < 40 ? 200 : n));
        factor.solve(whole.data());
        factor.solve(part.data(), reached);
        for (const int place : places) {
            for (int c = 0; c < 4; ++c) CHECK(whole[place].v[c] == part[place].v[c]);
        }
    }
}

TEST("a matrix that is not positive is not factored") {
    SparseCholesky factor(2, {{0, 1}});
    CHECK(factor.factor({1.0, 1.0}, {-0.5}));
    CHECK(!factor.factor({1.0, 1.0}, {-1.0}));
    CHECK(!factor.factor({0.0, 1.0}, {0.0}));
    CHECK(!factor.factor({1.0, std::nan("")}, {0.0}));
}

TEST("the factor of a surface grows little faster than its points") {
    for (const int around : {10, 20, 40, 80}) {
        const int n = around * around;
        CHECK_WITHIN(SparseCholesky(n, torus(around)).fill(), 3.0 * n * std::log2(n));
    }
}

TEST("points that are eliminated first move as the whole system does") {
    Random random;
    for (const double h : {1e-6, 1e-3, 1e-2, 1.0}) {
        FreeBody body = moving_body(random, material_of(random, 9, 0.4), h);
        CHECK_WITHIN(largest_difference(body.eliminated(), body.dense()), 1e-9);
        SoftMaterial partly = body.layer.material();
        for (const int i : {0, 4, 5}) {
            partly.frozen[i] = 1;
            body.layer.velocities[i] = zero3<double>();
        }
        body.layer.set_material(partly);
        CHECK_WITHIN(largest_difference(body.eliminated(), body.dense()), 1e-9);
    }
}

KIDO_END
