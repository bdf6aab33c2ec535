// The narrow face that IREE's C runtime shows to Rust. Only what crosses the language border is here; every type is
// opaque or plain. Nothing is checked: pointers must be valid, sizes true, strings UTF-8 or bytes with a length.
//
// A function that can fail returns a `shim_status`: NULL is success, anything else is owned by the caller, who frees it
// with `shim_status_free`. Out-parameters are written on success only. `lib.rs` says for each function who owns its
// result and from which thread it may be called.
#ifndef IREE_SYS_SHIM_H_
#define IREE_SYS_SHIM_H_

#include <stddef.h>
#include <stdint.h>

typedef struct shim_status_s* shim_status;
typedef struct shim_instance shim_instance;
typedef struct shim_device shim_device;
typedef struct shim_vulkan shim_vulkan;
typedef struct shim_archive shim_archive;
typedef struct shim_module shim_module;
typedef struct shim_session shim_session;
typedef struct shim_view shim_view;

typedef struct {
  const char* data;
  size_t size;
} shim_str;

typedef struct {
  uint64_t peak_bytes;
  uint64_t allocated_bytes;
  uint64_t freed_bytes;
} shim_statistics;

typedef struct {
  // The function of an executable; empty where the executable doesn't name it.
  shim_str name;
  uint64_t calls;
  // From a dispatch's first workgroup to the end of its last, summed over the calls.
  uint64_t total_ns;
  uint64_t minimum_ns;
  uint64_t maximum_ns;
} shim_dispatch_time;

typedef struct {
  const void* module;
  uint32_t linkage;
  uint32_t ordinal;
} shim_function;

typedef struct {
  shim_str name;
  // IREE's calling convention, such as "0rri_rr"; empty where the module has none.
  shim_str calling_convention;
  // The source-level signature (`iree.abi.declaration`); empty where the module has none.
  shim_str declaration;
} shim_function_info;

enum {
  SHIM_VALUE_NONE = 0,
  SHIM_VALUE_I32 = 1,
  SHIM_VALUE_I64 = 2,
  SHIM_VALUE_F32 = 3,
  SHIM_VALUE_F64 = 4,
  SHIM_VALUE_VIEW = 5,
  SHIM_VALUE_OTHER = 6,
};

typedef struct {
  uint32_t kind;
  union {
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    shim_view* view;
  } as;
} shim_value;

uint32_t shim_status_code(shim_status status);
size_t shim_status_text(shim_status status, char* buffer, size_t capacity);
void shim_status_free(shim_status status);

shim_status shim_instance_create(shim_instance** out_instance);

shim_status shim_device_create_sync(shim_device** out_device);
shim_status shim_device_create_task(size_t worker_count, shim_device** out_device);
shim_status shim_vulkan_create(shim_vulkan** out_vulkan);
void shim_vulkan_free(shim_vulkan* vulkan);
size_t shim_vulkan_device_count(const shim_vulkan* vulkan);
shim_str shim_vulkan_device_name(const shim_vulkan* vulkan, size_t index);
shim_str shim_vulkan_device_path(const shim_vulkan* vulkan, size_t index);
size_t shim_vulkan_device_text(const shim_vulkan* vulkan, size_t index, char* buffer, size_t capacity);
shim_status shim_device_create_vulkan(const shim_vulkan* vulkan, size_t index, shim_device** out_device);

void shim_device_free(shim_device* device);
shim_statistics shim_device_statistics(const shim_device* device);

shim_status shim_device_profile(shim_device* device);
shim_status shim_device_profile_flush(shim_device* device);
uint64_t shim_device_profile_dropped(const shim_device* device);
size_t shim_device_dispatch_count(const shim_device* device);
shim_dispatch_time shim_device_dispatch(const shim_device* device, size_t index);

shim_status shim_archive_create(const uint8_t* bytes, size_t size, shim_archive** out_archive);
shim_status shim_archive_add_range(shim_archive* archive, shim_str name, uint64_t offset, uint64_t length);
shim_status shim_archive_add_splat(shim_archive* archive, shim_str name, const uint8_t* pattern, size_t pattern_length,
                                   uint64_t length);
void shim_archive_free(shim_archive* archive);

shim_status shim_module_create(shim_instance* instance, const uint8_t* bytes, size_t size, shim_module** out_module);
void shim_module_free(shim_module* module);
shim_str shim_module_name(const shim_module* module);
size_t shim_module_export_count(const shim_module* module);
shim_status shim_module_export(shim_module* module, size_t ordinal, shim_function_info* out_info);

shim_status shim_session_create(shim_instance* instance, shim_device* device, shim_module* module,
                                shim_archive* const* archives, const shim_str* scopes, size_t archive_count,
                                shim_session** out_session);
void shim_session_free(shim_session* session);
shim_status shim_session_function(const shim_session* session, shim_str name, shim_function* out_function,
                                  shim_str* out_calling_convention);
shim_status shim_session_push_value(shim_session* session, const shim_value* value);
shim_status shim_session_push_view(shim_session* session, shim_view* view);
shim_status shim_session_move_view(shim_session* session, shim_view* view);
shim_status shim_session_invoke(shim_session* session, shim_function function);
size_t shim_session_output_count(const shim_session* session);
shim_status shim_session_take_output(shim_session* session, size_t index, shim_value* out_value);
void shim_session_clear(shim_session* session);

shim_status shim_view_create(shim_device* device, const size_t* shape, size_t rank, uint32_t element_type,
                             const uint8_t* bytes, size_t size, shim_view** out_view);
shim_status shim_view_create_zeroed(shim_device* device, const size_t* shape, size_t rank, uint32_t element_type,
                                    shim_view** out_view);
void shim_view_free(shim_view* view);
size_t shim_view_rank(const shim_view* view);
const size_t* shim_view_shape(const shim_view* view);
uint32_t shim_view_element_type(const shim_view* view);
uint32_t shim_view_is_dense(const shim_view* view);
size_t shim_view_byte_length(const shim_view* view);
shim_status shim_view_read(shim_device* device, const shim_view* view, size_t offset, uint8_t* target, size_t size);
shim_status shim_view_address(const shim_view* view, size_t* out_address);

#endif  // IREE_SYS_SHIM_H_
