#include "kido/soft/soft_layer.hpp"

#include <numeric>
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

// What sides of all points reach.
std::vector<int> everywhere(const SoftLayer& layer) {
    std::vector<int> points(layer.size());
    std::iota(points.begin(), points.end(), 0);
    return layer.reach(points);
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
        Dense A;
        std::vector<double> b;
        system(A, b);
        return solved(A, b);
    }
    // How velocities answer an impulse on a point.
    std::vector<double> answered(int point, const Vec3<double>& impulse) const {
        Dense A;
        std::vector<double> b;
        system(A, b);
        std::fill(b.begin(), b.end(), 0.0);
        add(b, 0, cross(layer.place(point), impulse));
        add(b, 3, impulse);
        if (!layer.material().frozen[point]) add(b, 6 + 3 * point, impulse);
        return solved(A, b);
    }
    void system(Dense& A, std::vector<double>& b) const {
        const SoftMaterial& m = layer.material();
        const int n = 6 + 3 * m.size();
        A.assign(n, std::vector<double>(n, 0.0));
        b.assign(n, 0.0);
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
    }
    void add_point(int i, Dense& A, std::vector<double>& b) const {
        const SoftMaterial& m = layer.material();
        const int row = 6 + 3 * i;
        const double mi = m.mass[i] + layer.pin_mass(i), k = m.vertex_stiffness[i], d = m.damping[i];
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
        Vec3<double> acting = layer.forces[i] + (gravity - bias) * mi;
        if (!layer.pulls.empty()) acting += layer.pulls[i];
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
    // What is left of it at the body, by what the points leave there.
    Dense reduced(const SoftLoad& load) const {
        Dense A(6, std::vector<double>(6, 0.0));
        const Sym3<double>& s = load.second;
        const double second[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
        const double own[3] = {moments.x, moments.y, moments.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) A[i][j] = second[i][j] + (i == j ? own[i] : 0.0);
        }
        add_cross(A, 0, 3, load.first, 1.0);
        add_cross(A, 3, 0, load.first, -1.0);
        add_diagonal(A, 3, 3, mass + load.mass);
        return A;
    }
    // The answer to an impulse on a point by elimination, after `eliminate`.
    std::vector<double> answered(const SoftLoad& load, int point, const Vec3<double>& impulse) const {
        const auto [share, moment] = layer.share(point);
        std::vector<double> b(6, 0.0);
        add(b, 0, cross(moment, impulse));
        add(b, 3, impulse * share);
        std::vector<double> a = solved(reduced(load), b);
        std::vector<SoftLayer::Row> sides(layer.size(), SoftLayer::Row(0.0));
        std::vector<Lanes<4>> alone(layer.size(), Lanes<4>(0.0));
        layer.add_sides(sides, point, impulse * 0.5, impulse);
        layer.add_side(alone, point, impulse);
        layer.solve(sides);
        layer.solve(alone, everywhere(layer));
        for (int i = 0; i < layer.size(); ++i) {
            const auto [half, whole] = layer.sides(sides, i);
            CHECK_WITHIN(std::sqrt(dot(half * 2.0 - whole, half * 2.0 - whole)), 1e-12);
            const Vec3<double> one = layer.side(alone, i) - whole;
            CHECK_WITHIN(std::sqrt(dot(one, one)), 1e-12);
            const Vec3<double> x = whole + layer.followed(i, {a[0], a[1], a[2]}, {a[3], a[4], a[5]});
            a.insert(a.end(), {x.x, x.y, x.z});
        }
        return a;
    }
    // The same by elimination.
    std::vector<double> eliminated() {
        SoftLoad load;
        CHECK(layer.eliminate(h, spin, load));
        const double M = mass + load.mass;
        const Vec3<double> c = load.first;
        const Sym3<double>& s = load.second;
        std::vector<double> b(6, 0.0);
        const Vec3<double> momentum = turned(spin) + s * spin + cross(c, velocity), linear = velocity * M - cross(c, spin);
        add(b, 0, cross(momentum, spin) + cross(linear, velocity) + cross(c, gravity) + load.torque);
        add(b, 3, cross(linear, spin) + gravity * M + load.force);
        std::vector<double> a = solved(reduced(load), b);
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

TEST("impulses on points move the body and all points as in the whole system") {
    Random random;
    for (const double h : {1e-3, 1e-2}) {
        SoftMaterial material = material_of(random, 12, 0.4);
        material.frozen[2] = 1;
        FreeBody body = moving_body(random, material, h);
        SoftLoad load;
        CHECK(body.layer.eliminate(h, body.spin, load));
        for (const int point : {0, 2, 8}) {
            const Vec3<double> impulse = random.vector(1.0);
            CHECK_WITHIN(largest_difference(body.answered(load, point, impulse), body.answered(point, impulse)), 1e-9);
        }
        std::vector<int> slots(12, 0);
        body.layer.learn_couplings(slots);
        for (const int point : {8, 11}) {
            std::vector<Lanes<4>> side(12, Lanes<4>(0.0));
            body.layer.add_side(side, point, {1.0, 0.0, 0.0});
            body.layer.solve(side, everywhere(body.layer));
            for (const SoftCoupling& c : body.layer.couplings(point)) {
                CHECK_WITHIN(c.response - body.layer.side(side, c.point).x, 1e-12);
            }
        }
        CHECK(body.layer.couplings(8).size() == 11 && body.layer.couplings(2).empty());
        // Other springs have other couplings.
        const long revision = body.layer.revision();
        for (double& stiffness : material.vertex_stiffness) stiffness *= 1e4;
        body.layer.set_material(material);
        CHECK(body.layer.begin(h));
        CHECK(body.layer.revision() != revision);
        body.layer.learn_couplings(slots);
        std::vector<Lanes<4>> side(12, Lanes<4>(0.0));
        body.layer.add_side(side, 8, {1.0, 0.0, 0.0});
        body.layer.solve(side, everywhere(body.layer));
        for (const SoftCoupling& c : body.layer.couplings(8)) CHECK_WITHIN(c.response - body.layer.side(side, c.point).x, 1e-12);
    }
}

TEST("couplings of many points are those of the whole matrix, and what is left out of them is known") {
    Random random;
    constexpr int kAround = 40;
    for (const double stiffness : {1.0, 30.0, 100.0, 300.0, 3e3, 1e6}) {
        SoftMaterial m;
        m.edges = torus(kAround);
        for (int i = 0; i < kAround * kAround; ++i) {
            m.mass.push_back(random.number(0.01, 0.02));
            m.vertex_stiffness.push_back(random.number(0.5, 2.0));
            m.damping.push_back(random.number(0.0, 0.1));
            m.rest.push_back(random.vector(0.1));
            m.frozen.push_back(random.chance(0.02));
        }
        m.frozen[5] = m.frozen[777] = 0;
        m.edge_stiffness.assign(m.edges.size(), stiffness);
        m.pinned.assign(m.mass.size(), 0);
        m.pinned[6] = 1;
        SoftLayer layer(m);
        CHECK(layer.begin(1e-2));
        std::vector<int> slots(layer.size(), -1);
        for (const int point : {5, 6, 777, 778, 1599}) slots[point] = 0;
        layer.learn_couplings(slots);
        for (const int point : {5, 777}) {
            std::vector<Lanes<4>> side(layer.size(), Lanes<4>(0.0));
            layer.add_side(side, point, {1.0, 0.0, 0.0});
            layer.solve(side, everywhere(layer));
            double left = 0.0;
            for (int i = 0; i < layer.size(); ++i) left += layer.side(side, i).x;
            for (const SoftCoupling& c : layer.couplings(point)) {
                CHECK_WITHIN(c.response - layer.side(side, c.point).x, 1e-10);
                left -= c.response;
            }
            const double own = layer.side(side, point).x;
            CHECK(layer.couplings(point)[0].point == point);
            CHECK(left <= layer.left_out(point) + 1e-9 * own);
            // Soft springs hardly couple any; stiff ones all that may be kept.
            const std::size_t count = layer.couplings(point).size();
            CHECK(count == 1000 || layer.left_out(point) <= 1e-2 * own * (1.0 + 1e-9));
            CHECK(stiffness == 1.0 ? count < 12 : stiffness == 1e6 ? count == 1000 : count > 12);
        }
    }
}

TEST("couplings end at points that are frozen or pinned, and with the points that are joined") {
    constexpr int kChain = 5, kChains = 300;
    for (const int ends : {0, 1, 2}) {  // those of each chain are free, frozen, or pinned
        for (const double stiffness : {1e2, 1e5, 1e9}) {
            SoftMaterial m;
            for (int i = 0; i < kChain * kChains; ++i) {
                const bool end = i % kChain == 0 || i % kChain == kChain - 1;
                m.mass.push_back(0.015);
                m.vertex_stiffness.push_back(1.0);
                m.damping.push_back(0.05);
                m.rest.push_back({0.1 * i, 0.0, 0.0});
                m.frozen.push_back(end && ends == 1);
                m.pinned.push_back(end && ends == 2);
                if (i % kChain == 0) continue;
                m.edges.push_back({i - 1, i});
                m.edge_stiffness.push_back(stiffness);
            }
            SoftLayer layer(m);
            const double h = 1e-2, own = m.mass[0] + h * (m.damping[0] + h * m.vertex_stiffness[0]), along = h * h * stiffness;
            CHECK(layer.begin(h));
            const int middle = 7 * kChain + 2;
            std::vector<int> slots(layer.size(), -1);
            slots[middle] = 0;
            layer.learn_couplings(slots);
            Dense A(kChain, std::vector<double>(kChain, 0.0));
            for (int i = 0; i < kChain; ++i) {
                const bool end = i == 0 || i == kChain - 1;
                A[i][i] = own + along * (end ? 1.0 : 2.0);
                if (end && ends > 0) A[i][i] *= 1e12;
                if (i > 0) A[i][i - 1] = A[i - 1][i] = -along;
            }
            const std::vector<double> expected = solved(A, {0.0, 0.0, 1.0, 0.0, 0.0});
            const std::vector<SoftCoupling>& found = layer.couplings(middle);
            CHECK(static_cast<int>(found.size()) == (ends > 0 ? kChain - 2 : kChain));
            for (const SoftCoupling& c : found) {
                CHECK_WITHIN(std::abs(c.response - expected[c.point - 7 * kChain]), 1e-3 * expected[2]);
            }
            CHECK(layer.left_out(middle) <= 1e-4 * expected[2]);
        }
    }
}

TEST("points that are pinned are as heavy as what leads them") {
    Random random;
    for (const double h : {1e-3, 1e-2}) {
        SoftMaterial material = material_of(random, 9, 0.4);
        material.pinned.assign(9, 0);
        material.pinned[2] = material.pinned[7] = 1;
        material.frozen[7] = 1;
        FreeBody body = moving_body(random, material, h);
        CHECK(body.layer.begin(h));
        CHECK(body.layer.pin_mass(2) > 1e5 * material.mass[2] && body.layer.pin_mass(3) == 0.0 && body.layer.pin_mass(7) == 0.0);
        body.layer.pulls.assign(9, zero3<double>());
        body.layer.pulls[2] = random.vector(body.layer.pin_mass(2));
        CHECK_WITHIN(largest_difference(body.eliminated(), body.dense()), 1e-8);
    }
}

namespace {

// A tetrahedron of four points.
SoftMaterial tetrahedron(Random& random) {
    SoftMaterial m = material_of(random, 4, 1.0);
    m.rest = {{0.0, 0.0, 0.0}, {0.2, 0.0, 0.0}, {0.0, 0.3, 0.0}, {0.0, 0.0, 0.1}};
    m.faces = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    return m;
}
// Around a body that stands still: forces of springs and dampers on a point at the end of a step, springs along all directions alike.
Vec3<double> springs(const SoftLayer& layer, int i, double h) {
    const SoftMaterial& m = layer.material();
    const auto speed = [&](int k) { return layer.velocities[k] + layer.accelerations[k] * h; };
    const auto end = [&](int k) { return layer.displacements[k] - layer.yielded[k] + speed(k) * h; };
    Vec3<double> force = end(i) * -m.vertex_stiffness[i] - speed(i) * m.damping[i];
    for (std::size_t e = 0; e < m.edges.size(); ++e) {
        const auto [a, b] = m.edges[e];
        if (a == i) force += (end(b) - end(a)) * m.edge_stiffness[e];
        if (b == i) force += (end(a) - end(b)) * m.edge_stiffness[e];
    }
    return force;
}
double size_of(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// What edges that keep their length, springs and dampers leave of the forces on the points at the end of a step, of the largest of these.
double unbalanced(FreeBody& body, const Vec3<double>& spin) {
    SoftLayer& layer = body.layer;
    const SoftMaterial& material = layer.material();
    const double h = body.h;
    const Vec3<double> gravity = {1.0, -4.0, 9.0};
    SoftLoad load;
    CHECK(layer.eliminate(h, spin, load, gravity));
    layer.accelerate(zero3<double>(), gravity * -1.0, spin);
    const auto speed = [&](int k) { return layer.velocities[k] + layer.accelerations[k] * h; };
    double worst = 0.0, largest = 0.0;
    for (int i = 0; i < layer.size(); ++i) {
        const Vec3<double> turning = cross(spin, layer.velocities[i] * 2.0 + cross(spin, layer.place(i)));
        Vec3<double> force = layer.forces[i] + (gravity - turning) * material.mass[i] - speed(i) * material.damping[i] -
                             (layer.displacements[i] + speed(i) * h) * material.vertex_stiffness[i];
        for (std::size_t e = 0; e < material.edges.size(); ++e) {
            const auto [a, b] = material.edges[e];
            if (a != i && b != i) continue;
            const Vec3<double> apart = layer.place(b) - layer.place(a) + (speed(b) - speed(a)) * h;
            const double stretched = size_of(apart) - size_of(material.rest[b] - material.rest[a]);
            force += apart * (material.edge_stiffness[e] * stretched / size_of(apart) * (a == i ? 1.0 : -1.0));
        }
        worst = std::max(worst, size_of(force - layer.accelerations[i] * material.mass[i]));
        largest = std::max(largest, size_of(force));
    }
    return worst / largest;
}

}  // namespace

TEST("gas has the pressure of the volume at the end of a step, and presses along how the volume grows") {
    Random random;
    for (const double K : {10.0, 1e3, 1e6}) {
        for (const double h : {1e-3, 1e-2}) {
            SoftMaterial material = tetrahedron(random);
            material.bulk_modulus = K;
            material.frozen[0] = K == 10.0;  // what presses it presses the body, so that gas pushes nothing as a whole
            FreeBody body = moving_body(random, material, h);
            SoftLayer& layer = body.layer;
            for (int i = 0; i < 4; ++i) layer.yielded[i] = random.vector(0.01);
            SoftLoad load;
            CHECK(layer.eliminate(h, zero3<double>(), load));
            layer.accelerate(zero3<double>(), zero3<double>(), zero3<double>());
            const auto volume = [&](double t) {  // of a tetrahedron
                const Vec3<double> o = layer.place(0) + layer.velocities[0] * t;
                const auto corner = [&](int i) { return layer.place(i) + layer.velocities[i] * t - o; };
                return dot(corner(1), cross(corner(2), corner(3))) / 6.0;
            };
            Vec3<double> slopes[4];
            double grown = volume(0.0);
            for (int i = 0; i < 4; ++i) {
                double* x = &layer.displacements[i].x;
                double* slope = &slopes[i].x;
                for (int c = 0; c < 3; ++c) {
                    const double kept = x[c], d = 1e-6;
                    x[c] = kept + d;
                    const double more = volume(0.0);
                    x[c] = kept - d;
                    slope[c] = (more - volume(0.0)) / (2.0 * d);
                    x[c] = kept;
                }
                grown += h * dot(slopes[i], layer.velocities[i] + layer.accelerations[i] * h);
            }
            const double pressure = K * (0.2 * 0.3 * 0.1 / 6.0 / grown - 1.0);
            for (int i = material.frozen[0]; i < 4; ++i) {
                const Vec3<double> expected = layer.forces[i] + springs(layer, i, h) + slopes[i] * pressure;
                const Vec3<double> found = layer.accelerations[i] * material.mass[i];
                CHECK_WITHIN(size_of(found - expected), 1e-6 * (1.0 + size_of(slopes[i] * pressure)));
            }
            // The points' momenta are what acts on them from outside less what acts at the body.
            Vec3<double> momentum = zero3<double>(), acting = momentum;
            for (int i = 0; i < 4; ++i) {
                momentum += layer.accelerations[i] * material.mass[i];
                acting += layer.forces[i];
            }
            CHECK_WITHIN(size_of(acting - momentum - load.force), 1e-9 * (1.0 + size_of(momentum)));
            // A body that spins throws its points outwards, which makes room for the gas.
            const Vec3<double> spin = {30.0, -20.0, 10.0};
            CHECK(layer.eliminate(h, spin, load));
            layer.accelerate(zero3<double>(), zero3<double>(), spin);
            std::vector<Vec3<double>> rates(4);
            double flung = volume(0.0), power = 0.0;
            for (int i = 0; i < 4; ++i) {
                rates[i] = layer.velocities[i] + layer.accelerations[i] * h;
                flung += h * dot(slopes[i], rates[i]);
                power += dot(slopes[i], rates[i]);
            }
            power *= K * (0.2 * 0.3 * 0.1 / 6.0 / flung - 1.0);
            CHECK_WITHIN(layer.gas_power(rates) - power, 1e-6 * (1.0 + std::abs(power)));
        }
    }
}

TEST("gas of a surface that would turn inside out in a step keeps some volume") {
    Random random;
    for (const double K : {1e-8, 1.0, 1e2}) {
        FreeBody body = moving_body(random, tetrahedron(random), 1e-2);
        SoftLayer& layer = body.layer;
        SoftMaterial material = layer.material();
        material.bulk_modulus = K;
        layer.set_material(material);
        for (int i = 0; i < 4; ++i) layer.velocities[i] = material.rest[i] * -500.0, layer.displacements[i] = zero3<double>();
        SoftLoad load;
        CHECK(layer.eliminate(body.h, zero3<double>(), load));
        layer.accelerate(zero3<double>(), zero3<double>(), zero3<double>());
        // dV / dx of a tetrahedron with a corner at the origin, at rest; points opposite to it have one each.
        const double slopes[3] = {0.3 * 0.1 / 6.0, 0.2 * 0.1 / 6.0, 0.2 * 0.3 / 6.0}, rest = 0.2 * 0.3 * 0.1 / 6.0;
        const double moved[3] = {layer.velocities[1].x + layer.accelerations[1].x * body.h, layer.velocities[2].y + layer.accelerations[2].y * body.h,
                                 layer.velocities[3].z + layer.accelerations[3].z * body.h};
        const Vec3<double> base = layer.velocities[0] + layer.accelerations[0] * body.h;
        double volume = rest, without = rest;
        for (int c = 0; c < 3; ++c) {
            volume += body.h * slopes[c] * (moved[c] - (&base.x)[c]);
            without += body.h * slopes[c] * (&layer.velocities[c + 1].x)[c];
        }
        CHECK(without < 0.0);
        if (K < 1e-6) {  // as good as nothing is left, which rounding of the other volumes allows to see to so many digits
            CHECK_WITHIN(std::abs(volume), 1e-10 * rest);
            continue;
        }
        CHECK(volume > 0.0);
        const double pressure = K * (rest / volume - 1.0);
        const Vec3<double> force = layer.accelerations[1] * material.mass[1] - layer.forces[1] - springs(layer, 1, body.h);
        CHECK_WITHIN(force.x - slopes[0] * pressure, 1e-6 * std::abs(slopes[0] * pressure));
    }
}

TEST("edges that keep their length pull along where they are at the end of a step, and turn without effort") {
    Random random;
    SoftMaterial material = material_of(random, 12, 0.4);
    material.along_edges = true;
    const double h = 2e-3;
    // In long steps, in which springs are much stiffer than masses, iterations without what speeds them up would leave twice as much.
    for (const auto& [step, left] : {std::pair{h, 1e-4}, std::pair{1e-2, 0.03}}) {
        FreeBody body = moving_body(random, material, step);
        for (const Vec3<double>& spin : {zero3<double>(), Vec3<double>{20.0, -10.0, 30.0}}) CHECK_WITHIN(unbalanced(body, spin), left);
    }
    // All turned about an axis as one.
    material.vertex_stiffness.assign(12, 0.0);
    FreeBody turned = moving_body(random, material, h);
    for (int i = 0; i < 12; ++i) {
        const Vec3<double> p = material.rest[i];
        turned.layer.displacements[i] = Vec3<double>{p.y, -p.x, p.z} - p;
        turned.layer.velocities[i] = turned.layer.forces[i] = zero3<double>();
    }
    SoftLoad load;
    CHECK(turned.layer.eliminate(h, zero3<double>(), load));
    turned.layer.accelerate(zero3<double>(), zero3<double>(), zero3<double>());
    for (const Vec3<double>& a : turned.layer.accelerations) CHECK_WITHIN(size_of(a), 1e-9);
}

TEST("places of rest follow points that go further than they may, and no others") {
    Random random;
    SoftMaterial material = material_of(random, 4, 0.5);
    material.yield = 0.1;
    material.frozen[3] = 1;
    SoftLayer layer(material);
    layer.displacements = {{0.3, 0.4, 0.0}, {0.05, 0.0, 0.0}, {-0.2, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    layer.yielded[2] = {-0.15, 0.0, 0.0};
    layer.give_way();
    const Vec3<double> expected[] = {{0.24, 0.32, 0.0}, {0.0, 0.0, 0.0}, {-0.15, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 4; ++i) CHECK_WITHIN(size_of(layer.yielded[i] - expected[i]), 1e-15);
    material.yield = HUGE_VAL;
    layer.set_material(material);
    layer.displacements[1] = {5.0, 0.0, 0.0};
    layer.give_way();
    CHECK_WITHIN(size_of(layer.yielded[1]), 0.0);
}

KIDO_END
