#pragma once

#include "kido/contact/articulation_links.hpp"
#include "kido/contact/dof_advance.hpp"
#include "kido/contact/response_coordinate.hpp"
#include "kido/contact/step_energy.hpp"
#include "kido/soft/soft_layer.hpp"

// The points around a link of a skeleton in a world, and the faces between them. Each point has a row of the solver, behind those of the
// links, and all faces have one; what touches it gives
// impulses to the link and, through all springs, to all points.

KIDO_BEGIN

// A point as impulses on it act at its link: a force d on it is there the wrench (moment x d, share d) about the link's origin. Its
// velocity changes by what that wrench makes of the link's motion, and by what springs and its mass let it move beside the link.
struct PointShare {
    double share;
    Vec3<double> moment;  // world axes [m]
};

class SoftPart {
public:
    SoftPart(int link, int first_row, int surface_row, bool weighs, SoftMaterial material)
        : link(link), first_row(first_row), surface_row(surface_row), weighs(weighs), layer(std::move(material)),
          targets(layer.size(), zero3<double>()), target_velocities(targets), pin_forces(targets), began_displacements(targets),
          began_velocities(targets), began_yielded(targets), changes_(targets), sums_(targets), sides_(layer.size()) {}

    const int link, first_row, surface_row;  // surface_row: of the faces, -1: there are none
    const bool weighs;  // whether gravity acts on it
    SoftLayer layer;

    int size() const { return layer.size(); }
    bool is_pinned() const { return !layer.material().pinned.empty(); }

    // Of points that are pinned: where they are led and how fast, and the force that it takes, in the step; world axes.
    std::vector<Vec3<double>> targets, target_velocities, pin_forces;
    bool was_pinned = false;  // in the last step
    // Of all points, where the last step began.
    std::vector<Vec3<double>> began_displacements, began_velocities, began_yielded;

    // The inertia and wrench that the points leave at the link, about the reference: their load.
    bool eliminate(double h, const LinkMotion<double>& at, const Vec3<double>& reference, const Vec3<double>& gravity) {
        gravity_ = weighs ? gravity : zero3<double>();
        spin_ = transposed_times(at.axes, at.motion.angular);
        if (!layer.begin(h)) return false;
        pull(h, at, reference);
        return layer.eliminate(h, spin_, load_, transposed_times(at.axes, gravity_));
    }
    const SoftLoad& load() const { return load_; }
    const Vec3<double>& gravity() const { return gravity_; }
    // With the link's spatial acceleration about the reference.
    void accelerate(const LinkMotion<double>& at, const Motion<double>& a) {
        angular_ = a.angular;
        linear_ = a.linear + cross(a.angular, at.arm) + cross(at.motion.angular, origin_velocity(at));
        layer.accelerate(transposed_times(at.axes, angular_), transposed_times(at.axes, linear_ - gravity_), spin_);
        if (!is_pinned() && !was_pinned) return;
        was_pinned = is_pinned();
        led_.resize(size());
        for (int i = 0; i < size(); ++i) {
            const double m = layer.pin_mass(i);
            const Vec3<double> led = acceleration(at, i);
            led_[i] = transposed_times(at.axes, led);
            pin_forces[i] = m > 0.0 ? at.axes * layer.pulls[i] + (gravity_ - led) * m : zero3<double>();
        }
    }

    // World axes: of a point, from the link's origin; its velocity; its acceleration without impulses.
    Vec3<double> arm(const LinkMotion<double>& at, int point) const { return at.axes * layer.place(point); }
    Vec3<double> velocity(const LinkMotion<double>& at, int point) const {
        return origin_velocity(at) + cross(at.motion.angular, arm(at, point)) + at.axes * layer.velocities[point];
    }
    Vec3<double> acceleration(const LinkMotion<double>& at, int point) const {
        const Vec3<double>& w = at.motion.angular;
        const Vec3<double> p = arm(at, point);
        return linear_ + cross(angular_, p) + cross(w, cross(w, p) + at.axes * layer.velocities[point] * 2.0) +
               at.axes * layer.accelerations[point];
    }
    PointShare share(const LinkMotion<double>& at, int point) const {
        const auto [share, moment] = layer.share(point);
        return {share, at.axes * moment};
    }
    // The same of forces that several share.
    PointShare share(const LinkMotion<double>& at, const PointShares& on) const {
        PointShare sum = {0.0, zero3<double>()};
        for (int k = 0; k < on.count; ++k) {
            const PointShare own = share(at, on.points[k]);
            sum.share += own.share * on.weights[k];
            sum.moment += own.moment * on.weights[k];
        }
        return sum;
    }
    // Their middle, from the link's origin.
    Vec3<double> arm(const LinkMotion<double>& at, const PointShares& on) const {
        Vec3<double> sum = zero3<double>();
        for (int k = 0; k < on.count; ++k) sum += arm(at, on.points[k]) * on.weights[k];
        return sum;
    }

