#include "square_roots/loops.h"

#include <math.h>

// `streams` vectors at a time, each with a sum of its own. A macro, since a function can't be inlined into one that
// is compiled for other instructions.
#define DEFINE_SUM(function, attribute, vector, lanes, streams, set, add, root)                      \
    attribute static double function(uint64_t count) {                                               \
        vector x[streams], sums[streams];                                                            \
        const vector step = set((double)((lanes) * (streams)));                                      \
        for (int s = 0; s < (streams); s++) {                                                        \
            double first[lanes];                                                                     \
            for (int lane = 0; lane < (lanes); lane++) first[lane] = s * (lanes) + lane;             \
            __builtin_memcpy(&x[s], first, sizeof first);                                            \
            sums[s] = set(0.0);                                                                      \
        }                                                                                            \
        for (uint64_t done = 0; done < count; done += (lanes) * (streams)) {                         \
            for (int s = 0; s < (streams); s++) {                                                    \
                sums[s] = add(sums[s], root(x[s]));                                                  \
                x[s] = add(x[s], step);                                                              \
            }                                                                                        \
        }                                                                                            \
        double total = 0, parts[lanes];                                                              \
        for (int s = 0; s < (streams); s++) {                                                        \
            __builtin_memcpy(parts, &sums[s], sizeof parts);                                         \
            for (int lane = 0; lane < (lanes); lane++) total += parts[lane];                         \
        }                                                                                            \
        return total;                                                                                \
    }

#define SCALAR_SET(value) (value)
#define SCALAR_ADD(a, b) ((a) + (b))
DEFINE_SUM(sum_scalar, , double, 1, 4, SCALAR_SET, SCALAR_ADD, sqrt)

static bool always(void) { return true; }

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET(name) __attribute__((target(name)))
DEFINE_SUM(sum_sse2, , __m128d, 2, 4, _mm_set1_pd, _mm_add_pd, _mm_sqrt_pd)
DEFINE_SUM(sum_avx, TARGET("avx"), __m256d, 4, 4, _mm256_set1_pd, _mm256_add_pd, _mm256_sqrt_pd)
DEFINE_SUM(sum_avx512, TARGET("avx512f"), __m512d, 8, 4, _mm512_set1_pd, _mm512_add_pd, _mm512_sqrt_pd)

static bool has_avx(void) { return __builtin_cpu_supports("avx"); }
static bool has_avx512(void) { return __builtin_cpu_supports("avx512f"); }
#elif defined(__aarch64__)
#include <arm_neon.h>

DEFINE_SUM(sum_neon, , float64x2_t, 2, 4, vdupq_n_f64, vaddq_f64, vsqrtq_f64)
#endif

const struct square_root_loop square_root_loops[] = {
    { "scalar", always, sum_scalar },
#if defined(__x86_64__)
    { "sse2", always, sum_sse2 },
    { "avx", has_avx, sum_avx },
    { "avx512f", has_avx512, sum_avx512 },
#elif defined(__aarch64__)
    { "neon", always, sum_neon },
#endif
};

const size_t square_root_loop_count = sizeof square_root_loops / sizeof square_root_loops[0];
