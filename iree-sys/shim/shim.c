// See shim.h. Each function is the shortest sequence of IREE calls that does what its name says; where IREE takes a
// reference of its own, ours is given up at once.
#include "shim.h"

#include <stdlib.h>

#include "device.h"
#include "iree/async/frontier_tracker.h"
#include "iree/base/api.h"
#include "iree/hal/api.h"
#include "iree/hal/drivers/local_sync/sync_device.h"
#include "iree/hal/drivers/local_task/task_device.h"
#include "iree/hal/local/loaders/embedded_elf_loader.h"
#include "iree/hal/local/loaders/system_library_loader.h"
#include "iree/io/parameter_index.h"
#include "iree/io/parameter_index_provider.h"
#include "iree/modules/hal/module.h"
#include "iree/modules/io/parameters/module.h"
#include "iree/task/api.h"
#include "iree/task/executor.h"
#include "iree/vm/api.h"
#include "iree/vm/bytecode/module.h"

struct shim_archive {
  iree_io_parameter_index_t* index;
  iree_io_file_handle_t* file;
};

struct shim_session {
  iree_vm_context_t* context;
  // Reused by every call, so that a call allocates nothing for its arguments and results.
  iree_vm_list_t* inputs;
  iree_vm_list_t* outputs;
};

static iree_allocator_t host(void) { return iree_allocator_system(); }

static shim_status give(iree_status_t status) { return (shim_status)status; }

#define RETURN_IF_ERROR(expression)                         \
  do {                                                      \
    iree_status_t status_ = (expression);                   \
    if (!iree_status_is_ok(status_)) return give(status_); \
  } while (0)

static iree_string_view_t in_str(shim_str text) { return iree_make_string_view(text.data, text.size); }

static shim_str out_str(iree_string_view_t text) { return (shim_str){.data = text.data, .size = text.size}; }

static iree_hal_buffer_view_t* view_of(const shim_view* view) { return (iree_hal_buffer_view_t*)view; }

static iree_hal_buffer_t* buffer_of(const shim_view* view) { return iree_hal_buffer_view_buffer(view_of(view)); }

static void* allocate(size_t size) {
  void* memory = NULL;
  iree_status_t status = iree_allocator_malloc(host(), size, &memory);
  iree_status_ignore(status);
  return memory;
}

static iree_status_t out_of_memory(void) {
  return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED, "out of host memory");
}

//===--------------------------------------------------------------------------------------------------------------===//
// Status
//===--------------------------------------------------------------------------------------------------------------===//

uint32_t shim_status_code(shim_status status) { return (uint32_t)iree_status_code((iree_status_t)status); }

size_t shim_status_text(shim_status status, char* buffer, size_t capacity) {
  iree_host_size_t length = 0;
  if (!iree_status_format((iree_status_t)status, capacity, buffer, &length)) return 0;
  return length;
}

void shim_status_free(shim_status status) { iree_status_free((iree_status_t)status); }

//===--------------------------------------------------------------------------------------------------------------===//
// Instance
//===--------------------------------------------------------------------------------------------------------------===//

shim_status shim_instance_create(shim_instance** out_instance) {
  iree_vm_instance_t* instance = NULL;
  iree_status_t status = iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT, host(), &instance);
  if (iree_status_is_ok(status)) status = iree_hal_module_register_all_types(instance);
  if (iree_status_is_ok(status)) {
    *out_instance = (shim_instance*)instance;
  } else {
    iree_vm_instance_release(instance);
  }
  return give(status);
}

//===--------------------------------------------------------------------------------------------------------------===//
// Devices
//===--------------------------------------------------------------------------------------------------------------===//

iree_status_t shim_proactor_pool_create(iree_async_proactor_pool_t** out_pool) {
  return iree_async_proactor_pool_create(1, NULL, iree_async_proactor_pool_options_default(), host(), out_pool);
}

