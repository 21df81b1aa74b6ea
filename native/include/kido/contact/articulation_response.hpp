#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "kido/contact/articulation.hpp"
#include "kido/contact/point_pushes.hpp"
#include "kido/contact/response_factor.hpp"
#include "kido/contact/response_matrix.hpp"
#include "kido/contact/state_archive.hpp"
#include "kido/contact/touched_points.hpp"

// How a skeleton answers impulses in one time step, at the coordinates that constraints touch. The response is a matrix over them. Where they
// are many, and no constraint but contacts, limits and motors has part in them, C stays the product of its
// factor. Sweeps work on coordinates alone; links and dofs hear of the summed impulses once, at the end.

KIDO_BEGIN

// Of a response where loops are open, below which rounding and regularization alone are left of it.
inline constexpr double kUnmoved = 1e-8;
// The same for what closed loops hardly let move: beyond it, a push along it would turn others by more than a hundred times as much.
inline constexpr double kHardlyMoved = 1e-4;

class ArticulationResponse : public ResponseCoordinates {
public:
    explicit ArticulationResponse(const Model& model) : ResponseCoordinates(model), matrix_(model), factor_(model) {}

    void begin() {
        ResponseCoordinates::begin();
        factored_ = is_pushed = false;
        scales_.clear();
        group_ = -1;
    }
    // Once all coordinates of contacts are claimed: chooses between matrix and factor.
    void allot() {
        factored_ = !bends() && !needs_matrix() && size() == 0 && factor_.suits(claims());
        ResponseCoordinates::allot(factored_);
        if (factored_) factor_.begin(size());
    }
    int add_framed(const Model& model, int link, const Mat3<double>& frame, const Vec3<double>& arm, int count) {
        const int first = ResponseCoordinates::add_framed(model, link, frame, arm, count);
        if (factored_) factor_.add_block(first, count);
        return first;
    }

