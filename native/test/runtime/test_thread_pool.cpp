#include <atomic>
#include <thread>
#include <vector>

#include "check.hpp"
#include "thread_pool.hpp"

using namespace kido;

TEST("every share is run once") {
    for (const int shares : {1, 2, 3, 8, 20}) {
        for (int round = 0; round < 50; ++round) {
            std::vector<int> runs(shares, 0);
            run_in_parallel(shares, [&](int share) { ++runs[share]; });
            for (const int count : runs) CHECK(count == 1);
        }
    }
}

TEST("what shares write is seen when the call returns") {
    std::vector<double> numbers(1000, 0.0);
    for (int round = 1; round <= 50; ++round) {
        run_in_parallel(4, [&](int share) {
            for (int i = 250 * share; i < 250 * (share + 1); ++i) numbers[i] += 1.0;
        });
        for (const double x : numbers) CHECK(x == round);
    }
}

TEST("calls from several threads take turns") {
    std::atomic<int> done{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([&done, caller] {
            for (int round = 0; round < 50; ++round) {
                std::vector<int> own(2 + caller, 0);
                run_in_parallel(2 + caller, [&](int share) { own[share] = caller + 1; });
                for (const int value : own) done += value == caller + 1;
            }
        });
    }
    for (std::thread& caller : callers) caller.join();
    CHECK(done == 50 * (2 + 3 + 4 + 5));
}

TEST("who does not wait for the threads has them where they are free, and is told where they are not") {
    int shares = 0;
    std::atomic<int> run{0};
    CHECK(run_in_parallel_if_free(3, [&](int) { ++run; }));
    CHECK(run == 3);
    run_in_parallel(2, [&](int) {
        if (run_in_parallel_if_free(2, [&](int) { ++shares; })) ++shares;
    });
    std::atomic<bool> began{false}, asked{false};
    std::thread other([&] {
        run_in_parallel(2, [&](int) {
            began = true;
            while (!asked) std::this_thread::yield();
        });
    });
    while (!began) std::this_thread::yield();
    const bool had = run_in_parallel_if_free(2, [&](int) { ++shares; });
    asked = true;
    other.join();
    CHECK(!had && shares == 0);
    CHECK(run_in_parallel_if_free(2, [&](int) { ++run; }));
    CHECK(run == 5);
}
