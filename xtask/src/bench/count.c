// A plugin of qemu-user that counts the instructions of the emulated program, and writes how many there were so far
// whenever that program writes to its standard output. One counted thread: the sum isn't atomic.
//
// The few declarations are those of QEMU's documented plugin interface, version 1 (docs/devel/tcg-plugins.rst).
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                                  void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *counter,
                                                     uint64_t by);
extern void qemu_plugin_register_vcpu_syscall_cb(
    qemu_plugin_id_t id, void (*called)(qemu_plugin_id_t, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                                        uint64_t, uint64_t, uint64_t, uint64_t));

enum { ADD_U64 = 0, SYS_WRITE_ARM64 = 64, STANDARD_OUTPUT = 1 };

EXPORT int qemu_plugin_version = 1;

static uint64_t instructions;
static FILE *out;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, &instructions, qemu_plugin_tb_n_insns(block));
}

static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                   uint64_t e, uint64_t f, uint64_t g, uint64_t h) {
    if (number == SYS_WRITE_ARM64 && a == STANDARD_OUTPUT) {
        fprintf(out, "%" PRIu64 "\n", instructions);
        fflush(out);
    }
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count, char **arguments) {
    if (count != 1 || strncmp(arguments[0], "out=", 4) != 0) return 1;
    out = fopen(arguments[0] + 4, "w");
    if (!out) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_vcpu_syscall_cb(id, called);
    return 0;
}
