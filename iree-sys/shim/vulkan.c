// Vulkan devices. The loader (libvulkan.so.1) is looked for when a driver is created; nothing of it is linked.
#include "device.h"
#include "iree/hal/drivers/vulkan/api.h"

struct shim_vulkan {
  iree_hal_driver_t* driver;
  iree_hal_device_info_t* devices;
  iree_host_size_t device_count;
};

static iree_allocator_t host(void) { return iree_allocator_system(); }

static shim_str out_str(iree_string_view_t text) { return (shim_str){.data = text.data, .size = text.size}; }

static iree_status_t driver_create(iree_hal_driver_t** out_driver) {
  iree_hal_vulkan_driver_options_t options;
  iree_hal_vulkan_driver_options_initialize(&options);
  return iree_hal_vulkan_driver_create(IREE_SV("vulkan"), &options, NULL, host(), out_driver);
}

shim_status shim_vulkan_create(shim_vulkan** out_vulkan) {
  shim_vulkan* vulkan = NULL;
  iree_status_t status = iree_allocator_malloc(host(), sizeof(*vulkan), (void**)&vulkan);
  if (iree_status_is_ok(status)) status = driver_create(&vulkan->driver);
  if (iree_status_is_ok(status)) {
    status = iree_hal_driver_query_available_devices(vulkan->driver, host(), &vulkan->device_count, &vulkan->devices);
  }
  if (iree_status_is_ok(status)) {
    *out_vulkan = vulkan;
  } else if (vulkan) {
    shim_vulkan_free(vulkan);
  }
  return (shim_status)status;
}

void shim_vulkan_free(shim_vulkan* vulkan) {
  iree_allocator_free(host(), vulkan->devices);
  iree_hal_driver_release(vulkan->driver);
  iree_allocator_free(host(), vulkan);
}

size_t shim_vulkan_device_count(const shim_vulkan* vulkan) { return vulkan->device_count; }

shim_str shim_vulkan_device_name(const shim_vulkan* vulkan, size_t index) {
  return out_str(vulkan->devices[index].name);
}

shim_str shim_vulkan_device_path(const shim_vulkan* vulkan, size_t index) {
  return out_str(vulkan->devices[index].path);
}

size_t shim_vulkan_device_text(const shim_vulkan* vulkan, size_t index, char* buffer, size_t capacity) {
  iree_string_builder_t builder;
  iree_string_builder_initialize(host(), &builder);
  iree_status_ignore(
      iree_hal_driver_dump_device_info(vulkan->driver, vulkan->devices[index].device_id, &builder));
  iree_string_view_t text = iree_string_builder_view(&builder);
  memcpy(buffer, text.data, iree_min(text.size, capacity));
  size_t size = text.size;
  iree_string_builder_deinitialize(&builder);
  return size;
}

shim_status shim_device_create_vulkan(const shim_vulkan* vulkan, size_t index, shim_device** out_device) {
  iree_hal_device_t* device = NULL;
  iree_async_proactor_pool_t* pool = NULL;
  iree_status_t status = shim_proactor_pool_create(&pool);
  if (iree_status_is_ok(status)) {
    iree_hal_device_create_params_t params = iree_hal_device_create_params_default();
    params.proactor_pool = pool;
    status = iree_hal_driver_create_device_by_id(vulkan->driver, vulkan->devices[index].device_id, 0, NULL, &params,
                                                 host(), &device);
  }
  iree_async_proactor_pool_release(pool);
  if (iree_status_is_ok(status)) status = shim_device_wrap(device, false, out_device);
  return (shim_status)status;
}
