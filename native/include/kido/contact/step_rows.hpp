#pragma once

#include <numeric>
#include <optional>

#include "kido/contact/serial_contact.hpp"

// The constraints of a step as rows of one complementarity problem, for solvers that want matrices. A row is an impulse x on two
// ends; w = A x + b is how fast the ends move along it. A = J M^-1 J^T falls into islands, which share no body that moves.

KIDO_BEGIN

// Where a row acts: on a rigid body (force and torque about its center of mass), or on coordinates of a tree.
struct RowEnd {
    int row;         // -1: none
    int tree;        // -1: none
    int count;       // of coordinates
    int at[6];
    double w[6];
};

inline RowEnd no_end() { return {-1, -1, 0, {}, {}}; }
inline RowEnd dof_end(int tree, int coordinate, double factor) { return {-1, tree, 1, {coordinate}, {factor}}; }

// The end at a side of a manifold or constraint, of a wrench in its frame.
inline RowEnd end_of(const ContactSide& side, const Mat3<double>& frame, const FrameWrench<double>& wrench, double sign) {
    RowEnd end = {-1, side.tree, side.framed == 3 ? 3 : 6, {}, {}};
    for (int c = 0; c < end.count && side.tree >= 0; ++c) end.at[c] = side.coordinate + c;
    if (side.framed > 0) {
        write3(end.w, wrench.force * sign);
        if (side.framed == 6) write3(end.w + 3, wrench.torque * sign);
        return end;
    }
    const Vec3<double> force = frame * wrench.force * sign, torque = frame * wrench.torque * sign + cross(side.arm, force);
    write3(end.w, force);
    write3(end.w + 3, torque);
    if (side.tree < 0) end.row = side.row;
    return end;
}

class StepRows {
public:
    explicit StepRows(const SideRows& sides) : sides_(&sides) {}

    // Adds a row; its velocity without impulses is added to both of its b. Returns its index.
    int add(const SystemRow& row, const RowEnd& first, const RowEnd& second) { return add(row, std::vector<RowEnd>{first, second}); }
    int add(const SystemRow& row, std::vector<RowEnd> ends) {
        const std::vector<RowEnd> read = ends;
        return add(row, std::move(ends), read);
    }
    // Of a row that acts on other ends than it reads: what drives one way.
    int add(SystemRow row, std::vector<RowEnd> ends, const std::vector<RowEnd>& read) {
        double free = 0.0;
        for (const RowEnd& end : read) free += motion(end);
        row.correcting += free;
        row.keeping += free;
        rows_.push_back(row);
        ends_.push_back(std::move(ends));
        return static_cast<int>(rows_.size()) - 1;
    }
    // The two ends of a wrench between the sides of a manifold or constraint.
    int add(const SystemRow& row, const ContactSides& sides, const Mat3<double>& frame, const FrameWrench<double>& wrench) {
        return add(row, end_of(sides.first, frame, wrench, 1.0), end_of(sides.second, frame, wrench, -1.0));
    }
    std::vector<SystemRow>& rows() { return rows_; }
    const std::vector<RowEnd>& ends(std::size_t row) const { return ends_[row]; }
    int islands() const { return static_cast<int>(members_.size()); }
    const std::vector<int>& members(int island) const { return members_[island]; }

    // Rows along which nothing moves, but for rounding, take no impulses: joints and loops hold what they act on.
    void leave_unmoved() {
        std::vector<double> answer;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            double own = rows_[i].softness, usual = own;
            for (const RowEnd& end : ends_[i]) {
                if (node_of(end) < 0) continue;
                respond(end, answer);
                own += product(end, answer);
                usual += scale(end, answer);
            }
            if (!(own > kUnmoved * usual)) rows_[i].lower = rows_[i].upper = 0.0;
        }
    }
    // Which rows belong together, by the bodies and trees that they act on.
    void find_islands() {
        const int bodies = static_cast<int>(sides_->bodies.size());
        std::vector<int> parent(bodies + sides_->responses.size());
        std::iota(parent.begin(), parent.end(), 0);
        const auto find = [&](int node) {
            while (parent[node] != node) node = parent[node] = parent[parent[node]];
            return node;
        };
        for (const auto& ends : ends_) {
            const int a = node_of(ends);
            for (const RowEnd& end : ends) {
                const int b = node_of(end);
                if (b >= 0) parent[std::max(find(a), find(b))] = std::min(find(a), find(b));
            }
        }
        std::vector<int> island(parent.size(), -1);
        members_.clear();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const int root = find(std::max(node_of(ends_[i]), 0));
            if (island[root] < 0) {
                island[root] = islands();
                members_.emplace_back();
            }
            rows_[i].island = island[root];
            rows_[i].place = static_cast<int>(members_[island[root]].size());
            members_[island[root]].push_back(static_cast<int>(i));
        }
    }
    // The matrix (n, n) of an island.
    void matrix(int island, double* A) const {
        const std::vector<int>& rows = members_[island];
        const std::size_t n = rows.size();
        std::fill_n(A, n * n, 0.0);
        std::vector<double> answer;
        for (const Visit& column : visits(rows)) {
            respond(*column.end, answer);
            for (const Visit& row : at_[column.node]) {
                A[static_cast<std::size_t>(row.place) * n + column.place] += product(*row.end, answer);
            }
        }
        for (std::size_t k = 0; k < n; ++k) A[k * n + k] += rows_[rows[k]].softness;
        // Both halves are computed; rounding may differ.
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < i; ++j) A[j * n + i] = A[i * n + j] = 0.5 * (A[i * n + j] + A[j * n + i]);
        }
        for (auto& there : at_) there.clear();
    }

