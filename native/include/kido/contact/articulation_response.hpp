#pragma once

#include <algorithm>

#include "kido/contact/articulation.hpp"
#include "kido/scalar/lanes.hpp"

// How a skeleton answers impulses in one time step. Constraints touch coordinates: the motion of a link (six), of a point along
// three axes, or of a dof. The response is one matrix over them, C; an impulse w at some of them changes the motion at all by
// C[:, those] w. Sweeps work on coordinates alone; links and dofs hear of the summed impulses once, at the end.

KIDO_BEGIN

// What an impulse of one coordinate is: a wrench about the reference on a link, or a force of a dof.
struct Coordinate {
    int link;
    int dof;  // -1: of the link
    Wrench<double> wrench;
};

class ArticulationResponse {
public:
    explicit ArticulationResponse(const Model& model) {
        marked_.assign(model.num_links, 0);
        whole_.assign(model.num_links, -1);
        climbs_.assign(model.num_links, 0);
        of_dof_.assign(model.num_dofs, -1);
    }

    void begin() {
        coordinates_.clear();
        std::fill(marked_.begin(), marked_.end(), 0);
        std::fill(whole_.begin(), whole_.end(), -1);
        std::fill(of_dof_.begin(), of_dof_.end(), -1);
    }
    int size() const { return static_cast<int>(coordinates_.size()); }

    // The first of six coordinates of a link: forces, then torques, along the world's axes, about the reference.
    int add_link(const Model& model, int link) {
        if (whole_[link] >= 0) return whole_[link];
        whole_[link] = size();
        mark(model, link);
        for (int c = 0; c < 6; ++c) {
            double x[6] = {};
            x[c] = 1.0;
            coordinates_.push_back({link, -1, {{x[3], x[4], x[5]}, {x[0], x[1], x[2]}}});
        }
        return whole_[link];
    }
    // The first of three coordinates of a point: forces along the columns of a frame; `arm` leads to it from the reference.
    int add_point(const Model& model, int link, const Mat3<double>& frame, const Vec3<double>& arm) {
        const int first = size();
        mark(model, link);
        for (const Vec3<double>& axis : {frame.x, frame.y, frame.z}) coordinates_.push_back({link, -1, {cross(arm, axis), axis}});
        return first;
    }
    int add_dof(const Model& model, int dof) {
        if (of_dof_[dof] >= 0) return of_dof_[dof];
        of_dof_[dof] = size();
        const int link = model.dof_link[dof];
        mark(model, link);
        coordinates_.push_back({link, dof, {}});
        return size() - 1;
    }

    // The response and the motion at the start of the step; h: length of a sub-step.
    void compute(const Articulation& a, double h) {
        const int n = size();
        stride_ = (n + kBlock - 1) / kBlock * kBlock;
        for (auto* v : {&motion, &displacement, &impulse, &impulse_sum, &gain}) v->assign(stride_, 0.0);
        if (n == 0) return;
        list_marked();
        response_.resize(static_cast<std::size_t>(n) * stride_);
        reserve(a.model());
        for (int first = 0; first < stride_; first += kBlock) columns(a, first);
        for (int i = 0; i < n; ++i) {
            const Coordinate& c = coordinates_[i];
            motion[i] = c.dof >= 0 ? a.velocities[c.dof] : dot(a.motion(c.link), c.wrench);
            gain[i] = h * (c.dof >= 0 ? a.accelerations[c.dof] : dot(acceleration(a, c.link), c.wrench));
        }
    }
    // The dof of a coordinate; -1: of a link.
    int dof(int coordinate) const { return coordinates_[coordinate].dof; }
    // Calls f(coordinate, impulse) with the impulses of the last step.
    template <class F>
    void for_each_impulse(F f) const {
        for (int i = 0; i < size(); ++i) f(coordinates_[i], impulse[i]);
    }
    double response(int i, int j) const { return response_[static_cast<std::size_t>(i) * stride_ + j]; }

    // Gives impulses to coordinates [first, first + N).
    template <int N>
    KIDO_INLINE void push(int first, const double (&w)[N]) {
        for (int j = 0; j < N; ++j) impulse[first + j] += w[j];
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
        impulse.swap(impulse_sum);
        for (double& x : impulse) x *= h;
    }
    void end_displacing(double h) {
        for (double& x : impulse) x /= h;
        motion.swap(displacement);
        impulse.swap(impulse_sum);
    }
    void start_substep() {
        for (int i = 0; i < stride_; ++i) motion[i] += gain[i];
    }
    void move(double h) {
        for (int i = 0; i < stride_; ++i) {
            displacement[i] += h * motion[i];
            impulse_sum[i] += impulse[i];
        }
    }
    // Changes of the dofs' velocities by all impulses, and sums over the sub-steps of the velocities' changes.
    void spread(const Articulation& a, double* velocity_changes, double* sums) {
        const Model& m = a.model();
        std::fill_n(velocity_changes, m.num_dofs, 0.0);
        std::fill_n(sums, m.num_dofs, 0.0);
        if (size() == 0) return;
        for (const int link : list_) clear(m, link);
        for (int i = 0; i < size(); ++i) {
            add_impulse(coordinates_[i], 0, impulse[i]);
            add_impulse(coordinates_[i], 1, impulse_sum[i]);
        }
        for (int i = static_cast<int>(list_.size()) - 1; i >= 0; --i) climb<1>(a, list_[i]);
        for (int i = 0; i < m.num_links; ++i) {
            if (!marked_[i]) clear(m, i);
            descend<1>(a, i);
        }
        for (int k = 0; k < m.num_dofs; ++k) {
            velocity_changes[k] = get_lane(rates_[kWide * k], 0);
            sums[k] = get_lane(rates_[kWide * k], 1);
        }
    }

