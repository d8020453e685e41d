#include "CSquareRoots.h"

#include <string.h>

// With this builtin (Clang) a square root is the instruction and nothing else. Without it the result is the same, but
// the compiler guards errno lane by lane, which costs the vectors.
#if defined(__has_builtin)
#if __has_builtin(__builtin_elementwise_sqrt)
#define HAS_ELEMENTWISE_SQRT 1
#endif
#endif

#if defined(__x86_64__)
#define HAS_X86_VARIANTS 1
#endif

// Eight doubles: one register with AVX-512, two with AVX2, four otherwise; the compiler splits the operations.
typedef double lanes8 __attribute__((vector_size(RC_SQRT_LANES * sizeof(double))));

// All integers up to here are doubles, and so is each sum of two of them that does not go beyond it.
static const uint64_t exact_bound = UINT64_C(1) << 53;

static double square_root(double x) {
#if HAS_ELEMENTWISE_SQRT
    return __builtin_elementwise_sqrt(x);
#else
    return __builtin_sqrt(x);
#endif
}

#if HAS_ELEMENTWISE_SQRT
#define SQUARE_ROOTS(result, x) (result) = __builtin_elementwise_sqrt(x)
#else
#define SQUARE_ROOTS(result, x) \
    for (int lane = 0; lane < RC_SQRT_LANES; lane++) (result)[lane] = __builtin_sqrt((x)[lane])
#endif

// The same loop for each instruction set; a macro, because a function can't be inlined into one with another target.
// One sum per lane is enough: a square root takes longer than the addition that waits for the one before.
#define DEFINE_ADD_GROUPS(name, target_attribute)                                        \
    target_attribute static void name(double first, uint64_t groups, double *lanes) {    \
        lanes8 x = {0, 1, 2, 3, 4, 5, 6, 7};                                             \
        lanes8 sums, roots = {0};                                                        \
        memcpy(&sums, lanes, sizeof sums);                                               \
        x += first;                                                                      \
        for (uint64_t group = 0; group < groups; group++) {                              \
            SQUARE_ROOTS(roots, x);                                                      \
            sums += roots;                                                               \
            x += (double)RC_SQRT_LANES;                                                  \
        }                                                                                \
        memcpy(lanes, &sums, sizeof sums);                                               \
    }

DEFINE_ADD_GROUPS(add_groups_baseline, )
#if HAS_X86_VARIANTS
DEFINE_ADD_GROUPS(add_groups_avx2, __attribute__((target("avx2"))))
DEFINE_ADD_GROUPS(add_groups_avx512, __attribute__((target("avx512f"))))
#endif

bool rc_sqrt_is_supported(rc_sqrt_variant variant) {
    switch (variant) {
    case RC_SQRT_BASELINE: return true;
#if HAS_X86_VARIANTS
    case RC_SQRT_AVX2: return __builtin_cpu_supports("avx2") != 0;
    case RC_SQRT_AVX512: return __builtin_cpu_supports("avx512f") != 0;
#endif
    default: return false;
    }
}

void rc_sqrt_add(rc_sqrt_variant variant, uint64_t first, uint64_t count, double lanes[RC_SQRT_LANES]) {
    uint64_t done = 0;
    // Counting up in doubles is exact only below 2^53; beyond it each integer is rounded on its own.
    if (first + count <= exact_bound) {
        const uint64_t groups = count / RC_SQRT_LANES;
        switch (variant) {
#if HAS_X86_VARIANTS
        case RC_SQRT_AVX512: add_groups_avx512((double)first, groups, lanes); break;
        case RC_SQRT_AVX2: add_groups_avx2((double)first, groups, lanes); break;
#endif
        default: add_groups_baseline((double)first, groups, lanes); break;
        }
        done = groups * RC_SQRT_LANES;
    }
    for (; done < count; done++) {
        lanes[done % RC_SQRT_LANES] += square_root((double)(int64_t)(first + done));
    }
}
