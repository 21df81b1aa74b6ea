#pragma once

#include <algorithm>
#include <array>

#include "kido/contact/cholesky.hpp"
#include "kido/contact/normal_problem.hpp"
#include "kido/contact/serial_contact.hpp"
#include "kido/contact/unmoved_contact.hpp"
#include "kido/contact/world_tree.hpp"

// Contacts through which loads go that are heavy beside what they meet: a foot that is turned up to the limit of its ankle, or a pad under a
// ball joint. Each of contact and limit, or of the points of a contact, turns the light link back against the others, and sweeps would end
// long before all hold. Such a contact is visited together with these limits: its response is that of a link which does not move there,
// K - k (1/R) k^T, the limits take what it leaves at them, and its normal impulses are found at once. A limit that would pull lets go.

KIDO_BEGIN

// One side's limits, and how they answer.
class NearLimits {
public:
    static constexpr int kMost = 3;

    // Those of `tree`, a side of the contact, whose joints are near the link, and how contact and limits move each other: none unless
    // something hits the tree, or the contact gives way, or a limit.
    void find(const SideRows& rows, const ContactSides& sides, const Mat3<double>& frame, int tree_index, WorldTree& tree, int link,
              bool hit, bool gives) {
        count_ = 0;
        tree_ = tree_index;
        const Model& model = tree.articulation.model();
        const ArticulationResponse& response = rows.responses[tree_];
        std::vector<LimitRow>& limits = tree.limits.rows();
        bool any = hit || gives;
        if (!any && std::none_of(limits.begin(), limits.end(), [](const LimitRow& r) { return r.gap < -kBeyond; })) return;
        for (std::size_t i = 0; i < limits.size() && count_ < kMost; ++i) {
            const LimitRow& r = limits[i];
            if ((r.impulse <= 0.0 && !(hit && r.gap < kAt)) || r.give > 0.0 || r.mass == 0.0 || !is_near(model, model.dof_link[r.dof], link)) continue;
            at_[count_++] = static_cast<int>(i);
            any |= r.gap < -kBeyond;
        }
        if (!any) count_ = 0;
        for (int a = 0; a < count_; ++a) {
            const LimitRow& r = limits[at_[a]];
            answer_[a] = {zero3<double>(), zero3<double>()};
            for (int i = 0; i < r.count; ++i) {
                const FrameMotion<double> u = sides.answer(rows, frame, tree_, r.coordinates[i]);
                answer_[a].linear += u.linear * r.rate[i];
                answer_[a].angular += u.angular * r.rate[i];
            }
            for (int b = 0; b <= a; ++b) factor_[a][b] = r.response(limits[at_[b]], response);
        }
        if (count_ == 0) return;
        const std::array<double, kMost> least = {root(0), root(1), root(2)};
        factorize_in_place(count_, [&](int i, int j) -> double& { return factor_[i][j]; }, [&](int i) { return least[i]; });
    }
    bool empty() const { return count_ == 0; }
    // The response of the contact while the limits hold.
    PairResponse<double> held(const PairResponse<double>& open) const {
        PairResponse<double> out = open;
        // Columns L^-1 k.
        double x[kMost][6];
        for (int c = 0; c < 6; ++c) {
            double column[kMost];
            for (int a = 0; a < count_; ++a) column[a] = component(answer_[a], c);
            solve_lower(count_, [&](int i, int j) { return factor_[i][j]; }, [&](int i) -> double& { return column[i]; });
            for (int a = 0; a < count_; ++a) x[a][c] = column[a];
        }
        for (int a = 0; a < count_; ++a) {
            const Vec3<double> l = vec3(x[a]), w = vec3(x[a] + 3);
            out.linear_by_force = out.linear_by_force + Mat3<double>{l * -l.x, l * -l.y, l * -l.z};
            out.angular_by_force = out.angular_by_force + Mat3<double>{w * -l.x, w * -l.y, w * -l.z};
            out.angular_by_torque = out.angular_by_torque + Sym3<double>{-w.x * w.x, -w.x * w.y, -w.x * w.z, -w.y * w.y, -w.y * w.z, -w.z * w.z};
        }
        return out;
    }
    // What the limits have to give for their own motion; `u`: what that makes of the contact's.
    template <bool Relaxing>
    void begin(const SweepSettings& s, const SideRows& rows, const WorldTree& tree, FrameMotion<double>& u) {
        const ArticulationResponse& response = rows.responses[tree_];
        for (int a = 0; a < count_; ++a) {
            const LimitRow& r = tree.limits.rows()[at_[a]];
            const double gap = r.gap + r.displacement(response);
            const double error = gap > 0.0 ? gap * s.per_step : Relaxing ? 0.0 : std::max(gap * s.softness.bias, -s.push_speed);
            given_[a] = -(r.motion(response) + error);
        }
        solve(given_);
        for (int a = 0; a < count_; ++a) {
            u.linear += answer_[a].linear * given_[a];
            u.angular += answer_[a].angular * given_[a];
        }
    }
    // Takes what a wrench of the contact leaves at them; false where one would pull.
    bool end(const WorldTree& tree, const FrameWrench<double>& w) {
        double taken[kMost] = {};
        bool hold = true;
        for (int a = 0; a < count_; ++a) taken[a] = dot(answer_[a].linear, w.force) + dot(answer_[a].angular, w.torque);
        solve(taken);
        for (int a = 0; a < count_; ++a) {
            given_[a] -= taken[a];
            hold &= tree.limits.rows()[at_[a]].impulse + given_[a] >= 0.0;
        }
        return hold;
    }
    // After that: those that would pull do not push any more, the others stay as they are; `u`: what that makes of the contact's motion.
    void let_go(const WorldTree& tree, FrameMotion<double>& u) {
        for (int a = 0; a < count_; ++a) {
            const double present = tree.limits.rows()[at_[a]].impulse;
            given_[a] = present + given_[a] < 0.0 ? -present : 0.0;
            u.linear += answer_[a].linear * given_[a];
            u.angular += answer_[a].angular * given_[a];
        }
    }
    void give(const SideRows& rows, WorldTree& tree) const {
        for (int a = 0; a < count_; ++a) {
            LimitRow& r = tree.limits.rows()[at_[a]];
            r.impulse += given_[a];
            r.push(rows.responses[tree_], given_[a]);
        }
    }
    int tree() const { return tree_; }

private:
    static constexpr int kNearLinks = 4;  // on the way from a contact's link to the root
    static constexpr double kLeast = 1e-6;  // of its response, what a limit keeps beside others
    static constexpr double kBeyond = 3e-4, kAt = 1e-3;  // positions of limits that give way, and of those that an impact may find pushing [rad or m]

