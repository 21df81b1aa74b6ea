#include "velocity_step.hpp"

#include <algorithm>
#include <atomic>

#include "evaluate.hpp"
#include "instruction_set.hpp"
#include "thread_pool.hpp"

namespace kido {

namespace {

// States of a share, in whole groups of lanes.
constexpr std::size_t kPiece = 64;

void write_pose(const Mat3<double>& R, const Vec3<double>& p, double* to_R, double* to_p) {
    write3(to_R, R.x);
    write3(to_R + 3, R.y);
    write3(to_R + 6, R.z);
    write3(to_p, p);
}

}  // namespace

VelocityStep::VelocityStep(const Model& model, std::vector<VelocityDof> dofs) : model_(model) {
    for (const VelocityDof& dof : dofs) {
        unknown_.push_back(dof.unknown);
        factor_.push_back(dof.factor);
        unknowns_ = std::max(unknowns_, dof.unknown + 1);
    }
}

int VelocityStep::error_rows() const {
    int rows = 0;
    for (const VelocityTaskSpec& task : tasks) rows += task.rows;
    return rows;
}

// A frame in the link that carries it, or where it stands in the world.
VelocityStep::Place VelocityStep::place_of(const Frame* frame, const State* own) const {
    Place place{-1, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
    if (!frame) return place;
    const Frame* carrier = frame->carrier();
    if (!carrier || carrier->ready().get() != own) {
        const FrameMotion<double> motion = frame->motion(Order::pose);
        write_pose(motion.R, motion.p, place.R, place.p);
        return place;
    }
    const Body& body = model_.bodies[carrier->body];
    place.link = body.link;
    std::copy_n(body.R, 9, place.R);
    std::copy_n(body.p, 3, place.p);
    if (carrier == frame) return place;
    Mat3<double> R = identity3<double>();
    Vec3<double> p = zero3<double>();
    for (const Frame* f = frame; f != carrier; f = f->parent) {
        if (f->kind() == Frame::Kind::moving) {
            R = f->relative->R * R;
            p = f->relative->p + f->relative->R * p;
            continue;
        }
        // One that tells where it is: from the motions of both in the world.
        const FrameMotion<double> from = carrier->motion(Order::pose), at = frame->motion(Order::pose);
        R = transpose(from.R) * at.R;
        p = transposed_times(from.R, at.p - from.p);
        break;
    }
    const Mat3<double> in_link = mat3(body.R);
    write_pose(in_link * R, vec3(body.p) + in_link * p, place.R, place.p);
    return place;
}

// Columns of the unknowns that move the frame or its base, in their order.
void VelocityStep::set_columns(const VelocityTaskSpec& spec, int link, int base_link, Columns& c) const {
    const int n = model_.num_dofs;
    std::vector<char> moves(unknowns_, 0);
    const auto mark = [&](int dof) {
        if (unknown_[dof] >= 0) moves[unknown_[dof]] = 1;
    };
    if (spec.kind == VelocityTaskKind::center_of_mass || spec.kind >= VelocityTaskKind::posture) {
        for (int d = 0; d < n; ++d) mark(d);
    }
    for (const int end : {link, base_link}) {
        for (int i = end; i >= 0; i = model_.links[i].parent) {
            for (int k = 0; k < model_.links[i].dof_count; ++k) mark(model_.links[i].dof + k);
        }
    }
    std::vector<int> place(unknowns_, -1);
    c.unknown.clear();
    for (int u = 0; u < unknowns_; ++u) {
        if (!moves[u]) continue;
        place[u] = static_cast<int>(c.unknown.size());
        c.unknown.push_back(u);
    }
    c.column.assign(n, -1);
    for (int d = 0; d < n; ++d) {
        if (unknown_[d] >= 0) c.column[d] = place[unknown_[d]];
    }
    c.link = link;
    c.base_link = base_link;
}

void VelocityStep::set_tasks(const State* own) {
    compiled_.resize(tasks.size());
    columns_.resize(tasks.size());
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        const VelocityTaskSpec& spec = tasks[t];
        VelocityTask& task = compiled_[t];
        const Place at = place_of(spec.frame, own), base = place_of(spec.base, own);
        if (columns_[t].link != at.link || columns_[t].base_link != base.link) set_columns(spec, at.link, base.link, columns_[t]);
        task.kind = spec.kind;
        task.level = spec.level;
        task.rows = spec.rows;
        task.is_velocity = spec.is_velocity;
        task.link = at.link;
        task.base_link = base.link;
        std::copy_n(at.R, 9, task.R);
        std::copy_n(at.p, 3, task.p);
        std::copy_n(base.R, 9, task.base_R);
        std::copy_n(base.p, 3, task.base_p);
        task.gain = spec.numbers[0];
        task.damping = spec.numbers[1];
        std::copy_n(spec.numbers + 2, 3, task.axis);
        task.share = spec.numbers[5];
        task.weight = spec.weight;
        task.target = spec.target;
        task.stride = spec.stride;
        task.column = columns_[t].column.data();
        task.unknown = columns_[t].unknown.data();
        task.columns = static_cast<int>(columns_[t].unknown.size());
    }
}

void VelocityStep::solve(const VelocityStates& states, const State* own, bool warm, VelocityResults& results, StopSignal* stop) {
    set_tasks(own);
    VelocityProgram p{};
    p.model = &model_;
    p.unknowns = unknowns_;
    p.unknown = unknown_.data();
    p.factor = factor_.data();
    p.tasks = compiled_.data();
    p.num_tasks = static_cast<int>(compiled_.size());
    p.levels = 1;
    for (const VelocityTask& task : compiled_) {
        p.levels = std::max(p.levels, task.level + 1);
    }
    for (const VelocityTask& task : compiled_) {
        if (task.level < 0 || task.level + 1 < p.levels) p.rows += task.rows;
    }
    p.time_step = states.time_step;
    p.damping = states.damping;
    p.equation_share = states.equation_share;
    p.position_lower = limits.position_lower;
    p.position_upper = limits.position_upper;
    p.velocity_lower = limits.velocity_lower;
    p.velocity_upper = limits.velocity_upper;
    p.acceleration = limits.acceleration;
    p.position_gain = limits.position_gain;
    p.limit_rows = states.limit_rows;
    p.q = states.q, p.q_stride = states.q_stride;
    p.v = states.v, p.v_stride = states.v_stride;
    p.users = states.users, p.users_stride = states.users_stride;
    p.G = states.G, p.G_stride = states.G_stride;
    p.limit_lower = states.lower, p.limit_lower_stride = states.lower_stride;
    p.limit_upper = states.upper, p.limit_upper_stride = states.upper_stride;
    results.error_rows = error_rows();
    const std::size_t sides = unknowns_ + p.limit_rows;
    const bool begins = warm && states.count == 1;
    if (begins && start_.size() == sides) p.start = start_.data();
    run(p, results, states.count, stop);
    if (begins) start_.assign(results.side, results.side + sides);
}

void VelocityStep::run(const VelocityProgram& p, VelocityResults& results, std::size_t count, StopSignal* stop) {
    const VelocityKernels& kernels = active_kernels().velocity;
    const std::size_t bytes = kernels.bytes(p);
    if (count == 1) {
        kernels.solve(p, results, 0, 1, memory_.at_least(bytes), nullptr);
        return;
    }
    const std::size_t pieces = (count + kPiece - 1) / kPiece;
    const std::size_t shares = std::min<std::size_t>(num_threads(), std::max<std::size_t>(pieces / 2, 1));
    std::atomic<std::size_t> next{0};
    run_in_parallel(
        static_cast<int>(shares),
        [&](int) {
            WorkingBlock memory;
            void* block = memory.at_least(bytes);
            for (std::size_t i = next++; i < pieces && !(stop && stop->is_set()); i = next++) {
                kernels.solve(p, results, i * kPiece, std::min(count, (i + 1) * kPiece), block, stop);
            }
        },
        stop);
}

}  // namespace kido