// What both kinds of local device are made from.
typedef struct {
  iree_hal_executable_loader_t* loaders[2];
  iree_host_size_t loader_count;
  iree_hal_allocator_t* allocator;
  iree_async_proactor_pool_t* proactor_pool;
} device_parts;

static iree_status_t device_parts_create(device_parts* parts) {
  memset(parts, 0, sizeof(*parts));
  iree_status_t status = iree_hal_embedded_elf_loader_create(NULL, host(), &parts->loaders[parts->loader_count]);
  if (iree_status_is_ok(status)) {
    ++parts->loader_count;
    status = iree_hal_system_library_loader_create(NULL, host(), &parts->loaders[parts->loader_count]);
  }
  if (iree_status_is_ok(status)) {
    ++parts->loader_count;
    status = iree_hal_allocator_create_heap(IREE_SV("local"), host(), host(), &parts->allocator);
  }
  if (iree_status_is_ok(status)) status = shim_proactor_pool_create(&parts->proactor_pool);
  return status;
}

static void device_parts_release(device_parts* parts) {
  iree_async_proactor_pool_release(parts->proactor_pool);
  iree_hal_allocator_release(parts->allocator);
  for (iree_host_size_t i = 0; i < parts->loader_count; ++i) iree_hal_executable_loader_release(parts->loaders[i]);
}

iree_status_t shim_device_wrap(iree_hal_device_t* device, bool is_local, shim_device** out_device) {
  iree_async_frontier_tracker_t* tracker = NULL;
  iree_hal_device_group_t* group = NULL;
  iree_status_t status =
      iree_async_frontier_tracker_create(iree_async_frontier_tracker_options_default(), host(), &tracker);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_group_create_from_device(device, tracker, host(), &group);
  }
  iree_async_frontier_tracker_release(tracker);
  shim_device* wrapped = iree_status_is_ok(status) ? allocate(sizeof(*wrapped)) : NULL;
  if (wrapped) {
    wrapped->device = device;
    wrapped->group = group;
    wrapped->profile = NULL;
    wrapped->is_local = is_local;
    *out_device = wrapped;
    return status;
  }
  iree_hal_device_group_release(group);
  iree_hal_device_release(device);
  return iree_status_is_ok(status) ? out_of_memory() : status;
}

shim_status shim_device_create_sync(shim_device** out_device) {
  device_parts parts;
  iree_hal_device_t* device = NULL;
  iree_status_t status = device_parts_create(&parts);
  if (iree_status_is_ok(status)) {
    iree_hal_sync_device_params_t params;
    iree_hal_sync_device_params_initialize(&params);
    iree_hal_device_create_params_t create_params = iree_hal_device_create_params_default();
    create_params.proactor_pool = parts.proactor_pool;
    status = iree_hal_sync_device_create(IREE_SV("local-sync"), &params, &create_params, parts.loader_count,
                                         parts.loaders, parts.allocator, host(), &device);
  }
  device_parts_release(&parts);
  if (iree_status_is_ok(status)) status = shim_device_wrap(device, true, out_device);
  return give(status);
}

static iree_status_t executor_create(size_t worker_count, iree_task_executor_t** out_executor) {
  iree_task_topology_t* topology = allocate(sizeof(*topology));
  if (!topology) return out_of_memory();
  iree_task_topology_initialize_from_group_count(worker_count, topology);
  iree_task_executor_options_t options;
  iree_task_executor_options_initialize(&options);
  // Kernels keep a row of f32 activations, 64 KiB, on the stack. IREE's own tools give workers 128 KiB; but glibc takes a
  // program's thread-local storage from them, too, and llama.cpp's and OpenMP's leave too little.
  options.worker_stack_size = 1024 * 1024;
  iree_status_t status = iree_task_executor_create(options, topology, host(), out_executor);
  iree_task_topology_deinitialize(topology);
  iree_allocator_free(host(), topology);
  return status;
}

