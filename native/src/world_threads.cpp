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

    Lead(NativeWorld& world, Crew& crew) : world(world), crew(crew) { world.set_crew(&crew); }
    ~Lead() {
        world.set_crew(nullptr);
        crew.end();
    }
};

}  // namespace

int threads_for(const NativeWorld& world) { return world.is_large() ? num_threads() : 1; }

long step_on_threads(NativeWorld& world, const WorldSettings& settings, long count, int threads, StopSignal* stop) {
    long done = 0;
    while (done < count) {
        const long piece = std::min(count - done, kStepsAtOnce);
        long made = 0;
        Crew crew(world.crew_rest());
        run_in_parallel(threads, [&](int share) {
            if (share > 0) return crew.help();
            const Lead lead(world, crew);
            made = world.step(settings, piece, stop);
        });
        done += made;
        if (made < piece) break;
    }
    return done;
}

}  // namespace kido
