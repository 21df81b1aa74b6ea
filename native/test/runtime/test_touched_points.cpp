#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/touched_points.hpp"

// Responses between points that contacts touch, against columns of the inverse by conjugate gradients: tiles of those far from each other
// are left out, and what is left out of a row is on its diagonal.

using namespace kido;

namespace {

constexpr double kStep = 1e-3;

// A sheet of points between heavy and light ones, each tied to its place and to its neighbors.
SoftMaterial sheet(int across, std::mt19937& random) {
    std::uniform_real_distribution<double> number(0.0, 1.0);
    SoftMaterial m;
    for (int i = 0; i < across * across; ++i) {
        m.mass.push_back(0.01 * std::pow(30.0, number(random)));
        m.vertex_stiffness.push_back(100.0 * number(random));
        m.damping.push_back(number(random));
        m.rest.push_back({0.01 * (i % across), 0.01 * (i / across), 0.0});
        m.frozen.push_back(i == 17);
        for (const int beside : {1, across}) {
            if (beside == 1 ? (i + 1) % across == 0 : i + across >= across * across) continue;
            m.edges.push_back({i, i + beside});
            m.edge_stiffness.push_back(2e4 * number(random));
        }
    }
    return m;
}

// A x, with A = M + h D + h^2 (K + L) and frozen points apart.
std::vector<double> times(const SoftMaterial& m, const std::vector<double>& x) {
    std::vector<double> out(x.size());
    for (int i = 0; i < m.size(); ++i) {
        out[i] = m.frozen[i] ? x[i] : (m.mass[i] + kStep * m.damping[i] + kStep * kStep * m.vertex_stiffness[i]) * x[i];
    }
    for (std::size_t e = 0; e < m.edges.size(); ++e) {
        const auto [a, b] = m.edges[e];
        const double k = kStep * kStep * m.edge_stiffness[e];
        if (!m.frozen[a]) out[a] += k * (x[a] - (m.frozen[b] ? 0.0 : x[b]));
        if (!m.frozen[b]) out[b] += k * (x[b] - (m.frozen[a] ? 0.0 : x[a]));
    }
    return out;
}
double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}
// How all velocities respond to an impulse on a point.
std::vector<double> responses(const SoftMaterial& m, int point) {
    std::vector<double> x(m.size(), 0.0), left(x);
    if (m.frozen[point]) return x;
    left[point] = 1.0;
    std::vector<double> way = left;
    double size = 1.0;
    for (int k = 0; k < 400 && size > 1e-30; ++k) {
        const std::vector<double> moved = times(m, way);
        const double part = size / product(way, moved);
        for (int i = 0; i < m.size(); ++i) {
            x[i] += part * way[i];
            left[i] -= part * moved[i];
        }
        const double next = product(left, left);
        for (int i = 0; i < m.size(); ++i) way[i] = left[i] + next / size * way[i];
        size = next;
    }
    return x;
}

PointContact at(int point) {
    PointContact c{};
    c.on = {1, {point, 0, 0}, {1.0, 0.0, 0.0}};
    return c;
}

// Contacts with points of a sheet, `stride` apart, and of those the responses to each other.
struct Touched {
    SoftMaterial material;
    std::vector<SoftPart> softs;
    std::vector<PointContact> contacts;
    TouchedPoints points;

    Touched(int across, int stride, std::mt19937& random) : material(sheet(across, random)) {
        softs.emplace_back(0, 0, -1, true, material);
        CHECK(softs[0].layer.begin(kStep));
        for (int i = 0; i < material.size(); i += stride) contacts.push_back(at(i));
        points.find(contacts, softs);
    }
    int size() const { return static_cast<int>(points.size()); }
};

}  // namespace

TEST("responses of few points that are touched are those of the inverse") {
    std::mt19937 random(3);
    const Touched touched(9, 1, random);
    CHECK(touched.size() == 81 && touched.points.padded() == 88 && !touched.points.approximate());
    for (int i = 0; i < touched.size(); ++i) {
        const std::vector<double> truth = responses(touched.material, i);
        for (int j = 0; j < touched.size(); ++j) CHECK_WITHIN(std::fabs(touched.points.response(i, j) - truth[j]), 1e-10);
    }
}

TEST("responses of many are those of the inverse or none, alike both ways, and rows have the sum of the whole ones") {
    std::mt19937 random(4);
    for (const int across : {24, 33}) {  // of more than a thousand points the layer leaves out some itself
        const Touched touched(across, 1, random);
        const TouchedPoints& points = touched.points;
        CHECK(points.approximate());
        long none = 0, some = 0;
        bool layer_left = false;
        for (int i = 0; i < touched.size(); ++i) {
            const std::vector<double> truth = responses(touched.material, i);
            const double unknown = touched.softs[0].layer.left_out(i);
            layer_left = layer_left || unknown > 0.0;
            double off = 0.0, left = 0.0;
            for (int j = 0; j < touched.size(); ++j) {
                const double found = points.response(i, j);
                if (i == j) continue;
                CHECK(found == points.response(j, i) || (found > 0.0 && std::fabs(found - points.response(j, i)) < 1e-10));
                if (found == 0.0) {
                    left += truth[j];
                    ++none;
                } else {
                    off = std::max(off, std::fabs(found - truth[j]));
                    ++some;
                }
            }
            CHECK_WITHIN(off, 1e-9);
            CHECK_WITHIN(left, 0.1 * truth[i] + unknown + 1e-9);
            const double more = points.response(i, i) - truth[i] - left;
            CHECK_WITHIN(-more, 1e-9);
            CHECK_WITHIN(more, unknown + 1e-9);
        }
        CHECK(none > some);
        CHECK(layer_left == (across > 31));
    }
}

TEST("contacts that several points share respond by all pairs of these") {
    std::mt19937 random(5);
    Touched touched(9, 4, random);
    touched.contacts.push_back(at(8));
    touched.contacts.back().on = {3, {8, 9, 40}, {0.5, 0.2, 0.3}};
    touched.contacts.push_back(at(0));
    touched.contacts.back().on = {2, {40, 41, 0}, {0.25, 0.75, 0.0}};
    touched.points.find(touched.contacts, touched.softs);
    const PointContact &first = touched.contacts[touched.contacts.size() - 2], &second = touched.contacts.back();
    double expected = 0.0;
    for (int k = 0; k < 3; ++k) {
        const std::vector<double> truth = responses(touched.material, first.on.points[k]);
        expected += first.on.weights[k] * (0.25 * truth[40] + 0.75 * truth[41]);
    }
    CHECK_WITHIN(std::fabs(touched.points.response(first, second) - expected), 1e-10);
    CHECK_WITHIN(std::fabs(touched.points.response(second, first) - expected), 1e-10);
}
