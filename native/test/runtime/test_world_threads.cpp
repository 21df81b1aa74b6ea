#include <vector>

#include "check.hpp"
#include "soft_cubes.hpp"
#include "world_threads.hpp"

using namespace kido;

namespace {

// Towers of two boxes and a ball side by side, and soft bodies between them, all a little above what they fall on.
struct Crowd : SoftCubes {
    static constexpr int kRows = 14;

    Crowd() : SoftCubes(300.0, 300.0, 0.5) {
        has_faces = touches_itself = true;
        for (int i = 0; i < kRows * kRows; ++i) {
            const double x = 0.5 * (i % kRows), y = 0.5 * (i / kRows);
            if (i % 7 == 0) {
                soft_cube(x, y, 0.12 + 0.001 * (i % 5));
                continue;
            }
            for (const double z : {0.101, 0.303}) rigid.push_back(cube(0.1, x, y, z));
            rigid.push_back(body(x + 0.01, y, 0.47));
            shape(rigid.back(), ShapeKind::sphere, 0.06, 0.06, 0.06);
        }
    }
    std::vector<double> after(long steps, int threads) {
        long done = 0;
        step_on_threads(*world, settings, steps, threads, nullptr, done);
        CHECK(done == steps);
        std::vector<double> all = WorldScene::of(rigid);
        for (const int tree : trees) {
            const SoftNumbers soft = world->soft(tree, 0);
            all.insert(all.end(), soft.displacements, soft.displacements + 24);
            all.insert(all.end(), world->tree(tree).positions, world->tree(tree).positions + 6);
        }
        return all;
    }
    std::vector<int> rigid;
};

}  // namespace

TEST("a crowd of rigid and soft bodies makes the same steps, to the bit, on any number of threads") {
    CHECK(Crowd().world->is_large());
    const std::vector<double> alone = Crowd().after(80, 1);
    for (const int threads : {2, 4}) CHECK(Crowd().after(80, threads) == alone);
}
