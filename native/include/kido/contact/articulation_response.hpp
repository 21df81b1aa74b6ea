#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "kido/contact/articulation.hpp"
#include "kido/contact/response_factor.hpp"
#include "kido/contact/state_archive.hpp"

// How a skeleton answers impulses in one time step. Constraints touch coordinates: the motion of a link (six), of a point along
// three axes, or of a dof. The response is one matrix over them, C; an impulse w at some of them changes the motion at all by
// C[:, those] w. Where they are many, and no constraint but contacts, limits and motors has part in them, C stays the product of its
// factor. Sweeps work on coordinates alone; links and dofs hear of the summed impulses once, at the end.

KIDO_BEGIN

// Of a response where loops are open, below which rounding and regularization alone are left of it.
inline constexpr double kUnmoved = 1e-8;
// The same for what closed loops hardly let move: beyond it, a push along it would turn others by more than a hundred times as much.
inline constexpr double kHardlyMoved = 1e-4;

class ArticulationResponse {
public:
    explicit ArticulationResponse(const Model& model) : factor_(model) {
        marked_.assign(model.num_links, 0);
        whole_.assign(model.num_links, -1);
        climbs_.assign(model.num_links, 0);
        claims_.assign(model.num_links, 0);
        framed_claims_.assign(model.num_links, 0);
        next_.assign(model.num_links, 0);
        claims_whole_.assign(model.num_links, 0);
        of_dof_.assign(model.num_dofs, -1);
        list_ways(model);
    }

    void begin() {
        bends_ = needs_matrix_ = factored_ = false;
        scales_.clear();
        group_ = -1;
        coordinates_.clear();
        shares_.clear();
        std::fill(marked_.begin(), marked_.end(), 0);
        std::fill(whole_.begin(), whole_.end(), -1);
        std::fill(claims_.begin(), claims_.end(), 0);
        std::fill(framed_claims_.begin(), framed_claims_.end(), 0);
        std::fill(claims_whole_.begin(), claims_whole_.end(), 0);
        std::fill(of_dof_.begin(), of_dof_.end(), -1);
    }
    int size() const { return static_cast<int>(coordinates_.size()); }
    // Whoever asks for rows of the matrix, or takes loops out of it, says so before it is computed.
    void need_matrix() { needs_matrix_ = true; }

    // Coordinates of contacts are claimed first, so that those of neighbours stand side by side: impulses at them go the same ways.
    void claim_link(int link) {
        if (has_whole(link)) return;
        claims_whole_[link] = 1;
        claims_[link] += 6;
    }
    void claim_point(int link) { claims_[link] += 3; }
    // The same contact by coordinates of its own, where the response is factored.
    void claim_framed(int link, int count) { framed_claims_[link] += count; }
    // Whether all six of a link were claimed, or added.
    bool has_whole(int link) const { return whole_[link] >= 0 || claims_whole_[link]; }
    // Once all are claimed: chooses between matrix and factor.
    void allot() {
        factored_ = !bends_ && !needs_matrix_ && size() == 0 && factor_.suits(claims_);
        const std::vector<int>& claims = factored_ ? framed_claims_ : claims_;
        int next = size();
        for (std::size_t i = 0; i < claims.size(); ++i) {
            next_[i] = next;
            next += claims[i];
        }
        coordinates_.resize(next);
        if (factored_) factor_.begin(next);
    }

