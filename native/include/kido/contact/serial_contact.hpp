#pragma once

#include "kido/contact/articulation_response.hpp"
#include "kido/contact/contact_law.hpp"
#include "kido/contact/manifold_response.hpp"
#include "kido/contact/manifold_sweep.hpp"
#include "kido/contact/solver_body.hpp"
#include "kido/contact/surface_law.hpp"

// Manifolds visited one by one: those of which a side is a link. The visit is the same as between free bodies; only how a side
// moves, and how it takes a wrench, differs.

KIDO_BEGIN

class LoopElimination;

// All that sides read and write.
struct SideRows {
    const std::vector<SolverBody>& bodies;
    const PoseRow* poses;
    MotionRow *velocities, *displacements;
    const MotionRow* gains;  // of velocities in a sub-step
    std::vector<ArticulationResponse>& responses;
    LoopElimination* loops = nullptr;  // where there are any

    // What impulses that a tree has taken make of the trees that loops join it with.
    void exchange(int tree, AlignedNumbers ArticulationResponse::*moved = &ArticulationResponse::motion) const;
    // Whether contacts pull at a body, or at any link of its tree.
    bool is_touched(int row) const {
        const auto touched = [](const SolverBody& body) { return body.touches != body.held; };
        if (bodies[row].kind != BodyKind::link) return bodies[row].moves() && touched(bodies[row]);
        const int tree = bodies[row].tree;
        for (std::size_t i = row - bodies[row].link; i < bodies.size() && bodies[i].kind == BodyKind::link && bodies[i].tree == tree; ++i) {
            if (touched(bodies[i])) return true;
        }
        return false;
    }
    // Whether contacts do so, or limits that are exceeded.
    bool is_pushed(int row) const {
        return is_touched(row) || (bodies[row].kind == BodyKind::link && responses[bodies[row].tree].is_limited);
    }
    // Of coordinate i of a tree to j of another one, or of the same.
    double response(int first, int i, int second, int j) const {
        const ArticulationResponse &a = responses[first], &b = responses[second];
        if (first == second) return a.response(i, j);
        return a.group() >= 0 && a.group() == b.group() ? a.cross_response(i, b, j) : 0.0;
    }
};

// One body of a manifold.
struct ContactSide {
    int row;
    int tree;          // -1: no link
    int coordinate;    // its first
    int framed;        // how many coordinates are the contact's own, in the manifold's frame: 3, or with the turning 6; 0: those of the link
    Vec3<double> arm;  // to the manifold's center, from the center of mass, or from the reference of the articulation
    ResponseFactor::Place place = {};  // of its coordinates, once the step's responses are there

    // Number by number: a copy of what was just written would wait for it.
    KIDO_INLINE void set(int its_row, int its_tree, int first, int own, const Vec3<double>& from) {
        row = its_row, tree = its_tree, coordinate = first, framed = own;
        arm.x = from.x, arm.y = from.y, arm.z = from.z;
    }
};

class ContactSides {
public:
    ContactSide first, second;