    // What all impulses of a step make of the points: first those of each point are added, of the step and summed over its sub-steps, then
    // what they have made of the link's motion about the reference.
    void begin_spread() {
        for (auto& side : sides_) side = SoftLayer::Row(0.0);
    }
    void add_impulse(const LinkMotion<double>& at, int point, const Vec3<double>& impulse, const Vec3<double>& sum) {
        layer.add_sides(sides_, point, transposed_times(at.axes, impulse), transposed_times(at.axes, sum));
    }
    void end_spread(const LinkMotion<double>& at, const Motion<double>& change, const Motion<double>& sum) {
        layer.solve(sides_);
        for (int i = 0; i < size(); ++i) {
            const auto [a, b] = layer.sides(sides_, i);
            changes_[i] = a + followed(at, i, change);
            sums_[i] = b + followed(at, i, sum);
            if (const double m = layer.pin_mass(i); m > 0.0) {
                const Vec3<double> moved = change.linear + cross(change.angular, at.arm + arm(at, i)) + at.axes * changes_[i];
                pin_forces[i] -= moved * (m / step_);
            }
        }
    }
    // Of a point's velocity in the world by impulses, which change the link's motion about the reference by `link`.
    Vec3<double> change(const LinkMotion<double>& at, int point, const Motion<double>& link) const {
        return link.linear + cross(link.angular, at.arm + arm(at, point)) + at.axes * changes_[point];
    }
    // By impulses, of a point's velocity beside its link: in the step, and summed over its sub-steps.
    const Vec3<double>& change(int point) const { return changes_[point]; }
    const Vec3<double>& sum(int point) const { return sums_[point]; }
    Vec3<double> end_velocity(int point, double step) const {
        return layer.velocities[point] + layer.accelerations[point] * step + changes_[point];
    }
    // The end of a step, see StepReach.
    void advance(double step, int substeps, double weight) {
        began_displacements = layer.displacements;
        began_velocities = layer.velocities;
        began_yielded = layer.yielded;
        for (int i = 0; i < size(); ++i) {
            const Vec3<double> v = end_velocity(i, step);
            layer.displacements[i] = end_displacement(i, step, substeps, weight) + (lags_.empty() ? zero3<double>() : lags_[i]);
            layer.accelerations[i] += changes_[i] * (1.0 / step);
            layer.velocities[i] = v;
        }
        layer.give_way();
    }
    // Whether velocities change in a step so that energy is to be looked at. Edges that turn gain some in every step in which they are touched.
    bool jumps(double step) const {
        if (layer.material().along_edges) return true;
        double jump = 0.0;
        for (int i = 0; i < size(); ++i) {
            const Vec3<double> d = layer.accelerations[i] * step + changes_[i];
            jump = std::max(jump, dot(d, d));
        }
        return jump * step * step > kNoJump * kNoJump;
    }
    // Springs are implicit in the velocity at the end, but where contacts touch, displacements are those of the sub-steps: of points that
    // are stopped within the step, springs then keep more energy than they take from the motion. How much more, and gravity likewise, where
    // points stay back by a share of their way towards where their velocities at the end would have led them. `moved`: by how much the
    // link moves beyond the mean of its velocities before and after, about the reference; `falls`: whether points that stay back fall by it.
    StepEnergy find_lags(const LinkMotion<double>& at, const Motion<double>& moved, bool falls, const StepReach<double>& reach) {
        const double step = reach.step;
        StepEnergy energy;
        lags_.resize(size());
        std::vector<Vec3<double>> x(size()), mean(size()), ends(size()), implicit(size());
        for (int i = 0; i < size(); ++i) {
            const Vec3<double> v = end_velocity(i, step);
            x[i] = layer.displacements[i] - layer.yielded[i];
            mean[i] = (layer.velocities[i] + v) * 0.5;
            ends[i] = end_displacement(i, step, reach.substeps, reach.weight) - layer.yielded[i];
            implicit[i] = x[i] + v * step;
            lags_[i] = implicit[i] - ends[i];
            const Vec3<double> weighs = gravity_ * layer.material().mass[i];
            const Vec3<double> lifted = moved.linear + cross(moved.angular, at.arm + arm(at, i)) + at.axes * (ends[i] - x[i] - mean[i] * step);
            energy.over -= dot(weighs, lifted);
            if (falls) energy.slope -= dot(weighs, at.axes * lags_[i]);
        }
        energy.over += 0.5 * (layer.product(ends, ends) - layer.product(x, x)) - step * layer.product(mean, implicit);
        energy.slope += layer.product(ends, lags_);
        energy.curve = 0.5 * layer.product(lags_, lags_);
        if (layer.material().along_edges) add_edges(x, mean, ends, implicit, step, energy);
        if (layer.has_gas()) add_gas(mean, ends, step, energy);
        return energy;
    }
    // Of a gas that contacts have squeezed: its pressure at the end of the step, and what that makes of the points.
    void press_again(const StepReach<double>& reach) {
        std::vector<Vec3<double>> added(size());
        layer.press_again(changes_, added);
        for (int i = 0; i < size(); ++i) {
            changes_[i] += added[i];
            sums_[i] += added[i] * (reach.weight / reach.step);
        }
    }
    // Energies at the end of the step [J]: of the points' motion beside that of a rigid body, and of its spin where edges alone hold them.
    std::pair<double, double> find_loose_motion(double step) {
        loose_.resize(size());
        spinning_.assign(size(), zero3<double>());
        for (int i = 0; i < size(); ++i) loose_[i] = end_velocity(i, step);
        const SoftLayer::RigidMotion rigid = layer.rigid_motion(loose_);
        double loose = 0.0, spin = 0.0;
        for (int i = 0; i < size(); ++i) {
            const Vec3<double> turning = layer.is_led(i) ? zero3<double>() : rigid.turning(layer.place(i));
            loose_[i] = layer.is_led(i) ? zero3<double>() : loose_[i] - rigid.velocity - turning;
            if (layer.material().along_edges) spinning_[i] = turning;
            loose += 0.5 * layer.material().mass[i] * dot(loose_[i], loose_[i]);
            spin += 0.5 * layer.material().mass[i] * dot(spinning_[i], spinning_[i]);
        }
        return {loose, spin};
    }
    // Takes shares of these motions.
    void slow_down(double of_loose, double of_spin) {
        for (int i = 0; i < size(); ++i) changes_[i] -= loose_[i] * of_loose + spinning_[i] * of_spin;
    }
    // Kinetic energy of the points [J], where their link moves so about the reference: at the end of the step, at its beginning.
    double end_energy(const LinkMotion<double>& at, const Motion<double>& link, double step) const {
        return energy(at, link, [&](int i) { return end_velocity(i, step); });
    }
    double start_energy(const LinkMotion<double>& at, const Motion<double>& link) const {
        return energy(at, link, [&](int i) { return layer.velocities[i]; });
    }
    // Takes a share of all motion beside the link.
    void brake(double share, double step) {
        for (int i = 0; i < size(); ++i) changes_[i] -= end_velocity(i, step) * share;
    }
    // A share of their way in the step, and no more.
    void go(double share, const StepReach<double>& reach) {
        for (int i = 0; i < size(); ++i) {
            sums_[i] = sums_[i] * share - (layer.velocities[i] * double(reach.substeps) + layer.accelerations[i] * reach.weight) * (1.0 - share);
        }
        stay_back(share);
    }
    void stay_back(double share) {
        for (Vec3<double>& lag : lags_) lag = lag * share;
    }
    void no_impulses() {
        for (auto* v : {&changes_, &sums_}) std::fill(v->begin(), v->end(), zero3<double>());
        lags_.clear();
    }
    // Not a number where one of what `advance` adds is none.
    double sum_of_zeros() const {
        double sum = 0.0;
        for (const auto* numbers : {&layer.accelerations, &changes_, &sums_}) {
            for (const Vec3<double>& v : *numbers) sum += (v.x + v.y + v.z) * 0.0;
        }
        return sum;
    }

private:
    static constexpr double kNoJump = 1e-5;  // change of velocities times the step, below which energy is as good as kept [m]