    // The first of six coordinates of a link: forces, then torques, along the world's axes, about the reference.
    int add_link(const Model& model, int link) {
        if (whole_[link] >= 0) return whole_[link];
        const Vec3<double> o = zero3<double>();
        whole_[link] = claims_whole_[link] ? take(link, 6) : extend(6);
        return add_wrenches(model, link, whole_[link], identity3<double>(), o, 6);
    }
    // The same of a link that a constraint holds, whose `bend` is computed.
    int add_constrained_link(const Model& model, int link) {
        bends_ = true;
        return add_link(model, link);
    }
    // The first of three or six coordinates of a point: forces along the columns of a frame, then torques about them; `arm` leads to it
    // from the reference. They were claimed.
    int add_framed(const Model& model, int link, const Mat3<double>& frame, const Vec3<double>& arm, int count) {
        const int first = take(link, count);
        if (factored_) factor_.add_block(first, count);
        return add_wrenches(model, link, first, frame, arm, count);
    }
    int add_dof(const Model& model, int dof) {
        if (of_dof_[dof] >= 0) return of_dof_[dof];
        of_dof_[dof] = size();
        const int link = model.dof_link[dof];
        mark(model, link);
        coordinates_.push_back({link, dof, {}});
        return size() - 1;
    }
    // A combination of dofs: its motion is the sum of factor * velocity, its impulse a force of factor on each.
    int add_combination(const Model& model, const DofShare* shares, int count) {
        const int begin = static_cast<int>(shares_.size());
        shares_.insert(shares_.end(), shares, shares + count);
        for (int i = 0; i < count; ++i) mark(model, model.dof_link[shares[i].dof]);
        needs_matrix_ = true;
        coordinates_.push_back({-1, kCombined, {}, begin, begin + count});
        return size() - 1;
    }

    // The response and the motion at the start of the step; h: length of a sub-step.
    void compute(const Articulation& a, double h) {
        articulation_ = &a;
        substep_ = h;
        const int n = size();
        stride_ = (n + kBlock - 1) / kBlock * kBlock;
        for (auto* v : {&motion, &displacement, &impulse, &impulse_sum, &gain, &bend}) v->assign(stride_ + kPast, 0.0);
        if (n == 0) return;
        list_marked();
        reserve(a.model());
        if (factored_) {
            factor_.compute(a, coordinates_);
        } else {
            compute_matrix(a);
        }
        int link = -1;
        Motion<double> gained, product;
        for (int i = 0; i < n; ++i) {
            const Coordinate& c = coordinates_[i];
            if (c.dof == kCombined) {
                motion[i] = combined(c, a.velocities);
                gain[i] = h * combined_rate(c, a);
                continue;
            }
            if (c.dof >= 0) {
                motion[i] = a.velocities[c.dof];
                gain[i] = h * a.accelerations[c.dof];
                continue;
            }
            if (c.link != link) {  // coordinates of a link stand side by side
                link = c.link;
                gained = acceleration(a, link);
                if (bends_) product = turning(a, link, a.velocity_product(link));
            }
            motion[i] = dot(a.motion(link), c.wrench);
            gain[i] = h * dot(gained, c.wrench);
            if (bends_) bend[i] = h * dot(product, c.wrench);
        }
    }
    // The dof of a coordinate; -1: of a link.
    int dof(int coordinate) const { return coordinates_[coordinate].dof; }
    // Calls f(coordinate, impulse) with the impulses of the last step.
    template <class F>
    void for_each_impulse(F f) const {
        for (int i = 0; i < size(); ++i) {
            const Coordinate& c = coordinates_[i];
            if (c.dof != kCombined) f(c, impulse[i]);
            for (int k = c.begin; k < c.end; ++k) f(Coordinate{-1, shares_[k].dof, {}}, shares_[k].factor * impulse[i]);
        }
    }
    double response(int i, int j) const {
        return factored_ ? factor_.response(i, j) : response_[static_cast<std::size_t>(i) * stride_ + j];
    }
    // Where it is, motion and displacement lack what impulses make of them.
    bool is_factored() const { return factored_; }
    const ResponseFactor& factor() const { return factor_; }
    // With what impulses make of them: of a coordinate; of up to eight of a link, `numbers` being any of those below.
    double motion_at(int i) const { return factored_ ? motion[i] + factor_.motion(i) : motion[i]; }
    double displacement_at(int i) const { return factored_ ? displacement[i] + factor_.displacement(i) : displacement[i]; }
    KIDO_INLINE void read(AlignedNumbers ArticulationResponse::*numbers, int first, double (&out)[8]) const {
        std::memcpy(out, &(this->*numbers)[first], sizeof out);
        if (!factored_) return;
        if (numbers == &ArticulationResponse::motion) factor_.add_motion(first, out);
        if (numbers == &ArticulationResponse::displacement) factor_.add_displacement(first, out);
    }

