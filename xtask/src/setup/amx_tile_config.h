/* GCC's `_tile_loadconfig` tells the compiler that it reads the first 8 of the configuration's 64 bytes. So GCC leaves out
 * the stores to the others, and the first AMX instruction after it is an illegal one. llama.cpp uses it on processors
 * with AMX. Here it says what it reads. Included before every file of llama.cpp; see llama.rs. */
#if defined(__AMX_TILE__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define _tile_loadconfig(config) __asm__ volatile("ldtilecfg %0" : : "m"(*(const char (*)[64])(config)))
#endif
