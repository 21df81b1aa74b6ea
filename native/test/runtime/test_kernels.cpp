#include <algorithm>
#include <cfenv>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "check.hpp"
#include "instruction_set.hpp"
#include "kido/algorithm/bias_forces.hpp"
#include "kido/algorithm/center_of_mass.hpp"
#include "kido/algorithm/forward_dynamics_derivatives.hpp"
#include "kido/algorithm/hybrid_dynamics.hpp"
#include "kido/algorithm/inverse_dynamics_derivatives.hpp"
#include "kido/algorithm/joint_kinematics.hpp"
#include "kido/algorithm/mean_jacobian.hpp"
#include "kido/algorithm/momentum.hpp"
#include "kido/algorithm/spring_forces.hpp"
#include "kido/tree/same_model.hpp"
#include "kido/tree/scratch.hpp"
#include "random_tree.hpp"

using namespace kido;

namespace {

constexpr int kAlgorithms = static_cast<int>(Algorithm::count);

// A tree with all kinds of joints that an algorithm takes: derivatives have none that users give by functions.
RandomTree tree_for(int algorithm) {
    const auto a = static_cast<Algorithm>(algorithm);
    const bool derivatives = a == Algorithm::inverse_dynamics_derivatives || a == Algorithm::forward_dynamics_derivatives;
    return RandomTree(algorithm, derivatives ? 5 : 6);
}

// About one body of a tree and the joint that carries it: the options of any algorithm.
class RandomOptions {
public:
    RandomOptions(RandomTree& tree, int body)
        : joint_{body, body + 1, body}, parent_(tree.model().links[body].parent), classic_(body % 2 == 0) {
        point_ = {body, static_cast<ReferenceFrame>(body % 3), {}};
        write3(point_.offset, tree.random.vector());
        for (int i = 0; i < tree.model().num_dofs; ++i) prescribed_.push_back(i % 3 == 0);
    }

    operator NoOptions() const { return {}; }
    operator BodyOptions() const { return {point_.body}; }
    operator PointOptions() const { return point_; }
    operator PointAccelerationOptions() const { return {point_, classic_}; }
    operator VelocityOptions() const { return {point_.frame}; }
    operator AccelerationOptions() const { return {point_.frame, classic_}; }
    operator JointOptions() const { return joint_; }
    operator JointTransformOptions() const { return {joint_, parent_}; }
    operator MeanJacobianDerivativeOptions() const { return {classic_}; }
    operator IntegrateOptions() const { return {0.1}; }
    operator HybridOptions() const { return {prescribed_.data(), nullptr, false}; }

private:
    PointOptions point_;
    JointOptions joint_;
    int parent_;
    bool classic_;
    std::vector<unsigned char> prescribed_;
};

using AnyProblem = std::shared_ptr<Problem>;

template <class A>
AnyProblem make_problem(const Model& model, const RandomOptions& options) {
    return std::make_shared<ProblemOf<A>>(model, static_cast<OptionsOf<A>>(options));
}

template <class A>
AnyProblem copy_problem(const Problem& problem) {
    return std::make_shared<ProblemOf<A>>(static_cast<const ProblemOf<A>&>(problem));
}

struct AnyAlgorithm {
    AnyProblem (*make)(const Model&, const RandomOptions&);
    AnyProblem (*copy)(const Problem&);
};

const AnyAlgorithm& any(Algorithm algorithm) {
#define KIDO_ANY(name, type) {make_problem<type>, copy_problem<type>},
    static constexpr AnyAlgorithm all[] = {KIDO_ALGORITHMS(KIDO_ANY)};
#undef KIDO_ANY
    return all[static_cast<int>(algorithm)];
}

// One call of an algorithm with random arguments, about one body of a tree.
class RandomCall {
public:
    RandomCall(RandomTree& tree, Algorithm algorithm, int body, std::size_t samples)
        : options_(tree, body), problem_(any(algorithm).make(tree.model(), options_)) {
        const Model& m = tree.model();
        const Kernel& kernel = active_kernels().kernel(algorithm);
        problem_->samples = samples;
        for (int i = 0; i < kernel.inputs; ++i) {
            problem_->stride[i] = static_cast<std::ptrdiff_t>(kernel.input_size(*problem_, i));
            inputs_.push_back(tree.random.numbers(problem_->stride[i] * samples));
            problem_->in[i] = inputs_.back().data();
        }
        problem_->stride[Problem::users] = static_cast<std::ptrdiff_t>(user_numbers(m));
        inputs_.push_back(tree.users(samples));
        problem_->in[Problem::users] = inputs_.back().data();
    }