    // The response and the motion at the start of the step; h: length of a sub-step.
    void compute(Articulation& a, double h) {
        articulation_ = &a;
        substep_ = h;
        const int n = size();
        stride_ = ResponseMatrix::stride_of(n);
        touched_.find(points(), a.softs);
        const std::size_t numbers = first_torque() + kTorque * a.softs.size();
        for (auto* v : {&displacement, &impulse, &impulse_sum}) clear_numbers(*v, numbers);
        for (auto* v : {&motion, &gain}) {
            // Those of the coordinates are written below.
            v->resize(numbers);
            std::fill(v->begin() + n, v->end(), 0.0);
        }
        if (bends() || bent_ || bend.size() != numbers) clear_numbers(bend, numbers);
        bent_ = bends();
        if (n == 0) return;
        list_links(a.model());
        passes_.reserve(a.model());
        if (factored_) {
            factor_.compute(a, all());
        } else {
            matrix_.compute(a, *this, links_, passes_);
        }
        for (int i = 0; i < n;) {
            const Coordinate& c = coordinate(i);
            if (c.dof == kCombined) {
                motion[i] = combined(c, a.velocities);
                gain[i++] = h * combined_rate(c, a);
            } else if (c.dof >= 0) {
                motion[i] = a.velocities[c.dof];
                gain[i++] = h * a.accelerations[c.dof];
            } else {
                i = start_link(a, i, h);
            }
        }
        for (std::size_t k = 0; k < touched_.size(); ++k) start_point(a, k);
        if (touched_.approximate()) unpushed_ = motion;
        pushes_.find(points(), matrix_);
    }
    // The dof of a coordinate; -1: of a link.
    int dof(int i) const { return coordinate(i).dof; }
    // Calls f(coordinate, impulse) with the impulses of the last step.
    template <class F>
    void for_each_impulse(F f) const {
        for (int i = 0; i < size(); ++i) {
            const Coordinate& c = coordinate(i);
            if (c.dof != kCombined) f(c, impulse[i]);
            for (int k = c.begin; k < c.end; ++k) f(Coordinate{-1, shares()[k].dof, {}}, shares()[k].factor * impulse[i]);
        }
    }
    // The same of two contacts at points, which may be one: how the first moves, in its frame, by unit forces along the axes of the second's.
    Mat3<double> respond_points(int first, int second) const {
        const PointContact &a = point(first), &b = point(second);
        const double own = touched_.response(a, b);
        const auto column = [&](int j, const Vec3<double>& d) {
            const double* const moved = pushes_.row(index_of(second), j) + a.coordinate;
            return transposed_times(a.frame, vec3(moved) * a.share + cross(vec3(moved + 3), a.arm) + d * own);
        };
        return {column(0, b.frame.x), column(1, b.frame.y), column(2, b.frame.z)};
    }
    // Where the couplings of points are approximate, their motion is made what the impulses so far make of it.
    void settle_points() {
        if (size() == 0 || !touched_.approximate()) return;
        for (int s = 0; s < static_cast<int>(articulation_->softs.size()); ++s) {
            const SoftLayer& layer = articulation_->softs[s].layer;
            const std::vector<int>& reached = touched_.reached(s);
            if (sides_.size() < static_cast<std::size_t>(layer.size())) sides_.resize(layer.size());
            for (const int place : reached) sides_[place] = Lanes<4>(0.0);
            for (std::size_t k = 0; k < touched_.size(); ++k) {
                if (touched_[k].soft == s) layer.add_side(sides_, touched_[k].point, of_slot(impulse, k));
            }
            layer.solve(sides_, reached);
            for (std::size_t k = 0; k < touched_.size(); ++k) {
                if (touched_[k].soft == s) set_slot(motion, k, of_slot(unpushed_, k) + layer.side(sides_, touched_[k].point));
            }
        }
    }
    double response(int i, int j) const {
        if (i >= kOfPoints || j >= kOfPoints) [[unlikely]] return point_response(i, j);
        return factored_ ? factor_.response(i, j) : matrix_.response(i, j);
    }
    // Of a contact at a point, summed over its three coordinates: the trace of J C J^T, J = [share, -arm x] of the link's.
    double point_scale(int first) const {
        const PointContact& p = point(first);
        const Vec3<double>& r = p.arm;
        const double* rows[6];
        for (int k = 0; k < 6; ++k) rows[k] = matrix_.row(p.coordinate + k) + p.coordinate;
        const auto turned = [&](int i, int j) { return rows[i][3 + j] - rows[j][3 + i]; };
        const double linear = rows[0][0] + rows[1][1] + rows[2][2], angular = rows[3][3] + rows[4][4] + rows[5][5];
        const Sym3<double> of_turning = {rows[3][3], rows[3][4], rows[3][5], rows[4][4], rows[4][5], rows[5][5]};
        const double mixed = turned(0, 1) * r.z - turned(0, 2) * r.y + turned(1, 2) * r.x;
        return p.share * (p.share * linear + 2.0 * mixed) + angular * dot(r, r) - dot(r, of_turning * r) +
               3.0 * touched_.response(p, p);
    }
    // Where it is, motion and displacement lack what impulses make of them.
    bool is_factored() const { return factored_; }
    const ResponseFactor& factor() const { return factor_; }
    // With what impulses make of them: of a coordinate; of up to eight of a link, `numbers` being any of those below.
    double motion_at(int i) const { return factored_ ? motion[i] + factor_.motion(i) : motion[i]; }
    double displacement_at(int i) const { return factored_ ? displacement[i] + factor_.displacement(i) : displacement[i]; }
    template <AlignedNumbers ArticulationResponse::*numbers>
    KIDO_INLINE void read(int first, const ResponseFactor::Place& place, double (&out)[8]) const {
        if (first >= kOfPoints) [[unlikely]] return read_point<numbers>(point(first), out);
        std::memcpy(out, &(this->*numbers)[first], sizeof out);
        if constexpr (numbers == &ArticulationResponse::motion) factor_.add_motion(place, out);
        if constexpr (numbers == &ArticulationResponse::displacement) factor_.add_displacement(place, out);
    }
    // Of coordinates of one link.
    ResponseFactor::Place place_of(int first) const { return factored_ ? factor_.place_of(first) : ResponseFactor::Place{}; }