    static bool is_near(const Model& model, int limited, int link) {
        for (int k = 0; k < kNearLinks && link >= 0; ++k, link = model.links[link].parent) {
            if (link == limited) return true;
        }
        return false;
    }
    double root(int a) const { return a < count_ ? std::sqrt(kLeast * factor_[a][a]) : 0.0; }
    static double component(const FrameMotion<double>& u, int c) { return c < 3 ? (&u.linear.x)[c] : (&u.angular.x)[c - 3]; }
    void solve(double (&x)[kMost]) const {
        const auto at = [&](int i, int j) { return factor_[i][j]; };
        const auto of = [&](int i) -> double& { return x[i]; };
        solve_lower(count_, at, of);
        solve_upper(count_, at, of);
    }

    int count_ = 0, tree_ = -1;
    int at_[kMost];                     // rows of the tree's limits
    FrameMotion<double> answer_[kMost];  // of the contact, to unit impulses of these
    double factor_[kMost][kMost];       // of their response to each other
    double given_[kMost] = {};          // in a visit
};

// The contacts of a store that are visited like that.
template <int Points>
class LoadedContacts {
public:
    void begin(std::size_t size) {
        of_.assign(size, -1);
        found_.clear();
    }
    // After a manifold was prepared.
    void find(const SideRows& rows, std::vector<WorldTree>& trees, const std::vector<char>& hit, const ContactSides& sides,
              const ManifoldAnchors<double, Points>& anchors, int slot, const ManifoldBlock<double, Points>& m) {
        for (const ContactSide* side : {&sides.first, &sides.second}) {
            if (side->tree < 0 || side->coordinate >= kOfPoints) continue;
            WorldTree& tree = trees[side->tree];
            const ArticulationResponse& response = rows.responses[side->tree];
            if (response.bends() || response.group() >= 0 || response.is_folded()) continue;
            const Mat3<double> frame = frame_of(m);
            NearLimits limits;
            const bool light = is_light(m, tree.articulation.model());
            limits.find(rows, sides, frame, side->tree, tree, rows.bodies[side->row].link, hit[side->tree] != 0, light || is_deep(m));
            if (limits.empty() && !(light && Points > 1)) continue;
            const PairResponse<double> open = sides.response(rows, frame);
            Found& found = found_.emplace_back(Found{m, limits.held(open), limits});
            set_response(anchors, found.response, found.held);
            leave_unmoved(rows, sides, found.held);
            if (!moves(m, found.held)) {
                found_.pop_back();
                continue;
            }
            of_[slot] = static_cast<int>(found_.size()) - 1;
            return;
        }
    }
    bool has(int slot) const { return of_[slot] >= 0; }
    template <bool Relaxing>
    void visit(const SweepSettings& settings, const SideRows& rows, std::vector<WorldTree>& trees, const ContactSides& sides, int slot,
               ManifoldBlock<double, Points>& m, SweepGaps gaps) {
        Found& found = found_[of_[slot]];
        WorldTree& tree = trees[found.limits.tree()];
        const Mat3<double> frame = frame_of(m);
        double gap[Points];
        FrameMotion<double> u = sides.velocity(rows, frame), with_limits = u;
        read_gaps(settings, rows, sides, frame, gaps, m, gap);
        copy_impulses(m, found.held);
        found.limits.template begin<Relaxing>(settings, rows, tree, with_limits);
        FrameWrench<double> w = {zero3<double>(), zero3<double>()};
        for (int i = 0; i < kPasses; ++i) {
            const FrameWrench<double> more = visit_once<Relaxing>(settings, found.held, found.moved(with_limits, w), gap);
            w.force += more.force;
            w.torque += more.torque;
            if (is_little(more, w)) break;
        }
        if (found.limits.end(tree, w)) {
            copy_impulses(found.held, m);
        } else {
            found.limits.let_go(tree, u);
            w = visit_manifold<Relaxing>(settings, m, u, gap);
        }
        sides.give(rows, frame, w);
        found.limits.give(rows, tree);
    }

private:
    struct Found {
        ManifoldBlock<double, Points> held;  // as the manifold, while the limits hold
        PairResponse<double> response;       // likewise
        NearLimits limits;

