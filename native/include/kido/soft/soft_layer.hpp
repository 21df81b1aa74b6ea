#pragma once

#include "kido/soft/soft_couplings.hpp"
#include "kido/spatial/solve3.hpp"

// Point masses around a body, each with three translations x from where it rests in the body's frame, tied to that place and to each
// other by springs. They are leaves of the articulated-body algorithm and eliminated first: springs and dampers, implicit in a step of
// length h, make of the masses M the matrix
//     A = M + h D + h^2 (Kv + Ke L),  L: the Laplacian of the edges,
// which is the same along all three axes. What is left at the body is the inertia of a rigid body whose points have the masses
// M - M A^-1 M, and a wrench. See Jain and Liu, Controlling physics-based characters using soft contacts, 2011, for the model; there
// each point is eliminated by itself.
//
// Beside these springs: edges that pull along their length, whichever way they are turned (cloth); a gas within a closed surface, whose
// pressure is implicit in the step; and places of rest that yield.

KIDO_BEGIN

// What points leave at their body: the inertia of a rigid body about the body's origin, and a wrench that acts there.
struct SoftLoad {
    double mass;
    Vec3<double> first;   // first moment of mass
    Sym3<double> second;  // rotational inertia
    Vec3<double> torque, force;
};

class SoftLayer {
public:
    using Row = SparseCholesky::Row;

    explicit SoftLayer(SoftMaterial material)
        : displacements(material.size(), zero3<double>()), velocities(displacements), accelerations(displacements), forces(displacements),
          yielded(displacements), ahead_(displacements), material_(std::move(material)), factor_(material_.size(), material_.edges), columns_(material_.size()) {
        rest_volume_ = volume(material_.rest);
    }

    // State of the points and forces on them, in the body's axes. `yielded`: how far their places of rest have moved.
    std::vector<Vec3<double>> displacements, velocities, accelerations, forces, yielded;

    int size() const { return material_.size(); }
    const SoftMaterial& material() const { return material_; }
    // Of points that are pinned, what that adds to the mass which a force moves, once a step was begun: so much that they go where they are
    // led to a millionth, whatever pulls at them. Pulls on such points, in the body's axes, come on top of `forces`.
    double pin_mass(int point) const { return pin_masses_.empty() ? 0.0 : pin_masses_[point]; }
    std::vector<Vec3<double>> pulls;
    // Before a step of length h; false where A is not positive.
    bool begin(double h) { return h == step_ || factor(h); }
    Vec3<double> place(int point) const { return material_.rest[point] + displacements[point]; }
    // A changed number of the material, or points that are frozen or freed: the next step factors anew.
    void set_material(SoftMaterial material) {
        if (same_numbers(material, material_)) return;
        material_ = std::move(material);
        rest_volume_ = volume(material_.rest);
        step_ = -1.0;
    }

    // What the points leave at the body in a step of length h, beside the body's own inertia. `spin`: its angular velocity, in the body's
    // axes as all here; `gravity`: as if it stood still, for edges that turn in the step. False where A is not positive.
    bool eliminate(double h, const Vec3<double>& spin, SoftLoad& load, const Vec3<double>& gravity = {0.0, 0.0, 0.0}) {
        if (!begin(h)) return false;
        load_columns(h, spin);
        factor_.solve(columns_.data());
        if (has_gas()) press(h, spin);
        if (material_.along_edges) turn_edges(h, spin, gravity);
        load = {0.0, zero3<double>(), {}, zero3<double>(), zero3<double>()};
        double second[6] = {};  // of the masses M - M A^-1 M: xx, xy, xz, yy, yz, zz
        for (int i = 0; i < size(); ++i) {
            const Response r = response(i);
            const double m = mass(i);
            const Vec3<double> p = place(i), first = (p - r.moment) * m;
            const Vec3<double> force = acting(i, spin) - r.acted * m;
            load.mass += m * (1.0 - r.mass);
            load.first += first;
            const double of[6] = {p.x * first.x, p.x * first.y, p.x * first.z, p.y * first.y, p.y * first.z, p.z * first.z};
            for (int k = 0; k < 6; ++k) second[k] += of[k];
            load.torque += cross(p, force);
            load.force += force;
        }
        load.second = {second[3] + second[5], -second[1], -second[2], second[0] + second[5], -second[4], second[0] + second[3]};
        return true;
    }
    // Accelerations of the points, relative to the body: `angular` of the body; `linear` of its origin, as a point of the body, less
    // gravity.
    void accelerate(const Vec3<double>& angular, const Vec3<double>& linear, const Vec3<double>& spin) {
        for (int i = 0; i < size(); ++i) {
            const Response r = response(i);
            accelerations[i] = r.acted - (linear * r.mass + cross(angular, r.moment) + cross(spin, cross(spin, r.moment)));
        }
    }
    // What the points' velocities change by where the body's do: by `angular`, and at its origin by `linear`.
    Vec3<double> followed(int point, const Vec3<double>& angular, const Vec3<double>& linear) const {
        const Response r = response(point);
        return (linear * r.mass + cross(angular, r.moment)) * -1.0;
    }