    // All results, of all samples in one call.
    std::vector<double> together() const { return run(copy()); }
    // The same, each sample in a call of its own.
    std::vector<double> one_by_one() const {
        const Kernel& kernel = active_kernels().kernel(problem_->algorithm);
        std::vector<double> all(together().size());
        for (std::size_t sample = 0; sample < problem_->samples; ++sample) {
            const AnyProblem one = copy();
            one->samples = 1;
            for (int i = 0; i < kernel.inputs; ++i) one->in[i] += one->stride[i] * sample;
            one->in[Problem::users] += one->stride[Problem::users] * sample;
            const std::vector<double> results = run(one);
            std::size_t read = 0, write = 0;
            for (int i = 0; i < kernel.outputs; ++i) {
                const std::size_t size = kernel.output_size(*one, i);
                std::copy_n(results.begin() + read, size, all.begin() + write + size * sample);
                read += size;
                write += size * problem_->samples;
            }
        }
        return all;
    }

    // Whether a kernel computes with numbers that stood in its memory or its results before. They may be anything, slow
    // (denormal) numbers too.
    bool reads_what_it_did_not_write(const Kernel& kernel, bool lanes) const {
        constexpr double trap = std::numeric_limits<double>::signaling_NaN();
        const AnyProblem problem = copy();
        const auto outputs = make_outputs(kernel, *problem, trap);
        const std::size_t bytes = lanes ? kernel.lane_bytes(*problem) : kernel.scalar_bytes(*problem);
        std::vector<double> memory(bytes / sizeof(double) + 2 * kAlignment, trap);
        void* begin = memory.data();
        std::size_t room = memory.size() * sizeof(double);
        std::align(kAlignment, bytes, begin, room);
        std::feclearexcept(FE_INVALID);
        (lanes ? kernel.lanes : kernel.scalar)(*problem, 0, problem->samples, begin);
        return std::fetestexcept(FE_INVALID) != 0;
    }

private:
    using Outputs = std::vector<std::vector<double>>;

    AnyProblem copy() const { return any(problem_->algorithm).copy(*problem_); }

    // Results stand in memory of exactly their size, so that what is written beyond is found.
    static Outputs make_outputs(const Kernel& kernel, Problem& problem, double filling) {
        Outputs outputs;
        for (int i = 0; i < kernel.outputs; ++i) {
            outputs.emplace_back(kernel.output_size(problem, i) * problem.samples, filling);
            problem.out[i] = outputs.back().data();
        }
        return outputs;
    }

    static std::vector<double> run(const AnyProblem& problem) {
        const Outputs outputs = make_outputs(active_kernels().kernel(problem->algorithm), *problem, 0.0);
        CHECK(evaluate(*problem) == kAllPositive);
        std::vector<double> all;
        for (const auto& output : outputs) all.insert(all.end(), output.begin(), output.end());
        return all;
    }