shim_status shim_device_create_task(size_t worker_count, shim_device** out_device) {
  device_parts parts;
  iree_task_executor_t* executor = NULL;
  iree_hal_device_t* device = NULL;
  iree_status_t status = device_parts_create(&parts);
  if (iree_status_is_ok(status)) status = executor_create(worker_count, &executor);
  if (iree_status_is_ok(status)) {
    iree_hal_task_device_params_t params;
    iree_hal_task_device_params_initialize(&params);
    iree_hal_device_create_params_t create_params = iree_hal_device_create_params_default();
    create_params.proactor_pool = parts.proactor_pool;
    status = iree_hal_task_device_create(IREE_SV("local-task"), &params, 1, &executor, parts.loader_count,
                                         parts.loaders, parts.allocator, &create_params, host(), &device);
  }
  iree_task_executor_release(executor);
  device_parts_release(&parts);
  if (iree_status_is_ok(status)) status = shim_device_wrap(device, true, out_device);
  return give(status);
}

void shim_device_free(shim_device* device) {
  if (device->profile) {
    iree_status_ignore(iree_hal_device_profiling_end(device->device));
    iree_hal_profile_statistics_sink_release(device->profile);
  }
  iree_hal_device_group_release(device->group);
  iree_hal_device_release(device->device);
  iree_allocator_free(host(), device);
}

shim_statistics shim_device_statistics(const shim_device* device) {
  iree_hal_allocator_statistics_t statistics;
  iree_hal_allocator_query_statistics(iree_hal_device_allocator(device->device), &statistics);
  return (shim_statistics){
      .peak_bytes = statistics.device_bytes_peak + statistics.host_bytes_peak,
      .allocated_bytes = statistics.device_bytes_allocated + statistics.host_bytes_allocated,
      .freed_bytes = statistics.device_bytes_freed + statistics.host_bytes_freed,
  };
}

//===--------------------------------------------------------------------------------------------------------------===//
// Profiles
//===--------------------------------------------------------------------------------------------------------------===//

shim_status shim_device_profile(shim_device* device) {
  RETURN_IF_ERROR(iree_hal_profile_statistics_sink_create(host(), &device->profile));
  iree_hal_device_profiling_options_t options;
  memset(&options, 0, sizeof(options));
  options.data_families =
      IREE_HAL_DEVICE_PROFILING_DATA_HOST_EXECUTION_EVENTS | IREE_HAL_DEVICE_PROFILING_DATA_EXECUTABLE_METADATA;
  options.sink = iree_hal_profile_statistics_sink_base(device->profile);
  return give(iree_hal_device_profiling_begin(device->device, &options));
}

shim_status shim_device_profile_flush(shim_device* device) {
  return give(iree_hal_device_profiling_flush(device->device));
}

uint64_t shim_device_profile_dropped(const shim_device* device) {
  return device->profile ? iree_hal_profile_statistics_sink_dropped_record_count(device->profile) : 0;
}

// Walks over the rows that are dispatches: counts them and copies the one that is sought.
typedef struct {
  const iree_hal_profile_statistics_sink_t* sink;
  size_t sought;
  size_t count;
  shim_dispatch_time found;
} dispatch_walk;

static iree_status_t dispatch_visit(void* user_data, const iree_hal_profile_statistics_row_t* row) {
  dispatch_walk* walk = user_data;
  if (row->row_type != IREE_HAL_PROFILE_STATISTICS_ROW_TYPE_HOST_EXECUTION_FUNCTION) return iree_ok_status();
  if (walk->count++ == walk->sought) {
    iree_string_view_t name = iree_string_view_empty();
    iree_hal_profile_statistics_sink_find_function_name(walk->sink, row->executable_id, row->function_ordinal, &name);
    walk->found = (shim_dispatch_time){
        .name = out_str(name),
        .calls = row->sample_count,
        .total_ns = row->total_duration,
        .minimum_ns = row->minimum_duration,
        .maximum_ns = row->maximum_duration,
    };
  }
  return iree_ok_status();
}