    // Of one coordinate, to `count` from j on of a link.
    void respond_one(int i, int j, int count, double (&out)[1][8]) const {
        if (factored_) return factor_.respond<1>(i, j, out);
        const double* const row = matrix_.row(i) + j;
        for (int c = 0; c < 8; ++c) out[0][c] = c < count ? row[c] : 0.0;
    }
    const double* row(int i) const { return matrix_.row(i); }
    int stride() const { return stride_; }
    // Of a contact at a point: one of its link.
    const Coordinate& coordinate(int i) const { return (*this)[i < kOfPoints ? i : point(i).coordinate]; }
    // How a coordinate responds to itself where loops are open: beside it, what rounding leaves of a response is nothing.
    double scale(int i) const { return scales_.empty() || i >= kOfPoints ? response(i, i) : scales_[i]; }
    // The sum over three of one link, from `first` on; `place`: theirs.
    double scale_of_three(int first, const ResponseFactor::Place& place) const {
        return place.blocks > 0 ? factor_.response_of_three(place) : scale(first) + scale(first + 1) + scale(first + 2);
    }
    bool is_folded() const { return !scales_.empty(); }
    // Takes loops out: C - B^T B, with B (count, stride). What they hold does not move at all.
    void fold(const double* B, int count) {
        scales_ = matrix_.fold(B, count, size(), kUnmoved);
        pushes_.find(points(), matrix_);
    }

    // Among trees that loops join: `group` names them, B (count, stride) is theirs. Impulses move the others of the group through
    // what is `taken`.
    void join(int group, const double* B, int count) {
        group_ = group;
        loops_.assign(B, B + static_cast<std::size_t>(count) * stride_);
        taken_.assign(count, 0.0);
    }
    int group() const { return group_; }
    std::vector<double>& taken() { return taken_; }
    // Response to another tree of its group.
    double cross_response(int i, const ArticulationResponse& other, int j) const {
        double sum = 0.0;
        if (i >= kOfPoints || j >= kOfPoints) [[unlikely]] {
            for_terms(i, [&](int k, double x) { other.for_terms(j, [&](int l, double y) { sum += x * y * cross_response(k, other, l); }); });
            return sum;
        }
        for (std::size_t k = 0; k < taken_.size(); ++k) sum -= loops_[k * stride_ + i] * other.loops_[k * other.stride_ + j];
        return sum;
    }