    RandomOptions options_;
    AnyProblem problem_;
    std::vector<std::vector<double>> inputs_;
};

// Equal in value: a minus zero is a zero.
void check_same(const std::vector<double>& a, const std::vector<double>& b) {
    CHECK(!a.empty() && a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(check::same_bits(a[i], b[i]));
}

// The sets that this processor has, the one in use last.
std::vector<std::string> sets() {
    std::vector<std::string> names;
    for (const KernelTable* table : available_kernels()) names.emplace_back(table->instruction_set);
    return names;
}

}  // namespace

TEST("lanes give the bits of doubles, in every algorithm and instruction set") {
    for (int algorithm = 0; algorithm < kAlgorithms; ++algorithm) {
        RandomTree tree = tree_for(algorithm);
        const RandomCall call(tree, static_cast<Algorithm>(algorithm), 1 + algorithm % 10, 11);
        const std::vector<double> expected = call.one_by_one();
        for (const std::string& set : sets()) {
            CHECK(use_kernels(set));
            check_same(call.together(), expected);
        }
    }
}

TEST("no kernel computes with what stood in its memory before") {
    for (int algorithm = 0; algorithm < kAlgorithms; ++algorithm) {
        RandomTree tree = tree_for(algorithm);
        const RandomCall call(tree, static_cast<Algorithm>(algorithm), 1 + algorithm % 10, 11);
        for (const KernelTable* table : available_kernels()) {
            const Kernel& kernel = table->kernel(static_cast<Algorithm>(algorithm));
            for (const bool lanes : {false, true}) {
                CHECK(!call.reads_what_it_did_not_write(kernel, lanes));
            }
        }
    }
}

TEST("threads give the bits of one, in every algorithm") {
    for (int algorithm = 0; algorithm < kAlgorithms; ++algorithm) {
        RandomTree tree = tree_for(algorithm);
        const RandomCall call(tree, static_cast<Algorithm>(algorithm), 10 - algorithm % 10, 400);
        set_num_threads(1);
        const std::vector<double> expected = call.together();
        set_num_threads(3);
        check_same(call.together(), expected);
        set_num_threads(0);
    }
}

TEST("calls from several threads at once give what each gives alone") {
    RandomTree tree(3);
    set_num_threads(3);
    std::vector<RandomCall> calls;
    std::vector<std::vector<double>> expected;
    for (const Algorithm algorithm : {Algorithm::forward_dynamics, Algorithm::mass_matrix, Algorithm::jacobian}) {
        calls.emplace_back(tree, algorithm, 7, 600);
        expected.push_back(calls.back().together());
    }
    std::vector<std::vector<double>> got(calls.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        threads.emplace_back([&, i] {
            for (int round = 0; round < 5; ++round) got[i] = calls[i].together();
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < calls.size(); ++i) check_same(got[i], expected[i]);
    set_num_threads(0);
}

TEST("armature adds to the diagonal of the mass matrix, and to nothing else of it") {
    RandomTree geared(5), bare(5, 6, false);
    const Model &m = geared.model(), &plain = bare.model();
    CHECK(m.armature && !plain.armature && !same_model(m, plain) && same_model(m, m));
    const std::size_t n = m.num_dofs;
    const std::vector<double> q = geared.random.numbers(n), users = geared.users(1);
    std::vector<double> with(n * n), without(n * n);
    for (const auto& [model, out] : {std::pair(&m, &with), std::pair(&plain, &without)}) {
        ProblemOf<MassMatrix> p(*model);
        p.in[0] = q.data();
        p.in[Problem::users] = users.data();
        p.out[0] = out->data();
        evaluate(p);
    }
    for (std::size_t i = 0; i < n * n; ++i) {
        const double added = i % (n + 1) == 0 ? m.armature[i / (n + 1)] : 0.0;
        CHECK(with[i] == without[i] + added);
    }
}

TEST("the table of an instruction set holds the kernels in the order of the registry") {
    RandomTree tree(1);
    const Model& m = tree.model();
    const std::size_t n = m.num_dofs, bodies = m.num_bodies;
    for (const KernelTable* table : available_kernels()) {
        const auto size = [&](const Problem& p) { return table->kernel(p.algorithm).output_size(p, 0); };
        CHECK(size(ProblemOf<ForwardKinematics>(m)) == 16 * bodies);
        CHECK(size(ProblemOf<Difference>(m)) == n);
        CHECK(size(ProblemOf<MassMatrix>(m)) == n * n);
        CHECK(size(ProblemOf<KineticEnergy>(m)) == 1);
        CHECK(size(ProblemOf<CenterOfMassJacobian>(m)) == 3 * n);
        CHECK(table->kernel(Algorithm::inverse_dynamics_derivatives).outputs == 3);
        CHECK(table->kernel(Algorithm::forward_dynamics_derivatives).outputs == 3);
    }
}

TEST("a kernel reads the options of its own call") {
    RandomTree tree(2);
    const Model& m = tree.model();
    const int before = m.links[4].dof_count, after = m.links[5].dof_count;
    for (const KernelTable* table : available_kernels()) {
        const auto size = [&](const Problem& p) { return table->kernel(p.algorithm).output_size(p, 0); };
        CHECK(size(ProblemOf<MotionSubspace>(m, {4, 4, 4})) == 0);
        CHECK(size(ProblemOf<MotionSubspace>(m, {4, 5, 4})) == std::size_t(6 * before));
        CHECK(size(ProblemOf<MotionSubspaceDerivative>(m, {4, 6, 5})) == std::size_t(6 * (before + after)));
    }
}

// What a problem is made with: the options of its algorithm, all of them, and no others; see problem_of.hpp.
template <class A, class... Options>
constexpr bool takes = std::is_constructible_v<ProblemOf<A>, const Model&, Options...>;

static_assert(takes<ForwardDynamics> && takes<Jacobian, PointOptions> && takes<Integrate, IntegrateOptions>);
static_assert(!takes<ForwardDynamics, PointOptions> && !takes<BodyVelocities, AccelerationOptions>);
static_assert(!takes<Jacobian, PointAccelerationOptions> && !takes<JacobianDerivative, PointOptions>);
static_assert(!takes<Jacobian> && !takes<HybridDynamics> && !takes<JointTransform>);
// Nor does a copy lose them.
static_assert(!std::is_copy_constructible_v<Problem> && !std::is_copy_constructible_v<ProblemWith<PointOptions>>);