static dispatch_walk dispatches(const shim_device* device, size_t sought) {
  dispatch_walk walk = {.sink = device->profile, .sought = sought};
  if (device->profile) {
    // The callback can't fail.
    iree_status_ignore(iree_hal_profile_statistics_sink_for_each_row(
        device->profile, (iree_hal_profile_statistics_row_callback_t){.fn = dispatch_visit, .user_data = &walk}));
  }
  return walk;
}

size_t shim_device_dispatch_count(const shim_device* device) { return dispatches(device, SIZE_MAX).count; }

shim_dispatch_time shim_device_dispatch(const shim_device* device, size_t index) {
  return dispatches(device, index).found;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Parameter archives
//===--------------------------------------------------------------------------------------------------------------===//

shim_status shim_archive_create(const uint8_t* bytes, size_t size, shim_archive** out_archive) {
  shim_archive* archive = allocate(sizeof(*archive));
  if (!archive) return give(out_of_memory());
  memset(archive, 0, sizeof(*archive));
  iree_status_t status = iree_io_parameter_index_create(host(), &archive->index);
  if (iree_status_is_ok(status)) {
    status = iree_io_file_handle_wrap_host_allocation(IREE_IO_FILE_ACCESS_READ,
                                                      iree_make_byte_span((uint8_t*)bytes, size),
                                                      iree_io_file_handle_release_callback_null(), host(),
                                                      &archive->file);
  }
  if (iree_status_is_ok(status)) {
    *out_archive = archive;
  } else {
    shim_archive_free(archive);
  }
  return give(status);
}

shim_status shim_archive_add_range(shim_archive* archive, shim_str name, uint64_t offset, uint64_t length) {
  iree_io_parameter_index_entry_t entry = {
      .key = in_str(name),
      .length = length,
      .type = IREE_IO_PARAMETER_INDEX_ENTRY_STORAGE_TYPE_FILE,
      .storage.file = {.handle = archive->file, .offset = offset},
  };
  return give(iree_io_parameter_index_add(archive->index, &entry));
}

shim_status shim_archive_add_splat(shim_archive* archive, shim_str name, const uint8_t* pattern, size_t pattern_length,
                                   uint64_t length) {
  iree_io_parameter_index_entry_t entry = {
      .key = in_str(name),
      .length = length,
      .type = IREE_IO_PARAMETER_INDEX_ENTRY_STORAGE_TYPE_SPLAT,
      .storage.splat = {.pattern_length = (uint8_t)pattern_length},
  };
  memcpy(entry.storage.splat.pattern, pattern, pattern_length);
  return give(iree_io_parameter_index_add(archive->index, &entry));
}

void shim_archive_free(shim_archive* archive) {
  if (archive->file) iree_io_file_handle_release(archive->file);
  if (archive->index) iree_io_parameter_index_release(archive->index);
  iree_allocator_free(host(), archive);
}

//===--------------------------------------------------------------------------------------------------------------===//
// Modules
//===--------------------------------------------------------------------------------------------------------------===//

shim_status shim_module_create(shim_instance* instance, const uint8_t* bytes, size_t size, shim_module** out_module) {
  iree_vm_module_t* module = NULL;
  iree_status_t status =
      iree_vm_bytecode_module_create((iree_vm_instance_t*)instance, IREE_VM_BYTECODE_MODULE_FLAG_NONE,
                                     iree_make_const_byte_span(bytes, size), iree_allocator_null(), host(), &module);
  if (iree_status_is_ok(status)) *out_module = (shim_module*)module;
  return give(status);
}

void shim_module_free(shim_module* module) { iree_vm_module_release((iree_vm_module_t*)module); }

shim_str shim_module_name(const shim_module* module) {
  return out_str(iree_vm_module_name((const iree_vm_module_t*)module));
}

size_t shim_module_export_count(const shim_module* module) {
  return iree_vm_module_signature((const iree_vm_module_t*)module).export_function_count;
}

shim_status shim_module_export(shim_module* module, size_t ordinal, shim_function_info* out_info) {
  iree_vm_function_t function;
  RETURN_IF_ERROR(iree_vm_module_lookup_function_by_ordinal((iree_vm_module_t*)module,
                                                                 IREE_VM_FUNCTION_LINKAGE_EXPORT, ordinal, &function));
  out_info->name = out_str(iree_vm_function_name(&function));
  out_info->calling_convention = out_str(iree_vm_function_signature(&function).calling_convention);
  out_info->declaration =
      out_str(iree_vm_function_lookup_attr_by_name(&function, IREE_SV("iree.abi.declaration")));
  return NULL;
}

//===--------------------------------------------------------------------------------------------------------------===//
// Sessions
//===--------------------------------------------------------------------------------------------------------------===//

static iree_status_t parameters_module_create(iree_vm_instance_t* instance, shim_archive* const* archives,
                                              const shim_str* scopes, size_t archive_count,
                                              iree_vm_module_t** out_module) {
  iree_io_parameter_provider_t** providers = allocate(archive_count * sizeof(*providers));
  if (!providers) return out_of_memory();
  size_t provider_count = 0;
  iree_status_t status = iree_ok_status();
  while (iree_status_is_ok(status) && provider_count < archive_count) {
    status = iree_io_parameter_index_provider_create(
        in_str(scopes[provider_count]), archives[provider_count]->index,
        IREE_IO_PARAMETER_INDEX_PROVIDER_DEFAULT_MAX_CONCURRENT_OPERATIONS, host(), &providers[provider_count]);
    if (iree_status_is_ok(status)) ++provider_count;
  }
  if (iree_status_is_ok(status)) {
    status = iree_io_parameters_module_create(instance, provider_count, providers, host(), out_module);
  }
  for (size_t i = 0; i < provider_count; ++i) iree_io_parameter_provider_release(providers[i]);
  iree_allocator_free(host(), providers);
  return status;
}

static iree_status_t context_create(iree_vm_instance_t* instance, shim_device* device, iree_vm_module_t* program,
                                    shim_archive* const* archives, const shim_str* scopes, size_t archive_count,
                                    iree_vm_context_t** out_context) {
  // Order matters: a module's imports are resolved against those before it.
  iree_vm_module_t* modules[3] = {NULL};
  size_t module_count = 0;
  iree_vm_module_t* hal = NULL;
  iree_vm_module_t* parameters = NULL;
  iree_status_t status =
      iree_hal_module_create(instance, iree_hal_module_device_policy_default(), device->group, IREE_HAL_MODULE_FLAG_NONE,
                             iree_hal_module_debug_sink_null(), host(), &hal);
  if (iree_status_is_ok(status)) {
    modules[module_count++] = hal;
    if (archive_count > 0) {
      status = parameters_module_create(instance, archives, scopes, archive_count, &parameters);
      if (iree_status_is_ok(status)) modules[module_count++] = parameters;
    }
  }
  if (iree_status_is_ok(status)) {
    modules[module_count++] = program;
    status = iree_vm_context_create_with_modules(instance, IREE_VM_CONTEXT_FLAG_NONE, module_count, modules, host(),
                                                 out_context);
  }
  iree_vm_module_release(parameters);
  iree_vm_module_release(hal);
  return status;
}

shim_status shim_session_create(shim_instance* instance, shim_device* device, shim_module* module,
                                shim_archive* const* archives, const shim_str* scopes, size_t archive_count,
                                shim_session** out_session) {
  shim_session* session = allocate(sizeof(*session));
  if (!session) return give(out_of_memory());
  memset(session, 0, sizeof(*session));
  iree_status_t status = context_create((iree_vm_instance_t*)instance, device, (iree_vm_module_t*)module, archives,
                                        scopes, archive_count, &session->context);
  if (iree_status_is_ok(status)) {
    status = iree_vm_list_create(iree_vm_make_undefined_type_def(), 8, host(), &session->inputs);
  }
  if (iree_status_is_ok(status)) {
    status = iree_vm_list_create(iree_vm_make_undefined_type_def(), 8, host(), &session->outputs);
  }
  if (iree_status_is_ok(status)) {
    *out_session = session;
  } else {
    shim_session_free(session);
  }
  return give(status);
}

void shim_session_free(shim_session* session) {
  iree_vm_list_release(session->outputs);
  iree_vm_list_release(session->inputs);
  iree_vm_context_release(session->context);
  iree_allocator_free(host(), session);
}

shim_status shim_session_function(const shim_session* session, shim_str name, shim_function* out_function,
                                  shim_str* out_calling_convention) {
  iree_vm_function_t function;
  RETURN_IF_ERROR(iree_vm_context_resolve_function(session->context, in_str(name), &function));
  *out_function = (shim_function){
      .module = function.module,
      .linkage = function.linkage,
      .ordinal = function.ordinal,
  };
  *out_calling_convention = out_str(iree_vm_function_signature(&function).calling_convention);
  return NULL;
}

shim_status shim_session_push_value(shim_session* session, const shim_value* value) {
  iree_vm_value_t pushed = iree_vm_value_make_none();
  switch (value->kind) {
    case SHIM_VALUE_I32:
      pushed = iree_vm_value_make_i32(value->as.i32);
      break;
    case SHIM_VALUE_I64:
      pushed = iree_vm_value_make_i64(value->as.i64);
      break;
    case SHIM_VALUE_F32:
      pushed = iree_vm_value_make_f32(value->as.f32);
      break;
    case SHIM_VALUE_F64:
      pushed = iree_vm_value_make_f64(value->as.f64);
      break;
    default:
      return give(iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "value kind %u is not a scalar", value->kind));
  }
  return give(iree_vm_list_push_value(session->inputs, &pushed));
}

