#include <algorithm>
#include <cfenv>
#include <limits>
#include <string>
#include <thread>

#include "check.hpp"
#include "instruction_set.hpp"
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

// One call of an algorithm with random arguments, about one body of a tree.
class RandomCall {
public:
    RandomCall(RandomTree& tree, Algorithm algorithm, int body, std::size_t samples)
        : algorithm_(algorithm), problem_(problem_for(tree, body)) {
        const Model& m = tree.model();
        const Kernel& kernel = active_kernels().kernel(algorithm);
        for (int i = 0; i < m.num_dofs; ++i) prescribed_.push_back(i % 3 == 0);
        problem_.prescribed = prescribed_.data();
        problem_.samples = samples;
        problem_.frame = static_cast<ReferenceFrame>(body % 3);
        problem_.classic = body % 2 == 0;
        problem_.step = 0.1;
        write3(problem_.offset, tree.random.vector());
        for (int i = 0; i < kernel.inputs; ++i) {
            problem_.stride[i] = static_cast<std::ptrdiff_t>(kernel.input_size(problem_, i));
            inputs_.push_back(tree.random.numbers(problem_.stride[i] * samples));
            problem_.in[i] = inputs_.back().data();
        }
        problem_.stride[Problem::users] = static_cast<std::ptrdiff_t>(user_numbers(m));
        inputs_.push_back(tree.users(samples));
        problem_.in[Problem::users] = inputs_.back().data();
    }

    // All results, of all samples in one call.
    std::vector<double> together() const { return run(problem_); }
    // The same, each sample in a call of its own.
    std::vector<double> one_by_one() const {
        const Kernel& kernel = active_kernels().kernel(algorithm_);
        std::vector<double> all(together().size());
        Problem one = problem_;
        one.samples = 1;
        for (std::size_t sample = 0; sample < problem_.samples; ++sample) {
            for (int i = 0; i < kernel.inputs; ++i) one.in[i] = problem_.in[i] + problem_.stride[i] * sample;
            one.in[Problem::users] = problem_.in[Problem::users] + problem_.stride[Problem::users] * sample;
            const std::vector<double> results = run(one);
            std::size_t read = 0, write = 0;
            for (int i = 0; i < kernel.outputs; ++i) {
                const std::size_t size = kernel.output_size(one, i);
                std::copy_n(results.begin() + read, size, all.begin() + write + size * sample);
                read += size;
                write += size * problem_.samples;
            }
        }
        return all;
    }

    // Whether a kernel computes with numbers that stood in its memory or its results before. They may be anything, slow
    // (denormal) numbers too.
    bool reads_what_it_did_not_write(const Kernel& kernel, bool lanes) const {
        constexpr double trap = std::numeric_limits<double>::signaling_NaN();
        Problem problem = problem_;
        std::vector<std::vector<double>> outputs;
        for (int i = 0; i < kernel.outputs; ++i) {
            outputs.emplace_back(kernel.output_size(problem, i) * problem.samples, trap);
            problem.out[i] = outputs.back().data();
        }
        const std::size_t bytes = lanes ? kernel.lane_bytes(problem) : kernel.scalar_bytes(problem);
        std::vector<double> memory(bytes / sizeof(double) + 2 * kAlignment, trap);
        void* begin = memory.data();
        std::size_t room = memory.size() * sizeof(double);
        std::align(kAlignment, bytes, begin, room);
        std::feclearexcept(FE_INVALID);
        (lanes ? kernel.lanes : kernel.scalar)(problem, 0, problem.samples, begin);
        return std::fetestexcept(FE_INVALID) != 0;
    }

private:
    // Results stand in memory of exactly their size, so that what is written beyond is found.
    std::vector<double> run(Problem problem) const {
        const Kernel& kernel = active_kernels().kernel(algorithm_);
        std::vector<std::vector<double>> outputs;
        for (int i = 0; i < kernel.outputs; ++i) {
            outputs.emplace_back(kernel.output_size(problem, i) * problem.samples);
            problem.out[i] = outputs.back().data();
        }
        CHECK(evaluate(algorithm_, problem) == kAllPositive);
        std::vector<double> all;
        for (const auto& output : outputs) all.insert(all.end(), output.begin(), output.end());
        return all;
    }

    Algorithm algorithm_;
    Problem problem_;
    std::vector<unsigned char> prescribed_;
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

TEST("the table of an instruction set holds the kernels in the order of the registry") {
    RandomTree tree(1);
    const Problem p = problem_for(tree, 4);
    const std::size_t n = p.model->num_dofs, bodies = p.model->num_bodies;
    for (const KernelTable* table : available_kernels()) {
        const auto size = [&](Algorithm algorithm) { return table->kernel(algorithm).output_size(p, 0); };
        CHECK(size(Algorithm::forward_kinematics) == 16 * bodies);
        CHECK(size(Algorithm::difference) == n);
        CHECK(size(Algorithm::mass_matrix) == n * n);
        CHECK(size(Algorithm::kinetic_energy) == 1);
        CHECK(size(Algorithm::center_of_mass_jacobian) == 3 * n);
        CHECK(table->kernel(Algorithm::inverse_dynamics_derivatives).outputs == 3);
        CHECK(table->kernel(Algorithm::forward_dynamics_derivatives).outputs == 3);
    }
}