private:
    struct Visit {
        int node, place;
        const RowEnd* end;
    };

    // A rigid body that moves, or a tree behind all bodies; -1: what does not move.
    int node_of(const RowEnd& end) const {
        if (end.tree >= 0) return static_cast<int>(sides_->bodies.size()) + end.tree;
        return end.row > 0 && sides_->bodies[end.row].moves() ? end.row : -1;
    }
    // The first of some ends that moves.
    int node_of(const std::vector<RowEnd>& ends) const {
        for (const RowEnd& end : ends) {
            if (const int node = node_of(end); node >= 0) return node;
        }
        return -1;
    }
    // All ends of some rows that move, also by their nodes in `at_`.
    std::vector<Visit> visits(const std::vector<int>& rows) const {
        at_.resize(sides_->bodies.size() + sides_->responses.size());
        std::vector<Visit> all;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (const RowEnd& end : ends_[rows[k]]) {
                const int node = node_of(end);
                if (node < 0) continue;
                all.push_back({node, static_cast<int>(k), &end});
                at_[node].push_back(all.back());
            }
        }
        return all;
    }
    double motion(const RowEnd& end) const {
        double sum = 0.0;
        if (end.tree >= 0) {
            const ArticulationResponse& r = sides_->responses[end.tree];
            for (int c = 0; c < end.count; ++c) sum += end.w[c] * (r.motion_at(end.at[c]) + r.gain[end.at[c]]);
        } else if (end.row >= 0) {
            for (int c = 0; c < 6; ++c) sum += end.w[c] * (sides_->velocities[end.row].v[c] + sides_->gains[end.row].v[c]);
        }
        return sum;
    }
    // Motion of the node by a unit impulse at an end.
    void respond(const RowEnd& end, std::vector<double>& answer) const {
        if (end.tree < 0) {
            answer.resize(6);
            const BodyPose<double> pose = load_pose<double>(sides_->poses, &end.row);
            write3(answer.data(), vec3(end.w) * pose.inverse_mass);
            write3(answer.data() + 3, pose.inverse_inertia * vec3(end.w + 3));
            return;
        }
        const ArticulationResponse& r = sides_->responses[end.tree];
        answer.assign(r.size(), 0.0);
        for (int i = 0; i < r.size(); ++i) {
            for (int c = 0; c < end.count; ++c) answer[i] += r.response(i, end.at[c]) * end.w[c];
        }
    }
    // What the response of an end would be, if its coordinates did not hold each other.
    double scale(const RowEnd& end, const std::vector<double>& answer) const {
        if (end.tree < 0) return product(end, answer);
        double sum = 0.0;
        for (int c = 0; c < end.count; ++c) sum += end.w[c] * end.w[c] * sides_->responses[end.tree].scale(end.at[c]);
        return sum;
    }
    static double product(const RowEnd& end, const std::vector<double>& answer) {
        double sum = 0.0;
        for (int c = 0; c < (end.tree < 0 ? 6 : end.count); ++c) sum += end.w[c] * answer[end.tree < 0 ? c : end.at[c]];
        return sum;
    }

    const SideRows* sides_;
    std::vector<SystemRow> rows_;
    std::vector<std::vector<RowEnd>> ends_;
    std::vector<std::vector<int>> members_;
    mutable std::vector<std::vector<Visit>> at_;
};

// The rows of the present step, and what they are made of; a copy of a world has none.
struct StepSystem {
    Correction correction = {};
    std::optional<SideRows> sides;
    std::optional<StepRows> rows;

