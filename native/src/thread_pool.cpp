#include "thread_pool.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif

namespace kido {

namespace {

// True while this thread works for a call: a nested call (from a signal handler, say) then does not wait for the pool.
thread_local bool is_at_work = false;

struct AtWork {
    AtWork() { is_at_work = true; }
    ~AtWork() { is_at_work = false; }
};

class Pool {
public:
    void run(int count, const std::function<void(int)>& job, StopSignal* stop) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (wait_for_turn(lock, stop)) serve_call(lock, count, job, stop);
    }

    // False where the threads work for another call.
    bool run_if_free(int count, const std::function<void(int)>& job) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (is_taken_) return false;
        serve_call(lock, count, job, nullptr);
        return true;
    }

private:
    void serve_call(std::unique_lock<std::mutex>& lock, int count, const std::function<void(int)>& job, StopSignal* stop) {
        const Turn turn(*this);
        const AtWork at_work;
        start_threads(count - 1, lock);
        job_ = &job;
        next_ = 0;
        count_ = pending_ = count;
        wake_.notify_all();
        take_shares(lock);
        // Others may still use the job: this thread never leaves before they are done.
        while (pending_ > 0) {
            done_.wait_for(lock, StopSignal::kInterval);
            poll(lock, stop);
        }
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

    // The call that the threads work for, while the mutex is held at both ends.
    struct Turn {
        explicit Turn(Pool& pool) : pool(pool) { pool.is_taken_ = true; }
        ~Turn() {
            pool.is_taken_ = false;
            pool.free_.notify_one();
        }
        Pool& pool;
    };

    // False where `stop` was set meanwhile.
    bool wait_for_turn(std::unique_lock<std::mutex>& lock, StopSignal* stop) {
        while (is_taken_) {
            free_.wait_for(lock, StopSignal::kInterval);
            if (is_taken_ && poll(lock, stop)) return false;
        }
        return true;
    }

    static bool poll(std::unique_lock<std::mutex>& lock, StopSignal* stop) {
        if (!stop) return false;
        lock.unlock();
        const bool stops = stop->poll();
        lock.lock();
        return stops;
    }

    // They have begun where this returns: the memory of a thread is the system's to give here, not amid a job.
    void start_threads(int count, std::unique_lock<std::mutex>& lock) {
        try {
            for (; threads_ < count; ++threads_) std::thread([this] { serve(); }).detach();
        } catch (const std::exception&) {
            // The system gives no more of them: those that there are do all shares.
        }
        done_.wait(lock, [this] { return begun_ == threads_; });
    }

    void serve() {
        const AtWork at_work;
        std::unique_lock<std::mutex> lock(mutex_);
        ++begun_;
        done_.notify_one();
        for (;;) {
            wake_.wait(lock, [this] { return next_ < count_; });
            take_shares(lock);
        }
    }

    void take_shares(std::unique_lock<std::mutex>& lock) {
        while (next_ < count_) {
            const int share = next_++;
            const std::function<void(int)>* job = job_;
            lock.unlock();
            std::exception_ptr error = attempt(*job, share);
            lock.lock();
            if (error && !error_) error_ = std::move(error);
            if (--pending_ == 0) done_.notify_one();
        }
    }

    static std::exception_ptr attempt(const std::function<void(int)>& job, int share) {
        try {
            job(share);
        } catch (...) {
            return std::current_exception();
        }
        return nullptr;
    }

    std::mutex mutex_;
    std::condition_variable free_, wake_, done_;
    bool is_taken_ = false;  // by the call whose shares these are
    const std::function<void(int)>* job_ = nullptr;
    int threads_ = 0, begun_ = 0;
    int next_ = 0, count_ = 0, pending_ = 0;  // shares: to be taken, all, not yet done
    std::exception_ptr error_;
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

void run_in_parallel(int count, const std::function<void(int)>& job, StopSignal* stop) {
    if (count > 1 && !is_at_work) {
        shared_pool().run(count, job, stop);
    } else {
        for (int share = 0; share < count; ++share) job(share);
    }
}

bool run_in_parallel_if_free(int count, const std::function<void(int)>& job) {
    return count > 1 && !is_at_work && shared_pool().run_if_free(count, job);
}

}  // namespace kido
