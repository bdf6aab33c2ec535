/* Quantises a GGUF with llama.cpp's own quantiser: quantise IN.gguf OUT.gguf FILE_TYPE
 *
 * FILE_TYPE is a number of `enum llama_ftype`. C, because the Rust bindings of llama.cpp have no safe way to its
 * quantiser. */
#include <stdio.h>
#include <stdlib.h>

#include "llama.h"

/* Of what it warns, that a row doesn't divide into blocks of 256, is so for every matrix of some models. */
static void only_errors(enum ggml_log_level level, const char *text, void *unused) {
    (void)unused;
    if (level == GGML_LOG_LEVEL_ERROR) fputs(text, stderr);
}

int main(int count, char **words) {
    if (count != 4) {
        fputs("usage: quantise IN.gguf OUT.gguf FILE_TYPE\n", stderr);
        return 2;
    }
    llama_log_set(only_errors, NULL);
    llama_backend_init();
    struct llama_model_quantize_params params = llama_model_quantize_default_params();
    params.ftype = (enum llama_ftype)atoi(words[3]);
    return llama_model_quantize(words[1], words[2], &params) == 0 ? 0 : 1;
}
