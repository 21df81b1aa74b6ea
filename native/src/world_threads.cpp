#include "world_threads.hpp"

#include <algorithm>

#include "evaluate.hpp"
#include "kido/batch/crew.hpp"
#include "thread_pool.hpp"

namespace kido {

namespace {

constexpr long kStepsAtOnce = 64;  // after which other calls have their turn of the threads

// The end of a piece of work, however it ends.
struct Lead {
    NativeWorld& world;
    Crew& crew;
    long& made;

    Lead(NativeWorld& world, Crew& crew, long& made) : world(world), crew(crew), made(made) { world.set_crew(&crew); }
    ~Lead() {
        made = world.made();
        world.set_crew(nullptr);
        crew.end();
    }
};

}  // namespace

int threads_for(const NativeWorld& world) { return world.is_large() ? num_threads() : 1; }

void step_on_threads(NativeWorld& world, const WorldSettings& settings, long count, int threads, StopSignal* stop, long& done) {
    done = 0;
    for (long piece = 1, made = 1; done < count && made == piece;) {
        piece = std::min(count - done, kStepsAtOnce);
        made = 0;
        Crew crew(world.crew_rest());
        const auto job = [&](int share) {
            if (share > 0) return crew.help();
            const Lead lead(world, crew, made);
            world.step(settings, piece, stop, true);
        };
        try {
            run_in_parallel(threads, job);
        } catch (...) {
            done += made;
            throw;
        }
        done += made;
    }
}

bool step_on_free_threads(NativeWorld& world, const WorldSettings& settings, long count, int threads) {
    long made = 0;
    Crew crew(world.crew_rest());
    return run_in_parallel_if_free(threads, [&](int share) {
        if (share > 0) return crew.help();
        const Lead lead(world, crew, made);
        world.step(settings, count, nullptr, true);
    });
}

}  // namespace kido