shim_status shim_session_push_view(shim_session* session, shim_view* view) {
  iree_vm_ref_t ref = iree_hal_buffer_view_retain_ref(view_of(view));
  iree_status_t status = iree_vm_list_push_ref_move(session->inputs, &ref);
  iree_vm_ref_release(&ref);
  return give(status);
}

shim_status shim_session_move_view(shim_session* session, shim_view* view) {
  iree_vm_ref_t ref = iree_hal_buffer_view_move_ref(view_of(view));
  iree_status_t status = iree_vm_list_push_ref_move(session->inputs, &ref);
  iree_vm_ref_release(&ref);
  return give(status);
}

shim_status shim_session_invoke(shim_session* session, shim_function function) {
  iree_vm_function_t callee = {
      .module = (iree_vm_module_t*)function.module,
      .linkage = (uint16_t)function.linkage,
      .ordinal = (uint16_t)function.ordinal,
  };
  iree_status_t status = iree_vm_invoke(session->context, callee, IREE_VM_INVOCATION_FLAG_NONE, NULL, session->inputs,
                                        session->outputs, host());
  iree_vm_list_clear(session->inputs);
  return give(status);
}

size_t shim_session_output_count(const shim_session* session) { return iree_vm_list_size(session->outputs); }

shim_status shim_session_take_output(shim_session* session, size_t index, shim_value* out_value) {
  iree_vm_variant_t variant = iree_vm_variant_empty();
  RETURN_IF_ERROR(iree_vm_list_get_variant_move(session->outputs, index, &variant));
  memset(out_value, 0, sizeof(*out_value));
  if (iree_vm_variant_is_value(variant)) {
    switch (iree_vm_type_def_as_value(variant.type)) {
      case IREE_VM_VALUE_TYPE_I32:
        out_value->kind = SHIM_VALUE_I32;
        out_value->as.i32 = variant.i32;
        return NULL;
      case IREE_VM_VALUE_TYPE_I64:
        out_value->kind = SHIM_VALUE_I64;
        out_value->as.i64 = variant.i64;
        return NULL;
      case IREE_VM_VALUE_TYPE_F32:
        out_value->kind = SHIM_VALUE_F32;
        out_value->as.f32 = variant.f32;
        return NULL;
      case IREE_VM_VALUE_TYPE_F64:
        out_value->kind = SHIM_VALUE_F64;
        out_value->as.f64 = variant.f64;
        return NULL;
      default:
        out_value->kind = SHIM_VALUE_OTHER;
        return NULL;
    }
  }
  if (iree_vm_variant_is_ref(variant) && iree_hal_buffer_view_isa(variant.ref)) {
    out_value->kind = SHIM_VALUE_VIEW;
    out_value->as.view = variant.ref.ptr;  // our reference goes to the caller
    return NULL;
  }
  out_value->kind = iree_vm_variant_is_empty(variant) ? SHIM_VALUE_NONE : SHIM_VALUE_OTHER;
  iree_vm_variant_reset(&variant);
  return NULL;
}