    // What the last step gave, for those who ask.
    void archive(StateArchive& archive) {
        ResponseCoordinates::archive(archive);
        for (auto* numbers : {&motion, &displacement, &impulse, &impulse_sum, &gain}) archive(*numbers);
        archive(stride_);
        touched_.archive(archive);
    }
    // Gives impulses to coordinates [first, first + N), of one link; `place`: theirs.
    template <int N>
    KIDO_INLINE void push(int first, const ResponseFactor::Place& place, const double (&w)[N]) {
        if (N == 3 && first >= kOfPoints) [[unlikely]] return push_point(first, vec3(w));
        // Number by number: whole registers of what was just written would be waited for.
        [&]<std::size_t... J>(std::index_sequence<J...>) KIDO_INLINE_LAMBDA { ((impulse[first + J] += w[J]), ...); }(std::make_index_sequence<N>());
        if (place.blocks > 0) return factor_.push(place, w);
        if (group_ >= 0) [[unlikely]] take(first, N, w);
        matrix_.push(first, w, motion.data());
    }
    template <int N>
    KIDO_INLINE void push(int first, const double (&w)[N]) {
        push(first, place_of(first), w);
    }
    // In between, impulses displace instead of changing the motion: w at the coordinates moves them by C w.
    void begin_displacing(double h) {
        motion.swap(displacement);
        factor_.rates().swap(factor_.moved());
        impulse.swap(impulse_sum);
        for (double& x : impulse) x *= h;
    }
    void end_displacing(double h) {
        for (double& x : impulse) x /= h;
        motion.swap(displacement);
        factor_.rates().swap(factor_.moved());
        impulse.swap(impulse_sum);
    }
    // Displacements by impacts, before the sub-steps, are set aside, and taken again after them.
    void set_leaps_aside() {
        leap_ = displacement;
        leap_sum_ = impulse_sum;
        leap_moved_ = factor_.moved();
        for (auto* v : {&displacement, &impulse_sum, &factor_.moved()}) std::fill(v->begin(), v->end(), 0.0);
    }
    void take_leaps() {
        add(displacement, leap_);
        add(impulse_sum, leap_sum_);
        add(factor_.moved(), leap_moved_);
    }
    // In between, impulses move the coordinates by C w, from rest, beside motion and displacement.
    void set_motion_aside() {
        for (auto [numbers, kept] : kept_numbers()) {
            kept->assign(numbers->size(), 0.0);
            kept->swap(*numbers);
        }
        unpushed_.assign(motion.size(), 0.0);
    }
    // That is added to the displacement, as if impulses of a sub-step of length h had made it.
    void take_as_displacement(double h) {
        settle_points();
        for (std::size_t i = 0; i < motion.size(); ++i) {
            displacement[i] += motion[i];
            impulse_sum[i] += impulse[i] / h;
        }
        add(factor_.moved(), factor_.rates());
        for (auto [numbers, kept] : kept_numbers()) kept->swap(*numbers);
    }
    // What motion gains without impulses.
    void start_substep() {
        for (std::size_t i = 0; i < motion.size(); ++i) motion[i] += gain[i];
        if (touched_.approximate()) add(unpushed_, gain);
    }
    void move(double h) {
        for (std::size_t i = 0; i < motion.size(); ++i) {
            displacement[i] += h * motion[i];
            impulse_sum[i] += impulse[i];
        }
        if (factored_) factor_.move(h);
    }
    // The motion as impulses have changed it, and these, to be put back: of those who try impulses.
    std::array<AlignedNumbers, 3> motion_state() const { return {motion, impulse, factor_.rates()}; }
    void set_motion_state(const std::array<AlignedNumbers, 3>& state) {
        motion = state[0];
        impulse = state[1];
        factor_.rates() = state[2];
    }
    // Not a number where any motion is none.
    double sum_of_zeros() const {
        double sum = 0.0;
        for (const AlignedNumbers* numbers : {&motion, &factor_.rates()}) {
            for (const double x : *numbers) sum += x * 0.0;
        }
        return sum;
    }
    // Changes of the dofs' velocities by all impulses, and sums over the sub-steps of the velocities' changes.
    void spread(Articulation& a, double* velocity_changes, double* sums) {
        const Model& m = a.model();
        std::fill_n(velocity_changes, m.num_dofs, 0.0);
        std::fill_n(sums, m.num_dofs, 0.0);
        for (SoftPart& soft : a.softs) soft.no_impulses();
        if (size() == 0) return;
        if (factored_ && !a.any_prescribed()) {
            take_left(m);
        } else {
            climb_all(a);
        }
        for (int i = 0; i < m.num_links; ++i) passes_.descend<1>(a, i);
        for (int k = 0; k < m.num_dofs; ++k) {
            velocity_changes[k] = passes_.rate(k, 0);
            sums[k] = passes_.rate(k, 1);
        }
        for (std::size_t i = 0; i < a.softs.size(); ++i) spread(a, static_cast<int>(i));
    }

    // After `spread`: what contacts have taken of the energy, the work of their impulses on points, reversed, and of the torques by which
    // these act beside points. Below zero, what they have given to it, as springs press on points that were leaving what touches them.
    double taken_energy(const Articulation& a, double step) const {
        double work = 0.0;
        for (std::size_t s = 0; s < a.softs.size(); ++s) {
            const int link = a.softs[s].link;
            double change[6];
            passes_.motion(link, 0, change);
            const Vec3<double> gained = a.acceleration(link).angular * step + vec3(change);
            work += dot(torque_beside(a, s), a.motion(link).angular + gained * 0.5);
        }
        for (std::size_t k = 0; k < touched_.size(); ++k) {
            const auto [index, point] = touched_[k];
            const SoftPart& soft = a.softs[index];
            const LinkMotion<double>& at = a.link_motion(soft.link);
            double change[6];
            passes_.motion(soft.link, 0, change);
            const Motion<double> turned = {vec3(change), vec3(change + 3)};
            const Vec3<double> gained = soft.acceleration(at, point) * step + soft.change(at, point, turned);
            work += dot(of_slot(impulse, k), soft.velocity(at, point) + gained * 0.5);
        }
        return is_pushed ? -std::min(work, 0.0) : -work;
    }

