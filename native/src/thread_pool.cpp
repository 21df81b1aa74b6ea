#include "thread_pool.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace kido {

namespace {

class Pool {
public:
    void run(int count, const std::function<void(int)>& job) {
        std::lock_guard<std::mutex> turn(turn_);
        {
            std::lock_guard<std::mutex> lock(mutex_);
            while (static_cast<int>(threads_.size()) < count - 1) {
                threads_.emplace_back([this, id = static_cast<int>(threads_.size())] { serve(id); });
                threads_.back().detach();
            }
            job_ = &job;
            count_ = count - 1;
            pending_ = count - 1;
            ++generation_;
        }
        wake_.notify_all();
        job(count - 1);
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return pending_ == 0; });
        job_ = nullptr;
    }

private:
    void serve(int id) {
        std::unique_lock<std::mutex> lock(mutex_);
        unsigned long seen = 0;
        for (;;) {
            wake_.wait(lock, [&] { return generation_ != seen && job_ != nullptr; });
            seen = generation_;
            if (id >= count_) continue;
            const std::function<void(int)>* job = job_;
            lock.unlock();
            (*job)(id);
            lock.lock();
            if (--pending_ == 0) done_.notify_one();
        }
    }

    std::mutex turn_, mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> threads_;
    const std::function<void(int)>* job_ = nullptr;
    int count_ = 0, pending_ = 0;
    unsigned long generation_ = 0;
};

// Leaked on purpose: its threads may outlive static destructors. A forked child starts with a pool of its own.
Pool* pool = nullptr;

Pool& shared_pool() {
    static std::once_flag once;
    std::call_once(once, [] {
        pool = new Pool;
#if defined(__linux__)
        pthread_atfork(nullptr, nullptr, [] { pool = new Pool; });
#endif
    });
    return *pool;
}

}  // namespace

int available_processors() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    const unsigned count = std::thread::hardware_concurrency();
    return count > 0 ? static_cast<int>(count) : 1;
}

void run_in_parallel(int count, const std::function<void(int)>& job) {
    if (count <= 1) {
        job(0);
    } else {
        shared_pool().run(count, job);
    }
}

}  // namespace kido