void shim_session_clear(shim_session* session) {
  iree_vm_list_clear(session->inputs);
  iree_vm_list_clear(session->outputs);
}

//===--------------------------------------------------------------------------------------------------------------===//
// Buffer views
//===--------------------------------------------------------------------------------------------------------------===//

static iree_hal_buffer_params_t device_buffer_params(const shim_device* device) {
  return (iree_hal_buffer_params_t){
      .type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
      .usage = IREE_HAL_BUFFER_USAGE_DEFAULT | (device->is_local ? IREE_HAL_BUFFER_USAGE_MAPPING : 0),
      .access = IREE_HAL_MEMORY_ACCESS_ALL,
  };
}

shim_status shim_view_create(shim_device* device, const size_t* shape, size_t rank, uint32_t element_type,
                             const uint8_t* bytes, size_t size, shim_view** out_view) {
  iree_hal_buffer_view_t* view = NULL;
  iree_status_t status = iree_hal_buffer_view_allocate_buffer_copy(
      device->device, iree_hal_device_allocator(device->device), rank, shape, element_type,
      IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, device_buffer_params(device), iree_make_const_byte_span(bytes, size), &view);
  if (iree_status_is_ok(status)) *out_view = (shim_view*)view;
  return give(status);
}

static void free_host_allocation(void* user_data, iree_hal_buffer_t* buffer) { free(user_data); }

