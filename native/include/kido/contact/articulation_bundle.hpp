#pragma once

#include <vector>

#include "kido/contact/articulation.hpp"
#include "kido/scalar/lane_rows.hpp"

// Skeletons of one model, one in each lane: what a step computes of each of them by the same operations, and so with the same bits,
// as of one that is alone. They are plain ones (Articulation::is_plain).

KIDO_BEGIN

template <class T>
class ArticulationBundle {
public:
    static constexpr int width = lanes_of<T>;

    // Skeletons that share a pass: `count` of them; the last one fills the lanes that are left.
    struct Members {
        Articulation* of[width];
        int count;
    };
    // What the end of a step needs of each member, as Articulation::advance does.
    struct StepEnd {
        const double *changes[width], *sums[width];
        T weight;
        Vec3<T> fall;
    };

    explicit ArticulationBundle(const Model& m) : model_(&m), links_(m), bodies_(m), users_(user_numbers(m), T(0.0)) {
        for (auto* v : {&positions_, &velocities_, &accelerations_, &forces_, &added_}) v->assign(m.num_dofs, T(0.0));
    }
    const Model& model() const { return *model_; }

    // Articulation::accelerate of all.
    bool accelerate(const Members& members, const double (&gravity)[3], double h) {
        RowPointers<const double, width> forces, added;
        for (int i = 0; i < width; ++i) {
            const DofLoads<double> loads = i < members.count ? members.of[i]->load_dofs(h) : DofLoads<double>{forces.of[i - 1], added.of[i - 1]};
            forces.of[i] = loads.forces;
            added.of[i] = loads.added;
        }
        const std::size_t n = positions_.size();
        gather_rows(forces, n, forces_.data());
        gather_rows(added, n, added_.data());
        gather_state(members);
        links_.place(*model_, users_.data(), positions_.data(), velocities_.data());
        const bool positive = bodies_.accelerate(*model_, vec3(gravity), DofLoads<T>{forces_.data(), added_.data()}, NothingSpecial{},
                                                 links_, accelerations_.data());
        scatter(accelerations_, members, [](Articulation& a) { return a.accelerations.data(); });
        scatter(links_.accelerations, members, [](Articulation& a) { return &a.link_accelerations()->angular.x; });
        scatter(links_.factors, members, [](Articulation& a) { return &a.dof_factors()->axis.angular.x; });
        for (int i = 0; i < members.count; ++i) {
            members.of[i]->take_factors();
            members.of[i]->take_fast_gimbals(h);
        }
        return positive;
    }
    // Articulation::advance and place of all.
    void advance(const Members& members, const StepEnd& end, double step, int substeps) {
        const std::size_t n = positions_.size();
        gather_state(members);
        gather(members, [](const Articulation& a) { return a.accelerations.data(); }, accelerations_);
        RowPointers<const double, width> changes, sums;
        std::copy_n(end.changes, width, changes.of);
        std::copy_n(end.sums, width, sums.of);
        gather_rows(changes, n, forces_.data());
        gather_rows(sums, n, added_.data());
        const DofStep<T> dofs = {positions_.data(), velocities_.data(), accelerations_.data(), forces_.data(), added_.data()};
        const StepReach<T> reach = {step, substeps, end.weight, end.fall};
        for (int i = 0; i < model_->num_links; ++i) advance_joint(dofs, reach, model_->links[i]);
        for (std::size_t k = 0; k < n; ++k) accelerations_[k] += forces_[k] / step;
        scatter(positions_, members, [](Articulation& a) { return a.positions.data(); });
        scatter(velocities_, members, [](Articulation& a) { return a.velocities.data(); });
        scatter(accelerations_, members, [](Articulation& a) { return a.accelerations.data(); });
        place(members);
    }
    // Articulation::write_rows of all; tells `turned(i, row, angle)` by which angle a link of member i turns in `step`.
    template <class F>
    void write_rows(const Members& members, double step, PoseRow* poses, MotionRow* velocity_rows, const F& turned) const {
        int rows[width];
        for (int i = 0; i < width; ++i) rows[i] = members.of[i]->first_row();
        for (int link = 0; link < model_->num_links; ++link) {
            T pose[2][8], velocity[8];
            write_row(links_, link, pose[0], velocity);
            store_eight(poses->v, 24, rows, pose[0]);
            store_eight(poses->v + 8, 24, rows, pose[1]);
            store_eight(velocity_rows->v, 8, rows, velocity);
            const Vec3<T> spin = read3(velocity + 3);
            const T angle = sqrt(dot(spin, spin)) * step;
            for (int i = 0; i < members.count; ++i) turned(rows[i], get_lane(angle, i));
            for (int& row : rows) ++row;
        }
    }

private:
    template <class F>
    static void gather(const Members& members, const F& numbers, std::vector<T>& to) {
        RowPointers<const double, width> rows;
        for (int i = 0; i < width; ++i) rows.of[i] = numbers(*members.of[i]);
        gather_rows(rows, to.size(), to.data());
    }
    void gather_state(const Members& members) {
        gather(members, [](const Articulation& a) { return a.positions.data(); }, positions_);
        gather(members, [](const Articulation& a) { return a.velocities.data(); }, velocities_);
    }
    // Structures of T alone, to the same structures of numbers.
    template <class X, class F>
    static void scatter(const std::vector<X>& from, const Members& members, const F& numbers) {
        RowPointers<double, width> rows;
        for (int i = 0; i < width; ++i) rows.of[i] = numbers(*members.of[i]);
        scatter_rows(reinterpret_cast<const T*>(from.data()), from.size() * (sizeof(X) / sizeof(T)), rows, members.count);
    }
    void place(const Members& members) {
        links_.place(*model_, users_.data(), positions_.data(), velocities_.data());
        scatter(links_.links, members, [](Articulation& a) { return &a.link_motions()->axes.x.x; });
        for (int i = 0; i < members.count; ++i) {
            const Vec3<T>& r = links_.reference;
            members.of[i]->take_place({get_lane(r.x, i), get_lane(r.y, i), get_lane(r.z, i)});
        }
    }

    const Model* model_;
    ArticulationLinks<T> links_;
    ArticulatedBodies<T> bodies_;
    std::vector<T> users_, positions_, velocities_, accelerations_;
    std::vector<T> forces_, added_;  // or changes of velocities and their sums
};

KIDO_END