    // Over coordinates: their motion, their displacement in this step, impulses given, the sum of those over sub-steps, and what
    // motion gains in a sub-step without impulses.
    std::vector<double> motion, displacement, impulse, impulse_sum, gain;

private:
    static constexpr int kBlock = 2 * KIDO_LANES < 8 ? 8 : 2 * KIDO_LANES;  // columns at once
    static constexpr int kWide = kBlock / KIDO_LANES;                      // registers of them

    static KIDO_INLINE NativeLanes load(const double* p) {
        NativeLanes x;
        std::memcpy(&x.v, p, sizeof x.v);
        return x;
    }
    static KIDO_INLINE void store(double* p, const NativeLanes& x) { std::memcpy(p, &x.v, sizeof x.v); }

    // What a link's motion gains, as that of a free body: its center of mass by its classical acceleration. A spatial one alone
    // would lift wheels that roll.
    static Motion<double> acceleration(const Articulation& a, int link) {
        const Motion<double>& v = a.motion(link);
        Motion<double> gained = a.acceleration(link);
        gained.linear += cross(v.angular, v.linear + cross(v.angular, a.center_arm(link)));
        return gained;
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
        const auto add = [&](NativeLanes& to, double y) { set_lane(to, lane, get_lane(to, lane) + y); };
        if (c.dof >= 0) {
            add(rates_[kWide * c.dof + at], x);
            return;
        }
        const double w[6] = {c.wrench.torque.x, c.wrench.torque.y, c.wrench.torque.z,
                             c.wrench.force.x, c.wrench.force.y, c.wrench.force.z};
        for (int j = 0; j < 6; ++j) add(wrenches_[kWide * (6 * c.link + j) + at], w[j] * x);
    }
    // A block of columns of the response.
    void columns(const Articulation& a, int first) {
        const Model& m = a.model();
        const int end = std::min(first + kBlock, size());
        for (const int link : list_) {
            clear(m, link);
            climbs_[link] = 0;
        }
        for (int c = first; c < end; ++c) {
            add_impulse(coordinates_[c], c - first, 1.0);
            for (int i = coordinates_[c].link; i >= 0 && !climbs_[i]; i = m.links[i].parent) climbs_[i] = 1;
        }
        for (int i = static_cast<int>(list_.size()) - 1; i >= 0; --i) {
            if (climbs_[list_[i]]) climb<kWide>(a, list_[i]);
        }
        for (const int link : list_) descend<kWide>(a, link);
        for (int i = 0; i < size(); ++i) read(coordinates_[i], &response_[static_cast<std::size_t>(i) * stride_ + first]);
    }
    // Motion at a coordinate by the columns at hand.
    void read(const Coordinate& c, double* out) const {
        const double w[6] = {c.wrench.torque.x, c.wrench.torque.y, c.wrench.torque.z,
                             c.wrench.force.x, c.wrench.force.y, c.wrench.force.z};
        for (int b = 0; b < kWide; ++b) {
            NativeLanes x = 0.0;
            if (c.dof >= 0) {
                x = rates_[kWide * c.dof + b];
            } else {
                for (int j = 0; j < 6; ++j) {
                    if (w[j] != 0.0) x = x + motions_[kWide * (6 * c.link + j) + b] * w[j];
                }
            }
            store(out + b * KIDO_LANES, x);
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
    // Impulses of a link pass to its parent.
    template <int Wide>
    KIDO_INLINE void climb(const Articulation& a, int i) {
        const Link& link = a.model().links[i];
        NativeLanes* w = &wrenches_[6 * kWide * i];
        for (int k = link.dof + link.dof_count - 1; k >= link.dof; --k) {
            const DofFactors& f = a.factors(k);
            double s[6], g[6];
            numbers(f.axis, s);
            numbers(f.gain, g);
            KIDO_UNROLL
            for (int b = 0; b < Wide; ++b) {
                NativeLanes u = rates_[kWide * k + b];
                KIDO_UNROLL
                for (int j = 0; j < 6; ++j) u = u + w[kWide * j + b] * s[j];
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
            const DofFactors& f = a.factors(k);
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

    std::vector<Coordinate> coordinates_;
    std::vector<int> list_, whole_, of_dof_;  // marked links; the first coordinate of links and dofs, -1: none
    std::vector<char> marked_, climbs_;
    std::vector<double> response_;
    std::vector<NativeLanes> wrenches_, motions_, rates_;
    int stride_ = 0;
};

KIDO_END