    template <class F>
    double energy(const LinkMotion<double>& at, const Motion<double>& link, const F& velocity) const {
        double sum = 0.0;
        for (int i = 0; i < size(); ++i) {
            const Vec3<double> v = link.linear + cross(link.angular, at.arm + arm(at, i)) + at.axes * velocity(i);
            sum += 0.5 * layer.material().mass[i] * dot(v, v);
        }
        return sum;
    }
    // Points that are pinned go as far in the sub-steps as they would in one step, to where they are led.
    Vec3<double> end_displacement(int i, double step, int substeps, double weight) const {
        const Vec3<double> further = layer.pin_mass(i) > 0.0 ? led_[i] * (step * step - weight * (step / substeps)) : zero3<double>();
        return layer.displacements[i] + further +
               (layer.velocities[i] * double(substeps) + layer.accelerations[i] * weight + sums_[i]) * (step / substeps);
    }
    // Of springs that pull along edges.
    void add_edges(const std::vector<Vec3<double>>& x, const std::vector<Vec3<double>>& mean, const std::vector<Vec3<double>>& ends,
                   const std::vector<Vec3<double>>& implicit, double step, StepEnergy& energy) const {
        const SoftMaterial& m = layer.material();
        energy.over += step * layer.edge_power(mean, implicit);
        for (std::size_t e = 0; e < m.edges.size(); ++e) {
            const auto [a, b] = m.edges[e];
            const Vec3<double> rest = m.rest[b] - m.rest[a];
            const double length = std::sqrt(dot(rest, rest)), stiffness = m.edge_stiffness[e];
            energy.edges.push_back({stiffness, length, rest + ends[b] - ends[a], lags_[b] - lags_[a]});
            energy.over -= EdgeWay{stiffness, length, rest + x[b] - x[a], zero3<double>()}.energy(0.0);
        }
    }
    // `ends`: displacements beyond what has yielded.
    void add_gas(const std::vector<Vec3<double>>& mean, const std::vector<Vec3<double>>& ends, double step, StepEnergy& energy) const {
        std::vector<Vec3<double>> places(size());
        const auto volume = [&](double share) {
            for (int i = 0; i < size(); ++i) places[i] = layer.material().rest[i] + layer.yielded[i] + ends[i] + lags_[i] * share;
            return layer.volume(places);
        };
        const GasWay way = GasWay::through(layer.material().bulk_modulus, layer.volume(layer.material().rest), volume(0.0), volume(0.5),
                                           volume(1.0), volume(-1.0));
        energy.gases.push_back(way);
        for (int i = 0; i < size(); ++i) places[i] = layer.place(i);
        const GasWay began = {way.modulus, way.rest, layer.volume(places), 0.0, 0.0, 0.0};
        energy.over += step * layer.gas_power(mean) - began.energy(0.0);
    }
    // Has points that are pinned be at the end of the step where they are led then: so much momentum of their pins, and no weight of it.
    void pull(double h, const LinkMotion<double>& at, const Vec3<double>& reference) {
        step_ = h;
        layer.pulls.assign(is_pinned() ? size() : 0, zero3<double>());
        for (std::size_t i = 0; i < layer.pulls.size(); ++i) {
            const double m = layer.pin_mass(static_cast<int>(i));
            if (!(m > 0.0)) continue;
            const Vec3<double> behind = targets[i] - reference - at.arm - arm(at, static_cast<int>(i));
            const Vec3<double> missing = target_velocities[i] + behind * (1.0 / h) - velocity(at, static_cast<int>(i));
            layer.pulls[i] = transposed_times(at.axes, missing * (m / h) - gravity_ * m);
        }
    }
    static Vec3<double> origin_velocity(const LinkMotion<double>& at) { return at.motion.linear + cross(at.motion.angular, at.arm); }
    Vec3<double> followed(const LinkMotion<double>& at, int point, const Motion<double>& change) const {
        return layer.followed(point, transposed_times(at.axes, change.angular),
                              transposed_times(at.axes, change.linear + cross(change.angular, at.arm)));
    }

    SoftLoad load_ = {};
    Vec3<double> gravity_ = zero3<double>(), spin_ = gravity_, angular_ = gravity_, linear_ = gravity_;
    std::vector<Vec3<double>> led_;             // accelerations of points without impulses, in the body's axes; where some are pinned
    std::vector<Vec3<double>> changes_, sums_;  // of velocities by impulses: of the step, and over its sub-steps
    std::vector<Vec3<double>> lags_;            // of displacements, see limit_energy; empty: there are none
    std::vector<Vec3<double>> loose_, spinning_;  // velocities of points beside that of a rigid body, and by its spin
    std::vector<SoftLayer::Row> sides_;
    double step_ = 0.0;
};

KIDO_END
