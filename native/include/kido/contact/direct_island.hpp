#pragma once

#include "kido/contact/articulation_mass.hpp"
#include "kido/contact/block_matrix.hpp"
#include "kido/contact/direct_rows.hpp"
#include "kido/contact/manifold_store.hpp"
#include "kido/contact/serial_contact.hpp"

// The direct solve of an island: velocities minimize the energy of the motion and of all contacts, limits, motors and couplings,
// found by Newton's method with H = M + J^T D J. Where sweeps would take hundreds of visits, as with heavy bodies on light ones, it
// takes an iteration or two.

KIDO_BEGIN

// Manifolds that are solved directly, and the sides of each; those of special surfaces among others of this kind.
struct DirectStore {
    enum class Kind { full, single, surfaced };

    ManifoldColor<double>* manifolds;
    ManifoldStore<double, 4, SurfaceBlock>* surfaces;
    const std::vector<ContactSides>*full, *single, *surfaced;

    template <class F>
    void visit(Kind kind, int slot, F f) const {
        switch (kind) {
            case Kind::full: return f((*full)[slot], manifolds->full.block_of(slot));
            case Kind::single: return f((*single)[slot], manifolds->single.block_of(slot));
            default: return f((*surfaced)[slot], surfaces->block_of(slot));
        }
    }
};

class DirectIsland {
public:
    struct Contact {
        DirectStore::Kind kind;
        int slot;
        FrameMotion<double> start, moved;  // without impulses; displacement
        int begin, middle, end;            // columns of the first and of the second side
        int blocks[2];                     // of the matrix, -1: the world
        double stiffness;
        double radius[4];
    };

    void begin() {
        bodies_.clear();
        trees_.clear();
        contacts_.clear();
    }
    void add_body(int row) { bodies_.push_back(row); }
    void add_tree(int index, const DirectTree& tree) { trees_.push_back({index, 0, tree}); }
    void add_contact(DirectStore::Kind kind, int slot) { contacts_.push_back({kind, slot, {}, {}, 0, 0, 0, {-1, -1}, 0.0, {}}); }
    const std::vector<Contact>& contacts() const { return contacts_; }
    bool empty() const { return contacts_.empty(); }

    // Before the sub-steps, of length h, of a step. `moments`: principal ones of a body by its row.
    template <class Moments>
    void prepare(const SideRows& rows, const DirectStore& store, double step, double h, const Moments& moments) {
        h_ = h;
        factored_ = given_up_ = false;
        add_blocks(step);
        connect(store);
        matrix_.order();
        write_masses(rows, moments);
        write_columns(store);
        joint_rows_.clear();
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const int start = matrix_.start(static_cast<int>(bodies_.size() + t));
            const ArticulationMass& mass = tree_masses_[t];
            add_joint_rows(trees_[t].tree, [&](int dof) { return mass.row(dof) < 0 ? -1 : start + mass.row(dof); }, joint_rows_);
        }
        for (auto* v : {&changes_, &forces_, &step_, &base_}) v->assign(matrix_.size(), 0.0);
    }

    // Replaces the impulses by those that solve the island, and moves it accordingly; false where that fails: then all is as before.
    template <bool Relaxing>
    bool solve(const SideRows& rows, const DirectStore& store, const SweepSettings& settings) {
        iterations_ = 0;
        if (given_up_) return false;
        take_out(rows, store);
        const bool solved = iterate<Relaxing>(store, settings);
        if (!solved) factored_ = false;
        given_up_ = !solved && bodies_.size() > kManyBodies;
        for (DirectRow& r : joint_rows_) {
            double unused;
            if (solved) *r.impulse = r.answer<Relaxing>(settings, r.motion(changes_.data()), unused);
            r.give(*r.impulse);
        }
        for (Contact& c : contacts_) {
            store.visit(c.kind, c.slot, [&](const ContactSides& sides, auto& m) {
                constexpr int points = std::remove_cvref_t<decltype(m)>::points;
                if (solved) {
                    ManifoldImpulses<points> found;
                    direct_law<Relaxing>(settings, m, c.stiffness, motion(c), c.moved, nullptr, found, nullptr);
                    keep(found, m);
                }
                sides.give(rows, frame_of(m), total_wrench(m));
            });
        }
        if (solved) keep_changes();
        return solved;
    }
    // Whether an island of many bodies took too many iterations in this step: it is not tried again, but swept.
    bool is_given_up() const { return given_up_; }
    void give_up() { given_up_ = bodies_.size() > kManyBodies; }
    // Whether an iteration takes long.
    bool is_costly() const {
        return std::any_of(tree_masses_.begin(), tree_masses_.begin() + static_cast<std::ptrdiff_t>(trees_.size()),
                           [](const ArticulationMass& mass) { return mass.size() > 6; });
    }
    // Of the last solve.
    int iterations() const { return iterations_; }
    // The sweeps that take its place where it fails.
    template <bool Relaxing>
    void sweep(const SideRows& rows, const DirectStore& store, const SweepSettings& settings) {
        for (TreePart& t : trees_) {
            t.tree.motors->sweep(*t.tree.response);
            t.tree.couplings->template sweep<Relaxing>(settings, *t.tree.response);
            t.tree.limits->sweep_speeds(*t.tree.response);
            t.tree.limits->template sweep<Relaxing>(settings, *t.tree.response);
        }
        for (const Contact& c : contacts_) {
            store.visit(c.kind, c.slot, [&](const ContactSides& sides, auto& m) { serial_visit<Relaxing>(settings, rows, sides, m, SweepGaps::moved); });
        }
    }