    // After a step: places of rest follow points that went too far from them. Springs lose energy by it: those of points, for they get
    // shorter, and those of edges, for what is cut off at one length brings no two places further apart.
    void give_way() {
        if (material_.yield == HUGE_VAL) return;
        for (int i = 0; i < size(); ++i) {
            const Vec3<double> stretch = displacements[i] - yielded[i];
            const double far = std::sqrt(dot(stretch, stretch));
            if (!material_.frozen[i] && far > material_.yield) yielded[i] += stretch * (1.0 - material_.yield / far);
        }
    }

    // How an impulse on a point acts at the body: a force d as the wrench (moment x d, share d) about its origin.
    struct Share {
        double share;
        Vec3<double> moment;
    };
    Share share(int point) const {
        const Response r = response(point);
        return {1.0 - r.mass, place(point) - r.moment};
    }

    // Two impulses on a point, to be solved with those on others: what they make of the points' velocities beside the body.
    void add_sides(std::vector<Row>& rows, int point, const Vec3<double>& first, const Vec3<double>& second) const {
        if (material_.frozen[point]) return;
        Row& row = rows[factor_.place(point)];
        const double numbers[6] = {first.x, first.y, first.z, second.x, second.y, second.z};
        for (int k = 0; k < 6; ++k) row.v[k] += numbers[k];
    }
    void solve(std::vector<Row>& rows) const { factor_.solve(rows.data()); }
    std::pair<Vec3<double>, Vec3<double>> sides(const std::vector<Row>& rows, int point) const {
        const Row& row = rows[factor_.place(point)];
        return {{row.v[0], row.v[1], row.v[2]}, {row.v[3], row.v[4], row.v[5]}};
    }

    // The same of one impulse on each.
    void add_side(std::vector<Lanes<4>>& rows, int point, const Vec3<double>& impulse) const {
        if (material_.frozen[point]) return;
        Lanes<4>& row = rows[factor_.place(point)];
        const double numbers[3] = {impulse.x, impulse.y, impulse.z};
        for (int k = 0; k < 3; ++k) row.v[k] += numbers[k];
    }
    // Of points that `reached` is of: there alone; it begins with zeros at all that is reached.
    void solve(std::vector<Lanes<4>>& rows, const std::vector<int>& reached) const { factor_.solve(rows.data(), reached); }
    std::vector<int> reach(const std::vector<int>& points) const {
        std::vector<int> places;
        for (const int point : points) places.push_back(factor_.place(point));
        return factor_.reach(places);
    }
    Vec3<double> side(const std::vector<Lanes<4>>& rows, int point) const {
        const Lanes<4>& row = rows[factor_.place(point)];
        return {row.v[0], row.v[1], row.v[2]};
    }

    // x^T K y with the stiffness K of springs, but for those that pull along edges: twice their energy where both are displacements.
    double product(const std::vector<Vec3<double>>& x, const std::vector<Vec3<double>>& y) const {
        double sum = 0.0;
        for (int i = 0; i < size(); ++i) sum += material_.vertex_stiffness[i] * dot(x[i], y[i]);
        if (material_.along_edges) return sum;
        for (std::size_t e = 0; e < material_.edges.size(); ++e) {
            const auto [a, b] = material_.edges[e];
            sum += material_.edge_stiffness[e] * dot(x[a] - x[b], y[a] - y[b]);
        }
        return sum;
    }

    // Of springs that pull along edges, on points at these velocities beside the body, in the step that was begun, at the end of which points
    // are displaced so [W].
    double edge_power(const std::vector<Vec3<double>>& velocities, const std::vector<Vec3<double>>& ends) const {
        double sum = 0.0;
        for (std::size_t e = 0; e < ways_.size(); ++e) {
            const auto [a, b] = material_.edges[e];
            const Vec3<double> rest = material_.rest[b] - material_.rest[a];
            const Vec3<double> pull = rest + ends[b] - ends[a] - ways_[e] * std::sqrt(dot(rest, rest));
            sum += material_.edge_stiffness[e] * dot(pull, velocities[a] - velocities[b]);
        }
        return sum;
    }