// Fresh memory of the C library is zero without being touched: a cache costs only the pages that are written.
static iree_status_t zeroed_buffer_create(shim_device* device, iree_device_size_t size,
                                          iree_hal_buffer_t** out_buffer) {
  const size_t alignment = IREE_HAL_HEAP_BUFFER_ALIGNMENT;
  if (size > SIZE_MAX - alignment) return out_of_memory();
  uint8_t* base = calloc(1, size + alignment);
  if (!base) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED, "out of host memory for a buffer of %" PRIdsz " bytes",
                            size);
  }
  iree_hal_external_buffer_t external = {
      .type = IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION,
      .size = size,
      .handle.host_allocation.ptr = (void*)iree_host_align((uintptr_t)base, alignment),
  };
  iree_hal_buffer_release_callback_t release = {.fn = free_host_allocation, .user_data = base};
  iree_status_t status = iree_hal_allocator_import_buffer(iree_hal_device_allocator(device->device),
                                                          device_buffer_params(device), &external, release, out_buffer);
  if (!iree_status_is_ok(status)) free(base);
  return status;
}

// Zeros in the device's own memory.
static iree_status_t filled_buffer_create(shim_device* device, iree_device_size_t size,
                                          iree_hal_buffer_t** out_buffer) {
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_semaphore_t* semaphore = NULL;
  iree_status_t status = iree_hal_allocator_allocate_buffer(iree_hal_device_allocator(device->device),
                                                            device_buffer_params(device), size, &buffer);
  if (iree_status_is_ok(status)) {
    status = iree_hal_semaphore_create(device->device, IREE_HAL_QUEUE_AFFINITY_ANY, 0, IREE_HAL_SEMAPHORE_FLAG_DEFAULT,
                                       &semaphore);
  }
  if (iree_status_is_ok(status)) {
    uint64_t done = 1;
    const uint32_t zero = 0;
    iree_hal_semaphore_list_t signal = {.count = 1, .semaphores = &semaphore, .payload_values = &done};
    status = iree_hal_device_queue_fill(device->device, IREE_HAL_QUEUE_AFFINITY_ANY, iree_hal_semaphore_list_empty(),
                                        signal, buffer, 0, size, &zero, size % 4 ? 1 : 4, IREE_HAL_FILL_FLAG_NONE);
    if (iree_status_is_ok(status)) {
      status = iree_hal_semaphore_wait(semaphore, done, iree_infinite_timeout(), IREE_ASYNC_WAIT_FLAG_NONE);
    }
  }
  iree_hal_semaphore_release(semaphore);
  if (iree_status_is_ok(status)) {
    *out_buffer = buffer;
  } else {
    iree_hal_buffer_release(buffer);
  }
  return status;
}