    // The largest change of a dof's velocity by impulses (size()); per_length: angles that lengths stand for, of dofs that slide [1/m].
    double largest_rate(const double* impulses, double per_length) {
        const Articulation& a = *articulation_;
        const Model& m = a.model();
        for (const int link : links_) passes_.clear(m, link);
        for (int i = 0; i < size(); ++i) passes_.add_impulse(coordinate(i), shares(), 0, impulses[i]);
        for (auto link = links_.rbegin(); link != links_.rend(); ++link) passes_.climb<1>(a, *link, [](int, int, const NativeLanes&) {});
        for (int i = 0; i < m.num_links; ++i) {
            if (!is_marked(i)) passes_.clear(m, i);
            passes_.descend<1>(a, i);
        }
        return largest_of_dofs(per_length, [&](int k) { return passes_.rate(k, 0); });
    }
    // The largest response of a dof that turns, on the way from a coordinate's link to the root, to its own force.
    double largest_turn(int i) const {
        const DofWays& ways = matrix_.ways();
        double most = 0.0;
        for (int k = ways.last[coordinate(i).link]; k >= 0; k = ways.next[k]) {
            const Vec3<double>& axis = articulation_->factors(k).axis.angular;
            if (dot(axis, axis) > 0.0) most = std::max(most, articulation_->factors(k).inverse);
        }
        return most;
    }
    // Of the dofs' velocities at the beginning of the step.
    double largest_velocity(double per_length) const {
        const Model& m = articulation_->model();
        // What flies turns nothing by that, however fast.
        const auto flies = [&](int k) {
            const Link& link = m.links[m.dof_link[k]];
            return link.kind == JointKind::free && k >= link.dof + 3;
        };
        return largest_of_dofs(per_length, [&](int k) { return flies(k) ? 0.0 : articulation_->velocities[k]; });
    }

    // Impulse of a held servo over the step, after `spread`.
    double holding_impulse(const Articulation& a, int dof) const {
        if (size() == 0) return 0.0;
        double x[6], w[6], sum = -reach_[dof];
        passes_.motion(a.model().dof_link[dof], 0, x);
        const Wrench<double> holding = a.holding_wrench(dof);
        write3(w, holding.torque);
        write3(w + 3, holding.force);
        for (int j = 0; j < 6; ++j) sum += x[j] * w[j];
        return sum;
    }

    // Sums impulses as if those of the last sub-step had been given in all: see ConstrainedMotion. relaxed: their sum over the
    // sub-steps before.
    void follow_end(std::vector<double>& relaxed, int substeps, bool last) {
        relaxed.resize(impulse.size(), 0.0);
        for (std::size_t i = 0; i < impulse.size(); ++i) {
            if (last) {
                impulse_sum[i] += (substeps - 1) * impulse[i] - relaxed[i];
            } else {
                relaxed[i] += impulse[i];
            }
        }
    }

