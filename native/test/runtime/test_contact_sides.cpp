#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kido/contact/loop_elimination.hpp"
#include "kido/contact/serial_contact.hpp"
#include "ragdoll.hpp"

// What two sides of a contact make of each other's motion: what is said of it beforehand against what an impulse does, and what velocities
// alone do to links against the centripetal acceleration of bodies that turn about fixed axes.

using namespace kido;

namespace {

constexpr double kStep = 1e-3, kSubstep = 5e-4;

struct Random {
    std::mt19937_64 engine{5};
    double number(double size) { return std::uniform_real_distribution<double>(-size, size)(engine); }
    Vec3<double> vector(double size) {
        const double x = number(size), y = number(size), z = number(size);
        return {x, y, z};
    }
    Mat3<double> frame() {
        const auto unit = [](const Vec3<double>& v) { return v * (1.0 / std::sqrt(dot(v, v))); };
        const Vec3<double> n = unit(vector(1.0)), t = unit(cross(n, vector(1.0)));
        return {n, t, cross(n, t)};
    }
};

SoftMaterial tetrahedron() {
    SoftMaterial m;
    m.faces = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (int i = 0; i < 4; ++i) {
        m.mass.push_back(0.1 + 0.05 * i);
        m.vertex_stiffness.push_back(200.0);
        m.damping.push_back(0.5);
        m.rest.push_back({0.1 * (i == 1), 0.1 * (i == 2), 0.1 * (i == 3)});
        m.frozen.push_back(false);
        for (int j = 0; j < i; ++j) m.edges.push_back({j, i}), m.edge_stiffness.push_back(3e4);
    }
    return m;
}

// A ragdoll with points around two of its links.
struct Doll {
    Ragdoll doll;
    Articulation a{doll.model(), 1};
    std::vector<SolverBody> bodies{40, SolverBody{BodyKind::link, true, 0, 0, 0.1, 0, 1}};
    std::vector<PoseRow> poses{40, PoseRow{}};
    std::vector<MotionRow> motions{40, MotionRow{}};
    std::vector<ArticulationResponse> responses;