shim_status shim_view_create_zeroed(shim_device* device, const size_t* shape, size_t rank, uint32_t element_type,
                                    shim_view** out_view) {
  iree_device_size_t size = 0;
  RETURN_IF_ERROR(
      iree_hal_buffer_compute_view_size(rank, shape, element_type, IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, &size));
  iree_hal_buffer_t* buffer = NULL;
  RETURN_IF_ERROR(device->is_local ? zeroed_buffer_create(device, size, &buffer)
                                   : filled_buffer_create(device, size, &buffer));
  iree_hal_buffer_view_t* view = NULL;
  iree_status_t status = iree_hal_buffer_view_create(buffer, rank, shape, element_type,
                                                     IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, host(), &view);
  iree_hal_buffer_release(buffer);
  if (iree_status_is_ok(status)) *out_view = (shim_view*)view;
  return give(status);
}

void shim_view_free(shim_view* view) { iree_hal_buffer_view_release(view_of(view)); }

size_t shim_view_rank(const shim_view* view) { return iree_hal_buffer_view_shape_rank(view_of(view)); }

const size_t* shim_view_shape(const shim_view* view) { return iree_hal_buffer_view_shape_dims(view_of(view)); }

uint32_t shim_view_element_type(const shim_view* view) { return iree_hal_buffer_view_element_type(view_of(view)); }

uint32_t shim_view_is_dense(const shim_view* view) {
  return iree_hal_buffer_view_encoding_type(view_of(view)) == IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR;
}

size_t shim_view_byte_length(const shim_view* view) { return iree_hal_buffer_view_byte_length(view_of(view)); }

shim_status shim_view_read(shim_device* device, const shim_view* view, size_t offset, uint8_t* target, size_t size) {
  if (device->is_local) return give(iree_hal_buffer_map_read(buffer_of(view), offset, target, size));
  return give(iree_hal_device_transfer_d2h(device->device, buffer_of(view), offset, target, size,
                                           IREE_HAL_TRANSFER_BUFFER_FLAG_DEFAULT, iree_infinite_timeout()));
}

shim_status shim_view_address(const shim_view* view, size_t* out_address) {
  iree_hal_buffer_mapping_t mapping;
  memset(&mapping, 0, sizeof(mapping));
  RETURN_IF_ERROR(iree_hal_buffer_map_range(buffer_of(view), IREE_HAL_MAPPING_MODE_SCOPED,
                                                 IREE_HAL_MEMORY_ACCESS_READ, 0, IREE_HAL_WHOLE_BUFFER, &mapping));
  *out_address = (size_t)mapping.contents.data;
  return give(iree_hal_buffer_unmap_range(&mapping));
}
