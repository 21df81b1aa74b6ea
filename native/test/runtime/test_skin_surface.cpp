#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "kido/contact/skin_surface.hpp"
#include "random_tree.hpp"

// Faces between points that move: shares of corners, velocities and boxes, against the places and velocities of the corners.

using namespace kido;

namespace {

constexpr double kRadius = 0.05;

double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// Two triangles that share a side, as one leaf each of a tree; rows 2 to 5 are their points, 1 is that of their link.
struct Strip {
    std::vector<double> rest = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1.1, 0.9, 0.02};
    std::vector<int> corners = {0, 1, 2, 3, 2, 1}, neighbors = {-1, 1, -1, -1, 0, -1};
    std::vector<MeshNode> nodes = {{{0, 0, 0}, {1.1, 1, 0.02}, 1, 0}, {{0, 0, 0}, {1, 1, 0}, 0, 1}, {{0, 0, 0}, {1.1, 1, 0.02}, 1, 1}};
    TriangleMesh mesh{rest.data(), corners.data(), nullptr, neighbors.data(), nullptr, nodes.data(), 4, 2, {0, 0, 0}, {1.1, 1, 0.02}};
    SkinSurface skin{1, 2, 4, kRadius, true, mesh, {0, 1}};
    std::vector<PoseRow> poses = std::vector<PoseRow>(6);
    std::vector<MotionRow> velocities = std::vector<MotionRow>(6);
    std::vector<SolverBody> none;
    BodyRows rows{none, poses.data(), velocities.data(), nullptr};

    explicit Strip(RandomNumbers& random) {
        write3(poses[1].v, random.vector());
        write3(velocities[1].v, random.vector());
        for (int i = 0; i < 4; ++i) {
            write3(poses[2 + i].v, vec3(poses[1].v) + vec3(&rest[3 * i]) + random.vector() * 0.1);
            write3(velocities[2 + i].v, random.vector());
        }
    }
    Strip(const Strip&) = delete;
    Strip& operator=(const Strip&) = delete;

    // Of corners, by shares.
    Vec3<double> mean(int triangle, const double (&shares)[3], bool of_velocities) const {
        Vec3<double> sum = zero3<double>();
        for (int k = 0; k < 3; ++k) {
            const int row = 2 + corners[3 * triangle + k];
            sum += vec3(of_velocities ? velocities[row].v : poses[row].v) * shares[k];
        }
        return sum;
    }
};

// Of a place from a triangle, by trying places on it.
double distance(const Strip& strip, int triangle, const Vec3<double>& place) {
    constexpr int kParts = 60;
    double least = HUGE_VAL;
    for (int i = 0; i <= kParts; ++i) {
        for (int j = 0; i + j <= kParts; ++j) {
            const double shares[3] = {double(i) / kParts, double(j) / kParts, double(kParts - i - j) / kParts};
            least = std::min(least, length(strip.mean(triangle, shares, false) - place));
        }
    }
    return least;
}

}  // namespace

TEST("shares of corners give back a place on a face, also where it has no area, and its velocity") {
    RandomNumbers random(3);
    for (int k = 0; k < 40; ++k) {
        Strip strip(random);
        const bool flat = k % 4 == 3;
        if (flat) {  // a needle: its third corner on a side, or two corners in one place
            const Vec3<double> a = vec3(strip.poses[2].v), b = vec3(strip.poses[3].v);
            write3(strip.poses[4].v, k % 8 == 3 ? a : a + (b - a) * 3.0);
        }
        double shares[3] = {random.between(0.0, 1.0), random.between(0.0, 1.0), random.between(0.0, 1.0)};
        const double sum = shares[0] + shares[1] + shares[2];
        for (double& x : shares) x /= sum;
        const Vec3<double> place = strip.mean(0, shares, false);
        double found[3];
        strip.skin.weights(strip.poses.data(), 0, place, found);
        CHECK_WITHIN(std::fabs(found[0] + found[1] + found[2] - 1.0), 1e-14);
        for (int c = 0; c < 3; ++c) {
            CHECK(found[c] >= 0.0);
            if (!flat) CHECK_WITHIN(std::fabs(found[c] - shares[c]), 1e-9);
        }
        CHECK_WITHIN(length(strip.mean(0, found, false) - place), 1e-9);
        CHECK_WITHIN(length(strip.skin.velocity(strip.rows, 0, place) - strip.mean(0, found, true)), 1e-12);
    }
}

TEST("the box of a skin holds the balls of all points, now and at the end of a step, and no more") {
    RandomNumbers random(4);
    const Strip strip(random);
    for (const double step : {0.0, 0.1, 2.0}) {
        const BoundingBox box = strip.skin.bounds(strip.rows, step);
        Vec3<double> low = {1e9, 1e9, 1e9}, high = low * -1.0;
        for (int i = 2; i < 6; ++i) {
            for (const double t : {0.0, step}) {
                const Vec3<double> p = vec3(strip.poses[i].v) + vec3(strip.velocities[i].v) * t;
                low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
                high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
            }
        }
        const Vec3<double> ball = {kRadius, kRadius, kRadius};
        CHECK_WITHIN(length(box.low - (low - ball)), 1e-14);
        CHECK_WITHIN(length(box.high - (high + ball)), 1e-14);
    }
}

TEST("a point comes as near to a face as both are thick, or half as near as it rests") {
    RandomNumbers random(5);
    Strip strip(random);
    CHECK_WITHIN(std::fabs(strip.skin.nearest(3, 0) - 2.0 * kRadius), 1e-15);
    CHECK(strip.skin.nearest(1, 0) < 0.0 && strip.skin.nearest(0, 0) < 0.0 && strip.skin.nearest(2, 1) < 0.0);
    std::copy_n(std::vector<double>{0.5, 0.5, 0.06}.begin(), 3, &strip.skin.rest[9]);
    CHECK_WITHIN(std::fabs(strip.skin.nearest(3, 0) - 0.03), 1e-15);
}

TEST("a placed skin knows how fast its points leave its link, and the face that is nearest to a place") {
    RandomNumbers random(6);
    for (int k = 0; k < 10; ++k) {
        const Strip strip(random);
        PlacedSkin placed;
        placed.place(strip.skin, strip.rows);
        double most = 0.0;
        for (int i = 2; i < 6; ++i) most = std::max(most, length(vec3(strip.velocities[i].v) - vec3(strip.velocities[1].v)));
        CHECK_WITHIN(most, placed.speed());
        CHECK_WITHIN(placed.speed(), std::sqrt(3.0) * most * (1.0 + 1e-12));
        for (int i = 2; i < 6; ++i) CHECK_WITHIN(length(vec3(strip.poses[i].v) - vec3(placed.pose())), placed.shape().radius);
        for (const int triangle : {0, 1}) {
            CHECK(placed.triangle_at(strip.mean(triangle, {0.4, 0.3, 0.3}, false)) == triangle);
        }
        for (int i = 0; i < 20; ++i) {
            const Vec3<double> place = vec3(placed.pose()) + Vec3<double>{0.5, 0.5, 0.0} + random.vector();
            const int nearest = placed.triangle_at(place);
            CHECK(distance(strip, nearest, place) <= distance(strip, 1 - nearest, place) + 0.02);
        }
    }
}