    const double* row(int i) const { return &response_[static_cast<std::size_t>(i) * stride_]; }
    int stride() const { return stride_; }
    const Coordinate& coordinate(int i) const { return coordinates_[i]; }
    // How a coordinate responds to itself where loops are open: beside it, what rounding leaves of a response is nothing.
    double scale(int i) const { return scales_.empty() ? response(i, i) : scales_[i]; }
    bool is_folded() const { return !scales_.empty(); }
    // Takes loops out: C - B^T B, with B (count, stride). What they hold does not move at all.
    void fold(const double* B, int count) {
        const int n = size();
        scales_.resize(n);
        for (int i = 0; i < n; ++i) scales_[i] = response(i, i);
        for (int i = 0; i < n; ++i) {
            double* own = &response_[static_cast<std::size_t>(i) * stride_];
            for (int k = 0; k < count; ++k) {
                const double* b = B + static_cast<std::size_t>(k) * stride_;
                for (int j = 0; j < stride_; j += KIDO_LANES) store(own + j, load(own + j) - load(b + j) * b[i]);
            }
        }
        for (int i = 0; i < n; ++i) {
            if (response(i, i) > kUnmoved * scales_[i]) continue;
            for (int j = 0; j < n; ++j) {
                response_[static_cast<std::size_t>(i) * stride_ + j] = response_[static_cast<std::size_t>(j) * stride_ + i] = 0.0;
            }
        }
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
        for (std::size_t k = 0; k < taken_.size(); ++k) sum -= loops_[k * stride_ + i] * other.loops_[k * other.stride_ + j];
        return sum;
    }