    StepSystem() = default;
    StepSystem(const StepSystem&) {}
};

// The rows of a manifold's points: normal, then two tangents each.
template <int Points>
void add_rows(StepRows& rows, const ContactSides& sides, const ManifoldBlock<double, Points>& m, int count, const SystemRow& kind,
              const Correction& correction) {
    const Mat3<double> frame = frame_of(m);
    for (int p = 0; p < count; ++p) {
        SystemRow row = kind;
        row.part = p;
        row.lower = 0.0;
        row.upper = HUGE_VAL;
        row.impulse = m.normal_impulse[p];
        row.keeping = std::max(m.gap[p], 0.0) * correction.per_step;
        row.correcting = m.gap[p] > 0.0 ? row.keeping : correction.of_depth(m.gap[p]);
        const int normal = rows.add(row, sides, frame, {{1.0, 0.0, 0.0}, {0.0, m.at_2[p], -m.at_1[p]}});
        row.kind = SystemRowKind::friction;
        row.normal = normal;
        row.lower = -m.friction;
        row.upper = m.friction;
        row.keeping = row.correcting = 0.0;
        row.impulse = m.impulse_1[p];
        rows.add(row, sides, frame, {{0.0, 1.0, 0.0}, {-m.at_2[p], 0.0, 0.0}});
        row.impulse = m.impulse_2[p];
        rows.add(row, sides, frame, {{0.0, 0.0, 1.0}, {m.at_1[p], 0.0, 0.0}});
    }
}

// The same of special surfaces: bounds of friction along and across its direction, the motion of the surfaces, slip as softness; then
// of each point a row about the normal for torsional friction, and two about the tangents for rolling friction, bounded by its
// normal impulse: together by that of all points.
inline void add_rows(StepRows& rows, const ContactSides& sides, const SurfaceBlock& m, int count, const SystemRow& kind,
                     const Correction& correction) {
    const Mat3<double> frame = frame_of(m);
    const int begin = static_cast<int>(rows.rows().size());
    add_rows(rows, sides, static_cast<const ManifoldBlock<double, 4>&>(m), count, kind, correction);
    const auto set = [&](int index, double friction, double passing, double slip) {
        SystemRow& row = rows.rows()[index];
        row.lower = -friction;
        row.upper = friction;
        row.correcting += passing;
        row.keeping += passing;
        row.softness = slip;
    };
    for (int p = 0; p < count; ++p) {
        set(begin + 3 * p + 1, m.surface.friction, m.passing_1[p], m.slip_1);
        set(begin + 3 * p + 2, m.surface.secondary_friction, m.passing_2[p], m.slip_2);
    }
    const auto add = [&](SystemRowKind torque, int p, double friction, const Vec3<double>& axis) {
        SystemRow row = kind;
        row.kind = torque;
        row.part = p;
        row.normal = begin + 3 * p;
        row.impulse = dot(axis, m.torque_impulse) / count;
        const int index = rows.add(row, sides, frame, {zero3<double>(), axis});
        set(index, friction, dot(axis, m.turning), 0.0);
    };
    for (int p = 0; p < count; ++p) {
        if (m.surface.torsional > 0.0) add(SystemRowKind::torsional, p, m.surface.torsional, {1.0, 0.0, 0.0});
        if (m.surface.rolling == 0.0) continue;
        add(SystemRowKind::rolling, p, m.surface.rolling, {0.0, 1.0, 0.0});
        add(SystemRowKind::rolling, p, m.surface.rolling, {0.0, 0.0, 1.0});
    }
}

// Takes the impulses of a manifold's rows from `x`; returns what follows.
template <int Points, class T>
const double* take_impulses(ManifoldBlock<T, Points>& m, int lane, int count, const double* x) {
    for (int p = 0; p < count; ++p) {
        for (auto* impulses : {m.normal_impulse, m.impulse_1, m.impulse_2}) set_lane(impulses[p], lane, *x++);
    }
    return x;
}
inline const double* take_impulses(SurfaceBlock& m, int lane, int count, const double* x) {
    x = take_impulses(static_cast<ManifoldBlock<double, 4>&>(m), lane, count, x);
    m.torque_impulse = zero3<double>();
    for (int p = 0; p < count; ++p) {
        if (m.surface.torsional > 0.0) m.torque_impulse.x += *x++;
        if (m.surface.rolling == 0.0) continue;
        m.torque_impulse.y += *x++;
        m.torque_impulse.z += *x++;
    }
    return x;
}

KIDO_END