    explicit Doll(Random& random) {
        responses.emplace_back(doll.model());
        for (double& q : a.positions) q = random.number(0.5);
        for (double& v : a.velocities) v = random.number(0.5);
        for (const int link : {0, 2}) a.add_soft(link, true, tetrahedron(), true);
        a.place();
        for (SoftPart& soft : a.softs) {
            for (int i = 0; i < 4; ++i) soft.layer.displacements[i] = random.vector(0.01), soft.layer.velocities[i] = random.vector(0.5);
        }
        const double gravity[3] = {0.0, 0.0, -9.81};
        CHECK(a.accelerate(gravity, kStep, true));
        response().begin();
        response().need_matrix();
        for (const int link : {0, 2, 4, 6}) response().claim_link(link);
        response().claim_point(8);
        response().claim_point(6);
        response().allot();
    }
    ArticulationResponse& response() { return responses[0]; }
    SideRows rows() { return {bodies, poses.data(), motions.data(), motions.data(), motions.data(), responses}; }
    // A point, or a face, of a part.
    ContactSide points(int part, const PointShares& on, const Mat3<double>& frame, const Vec3<double>& contact) {
        const SoftPart& soft = a.softs[part];
        const LinkMotion<double>& at = a.link_motion(soft.link);
        const int first = response().add_points(a.model(), soft.link, part, on, frame, soft.share(at, on), at.arm, contact);
        return {2, 0, first, 3, at.arm + soft.arm(at, on) + contact};
    }
    ContactSide link(int link, const Vec3<double>& arm) { return {3, 0, response().add_link(a.model(), link), 0, a.arm(link) + arm}; }
    ContactSide framed(int link, const Mat3<double>& frame, const Vec3<double>& arm) {
        return {4, 0, response().add_framed(a.model(), link, frame, a.arm(link) + arm, 3), 3, a.arm(link) + arm};
    }
};

double size_of(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

}  // namespace

TEST("what sides say beforehand of their response is what an impulse on both makes of their motion") {
    Random random;
    for (int k = 0; k < 20; ++k) {
        const bool closed = k % 2 == 1;
        Doll doll(random);
        const Mat3<double> frame = random.frame();
        const PointShares point = {1, {1, 0, 0}, {1.0, 0.0, 0.0}}, other = {1, {3, 0, 0}, {1.0, 0.0, 0.0}};
        const PointShares face = {3, {0, 2, 3}, {0.2, 0.3, 0.5}};
        const auto at = [&] { return random.vector(0.05); };
        const ContactSide world = {0, -1, 0, 0, zero3<double>()};
        const std::pair<ContactSide, ContactSide> pairs[] = {
            {doll.points(0, point, frame, at()), world},
            {world, doll.points(1, face, frame, at())},
            {doll.points(0, point, frame, at()), doll.points(0, face, frame, at())},
            {doll.points(0, other, frame, at()), doll.points(1, point, frame, at())},
            {doll.points(1, face, frame, at()), doll.link(4, at())},
            {doll.link(6, at()), doll.points(0, other, frame, at())},
            {doll.link(4, at()), doll.link(6, at())},
            {doll.framed(8, frame, at()), doll.framed(6, frame, at())}};
        doll.response().compute(doll.a, kSubstep);
        if (closed) {  // what loops take of the response
            std::vector<double> loop(doll.response().stride(), 0.0);
            for (int i = 0; i < doll.response().size(); ++i) loop[i] = random.number(0.3);
            doll.response().fold(loop.data(), 1);
        }
        for (const auto& [first, second] : pairs) {
            ContactSides sides;
            sides.first = first;
            sides.second = second;
            const bool turns = first.framed == 0 && second.framed == 0 && first.tree >= 0;
            const FrameWrench<double> w = {random.vector(1.0), turns ? random.vector(0.1) : zero3<double>()};
            const SideRows rows = doll.rows();
            const PairResponse<double> response = sides.response(rows, frame);
            const FrameMotion<double> before = sides.velocity(rows, frame);
            sides.give(rows, frame, w);
            const FrameMotion<double> after = sides.velocity(rows, frame);
            const Vec3<double> linear = response.linear_by_force * w.force + transposed_times(response.angular_by_force, w.torque);
            CHECK(size_of(linear) > 0.1);
            CHECK_WITHIN(size_of(after.linear - before.linear - linear), 1e-11 * size_of(linear));
            if (!turns) continue;
            const Vec3<double> angular = response.angular_by_force * w.force + response.angular_by_torque * w.torque;
            CHECK_WITHIN(size_of(after.angular - before.angular - angular), 1e-11 * size_of(angular));
        }
    }
}

TEST("velocities alone bend the ways of two links apart by their centripetal accelerations") {
    Random random;
    const Ragdoll doll;
    constexpr int kLink = 2;  // on a hinge, the only dof that moves
    Articulation dolls[2] = {{doll.model(), 1}, {doll.model(), 20}};
    std::vector<SolverBody> bodies(40, SolverBody{BodyKind::link, true, 0, 0, 0.1, 0, 1});
    std::vector<PoseRow> poses(40, PoseRow{});
    std::vector<MotionRow> motions(40, MotionRow{});
    std::vector<ArticulationResponse> responses;
    ContactSides sides;
    const Mat3<double> frame = random.frame();
    Vec3<double> expected = zero3<double>();
    for (int t = 0; t < 2; ++t) {
        Articulation& a = dolls[t];
        for (double& q : a.positions) q = random.number(0.5);
        a.velocities[Ragdoll::kHinge] = t == 0 ? 3.0 : -7.0;
        a.place();
        const double gravity[3] = {0.0, 0.0, -9.81};
        CHECK(a.accelerate(gravity, kStep, true));
        responses.emplace_back(doll.model());
        responses[t].begin();
        responses[t].need_matrix();
        responses[t].allot();
        const int first = responses[t].add_constrained_link(a.model(), kLink);
        const Vec3<double> arm = a.arm(kLink) + random.vector(0.1);
        (t == 0 ? sides.first : sides.second) = {3 + t, t, first, 0, arm};
        responses[t].compute(a, kSubstep);
        const Vec3<double> w = a.motion(kLink).angular, center = a.center_arm(kLink) - a.arm(kLink);
        CHECK_WITHIN(std::abs(size_of(w) - std::abs(a.velocities[Ragdoll::kHinge])), 1e-12);
        expected += cross(w, cross(w, center)) * (t == 0 ? kSubstep : -kSubstep);
    }
    const SideRows rows = {bodies, poses.data(), motions.data(), motions.data(), motions.data(), responses};
    const FrameMotion<double> bend = sides.bend(rows, frame);
    CHECK(size_of(expected) > 1e-4);
    CHECK_WITHIN(size_of(bend.linear - transposed_times(frame, expected)), 1e-14);
    CHECK_WITHIN(size_of(bend.angular), 1e-14);
}

TEST("trees that loops join hear of contacts at points what these give to links") {
    Random random;
    Doll doll(random);
    const Mat3<double> frame = random.frame();
    const PointShares face = {3, {0, 2, 3}, {0.2, 0.3, 0.5}};
    const ContactSide side = doll.points(1, face, frame, random.vector(0.05));
    ArticulationResponse& response = doll.response();
    response.compute(doll.a, kSubstep);
    std::vector<double> loop(response.stride(), 0.0);
    for (int i = 0; i < response.size(); ++i) loop[i] = random.number(1.0);
    response.join(0, loop.data(), 1);
    const double w[3] = {0.3, -0.2, 0.5};
    response.push(side.coordinate, w);
    double expected = 0.0;
    for (int i = 0; i < response.size(); ++i) expected += loop[i] * response.impulse[i];
    CHECK(std::abs(expected) > 1e-3);
    CHECK_WITHIN(std::abs(response.taken()[0] - expected), 1e-14);
}