private:
    static constexpr std::size_t kFewBodies = 8, kManyBodies = 24;
    static constexpr int kIterations = 40, kCostlyIterations = 15, kManyBodiesIterations = 20, kLineSteps = 12;
    static constexpr double kTolerance = 1e-8;        // of velocities [m/s, rad/s]
    static constexpr double kGravity = 9.81;          // by which loads are measured [m/s^2]
    static constexpr double kMostChange = 1e9;        // of velocities

    struct TreePart {
        int index, mass;
        DirectTree tree;
    };
    // One column of a contact's Jacobian: the motion in its frame by a unit of a variable.
    struct Column {
        int variable;
        double x[6];
    };
    enum class Radius { of_kept_impulses, of_present_impulses, as_it_is };

    void add_blocks(double step) {
        matrix_.begin();
        for (std::size_t i = 0; i < bodies_.size(); ++i) matrix_.add(6);
        tree_masses_.resize(std::max(tree_masses_.size(), trees_.size()));
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const DirectTree& tree = trees_[t].tree;
            tree_masses_[t].compute(*tree.articulation, step);
            if (tree.loops) tree.loops->stiffen(*tree.articulation, *tree.response, tree_masses_[t]);
            matrix_.add(tree_masses_[t].size());
        }
    }
    int block_of(const ContactSide& side) const {
        if (side.tree >= 0) {
            for (std::size_t t = 0; t < trees_.size(); ++t) {
                if (trees_[t].index == side.tree) return static_cast<int>(bodies_.size() + t);
            }
            return -1;
        }
        const auto at = std::lower_bound(bodies_.begin(), bodies_.end(), side.row);
        return at != bodies_.end() && *at == side.row ? static_cast<int>(at - bodies_.begin()) : -1;
    }
    void connect(const DirectStore& store) {
        for (Contact& c : contacts_) {
            store.visit(c.kind, c.slot, [&](const ContactSides& sides, auto&) {
                c.blocks[0] = block_of(sides.first);
                c.blocks[1] = block_of(sides.second);
            });
            if (c.blocks[0] >= 0 && c.blocks[1] >= 0) matrix_.connect(c.blocks[0], c.blocks[1]);
        }
    }
    template <class Moments>
    void write_masses(const SideRows& rows, const Moments& moments) {
        masses_.assign(36 * bodies_.size(), 0.0);
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            const BodyPose<double> pose = load_pose<double>(rows.poses, &bodies_[i]);
            const Vec3<double> own = moments(bodies_[i]);
            const Sym3<double> I = rotated_diagonal(pose.axes, own.x, own.y, own.z);
            double* m = &masses_[36 * i];
            m[0] = m[7] = m[14] = 1.0 / pose.inverse_mass;
            m[21] = I.xx;
            m[22] = m[27] = I.xy;
            m[23] = m[33] = I.xz;
            m[28] = I.yy;
            m[29] = m[34] = I.yz;
            m[35] = I.zz;
        }
    }
    void write_columns(const DirectStore& store) {
        columns_.clear();
        for (Contact& c : contacts_) {
            store.visit(c.kind, c.slot, [&](const ContactSides& sides, auto& m) {
                const Mat3<double> frame = frame_of(m);
                c.begin = static_cast<int>(columns_.size());
                add_columns(frame, sides.first, c.blocks[0], 1.0);
                c.middle = static_cast<int>(columns_.size());
                add_columns(frame, sides.second, c.blocks[1], -1.0);
                c.end = static_cast<int>(columns_.size());
            });
        }
    }
    void add_columns(const Mat3<double>& frame, const ContactSide& side, int block, double sign) {
        if (block < 0) return;
        const int start = matrix_.start(block);
        const auto add = [&](int variable, const Vec3<double>& linear, const Vec3<double>& angular) {
            Column column = {start + variable, {}};
            write3(column.x, transposed_times(frame, linear + cross(angular, side.arm)) * sign);
            write3(column.x + 3, transposed_times(frame, angular) * sign);
            columns_.push_back(column);
        };
        if (side.tree < 0) {
            const Mat3<double> axes = identity3<double>();
            for (int c = 0; c < 3; ++c) add(c, (&axes.x)[c], zero3<double>());
            for (int c = 0; c < 3; ++c) add(3 + c, zero3<double>(), (&axes.x)[c]);
            return;
        }
        const std::size_t t = block - bodies_.size();
        tree_masses_[t].for_columns(*trees_[t].tree.articulation, side_link(side),
                                    [&](int row, const Motion<double>& axis) { add(row, axis.linear, axis.angular); });
    }
    int side_link(const ContactSide& side) const { return side.row - trees_[tree_part(side.tree)].tree.articulation->first_row(); }
    std::size_t tree_part(int index) const {
        std::size_t t = 0;
        while (trees_[t].index != index) ++t;
        return t;
    }

    // Takes the impulses out of the motion; what they changed is where the search begins.
    void take_out(const SideRows& rows, const DirectStore& store) {
        for (std::size_t i = 0; i < bodies_.size(); ++i) std::copy_n(rows.velocities[bodies_[i]].v, 6, changes_of(i));
        for (const DirectRow& r : joint_rows_) r.give(-*r.impulse);
        for (Contact& c : contacts_) {
            store.visit(c.kind, c.slot, [&](const ContactSides& sides, auto& m) {
                const FrameWrench<double> w = total_wrench(m);
                sides.give(rows, frame_of(m), {-w.force, -w.torque});
                c.stiffness = kDirectStiffness * std::min(std::max(load(m), 1.0), kDirectMostLoad);
            });
        }
        for (std::size_t i = 0; i < bodies_.size(); ++i) {
            for (int k = 0; k < 6; ++k) changes_of(i)[k] -= rows.velocities[bodies_[i]].v[k];
        }
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const ArticulationMass& mass = tree_masses_[t];
            const std::vector<double>& kept = *trees_[t].tree.changes;
            for (std::size_t k = 0; k < kept.size(); ++k) {
                if (mass.row(static_cast<int>(k)) >= 0) changes_of(bodies_.size() + t)[mass.row(static_cast<int>(k))] = kept[k];
            }
        }
        for (DirectRow& r : joint_rows_) r.read();
        for (Contact& c : contacts_) {
            store.visit(c.kind, c.slot, [&](const ContactSides& sides, auto& m) {
                c.start = sides.velocity(rows, frame_of(m));
                c.moved = sides.displacement(rows, frame_of(m));
            });
        }
    }
    double* changes_of(std::size_t block) { return &changes_[matrix_.start(static_cast<int>(block))]; }
    void keep_changes() {
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const ArticulationMass& mass = tree_masses_[t];
            std::vector<double>& kept = *trees_[t].tree.changes;
            for (std::size_t k = 0; k < kept.size(); ++k) {
                const int row = mass.row(static_cast<int>(k));
                kept[k] = row < 0 ? 0.0 : changes_of(bodies_.size() + t)[row];
            }
        }
    }
    // What a manifold carries, in weights of what it is between.
    template <int Points>
    double load(const ManifoldBlock<double, Points>& m) const {
        double sum = 0.0;
        for (int p = 0; p < Points; ++p) {
            if (m.normal_mass[p] > 0.0) sum += m.normal_impulse[p] / m.normal_mass[p];
        }
        return sum / (kGravity * h_);
    }

    FrameMotion<double> motion(const Contact& c) const {
        double u[6];
        write3(u, c.start.linear);
        write3(u + 3, c.start.angular);
        for (int k = c.begin; k < c.end; ++k) {
            const double x = changes_[columns_[k].variable];
            for (int i = 0; i < 6; ++i) u[i] += columns_[k].x[i] * x;
        }
        return {vec3(u), vec3(u + 3)};
    }

    int most_iterations() const {
        return is_costly() ? kCostlyIterations : bodies_.size() > kFewBodies ? kManyBodiesIterations : kIterations;
    }
    template <bool Relaxing>
    bool iterate(const DirectStore& store, const SweepSettings& settings) {
        for (int iteration = 0; iteration < most_iterations(); ++iteration) {
            ++iterations_;
            // The factor of the solve before serves as long as it brings the solution near.
            const bool kept = factored_ && iteration < 2;
            evaluate<Relaxing>(store, settings, iteration ? Radius::of_present_impulses : Radius::of_kept_impulses, !kept);
            step_ = forces_;
            if (!kept && !(factored_ = matrix_.factor())) return false;
            matrix_.solve(step_.data());
            const double slope = -product(forces_, step_);
            double change = 0.0;
            for (const double x : step_) change = std::max(change, std::fabs(x));
            if (!(change < kMostChange)) return false;
            base_ = changes_;
            move_to(1.0);
            if (change < kTolerance) return true;
            search_line<Relaxing>(store, settings, slope);
        }
        return false;
    }
    void move_to(double share) {
        for (std::size_t i = 0; i < changes_.size(); ++i) changes_[i] = base_[i] + share * step_[i];
    }
    static double product(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    }
    // Along the step, to where the energy no longer falls: by secants on its slope, which grows.
    template <bool Relaxing>
    void search_line(const DirectStore& store, const SweepSettings& settings, double slope) {
        const auto slope_here = [&] {
            evaluate<Relaxing>(store, settings, Radius::as_it_is, false);
            return -product(forces_, step_);
        };
        double here = slope_here(), low = 0.0, at_low = slope, high = 1.0, at_high = here;
        if (here <= -0.1 * slope) return;
        for (int i = 0; i < kLineSteps && std::fabs(here) > -0.05 * slope; ++i) {
            const double guess = low - at_low * (high - low) / (at_high - at_low), edge = 0.05 * (high - low);
            const double share = std::min(std::max(guess, low + edge), high - edge);
            move_to(share);
            here = slope_here();
            (here > 0.0 ? high : low) = share;
            (here > 0.0 ? at_high : at_low) = here;
        }
    }

    // Forces, J^T impulses - M changes, which vanish at the solution; H too where that is asked for.
    template <bool Relaxing>
    void evaluate(const DirectStore& store, const SweepSettings& settings, Radius radius, bool with_matrix) {
        if (with_matrix) matrix_.clear();
        for (std::size_t b = 0; b < bodies_.size(); ++b) load_mass(static_cast<int>(b), &masses_[36 * b], with_matrix);
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            load_mass(static_cast<int>(bodies_.size() + t), tree_masses_[t].numbers(), with_matrix);
        }
        for (const DirectRow& r : joint_rows_) {
            double derivative;
            const double x = r.answer<Relaxing>(settings, r.motion(changes_.data()), derivative);
            add_row(r, x, with_matrix ? derivative : 0.0);
        }
        for (Contact& c : contacts_) {
            store.visit(c.kind, c.slot, [&](const ContactSides&, auto& m) { add_contact<Relaxing>(settings, radius, with_matrix, c, m); });
        }
    }
    void load_mass(int block, const double* mass, bool with_matrix) {
        const int n = matrix_.width(block);
        const double* x = &changes_[matrix_.start(block)];
        double* f = &forces_[matrix_.start(block)];
        for (int r = 0; r < n; ++r) {
            double sum = 0.0;
            for (int c = 0; c < n; ++c) sum += mass[n * r + c] * x[c];
            f[r] = -sum;
        }
        if (with_matrix) std::copy_n(mass, n * n, matrix_.entries(block, block));
    }
    void add_row(const DirectRow& r, double impulse, double derivative) {
        for (int i = 0; i < r.count; ++i) {
            if (r.variable[i] >= 0) forces_[r.variable[i]] += r.coefficient[i] * impulse;
        }
        if (derivative == 0.0) return;
        for (int i = 0; i < r.count; ++i) {
            for (int j = 0; j < r.count; ++j) {
                if (r.variable[i] < 0 || r.variable[j] < 0) continue;
                add_entry(r.variable[i], r.variable[j], r.coefficient[i] * r.coefficient[j] * derivative);
            }
        }
    }
    // Of two variables of one tree.
    void add_entry(int i, int j, double x) {
        for (std::size_t t = 0; t < trees_.size(); ++t) {
            const int block = static_cast<int>(bodies_.size() + t), start = matrix_.start(block), n = matrix_.width(block);
            if (i < start || i >= start + n) continue;
            matrix_.entries(block, block)[n * (i - start) + (j - start)] += x;
        }
    }
    template <bool Relaxing, class Block>
    void add_contact(const SweepSettings& settings, Radius radius, bool with_matrix, Contact& c, const Block& m) {
        constexpr int Points = Block::points;
        if (radius == Radius::of_kept_impulses) std::copy_n(m.normal_impulse, Points, c.radius);
        double B[6][6] = {};
        ManifoldImpulses<Points> found;
        const FrameWrench<double> w =
            direct_law<Relaxing>(settings, m, c.stiffness, motion(c), c.moved,
                                 radius == Radius::of_present_impulses ? nullptr : c.radius, found, with_matrix ? &B : nullptr);
        if (radius == Radius::of_present_impulses) std::copy_n(found.normal, Points, c.radius);
        double f[6];
        write3(f, w.force);
        write3(f + 3, w.torque);
        for (int k = c.begin; k < c.end; ++k) {
            double sum = 0.0;
            for (int i = 0; i < 6; ++i) sum += columns_[k].x[i] * f[i];
            forces_[columns_[k].variable] += sum;
        }
        if (with_matrix) add_stiffness(c, B);
    }
    // J^T B J.
    void add_stiffness(const Contact& c, const double (&B)[6][6]) {
        products_.resize(6 * (c.end - c.begin));
        for (int k = c.begin; k < c.end; ++k) {
            double* to = &products_[6 * (k - c.begin)];
            for (int i = 0; i < 6; ++i) {
                double sum = 0.0;
                for (int j = 0; j < 6; ++j) sum += B[i][j] * columns_[k].x[j];
                to[i] = sum;
            }
        }
        const int ends[3] = {c.begin, c.middle, c.end};
        for (int row = 0; row < 2; ++row) {
            for (int column = 0; column < 2; ++column) {
                const int a = c.blocks[row], b = c.blocks[column];
                if (a < 0 || b < 0 || matrix_.is_before(a, b)) continue;
                double* to = matrix_.entries(a, b);
                const int n = matrix_.width(b), first = matrix_.start(a), second = matrix_.start(b);
                for (int k = ends[row]; k < ends[row + 1]; ++k) {
                    double* line = to + n * (columns_[k].variable - first);
                    for (int l = ends[column]; l < ends[column + 1]; ++l) {
                        const double* x = &products_[6 * (l - c.begin)];
                        double sum = 0.0;
                        for (int i = 0; i < 6; ++i) sum += columns_[k].x[i] * x[i];
                        line[columns_[l].variable - second] += sum;
                    }
                }
            }
        }
    }

    std::vector<int> bodies_;  // rows, ascending
    std::vector<TreePart> trees_;
    std::vector<Contact> contacts_;
    std::vector<DirectRow> joint_rows_;
    std::vector<Column> columns_;
    std::vector<ArticulationMass> tree_masses_;
    std::vector<double> masses_, products_;
    std::vector<double> changes_, forces_, step_, base_;  // of velocities by impulses; what is out of balance; Newton's step
    BlockMatrix matrix_;
    double h_ = 0.0;
    bool factored_ = false, given_up_ = false;
    int iterations_ = 0;
};

KIDO_END