    bool has_gas() const { return material_.bulk_modulus > 0.0; }
    double volume(const std::vector<Vec3<double>>& places) const {
        double sum = 0.0;
        for (std::size_t k = 0; k + 2 < material_.faces.size(); k += 3) {
            const int* f = &material_.faces[k];
            sum += dot(places[f[0]], cross(places[f[1]], places[f[2]]));
        }
        return sum / 6.0;
    }
    // Of the gas on points at these velocities beside the body, in the step that was begun [W].
    double gas_power(const std::vector<Vec3<double>>& velocities) const {
        double sum = 0.0;
        for (int i = 0; i < size(); ++i) sum += dot(slopes_[i], velocities[i]);
        return pressure_ * sum;
    }

    bool is_led(int i) const { return material_.frozen[i] || pin_mass(i) > 0.0; }
    // That of the points' middle, and a spin about it.
    struct RigidMotion {
        Vec3<double> middle, velocity, spin;

        Vec3<double> turning(const Vec3<double>& place) const { return cross(spin, place - middle); }
    };
    // With the momentum that velocities of the points have, but for what is led.
    RigidMotion rigid_motion(const std::vector<Vec3<double>>& rates) const {
        double m = 0.0;
        Vec3<double> middle = zero3<double>(), linear = middle, angular = middle;
        for (int i = 0; i < size(); ++i) {
            if (is_led(i)) continue;
            m += mass(i);
            middle += place(i) * mass(i);
            linear += rates[i] * mass(i);
        }
        if (m == 0.0) return {middle, linear, angular};
        middle = middle * (1.0 / m);
        Vec3<double> I[3] = {zero3<double>(), zero3<double>(), zero3<double>()};
        const Vec3<double> e[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        for (int i = 0; i < size(); ++i) {
            if (is_led(i)) continue;
            const Vec3<double> p = place(i) - middle;
            angular += cross(p, rates[i]) * mass(i);
            for (int k = 0; k < 3; ++k) I[k] += cross(p, cross(e[k], p)) * mass(i);
        }
        const double size3 = I[0].x + I[1].y + I[2].z;
        const bool turns = dot(I[0], cross(I[1], I[2])) > kFlat * size3 * size3 * size3;  // points along a line have no spin of their own
        return {middle, linear * (1.0 / m), turns ? solved(I[0], I[1], I[2], angular) : zero3<double>()};
    }
    // Takes that out of the velocities; not of what is led.
    void leave_momentum(std::vector<Vec3<double>>& rates) const {
        const RigidMotion rigid = rigid_motion(rates);
        for (int i = 0; i < size(); ++i) {
            if (!is_led(i)) rates[i] = rates[i] - rigid.velocity - rigid.turning(place(i));
        }
    }

    // What impulses change the points' velocities by squeezes the gas: what its pressure, with that, adds to these changes, but for what it
    // would give to the points' momentum.
    void press_again(const std::vector<Vec3<double>>& changes, std::vector<Vec3<double>>& added) {
        double squeezed = 0.0;
        for (int i = 0; i < size(); ++i) squeezed += step_ * dot(slopes_[i], changes[i]);
        const double before = pressure_;
        pressure_ = pressure(free_ + squeezed, gain_);
        for (int i = 0; i < size(); ++i) added[i] = gas_sides_[i] * ((pressure_ - before) * step_);
        leave_momentum(added);
    }

    // Entries of A^-1, see SoftCouplings, of points with a slot that is not negative.
    void learn_couplings(const std::vector<int>& slots) { couplings_.learn(material_, factor_, slots); }
    // Another number whenever they are others.
    long revision() const { return revision_; }
    const std::vector<SoftCoupling>& couplings(int point) const { return couplings_.of(point); }
    double left_out(int point) const { return couplings_.left_out(point); }

private:
    static constexpr int kTurns = 8;
    static constexpr double kFlat = 1e-9;
    static constexpr double kPinned = 1e6;  // times what a point has of A

    // A^-1 of what acts on the points, of their masses, and of these times their places: as columns 0-2, 3, and 4-6.
    struct Response {
        Vec3<double> acted;
        double mass;
        Vec3<double> moment;
    };
    Response response(int point) const {
        const Row& row = columns_[factor_.place(point)];
        return {{row.v[0], row.v[1], row.v[2]}, row.v[3], {row.v[4], row.v[5], row.v[6]}};
    }
    // Forces on a point but those of springs, gas and gravity.
    Vec3<double> acting(int i, const Vec3<double>& spin) const {
        const Vec3<double> force = forces[i] - cross(spin, velocities[i]) * (2.0 * mass(i));
        return pulls.empty() ? force : force + pulls[i];
    }
    double mass(int i) const { return material_.mass[i] + pin_mass(i); }
    // By how much an edge is stretched at the end of a step in which nothing accelerates.
    Vec3<double> stretch(int a, int b) const {
        const Vec3<double> moved = ahead_[b] - ahead_[a];
        if (!material_.along_edges) return moved;
        const Vec3<double> rest = material_.rest[b] - material_.rest[a], apart = rest + moved;
        return apart - along(apart) * std::sqrt(dot(rest, rest));
    }

    // Edges that keep their lengths have as much stiffness across them in A as along them, which is more than they have: their ways at the
    // end of the step are found by the iterations of Bouaziz, Martin, Liu, Kavan and Pauly, Projective dynamics, 2014, each of which solves
    // with A, accelerated as of Nesterov.
    void turn_edges(double h, const Vec3<double>& spin, const Vec3<double>& gravity) {
        const SoftMaterial& m = material_;
        std::vector<Vec3<double>> start(size()), given(size()), ends(size()), first(size()), now, before;
        for (int i = 0; i < size(); ++i) {
            const Response r = response(i);
            start[i] = place(i) + velocities[i] * h;
            first[i] = r.acted;
            given[i] = gravity * r.mass - cross(spin, cross(spin, r.moment));
        }
        now = before = first;
        ways_.resize(m.edges.size());
        std::vector<Lanes<4>> sides(size());
        for (int k = 0; k < kTurns; ++k) {
            for (int i = 0; i < size(); ++i) ends[i] = start[i] + (now[i] + (now[i] - before[i]) * (k / (k + 3.0)) + given[i]) * (h * h);
            for (Lanes<4>& side : sides) side = Lanes<4>(0.0);
            for (std::size_t e = 0; e < m.edges.size(); ++e) {
                const auto [a, b] = m.edges[e];
                const Vec3<double> rest = m.rest[b] - m.rest[a];
                ways_[e] = along(ends[b] - ends[a]);
                const Vec3<double> turned = ways_[e] - along(start[b] - start[a]);
                const Vec3<double> pull = turned * (m.edge_stiffness[e] * std::sqrt(dot(rest, rest)));
                add_side(sides, a, pull * -1.0);
                add_side(sides, b, pull);
            }
            factor_.solve(sides.data());
            before.swap(now);
            for (int i = 0; i < size(); ++i) now[i] = first[i] + side(sides, i);
        }
        for (int i = 0; i < size(); ++i) add(columns_[factor_.place(i)], now[i] - first[i], 1.0);
    }
    static Vec3<double> along(const Vec3<double>& v) {
        const double length = std::sqrt(dot(v, v));
        return length > 0.0 ? v * (1.0 / length) : zero3<double>();
    }

    // How the volume grows with each point.
    void volume_slopes(const std::vector<Vec3<double>>& places, std::vector<Vec3<double>>& slopes) const {
        slopes.assign(places.size(), zero3<double>());
        for (std::size_t k = 0; k + 2 < material_.faces.size(); k += 3) {
            const int* f = &material_.faces[k];
            for (int c = 0; c < 3; ++c) {
                slopes[f[c]] += cross(places[f[(c + 1) % 3]], places[f[(c + 2) % 3]]) * (1.0 / 6.0);
            }
        }
    }
    // Adds the forces of the gas on the points, which on a closed surface are none as a whole, at the pressure that it has at the end of
    // the step: Boyle's law for a gas whose pressure at rest is that of the air around it, p = K (V0 / V - 1), with V as it follows from p,
    // of which the body's own motion but its spin is left out.
    void press(double h, const Vec3<double>& spin) {
        std::vector<Vec3<double>> places(size());
        for (int i = 0; i < size(); ++i) places[i] = place(i);
        volume_slopes(places, slopes_);
        std::vector<Lanes<4>> sides(size(), Lanes<4>(0.0));
        for (int i = 0; i < size(); ++i) add_side(sides, i, slopes_[i]);
        factor_.solve(sides.data());
        free_ = volume(places), gain_ = 0.0;
        gas_sides_.resize(size());
        for (int i = 0; i < size(); ++i) {
            gas_sides_[i] = side(sides, i);
            const Response r = response(i);
            free_ += h * dot(slopes_[i], velocities[i] + (r.acted - cross(spin, cross(spin, r.moment))) * h);
            gain_ += h * h * dot(slopes_[i], gas_sides_[i]);
        }
        pressure_ = pressure(free_, gain_);
        for (int i = 0; i < size(); ++i) add(columns_[factor_.place(i)], gas_sides_[i], pressure_);
    }
    // p = K (V0 / (free + gain p) - 1)
    double pressure(double free, double gain) const {
        const double K = material_.bulk_modulus, b = free + gain * K, root = std::sqrt(b * b - 4.0 * gain * K * (free - rest_volume_));
        return b >= 0.0 ? 2.0 * K * (rest_volume_ - free) / (b + root) : (root - b) / (2.0 * gain);
    }
    bool factor(double h) {
        const SoftMaterial& m = material_;
        std::vector<double> diagonal(m.size()), beside(m.edges.size());
        for (int i = 0; i < m.size(); ++i) {
            diagonal[i] = m.frozen[i] ? 1.0 : m.mass[i] + h * (m.damping[i] + h * m.vertex_stiffness[i]);
        }
        std::vector<double> row_sums = diagonal;
        for (std::size_t e = 0; e < m.edges.size(); ++e) {
            const auto [a, b] = m.edges[e];
            const double stiffness = h * h * m.edge_stiffness[e];
            if (!m.frozen[a]) diagonal[a] += stiffness;
            if (!m.frozen[b]) diagonal[b] += stiffness;
            if (m.frozen[a]) row_sums[b] += stiffness;
            if (m.frozen[b]) row_sums[a] += stiffness;
            beside[e] = m.frozen[a] || m.frozen[b] ? 0.0 : -stiffness;
        }
        pin_masses_.assign(m.pinned.empty() ? 0 : m.size(), 0.0);
        for (std::size_t i = 0; i < pin_masses_.size(); ++i) {
            if (!m.pinned[i] || m.frozen[i]) continue;
            pin_masses_[i] = kPinned * diagonal[i];
            diagonal[i] += pin_masses_[i];
            row_sums[i] += pin_masses_[i];
        }
        if (!factor_.factor(diagonal, beside)) return false;
        step_ = h;
        couplings_.begin(m, std::move(row_sums));
        ++revision_;
        return true;
    }
    void load_columns(double h, const Vec3<double>& spin) {
        const SoftMaterial& m = material_;
        for (int i = 0; i < size(); ++i) {
            Row& row = columns_[factor_.place(i)];
            row = Row(0.0);
            const Vec3<double> v = velocities[i], x = displacements[i] - yielded[i] + v * h;
            ahead_[i].x = x.x, ahead_[i].y = x.y, ahead_[i].z = x.z;
            if (m.frozen[i]) continue;
            const Vec3<double> p = place(i) * mass(i);
            const Vec3<double> f = acting(i, spin) - x * m.vertex_stiffness[i] - v * m.damping[i];
            // One by one: a row that is copied from numbers just written would wait for these.
            row.v[0] = f.x, row.v[1] = f.y, row.v[2] = f.z, row.v[3] = mass(i);
            row.v[4] = p.x, row.v[5] = p.y, row.v[6] = p.z;
        }
        for (std::size_t e = 0; e < m.edges.size(); ++e) {
            const auto [a, b] = m.edges[e];
            const Vec3<double> pull = stretch(a, b) * m.edge_stiffness[e];
            if (!m.frozen[a]) add(columns_[factor_.place(a)], pull, 1.0);
            if (!m.frozen[b]) add(columns_[factor_.place(b)], pull, -1.0);
        }
    }
    static void add(Row& row, const Vec3<double>& f, double sign) {
        row.v[0] += sign * f.x;
        row.v[1] += sign * f.y;
        row.v[2] += sign * f.z;
    }

    std::vector<Vec3<double>> ahead_;  // of the points from where they rest, at the end of a step in which nothing accelerates
    SoftMaterial material_;
    std::vector<Vec3<double>> ways_;  // of edges that keep their lengths, at the end of the step
    SparseCholesky factor_;
    std::vector<Row> columns_;
    std::vector<double> pin_masses_;
    double rest_volume_ = 0.0;
    std::vector<Vec3<double>> slopes_;  // of the volume, by places of the points where the step began
    std::vector<Vec3<double>> gas_sides_;  // how points answer a pressure
    double free_ = 0.0, gain_ = 0.0;    // the volume at the end of the step without gas, and by how much its pressure adds to it
    double pressure_ = 0.0;             // of the gas in the step [Pa]
    double step_ = -1.0;  // that `factor_` is of
    long revision_ = 0;
    SoftCouplings couplings_;
};

KIDO_END
