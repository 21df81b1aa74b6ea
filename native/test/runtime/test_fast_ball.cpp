#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/fast_ball.hpp"

using namespace kido;

namespace {

constexpr double kStep = 0.01, kNear = 0.011, kRadius = 0.004;

// A ball that flies in a straight line, and a disc of a radius in the plane through a point.
struct Flight {
    Vec3<double> at, velocity, middle, normal;  // normal: of the disc, towards the ball
    double disc;

    double gap() const { return dot(normal, at - middle) - kRadius; }
    bool second = false;
    ContactManifold manifold() const {
        ContactManifold m = {};
        write3(m.normal, second ? -normal : normal);  // from the second to the first
        m.count = 1;
        m.points[0].gap = gap();
        return m;
    }
    // Where the ball's surface is at the plane, found by halving the time.
    bool meets() const {
        const auto height = [&](double t) { return dot(normal, at + velocity * t - middle) - kRadius; };
        if (height(kStep) > 0.0) return false;
        double before = 0.0, after = kStep;
        for (int k = 0; k < 60; ++k) (height(0.5 * (before + after)) > 0.0 ? before : after) = 0.5 * (before + after);
        return touches(at + velocity * after);
    }
    bool touches(const Vec3<double>& center) const {
        const Vec3<double> d = center - middle;
        const double height = dot(normal, d), aside = std::sqrt(std::max(dot(d, d) - height * height, 0.0));
        return std::abs(height - kRadius) < 1e-9 && aside < disc;
    }
    int left() const {
        const Mat3<double> axes = {{0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
        double pose[12] = {at.x, at.y, at.z};
        write3(pose + 3, axes.x);
        write3(pose + 6, axes.y);
        write3(pose + 9, axes.z);
        ContactManifold found = manifold();
        return FastBall(pose, second, kNear, kStep).take_out_missed(&found, 1, [&](const ContactManifold&) { return velocity; },
                                                                    [&](const double* moved) {
            for (int k = 3; k < 12; ++k) CHECK(moved[k] == pose[k]);
            return touches(vec3(moved));
        });
    }
};

}  // namespace

TEST("a fast ball keeps contacts beyond the usual distance where it gets to what it meets") {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto vector = [&](double size) { return Vec3<double>{number(random), number(random), number(random)} * size; };
    int met = 0, missed = 0, late = 0;
    for (int k = 0; k < 2000; ++k) {
        Flight flight = {vector(0.1), vector(12.0), vector(0.1), vector(1.0), 0.12};
        flight.normal = flight.normal * (1.0 / std::sqrt(dot(flight.normal, flight.normal)));
        flight.second = k % 2 == 1;
        if (!(flight.gap() > kNear)) continue;
        const bool meets = flight.meets();
        met += meets;
        late += !meets && flight.gap() + kStep * dot(flight.normal, flight.velocity) > 0.0;
        missed += !meets;
        CHECK(flight.left() == meets);
    }
    CHECK(met > 40);
    CHECK(late > 200);
    CHECK(missed > late + 50);
}

TEST("nearer contacts of a fast ball stay, and those with several points") {
    const double pose[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    ContactManifold found[5] = {};
    for (int i = 0; i < 5; ++i) {
        found[i].normal[2] = 1.0;
        found[i].count = 1;
        found[i].part = i;
        found[i].points[0].gap = kNear * (i % 2 == 0 ? 1.5 : 1.0);
    }
    found[2].count = 2;
    int asked = 0;
    const auto fast = [](const ContactManifold&) { return Vec3<double>{0.0, 0.0, -20.0}; };
    const auto misses = [&](const double*) { return ++asked < 0; };
    CHECK(FastBall(pose, false, kNear, kStep).take_out_missed(found, 5, fast, misses) == 3);
    CHECK(asked == 2);
    for (int i = 0; i < 3; ++i) CHECK(found[i].part == static_cast<std::uint32_t>(i + 1));
}

TEST("two balls meet in flight where they come as near as both are large") {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> place(-0.3, 0.3), speed(-60.0, 60.0);
    const auto drawn = [&](auto& of) { return Vec3<double>{of(random), of(random), of(random)}; };
    int met = 0, missed = 0;
    for (int k = 0; k < 6000; ++k) {
        const Vec3<double> between = drawn(place), velocity = drawn(speed);
        const double radii = 0.08, start = std::sqrt(dot(between, between));
        double least = start;
        for (int i = 0; i <= 2000; ++i) {
            const Vec3<double> d = between + velocity * (kStep * i / 2000.0);
            least = std::min(least, std::sqrt(dot(d, d)));
        }
        if (std::abs(least - radii) < 1e-4 || std::abs(start - radii) < 1e-4) continue;
        const bool meets = start > radii && least < radii;
        CHECK(meet_in_flight(between, velocity, radii, kStep) == meets);
        ++(meets ? met : missed);
    }
    CHECK(met > 100);
    CHECK(missed > 100);
    CHECK(!meet_in_flight({0.1, 0.0, 0.0}, zero3<double>(), 0.08, kStep));
}