    // Whether both move, and one is a point or a face of a soft body.
    bool yield() const { return is_soft() && first.row != 0 && second.row != 0; }
    bool is_soft() const { return first.coordinate >= kOfPoints || second.coordinate >= kOfPoints; }
    // Once responses are there, before anything else.
    void find_places(const SideRows& rows) {
        for (ContactSide* side : {&first, &second}) {
            if (side->tree >= 0 && side->coordinate < kOfPoints) side->place = rows.responses[side->tree].place_of(side->coordinate);
        }
    }
    // h: length of a sub-step.
    template <int Points>
    void prepare(const SideRows& rows, double, const ManifoldAnchors<double, Points>& a, ManifoldBlock<double, Points>& m) const {
        set_response(a, response(rows, frame_of(m)), m);
    }
    void prepare(const SideRows& rows, double h, const ManifoldAnchors<double, 4>& a, SurfaceBlock& m) const {
        prepare_surface(a, response(rows, frame_of(m)), load_pose<double>(rows.poses, &first.row),
                        load_pose<double>(rows.poses, &second.row), h, m);
    }
    // How the relative motion responds to wrenches in a frame.
    PairResponse<double> response(const SideRows& rows, const Mat3<double>& frame) const {
        PairResponse<double> response = PairResponse<double>::zero();
        for (const ContactSide* side : {&first, &second}) {
            if (side->tree >= 0 || side->row == 0) continue;
            const BodyPose<double> pose = load_pose<double>(rows.poses, &side->row);
            add_response(response, frame, pose.inverse_inertia, pose.inverse_mass, side->arm);
        }
        add_articulated(rows, frame, response);
        return response;
    }
    // The relative motion in the manifold's frame: of velocities, or of displacements.
    FrameMotion<double> velocity(const SideRows& rows, const Mat3<double>& frame) const {
        return relative<&ArticulationResponse::motion>(rows, frame, rows.velocities);
    }
    FrameMotion<double> displacement(const SideRows& rows, const Mat3<double>& frame) const {
        return relative<&ArticulationResponse::displacement>(rows, frame, rows.displacements);
    }
    // What the relative motion gains in a sub-step without impulses.
    FrameMotion<double> gain(const SideRows& rows, const Mat3<double>& frame) const {
        return relative<&ArticulationResponse::gain>(rows, frame, rows.gains);
    }
    // The same of one side.
    static FrameMotion<double> gain(const SideRows& rows, const Mat3<double>& frame, const ContactSide& side) {
        return motion_of<&ArticulationResponse::gain>(rows, frame, side, rows.gains);
    }
    // How the relative motion responds to a unit impulse at a coordinate of a tree.
    FrameMotion<double> answer(const SideRows& rows, const Mat3<double>& frame, int tree, int coordinate) const {
        FrameMotion<double> out = {zero3<double>(), zero3<double>()};
        for (const ContactSide* side : {&first, &second}) {
            if (side->tree != tree) continue;
            double x[1][8];
            rows.responses[tree].respond_one(coordinate, side->coordinate, size_of(*side), x);
            const FrameMotion<double> u = in_frame(frame, *side, x[0]);
            const double sign = side == &first ? 1.0 : -1.0;
            out.linear += u.linear * sign;
            out.angular += u.angular * sign;
        }
        return out;
    }
    // What the links' motion gains in a sub-step by velocities alone.
    FrameMotion<double> bend(const SideRows& rows, const Mat3<double>& frame) const {
        FrameMotion<double> of[2] = {{zero3<double>(), zero3<double>()}, {zero3<double>(), zero3<double>()}};
        for (int i = 0; i < 2; ++i) {
            const ContactSide& side = i == 0 ? first : second;
            if (side.tree >= 0) of[i] = motion_of<&ArticulationResponse::bend>(rows, frame, side, nullptr);
        }
        return {of[0].linear - of[1].linear, of[0].angular - of[1].angular};
    }
    void give(const SideRows& rows, const Mat3<double>& frame, const FrameWrench<double>& w) const {
        give(rows, rows.velocities, frame, first, w, 1.0);
        give(rows, rows.velocities, frame, second, w, -1.0);
        if (!rows.loops) return;
        for (const ContactSide* side : {&first, &second}) {
            if (side->tree >= 0) rows.exchange(side->tree);
        }
    }
    // Whether visits of one leave the sides of the other as they are.
    bool is_apart_from(const SideRows& rows, const ContactSides& other) const {
        for (const ContactSide* a : {&first, &second}) {
            if (a->tree >= 0 && rows.responses[a->tree].group() >= 0) return false;
            for (const ContactSide* b : {&other.first, &other.second}) {
                if (a->tree >= 0 ? a->tree == b->tree : a->row == b->row && a->row != 0) return false;
            }
        }
        return true;
    }
    // Displaces both sides as an impulse would have within a sub-step of length h.
    void displace(const SideRows& rows, const Mat3<double>& frame, const FrameWrench<double>& w, double h) const {
        for (const ContactSide* side : {&first, &second}) {
            const double sign = side == &first ? 1.0 : -1.0;
            if (side->tree < 0) {
                give(rows, rows.displacements, frame, *side, w, sign);
            } else {
                ArticulationResponse& response = rows.responses[side->tree];
                response.begin_displacing(h);
                give(rows, nullptr, frame, *side, w, sign);
                rows.exchange(side->tree, &ArticulationResponse::displacement);
                response.end_displacing(h);
            }
        }
    }

private:
    using Numbers = AlignedNumbers ArticulationResponse::*;
    static constexpr int kPadded = 8;  // six numbers, and zeros up to whole registers
    using Row = Lanes<kPadded>;

