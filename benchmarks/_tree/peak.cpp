// Multiplications and additions on independent registers, none fused: the most that code without FMA can do.

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif

typedef double Vector __attribute__((vector_size(8 * kLanes)));

extern "C" double peak_flops_per_round() { return 12.0 * kLanes; }

extern "C" double run_peak(long rounds, double factor, double step) {
    Vector a0{}, a1{}, a2{}, a3{}, a4{}, a5{};
    Vector m0 = a0 + 1.0, m1 = a0 + 2.0, m2 = a0 + 3.0, m3 = a0 + 4.0, m4 = a0 + 5.0, m5 = a0 + 6.0;
    const Vector f = a0 + factor, s = a0 + step;
    for (long i = 0; i < rounds; ++i) {
        m0 *= f;
        a0 += s;
        m1 *= f;
        a1 += s;
        m2 *= f;
        a2 += s;
        m3 *= f;
        a3 += s;
        m4 *= f;
        a4 += s;
        m5 *= f;
        a5 += s;
    }
    const Vector all = (a0 + a1 + a2 + a3 + a4 + a5) + (m0 + m1 + m2 + m3 + m4 + m5);
    double sum = 0.0;
    for (int k = 0; k < kLanes; ++k) sum += all[k];
    return sum;
}