    // Over coordinates: their motion, their displacement in this step, impulses given, the sum of those over sub-steps, and what
    // motion gains in a sub-step without impulses.
    AlignedNumbers motion, displacement, impulse, impulse_sum, gain;
    bool is_limited = false;  // whether limits of positions are exceeded
    bool is_pushed = false;   // whether what moves touches it, and may give energy to it
    AlignedNumbers bend;  // the part of the gain by velocities alone, of links that constraints hold

private:
    // What the impulses of a step, and their sums over sub-steps, leave at the dofs: climbing, or as their factor knows it.
    void climb_all(const Articulation& a) {
        for (const int link : links_) passes_.clear(a.model(), link);
        for (int i = 0; i < size(); ++i) {
            passes_.add_impulse(coordinate(i), shares(), 0, impulse[i]);
            passes_.add_impulse(coordinate(i), shares(), 1, impulse_sum[i]);
        }
        reach_.assign(a.model().num_dofs, 0.0);
        for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
            passes_.climb<1>(a, *link, [&](int k, int, const NativeLanes& u) { reach_[k] = get_lane(u, 0); });
        }
        for (int i = 0; i < a.model().num_links; ++i) {
            if (!is_marked(i)) passes_.clear(a.model(), i);
        }
    }
    void take_left(const Model& m) {
        const double per_substep = 1.0 / substep_;
        for (int k = 0; k < m.num_dofs; ++k) {
            passes_.set_rates(k, factor_.left(k), factor_.left_of_displacement(k) * per_substep);
        }
    }
    // Numbers of points that are touched stand behind those of the coordinates, x, y and z of all: what they have beside their share of
    // the link's.
    std::size_t first_point() const { return (stride_ + kPast + TouchedPoints::kTile - 1) / TouchedPoints::kTile * TouchedPoints::kTile; }
    // Behind these, the torques about the reference that contacts of each part give to its link.
    std::size_t first_torque() const { return first_point() + 3 * touched_.padded(); }
    // Of that, what impulses at the points themselves do not give: balls and faces are thick.
    Vec3<double> torque_beside(const Articulation& a, std::size_t s) const {
        const SoftPart& soft = a.softs[s];
        const LinkMotion<double>& at = a.link_motion(soft.link);
        Vec3<double> sum = vec3(&impulse[first_torque() + kTorque * s]);
        for (std::size_t k = 0; k < touched_.size(); ++k) {
            if (touched_[k].soft != static_cast<int>(s)) continue;
            const auto [share, moment] = soft.share(at, touched_[k].point);
            sum -= cross(at.arm * share + moment, of_slot(impulse, k));
        }
        return sum;
    }
    KIDO_INLINE Vec3<double> of_slot(const AlignedNumbers& numbers, std::size_t slot) const {
        const double* x = &numbers[first_point() + slot];
        return {x[0], x[touched_.padded()], x[2 * touched_.padded()]};
    }
    KIDO_INLINE void set_slot(AlignedNumbers& numbers, std::size_t slot, const Vec3<double>& v) const {
        double* x = &numbers[first_point() + slot];
        x[0] = v.x;
        x[touched_.padded()] = v.y;
        x[2 * touched_.padded()] = v.z;
    }
    void start_point(const Articulation& a, std::size_t k) {
        const auto [part, point] = touched_[k];
        const SoftPart& soft = a.softs[part];
        const LinkMotion<double>& at = a.link_motion(soft.link);
        const auto [share, moment] = soft.share(at, point);
        const auto beside = [&](const Vec3<double>& own, const Motion<double>& of_link) {
            return own - (of_link.linear + cross(of_link.angular, at.arm)) * share - cross(of_link.angular, moment);
        };
        set_slot(motion, k, beside(soft.velocity(at, point), at.motion));
        set_slot(gain, k, beside(soft.acceleration(at, point), acceleration(a, soft.link)) * substep_);
    }
    template <AlignedNumbers ArticulationResponse::*numbers>
    void read_point(const PointContact& p, double (&out)[8]) const {
        const double* const of_link = &(this->*numbers)[p.coordinate];  // which no factor stands for
        Vec3<double> moved = vec3(of_link) * p.share + cross(vec3(of_link + 3), p.arm) +
                             of_slot(this->*numbers, p.slots[0]) * p.on.weights[0];
        for (int k = 1; k < p.on.count; ++k) moved += of_slot(this->*numbers, p.slots[k]) * p.on.weights[k];
        write3(out, transposed_times(p.frame, moved));
    }
    void push_point(int first, const Vec3<double>& w) {
        const PointContact& p = point(first);
        const Vec3<double> force = p.frame * w, torque = cross(p.arm, force), shared = force * p.share;
        double* const sum = &impulse[p.coordinate];  // from registers: numbers of an array just written would be waited for
        write3(sum, vec3(sum) + shared);
        write3(sum + 3, vec3(sum + 3) + torque);
        double* const of_part = &impulse[first_torque() + kTorque * p.soft];
        write3(of_part, vec3(of_part) + torque);
        const double of_link[6] = {shared.x, shared.y, shared.z, torque.x, torque.y, torque.z};
        if (group_ >= 0) [[unlikely]] take(p.coordinate, 6, of_link);
        pushes_.push(index_of(first), w, motion.data());
        for (int k = 0; k < p.on.count; ++k) push_slot(p.slots[k], force * p.on.weights[k]);
    }
    KIDO_INLINE void push_slot(int slot, const Vec3<double>& force) {
        set_slot(impulse, slot, of_slot(impulse, slot) + force);
        using Row = TouchedPoints::Row;
        Row* const x = reinterpret_cast<Row*>(&motion[first_point()]);
        const std::size_t tiles = touched_.padded() / TouchedPoints::kTile;
        touched_.for_near(slot, [&](int near, const Row& responses) {
            Row* const moved = x + near / TouchedPoints::kTile;
            moved[0] += responses * force.x;
            moved[tiles] += responses * force.y;
            moved[2 * tiles] += responses * force.z;
        });
    }
    // Calls f(coordinate, factor) with those that move with a coordinate.
    template <class F>
    void for_terms(int i, const F& f) const {
        if (i < kOfPoints) return f(i, 1.0);
        const PointContact& p = point(i);
        const Vec3<double>& d = (&p.frame.x)[(i - kOfPoints) % 3];
        const Vec3<double> torque = cross(p.arm, d);
        for (int c = 0; c < 3; ++c) f(p.coordinate + c, p.share * (&d.x)[c]);
        for (int c = 0; c < 3; ++c) f(p.coordinate + 3 + c, (&torque.x)[c]);
    }
    double point_response(int i, int j) const {
        double sum = 0.0;
        for_terms(i, [&](int k, double x) { for_terms(j, [&](int l, double y) { sum += x * y * response(k, l); }); });
        if (i < kOfPoints || j < kOfPoints) return sum;
        const PointContact &a = point(i), &b = point(j);
        const double along = dot((&a.frame.x)[(i - kOfPoints) % 3], (&b.frame.x)[(j - kOfPoints) % 3]);
        return sum + along * touched_.response(a, b);
    }
    // What a step gave goes on to all points around a link, after the links have moved.
    void spread(Articulation& a, int index) {
        SoftPart& soft = a.softs[index];
        const LinkMotion<double>& at = a.link_motion(soft.link);
        soft.begin_spread();
        for (std::size_t k = 0; k < touched_.size(); ++k) {
            if (touched_[k].soft == index) soft.add_impulse(at, touched_[k].point, of_slot(impulse, k), of_slot(impulse_sum, k));
        }
        double change[6], sum[6];
        passes_.motion(soft.link, 0, change);
        passes_.motion(soft.link, 1, sum);
        soft.end_spread(at, {vec3(change), vec3(change + 3)}, {vec3(sum), vec3(sum + 3)});
    }
    static constexpr int kTorque = 4;  // numbers of a torque, a whole register
    static constexpr int kPast = 8;  // numbers behind the last coordinate, so that eight may be read from any on

    static void add(AlignedNumbers& to, const AlignedNumbers& numbers) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += numbers[i];
    }
    std::array<std::pair<AlignedNumbers*, AlignedNumbers*>, 4> kept_numbers() {
        return {{{&motion, &kept_motion_}, {&impulse, &kept_impulse_}, {&gain, &kept_gain_}, {&factor_.rates(), &kept_rates_}}};
    }
    void take(int first, int count, const double* w) {
        for (std::size_t k = 0; k < taken_.size(); ++k) {
            for (int j = 0; j < count; ++j) taken_[k] += loops_[k * stride_ + first + j] * w[j];
        }
    }

    template <class F>
    double largest_of_dofs(double per_length, const F& of) const {
        double most = 0.0;
        for (int k = 0; k < articulation_->model().num_dofs; ++k) {
            const Vec3<double>& axis = articulation_->factors(k).axis.angular;
            most = std::max(most, std::fabs(of(k)) * (dot(axis, axis) > 0.0 ? 1.0 : per_length));
        }
        return most;
    }
    double combined(const Coordinate& c, const std::vector<double>& of_dofs) const {
        double sum = 0.0;
        for (int k = c.begin; k < c.end; ++k) sum += shares()[k].factor * of_dofs[shares()[k].dof];
        return sum;
    }
    // Rate of a combination without impulses, in axes of the step's beginning. As for links, a free body's center of mass counts by its
    // classical acceleration.
    double combined_rate(const Coordinate& c, const Articulation& a) const {
        double sum = 0.0;
        for (int k = c.begin; k < c.end; ++k) {
            const int dof = shares()[k].dof;
            const Link& link = a.model().links[a.model().dof_link[dof]];
            double rate = a.accelerations[dof];
            if (link.kind == JointKind::free && dof >= link.dof + 3) {
                const Vec3<double> spin = vec3(&a.velocities[link.dof]), v = vec3(&a.velocities[link.dof + 3]);
                const Vec3<double> center = link.massless ? zero3<double>() : vec3(link.h) * (1.0 / link.mass);
                const Vec3<double> turned = cross(spin, v + cross(spin, center));
                rate += (&turned.x)[dof - link.dof - 3];
            }
            sum += shares()[k].factor * rate;
        }
        return sum;
    }
    // What a link's motion gains, as that of a free body: its center of mass by its classical acceleration. A spatial one alone
    // would lift wheels that roll.
    KIDO_INLINE static Motion<double> acceleration(const Articulation& a, int link) {
        return turning(a, link, a.acceleration(link));
    }
    KIDO_INLINE static Motion<double> turning(const Articulation& a, int link, const Motion<double>& spatial) {
        const Motion<double>& v = a.motion(link);
        return {spatial.angular, spatial.linear + cross(v.angular, v.linear + cross(v.angular, a.center_arm(link)))};
    }
    // Motion and gain of the coordinates of a link, which stand side by side from i on; returns the first behind them.
    int start_link(const Articulation& a, int i, double h) {
        const int link = coordinate(i).link;
        const Motion<double> v = a.motion(link), gained = acceleration(a, link);
        const Motion<double> product = bends() ? turning(a, link, a.velocity_product(link)) : Motion<double>{zero3<double>(), zero3<double>()};
        for (; i < size() && coordinate(i).dof == kOfLink && coordinate(i).link == link; ++i) {
            const auto& w = coordinate(i).wrench;
            motion[i] = dot(v, w);
            gain[i] = h * dot(gained, w);
            if (bends()) bend[i] = h * dot(product, w);
        }
        return i;
    }
    void list_links(const Model& model) {
        links_.clear();
        for (int i = 0; i < model.num_links; ++i) {
            if (is_marked(i)) links_.push_back(i);
        }
    }

    const Articulation* articulation_ = nullptr;  // of the present step
    double substep_ = 0.0;                        // of the present step [s]
    ImpulsePasses passes_;
    ResponseMatrix matrix_;
    ResponseFactor factor_;
    TouchedPoints touched_;
    PointPushes pushes_;
    bool factored_ = false, bent_ = false;  // bent_: some of `bend` may not be zero
    int stride_ = 0;
    std::vector<int> links_;      // that constraints touch, or that carry such
    std::vector<double> scales_;  // of the coordinates, where loops were taken out
    std::vector<double> reach_;   // what the impulses of a step leave at each dof
    // Of a group of trees.
    int group_ = -1;
    AlignedNumbers loops_;
    std::vector<double> taken_;
    AlignedNumbers unpushed_;         // the motion without impulses, where couplings of points are approximate
    std::vector<Lanes<4>> sides_;
    AlignedNumbers leap_, leap_sum_, leap_moved_, kept_motion_, kept_impulse_, kept_gain_, kept_rates_;
};

KIDO_END