    // What the last step gave, for those who ask.
    void archive(StateArchive& archive) {
        archive(coordinates_);
        archive(shares_);
        for (auto* numbers : {&motion, &displacement, &impulse, &impulse_sum, &gain}) archive(*numbers);
        archive(stride_);
    }
    // Gives impulses to coordinates [first, first + N).
    template <int N>
    KIDO_INLINE void push(int first, const double (&w)[N]) {
        for (int j = 0; j < N; ++j) impulse[first + j] += w[j];
        if (factored_) return factor_.push(first, w);
        if (group_ >= 0) [[unlikely]] take(first, N, w);
        const double* rows = &response_[static_cast<std::size_t>(first) * stride_];
        for (int i = 0; i < stride_; i += KIDO_LANES) {
            NativeLanes sum = load(&motion[i]);
            KIDO_UNROLL
            for (int j = 0; j < N; ++j) sum = sum + load(rows + static_cast<std::size_t>(j) * stride_ + i) * w[j];
            store(&motion[i], sum);
        }
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
    }
    // That is added to the displacement, as if impulses of a sub-step of length h had made it.
    void take_as_displacement(double h) {
        for (std::size_t i = 0; i < motion.size(); ++i) {
            displacement[i] += motion[i];
            impulse_sum[i] += impulse[i] / h;
        }
        add(factor_.moved(), factor_.rates());
        for (auto [numbers, kept] : kept_numbers()) kept->swap(*numbers);
    }
    // What motion gains without impulses.
    void start_substep() {
        for (int i = 0; i < stride_; ++i) motion[i] += gain[i];
    }
    void move(double h) {
        for (int i = 0; i < stride_; ++i) {
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
    void spread(const Articulation& a, double* velocity_changes, double* sums) {
        const Model& m = a.model();
        std::fill_n(velocity_changes, m.num_dofs, 0.0);
        std::fill_n(sums, m.num_dofs, 0.0);
        if (size() == 0) return;
        if (factored_ && !a.any_prescribed()) {
            take_left(m);
        } else {
            climb_all(a);
        }
        for (int i = 0; i < m.num_links; ++i) descend<1>(a, i);
        for (int k = 0; k < m.num_dofs; ++k) {
            velocity_changes[k] = get_lane(rates_[kWide * k], 0);
            sums[k] = get_lane(rates_[kWide * k], 1);
        }
    }

    // The largest change of a dof's velocity by impulses (size()); per_length: angles that lengths stand for, of dofs that slide [1/m].
    double largest_rate(const double* impulses, double per_length) {
        const Articulation& a = *articulation_;
        const Model& m = a.model();
        for (const int link : list_) clear(m, link);
        for (int i = 0; i < size(); ++i) add_impulse(coordinates_[i], 0, impulses[i]);
        for (int i = static_cast<int>(list_.size()) - 1; i >= 0; --i) climb<1>(a, list_[i], [](int, int, const NativeLanes&) {});
        for (int i = 0; i < m.num_links; ++i) {
            if (!marked_[i]) clear(m, i);
            descend<1>(a, i);
        }
        return largest_of_dofs(per_length, [&](int k) { return get_lane(rates_[kWide * k], 0); });
    }
    // The largest response of a dof that turns, on the way from a coordinate's link to the root, to its own force.
    double largest_turn(int coordinate) const {
        double most = 0.0;
        for (int k = last_dof_[coordinates_[coordinate].link]; k >= 0; k = next_dof_[k]) {
            const Vec3<double>& axis = articulation_->factors(k).axis.angular;
            if (dot(axis, axis) > 0.0) most = std::max(most, articulation_->factors(k).inverse);
        }
        return most;
    }
    // Of the dofs' velocities at the beginning of the step.
    double largest_velocity(double per_length) const {
        return largest_of_dofs(per_length, [&](int k) { return articulation_->velocities[k]; });
    }

    // Impulse of a held servo over the step, after `spread`.
    double holding_impulse(const Articulation& a, int dof) const {
        if (size() == 0) return 0.0;
        const NativeLanes* x = &motions_[6 * kWide * a.model().dof_link[dof]];
        double w[6], sum = -reach_[dof];
        numbers(a.holding_wrench(dof), w);
        for (int j = 0; j < 6; ++j) sum += get_lane(x[kWide * j], 0) * w[j];
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
    AlignedNumbers bend;  // the part of the gain by velocities alone, of links that constraints hold

private:
    // What the impulses of a step, and their sums over sub-steps, leave at the dofs: climbing, or as their factor knows it.
    void climb_all(const Articulation& a) {
        for (const int link : list_) clear(a.model(), link);
        for (int i = 0; i < size(); ++i) {
            add_impulse(coordinates_[i], 0, impulse[i]);
            add_impulse(coordinates_[i], 1, impulse_sum[i]);
        }
        reach_.assign(a.model().num_dofs, 0.0);
        for (int i = static_cast<int>(list_.size()) - 1; i >= 0; --i) {
            climb<1>(a, list_[i], [&](int k, int, const NativeLanes& u) { reach_[k] = get_lane(u, 0); });
        }
        for (int i = 0; i < a.model().num_links; ++i) {
            if (!marked_[i]) clear(a.model(), i);
        }
    }
    void take_left(const Model& m) {
        const double per_substep = 1.0 / substep_;
        for (int k = 0; k < m.num_dofs; ++k) {
            double left[KIDO_LANES] = {};
            left[0] = factor_.left(k);
            left[1] = factor_.left_of_displacement(k) * per_substep;
            rates_[kWide * k] = load(left);
        }
    }
    static constexpr int kPast = 8;  // numbers behind the last coordinate, so that eight may be read from any on

    void compute_matrix(const Articulation& a) {
        response_.resize(static_cast<std::size_t>(stride_) * stride_);
        factors_.resize(static_cast<std::size_t>(stride_) * a.model().num_dofs);
        ranges_.assign(a.model().num_dofs, {-1, 0});
        for (int first = 0; first < stride_; first += kBlock) climb_block(a, first);
        for (int i = 0; i < size();) i += respond(i);
        mirror();
    }
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

    static constexpr int kBlock = 2 * KIDO_LANES < 8 ? 8 : 2 * KIDO_LANES;  // columns at once
    static constexpr int kWide = kBlock / KIDO_LANES;                      // registers of them

    // Columns [first, end) of a row of the factor, beyond which it is zero; first < 0: no column.
    struct Range {
        int first, end;
    };
    // A row of the factor, and by how much it counts in rows of the response.
    template <int N>
    struct Term {
        const double* row;
        Range range;
        double scale[N];
    };

    template <class F>
    double largest_of_dofs(double per_length, const F& of) const {
        double most = 0.0;
        for (int k = 0; k < articulation_->model().num_dofs; ++k) {
            const Vec3<double>& axis = articulation_->factors(k).axis.angular;
            most = std::max(most, std::fabs(of(k)) * (dot(axis, axis) > 0.0 ? 1.0 : per_length));
        }
        return most;
    }
    // Claimed places of a link, and places behind all others.
    int take(int link, int count) {
        next_[link] += count;
        return next_[link] - count;
    }
    int extend(int count) {
        coordinates_.resize(coordinates_.size() + count);
        return size() - count;
    }
    int add_wrenches(const Model& model, int link, int first, const Mat3<double>& frame, const Vec3<double>& arm, int count) {
        mark(model, link);
        const Vec3<double>* axes = &frame.x;
        for (int c = 0; c < 3; ++c) coordinates_[first + c] = {link, kOfLink, {cross(arm, axes[c]), axes[c]}};
        for (int c = 3; c < count; ++c) coordinates_[first + c] = {link, kOfLink, {axes[c - 3], zero3<double>()}};
        return first;
    }

    static KIDO_INLINE NativeLanes load(const double* p) {
        NativeLanes x;
        std::memcpy(&x.v, p, sizeof x.v);
        return x;
    }
    static KIDO_INLINE void store(double* p, const NativeLanes& x) { std::memcpy(p, &x.v, sizeof x.v); }

    double combined(const Coordinate& c, const std::vector<double>& of_dofs) const {
        double sum = 0.0;
        for (int k = c.begin; k < c.end; ++k) sum += shares_[k].factor * of_dofs[shares_[k].dof];
        return sum;
    }
    // Rate of a combination without impulses, in axes of the step's beginning. As for links, a free body's center of mass counts by its
    // classical acceleration.
    double combined_rate(const Coordinate& c, const Articulation& a) const {
        double sum = 0.0;
        for (int k = c.begin; k < c.end; ++k) {
            const int dof = shares_[k].dof;
            const Link& link = a.model().links[a.model().dof_link[dof]];
            double rate = a.accelerations[dof];
            if (link.kind == JointKind::free && dof >= link.dof + 3) {
                const Vec3<double> spin = vec3(&a.velocities[link.dof]), v = vec3(&a.velocities[link.dof + 3]);
                const Vec3<double> center = link.massless ? zero3<double>() : vec3(link.h) * (1.0 / link.mass);
                const Vec3<double> turned = cross(spin, v + cross(spin, center));
                rate += (&turned.x)[dof - link.dof - 3];
            }
            sum += shares_[k].factor * rate;
        }
        return sum;
    }
    // What a link's motion gains, as that of a free body: its center of mass by its classical acceleration. A spatial one alone
    // would lift wheels that roll.
    static Motion<double> acceleration(const Articulation& a, int link) {
        return turning(a, link, a.acceleration(link));
    }
    static Motion<double> turning(const Articulation& a, int link, Motion<double> spatial) {
        const Motion<double>& v = a.motion(link);
        spatial.linear += cross(v.angular, v.linear + cross(v.angular, a.center_arm(link)));
        return spatial;
    }
    void mark(const Model& model, int link) {
        for (int i = link; i >= 0 && !marked_[i]; i = model.links[i].parent) marked_[i] = 1;
    }
    void list_marked() {
        list_.clear();
        for (int i = 0; i < static_cast<int>(marked_.size()); ++i) {
            if (marked_[i]) list_.push_back(i);
        }
    }
    // The dofs on the way from each link to the root.
    void list_ways(const Model& m) {
        last_dof_.assign(m.num_links, -1);
        next_dof_.assign(m.num_dofs, -1);
        for (int i = 0; i < m.num_links; ++i) {
            const Link& link = m.links[i];
            int before = link.parent < 0 ? -1 : last_dof_[link.parent];
            for (int k = link.dof; k < link.dof + link.dof_count; before = k++) next_dof_[k] = before;
            last_dof_[i] = before;
        }
        one_terms_.resize(m.num_dofs);
        three_terms_.resize(m.num_dofs);
        six_terms_.resize(m.num_dofs);
        inverses_.assign(m.num_dofs, 0.0);
    }
    void reserve(const Model& m) {
        wrenches_.resize(static_cast<std::size_t>(6 * kWide) * m.num_links);
        motions_.resize(wrenches_.size());
        rates_.resize(static_cast<std::size_t>(kWide) * m.num_dofs);
    }
    void clear(const Model& m, int link) {
        std::fill_n(&wrenches_[6 * kWide * link], 6 * kWide, NativeLanes(0.0));
        const Link& l = m.links[link];
        for (int k = l.dof * kWide; k < (l.dof + l.dof_count) * kWide; ++k) rates_[k] = 0.0;
    }

    // Adds an impulse to a column.
    void add_impulse(const Coordinate& c, int column, double x) {
        const int at = column / KIDO_LANES, lane = column % KIDO_LANES;
        // This number alone: a whole register would wait for a lane that was just written.
        const auto add = [&](NativeLanes& to, double y) { reinterpret_cast<double*>(&to)[lane] += y; };
        if (c.dof >= 0) {
            add(rates_[kWide * c.dof + at], x);
            return;
        }
        if (c.dof == kCombined) {
            for (int k = c.begin; k < c.end; ++k) add(rates_[kWide * shares_[k].dof + at], shares_[k].factor * x);
            return;
        }
        const double w[6] = {c.wrench.torque.x, c.wrench.torque.y, c.wrench.torque.z,
                             c.wrench.force.x, c.wrench.force.y, c.wrench.force.z};
        for (int j = 0; j < 6; ++j) add(wrenches_[kWide * (6 * c.link + j) + at], w[j] * x);
    }
    // Impulses of a link pass up to the root.
    void raise(const Model& m, int link) {
        for (int i = link; i >= 0 && !climbs_[i]; i = m.links[i].parent) {
            climbs_[i] = 1;
            clear(m, i);
        }
    }
    // What unit impulses of a block of coordinates leave at each dof on their ways to the root. These numbers Y are a factor of the
    // response: C = Y^T D^-1 Y, with D the dofs' inertias (the factorisation of the inverse mass matrix by Rodriguez, Jain and
    // Kreutz-Delgado, A spatial operator algebra for manipulator modeling and control, 1991).
    void climb_block(const Articulation& a, int first) {
        const Model& m = a.model();
        const int end = std::min(first + kBlock, size());
        for (const int link : list_) climbs_[link] = 0;
        for (int c = first; c < end; ++c) {
            raise(m, coordinates_[c].link);
            for (int k = coordinates_[c].begin; k < coordinates_[c].end; ++k) raise(m, m.dof_link[shares_[k].dof]);
        }
        for (int c = first; c < end; ++c) add_impulse(coordinates_[c], c - first, 1.0);
        for (int at = static_cast<int>(list_.size()) - 1; at >= 0; --at) {
            const int i = list_[at];
            const Link& link = m.links[i];
            if (climbs_[i]) {
                climb<kWide>(a, i, [&](int k, int b, const NativeLanes& u) { store(factor(k) + first + b * KIDO_LANES, u); });
            }
            for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
                inverses_[k] = a.factors(k).inverse;
                if (climbs_[i]) {
                    ranges_[k] = {ranges_[k].first < 0 ? first : ranges_[k].first, first + kBlock};
                } else {
                    std::fill_n(factor(k) + first, kBlock, 0.0);
                }
            }
        }
    }
    double* factor(int dof) { return &factors_[static_cast<std::size_t>(dof) * stride_]; }

    // Rows of the response from the diagonal on, as many as are of one link, in groups of six or three: sums over the dofs on the way to the root. Returns how many.
    int respond(int i) {
        if (coordinates_[i].dof == kCombined) return respond_combined(i);
        const int most = std::min(size() - i, 6);
        int count = 1;
        while (count < most && coordinates_[i + count].link == coordinates_[i].link && coordinates_[i + count].dof != kCombined) ++count;
        return count == 6 ? add_up<6>(i) : count >= 3 ? add_up<3>(i) : add_up<1>(i);
    }
    // The row of a combination: sums over all dofs, for these lie on several ways to the root.
    int respond_combined(int i) {
        double* row = &response_[static_cast<std::size_t>(i) * stride_];
        const int begin = i / kBlock * kBlock;
        std::fill(row + begin, row + stride_, 0.0);
        for (std::size_t k = 0; k < ranges_.size(); ++k) {
            if (ranges_[k].first < 0) continue;
            const double* const reaches = factor(static_cast<int>(k));
            const NativeLanes scale = reaches[i] * inverses_[k];
            for (int at = begin; at < stride_; at += KIDO_LANES) store(row + at, load(row + at) + load(reaches + at) * scale);
        }
        return 1;
    }
    // What reaches a dof reaches those nearer to the root: the terms that count for a column are the last ones.
    template <int N>
    int add_up(int i) {
        Term<N>* const terms = this->template terms<N>();
        Term<N>* end = terms;
        for (int k = last_dof_[coordinates_[i].link]; k >= 0; k = next_dof_[k], ++end) {
            end->row = factor(k);
            end->range = ranges_[k];
            for (int r = 0; r < N; ++r) end->scale[r] = end->row[i + r] * inverses_[k];
        }
        double* rows = &response_[static_cast<std::size_t>(i) * stride_];
        for (int at = i / kBlock * kBlock; at < stride_; at += kBlock) {
            const Term<N>* term = terms;
            while (term < end && (at < term->range.first || at >= term->range.end)) ++term;
            NativeLanes sum[N][kWide];
            KIDO_UNROLL
            for (int r = 0; r < N * kWide; ++r) sum[r / kWide][r % kWide] = 0.0;
            for (; term < end; ++term) {
                const double* row = term->row + at;
                KIDO_UNROLL
                for (int b = 0; b < kWide; ++b) {
                    const NativeLanes y = load(row + b * KIDO_LANES);
                    KIDO_UNROLL
                    for (int r = 0; r < N; ++r) sum[r][b] = sum[r][b] + y * term->scale[r];
                }
            }
            KIDO_UNROLL
            for (int r = 0; r < N * kWide; ++r) {
                store(rows + static_cast<std::size_t>(r / kWide) * stride_ + at + r % kWide * KIDO_LANES, sum[r / kWide][r % kWide]);
            }
        }
        return N;
    }
    template <int N>
    Term<N>* terms() {
        if constexpr (N == 6) {
            return six_terms_.data();
        } else if constexpr (N == 3) {
            return three_terms_.data();
        } else {
            return one_terms_.data();
        }
    }
    // What is left of the diagonal is what is right of it.
    void mirror() {
        constexpr int W = KIDO_LANES;
        for (int i = 0; i < size(); i += W) {
            double* own = &response_[static_cast<std::size_t>(i) * stride_ + i];
            for (int r = 1; r < W; ++r) {
                for (int c = 0; c < r; ++c) own[r * stride_ + c] = own[c * stride_ + r];
            }
            for (int j = i + W; j < size(); j += W) {
                LaneBlock<W> block = load_rows<W>(own + (j - i), stride_, W, W);
                transpose(block);
                store_rows(block, &response_[static_cast<std::size_t>(j) * stride_ + i], stride_, W, W);
            }
        }
    }

    static KIDO_INLINE void numbers(const Motion<double>& m, double (&x)[6]) {
        write3(x, m.angular);
        write3(x + 3, m.linear);
    }
    static KIDO_INLINE void numbers(const Wrench<double>& w, double (&x)[6]) {
        write3(x, w.torque);
        write3(x + 3, w.force);
    }
    // Impulses of a link pass to its parent; `tell` hears of what they leave at each dof.
    template <int Wide, class F>
    KIDO_INLINE void climb(const Articulation& a, int i, const F& tell) {
        const Link& link = a.model().links[i];
        NativeLanes* w = &wrenches_[6 * kWide * i];
        for (int k = link.dof + link.dof_count - 1; k >= link.dof; --k) {
            const DofFactors<double>& f = a.factors(k);
            double s[6], g[6];
            numbers(f.axis, s);
            numbers(f.gain, g);
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) {
                NativeLanes u = rates_[kWide * k + b];
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) u = u + w[kWide * j + b] * s[j];
                tell(k, b, u);
                rates_[kWide * k + b] = u * f.inverse;
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) w[kWide * j + b] = w[kWide * j + b] - u * g[j];
            }
        }
        if (link.parent < 0) return;
        NativeLanes* to = &wrenches_[6 * kWide * link.parent];
        KIDO_UNROLL
        for (int j = 0; j < 6; ++j) {
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) to[kWide * j + b] = to[kWide * j + b] + w[kWide * j + b];
        }
    }
    // The motion of a link by its parent's and its own dofs.
    template <int Wide>
    KIDO_INLINE void descend(const Articulation& a, int i) {
        const Link& link = a.model().links[i];
        NativeLanes* x = &motions_[6 * kWide * i];
        const NativeLanes* from = link.parent < 0 ? nullptr : &motions_[6 * kWide * link.parent];
        KIDO_UNROLL
        for (int j = 0; j < 6; ++j) {
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) x[kWide * j + b] = from ? from[kWide * j + b] : NativeLanes(0.0);
        }
        for (int k = link.dof; k < link.dof + link.dof_count; ++k) {
            const DofFactors<double>& f = a.factors(k);
            double s[6], g[6];
            numbers(f.axis, s);
            numbers(f.gain, g);
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) {
                NativeLanes rate = rates_[kWide * k + b];
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) rate = rate - x[kWide * j + b] * g[j];
                rates_[kWide * k + b] = rate;
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) x[kWide * j + b] = x[kWide * j + b] + rate * s[j];
            }
        }
    }

    const Articulation* articulation_ = nullptr;  // of the present step
    std::vector<Coordinate> coordinates_;
    std::vector<DofShare> shares_;
    std::vector<int> list_, whole_, of_dof_;  // marked links; the first coordinate of links and dofs, -1: none
    std::vector<int> claims_, framed_claims_, next_;  // of links: coordinates that were claimed, the next one of these
    std::vector<char> marked_, climbs_, claims_whole_;
    AlignedNumbers response_, factors_;
    std::vector<double> scales_;  // of the coordinates, where loops were taken out
    AlignedNumbers loops_;        // of a group of trees
    std::vector<double> taken_;
    int group_ = -1;
    std::vector<Range> ranges_;
    std::vector<Term<1>> one_terms_;
    std::vector<Term<3>> three_terms_;
    std::vector<Term<6>> six_terms_;
    std::vector<int> last_dof_, next_dof_;  // of a link, and after a dof on the way to the root; -1: none
    std::vector<double> inverses_, reach_;  // reach: what the impulses of a step leave at each dof
    AlignedNumbers leap_, leap_sum_, leap_moved_, kept_motion_, kept_impulse_, kept_gain_, kept_rates_;
    ResponseFactor factor_;
    bool needs_matrix_ = false, factored_ = false;
    double substep_ = 0.0;  // of the present step [s]
    std::vector<NativeLanes> wrenches_, motions_, rates_;
    int stride_ = 0;
    bool bends_ = false;
};

KIDO_END