        // What a wrench makes of a motion.
        FrameMotion<double> moved(const FrameMotion<double>& u, const FrameWrench<double>& w) const {
            const PairResponse<double>& r = response;
            const auto by = [](const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, const Vec3<double>& x) {
                return Vec3<double>{dot(a, x), dot(b, x), dot(c, x)};
            };
            return {u.linear + r.linear_by_force * w.force + by(r.angular_by_force.x, r.angular_by_force.y, r.angular_by_force.z, w.torque),
                    u.angular + r.angular_by_force * w.force + r.angular_by_torque * w.torque};
        }
    };
    static constexpr int kPasses = 4;     // over the points of a contact, which may stand on a light link, too
    static constexpr double kLittle = 1e-3;  // of its impulse, what passes may leave
    template <bool Relaxing>
    static FrameWrench<double> visit_once(const SweepSettings& settings, ManifoldBlock<double, Points>& m, const FrameMotion<double>& u,
                                          const double (&gap)[Points]) {
        FrameWrench<double> w = {zero3<double>(), zero3<double>()};
        if constexpr (Points > 1) {
            if (NormalProblem<Relaxing, Points>::visit(settings, m, u, gap, w)) {
                visit_friction(m, u, w);
                return w;
            }
        }
        return visit_manifold<Relaxing>(settings, m, u, gap);
    }
    static bool is_little(const FrameWrench<double>& more, const FrameWrench<double>& all) {
        return dot(more.force, more.force) < kLittle * kLittle * dot(all.force, all.force);
    }
    static constexpr double kDeep = 1e-4;  // [m]
    static constexpr double kLight = 0.004;
    static constexpr double kLeft = 1e-5;  // of a point's response along the normal, what has to be left

    static bool is_deep(const ManifoldBlock<double, Points>& m) {
        bool deep = false;
        for (int p = 0; p < Points; ++p) deep |= m.normal_mass[p] > 0.0 && m.gap[p] < -kDeep;
        return deep;
    }
    // Whether the contact meets hardly any of the skeleton's mass: without the limits it gives way at once.
    static bool is_light(const ManifoldBlock<double, Points>& m, const Model& model) {
        double least = HUGE_VAL;
        for (int p = 0; p < Points; ++p) least = m.normal_mass[p] > 0.0 ? std::min(least, m.normal_mass[p]) : least;
        return least < kLight * model.total_mass;
    }
    static bool moves(const ManifoldBlock<double, Points>& m, const ManifoldBlock<double, Points>& held) {
        for (int p = 0; p < Points; ++p) {
            const bool moved = held.normal_mass[p] > 0.0 && m.normal_mass[p] >= kLeft * held.normal_mass[p];
            if (m.normal_mass[p] > 0.0 && !moved) return false;
        }
        return true;
    }
    static void copy_impulses(const ManifoldBlock<double, Points>& from, ManifoldBlock<double, Points>& to) {
        for (int p = 0; p < Points; ++p) {
            to.normal_impulse[p] = from.normal_impulse[p];
            to.impulse_1[p] = from.impulse_1[p];
            to.impulse_2[p] = from.impulse_2[p];
        }
    }

    std::vector<int> of_;
    std::vector<Found> found_;
};

KIDO_END
