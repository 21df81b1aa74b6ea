#include "long_call.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace kido {

namespace {

std::atomic<unsigned long> main_thread{0};

// Once the interpreter ends, Python before 3.14 unwinds every other thread that asks for its lock. C++ cannot let that
// happen in a destructor, so such a thread sleeps until the process is gone, as Python 3.14 has it.
void take_lock(PyThreadState* thread) noexcept {
    try {
        PyEval_RestoreThread(thread);
    } catch (...) {
        for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
}

}  // namespace

LongCall::~LongCall() { take_lock(thread_); }

// Only the main thread runs signal handlers; others would take the lock for nothing.
bool LongCall::ask() {
    if (PyThread_get_thread_ident() != main_thread.load(std::memory_order_relaxed)) return false;
    take_lock(thread_);
    const bool raised = PyErr_CheckSignals() != 0;
    thread_ = PyEval_SaveThread();
    return raised;
}

void remember_main_thread() {
    main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
#if !defined(_WIN32)
    // The thread that forks is the main one of the child.
    pthread_atfork(nullptr, nullptr, [] { main_thread = PyThread_get_thread_ident(); });
#endif
}

}  // namespace kido