    template <Numbers numbers>
    static FrameMotion<double> motion_of(const SideRows& rows, const Mat3<double>& frame, const ContactSide& side,
                                         const MotionRow* free) {
        double of_link[8];
        const double* v = of_link;
        if (side.tree < 0) {
            if (side.row == 0) return {zero3<double>(), zero3<double>()};
            v = free[side.row].v;
        } else {
            rows.responses[side.tree].read<numbers>(side.coordinate, side.place, of_link);
        }
        return in_frame(frame, side, v);
    }
    // From the numbers of a side's coordinates.
    KIDO_INLINE static FrameMotion<double> in_frame(const Mat3<double>& frame, const ContactSide& side, const double* v) {
        if (side.framed == 6) return {vec3(v), vec3(v + 3)};
        if (side.framed == 3) return {vec3(v), zero3<double>()};
        const Vec3<double> angular = vec3(v + 3);
        return {transposed_times(frame, vec3(v) + cross(angular, side.arm)), transposed_times(frame, angular)};
    }
    template <Numbers numbers>
    FrameMotion<double> relative(const SideRows& rows, const Mat3<double>& frame, const MotionRow* free) const {
        const FrameMotion<double> a = motion_of<numbers>(rows, frame, first, free);
        const FrameMotion<double> b = motion_of<numbers>(rows, frame, second, free);
        return {a.linear - b.linear, a.angular - b.angular};
    }
    static void give(const SideRows& rows, MotionRow* free, const Mat3<double>& frame, const ContactSide& side,
                     const FrameWrench<double>& w, double sign) {
        if (side.framed == 6) {
            const double x[6] = {w.force.x * sign,  w.force.y * sign,  w.force.z * sign,
                                 w.torque.x * sign, w.torque.y * sign, w.torque.z * sign};
            rows.responses[side.tree].push(side.coordinate, side.place, x);
            return;
        }
        if (side.framed == 3) {
            const double x[3] = {w.force.x * sign, w.force.y * sign, w.force.z * sign};
            rows.responses[side.tree].push(side.coordinate, side.place, x);
            return;
        }
        if (side.row == 0) return;  // the world
        const Vec3<double> force = frame * w.force * sign, torque = frame * w.torque * sign + cross(side.arm, force);
        if (side.tree >= 0) {
            const double x[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
            rows.responses[side.tree].push(side.coordinate, side.place, x);
            return;
        }
        const BodyPose<double> pose = load_pose<double>(rows.poses, &side.row);
        double* v = free[side.row].v;
        write3(v, vec3(v) + force * pose.inverse_mass);
        write3(v + 3, vec3(v + 3) + pose.inverse_inertia * torque);
    }

    // Motion in the frame, linear and angular, by a unit of a side's coordinate; zeros behind it.
    static Row unit_motion(const Mat3<double>& frame, const ContactSide& side, int c, double sign) {
        if (side.framed > 0) return unit_row(c, sign);
        const auto unit = [&](int first) { return Vec3<double>{c == first ? sign : 0.0, c == first + 1 ? sign : 0.0, c == first + 2 ? sign : 0.0}; };
        const Vec3<double> angular = unit(3);
        const Vec3<double> l = transposed_times(frame, unit(0) + cross(angular, side.arm)), a = transposed_times(frame, angular);
        return Row(Row::Values{l.x, l.y, l.z, a.x, a.y, a.z, 0.0, 0.0});
    }
    static Row unit_row(int c, double sign) {
        Row row(0.0);
        row.v[c] = sign;
        return row;
    }
    static int size_of(const ContactSide& side) { return side.tree < 0 ? 0 : side.framed == 3 ? 3 : 6; }
    // The response of one side's coordinates to the other's; false where that is none.
    static bool respond(const SideRows& rows, const ContactSide& a, const ContactSide& b, double (&C)[6][8]) {
        if (a.tree < 0 || b.tree < 0 || (a.tree != b.tree && rows.responses[a.tree].group() < 0)) return false;
        const ArticulationResponse& response = rows.responses[a.tree];
        if (a.tree == b.tree && response.is_factored()) {
            if (a.framed == 3) {
                response.factor().respond<3>(a.coordinate, b.coordinate, C);
            } else {
                response.factor().respond<6>(a.coordinate, b.coordinate, C);
            }
            return true;
        }
        const int size = size_of(b);
        if (a.tree == b.tree && a.coordinate < kOfPoints && b.coordinate < kOfPoints) {
            for (int i = 0; i < size_of(a); ++i) {
                const double* const row = response.row(a.coordinate + i) + b.coordinate;
                for (int j = 0; j < kPadded; ++j) C[i][j] = j < size ? row[j] : 0.0;
            }
            return true;
        }
        for (int i = 0; i < size_of(a); ++i) {
            for (int j = 0; j < kPadded; ++j) {
                C[i][j] = j < size ? rows.response(a.tree, a.coordinate + i, b.tree, b.coordinate + j) : 0.0;
            }
        }
        return true;
    }
    static void add_transformed(const Mat3<double>& frame, const ContactSide& a, const ContactSide& b, const double (&C)[6][kPadded],
                                double sign, Row (&K)[6]) {
        Row J[6], own[6];
        for (int c = 0; c < size_of(b); ++c) J[c] = unit_motion(frame, b, c, sign);
        for (int c = 0; c < size_of(a); ++c) own[c] = unit_motion(frame, a, c, 1.0);
        for (int i = 0; i < size_of(a); ++i) {
            Row row(0.0);
            for (int j = 0; j < size_of(b); ++j) row = row + J[j] * C[i][j];
            for (int k = 0; k < 6; ++k) K[k] = K[k] + row * double(own[i].v[k]);
        }
    }
    // J C J^T of the coordinates of both sides.
    void add_articulated(const SideRows& rows, const Mat3<double>& frame, PairResponse<double>& response) const {
        if (first.tree < 0 && second.tree < 0) return;
        const Row zero(0.0);
        Row K[6] = {zero, zero, zero, zero, zero, zero};
        for (const ContactSide* a : {&first, &second}) {
            for (const ContactSide* b : {&first, &second}) {
                const double sign = a == b ? 1.0 : -1.0;
                if (a->tree >= 0 && a->tree == b->tree && a->coordinate >= kOfPoints && b->coordinate >= kOfPoints) {
                    const Mat3<double> C = rows.responses[a->tree].respond_points(a->coordinate, b->coordinate);
                    response.linear_by_force = response.linear_by_force + C * sign;
                    continue;
                }
                double C[6][kPadded];
                if (!respond(rows, *a, *b, C)) continue;
                if (a->framed == 0 || b->framed == 0) {
                    add_transformed(frame, *a, *b, C, sign, K);
                    continue;
                }
                for (int i = 0; i < size_of(*a); ++i) {
                    Row row;
                    std::memcpy(&row, C[i], sizeof row);
                    K[i] = K[i] + row * sign;
                }
            }
        }
        const auto block = [&](int i, int j) { return Vec3<double>{K[i].v[j], K[i].v[j + 1], K[i].v[j + 2]}; };
        response.linear_by_force = response.linear_by_force + Mat3<double>{block(0, 0), block(1, 0), block(2, 0)};
        response.angular_by_force = response.angular_by_force + Mat3<double>{block(0, 3), block(1, 3), block(2, 3)};
        response.angular_by_torque = response.angular_by_torque + Sym3<double>{K[3].v[3], K[3].v[4], K[3].v[5], K[4].v[4], K[4].v[5], K[5].v[5]};
    }
};

template <class Block>
void serial_warm_start(const SideRows& rows, const ContactSides& sides, const Block& m) {
    sides.give(rows, frame_of(m), total_wrench(m));
}

// Points and faces that move each other yield, and where bodies are crushed, depths contradict each other: these are pushed out no faster
// than sweeps take back [m/s].
inline constexpr double kSoftPush = 0.1;

// The distances of a manifold's points.
template <int Points>
void read_gaps(const SweepSettings& settings, const SideRows& rows, const ContactSides& sides, const Mat3<double>& frame, SweepGaps gaps,
               ManifoldBlock<double, Points>& m, double (&gap)[Points]) {
    if (gaps == SweepGaps::moved) {
        const FrameMotion<double> moved = sides.displacement(rows, frame);
        for (int p = 0; p < Points; ++p) m.moved_gap[p] = moved_gap(m, moved, p);
    }
    for (int p = 0; p < Points; ++p) gap[p] = gaps == SweepGaps::prepared ? m.gap[p] : m.moved_gap[p];
    if (!sides.yield()) return;
    for (double& g : gap) g = std::max(g, -kSoftPush / settings.softness.bias);
}

// `gaps`: where the distances of its points are from, as in sweeps over manifolds in lanes.
template <bool Relaxing, int Points>
void serial_visit(const SweepSettings& settings, const SideRows& rows, const ContactSides& sides, ManifoldBlock<double, Points>& m,
                  SweepGaps gaps) {
    const Mat3<double> frame = frame_of(m);
    const FrameMotion<double> u = sides.velocity(rows, frame);
    double gap[Points];
    read_gaps(settings, rows, sides, frame, gaps, m, gap);
    sides.give(rows, frame, visit_manifold<Relaxing>(settings, m, u, gap));
}
// The same of two that share nothing that moves, neither of a soft body, point by point in turn: each alone would wait for itself.
template <bool Relaxing, int Points>
void serial_visits(const SweepSettings& settings, const SideRows& rows, const ContactSides* const (&sides)[2],
                   ManifoldBlock<double, Points>* const (&blocks)[2], SweepGaps gaps) {
    Mat3<double> frame[2];
    FrameMotion<double> u[2];
    FrameWrench<double> w[2];
    double gap[2][Points];
    for (int b = 0; b < 2; ++b) {
        ManifoldBlock<double, Points>& m = *blocks[b];
        frame[b] = frame_of(m);
        u[b] = sides[b]->velocity(rows, frame[b]);
        w[b] = {zero3<double>(), zero3<double>()};
        read_gaps(settings, rows, *sides[b], frame[b], gaps, m, gap[b]);
    }
    visit_in_turn<Relaxing>(settings, blocks, gap, u, w);
    for (int b = 0; b < 2; ++b) sides[b]->give(rows, frame[b], w[b]);
}
template <bool Relaxing>
void serial_visit(const SweepSettings& settings, const SideRows& rows, const ContactSides& sides, SurfaceBlock& m, SweepGaps) {
    const Mat3<double> frame = frame_of(m);
    const FrameMotion<double> u = sides.velocity(rows, frame), moved = sides.displacement(rows, frame);
    sides.give(rows, frame, visit_manifold<Relaxing>(settings, m, u, moved));
}

KIDO_END
