// A program that can't load libraries has no Vulkan.
#include "iree/base/api.h"
#include "shim.h"

shim_status shim_vulkan_create(shim_vulkan** out_vulkan) {
  return (shim_status)iree_make_status(IREE_STATUS_UNAVAILABLE,
                                       "this program is linked statically and can load no Vulkan driver");
}

// None of these is called where there is no `shim_vulkan`.
void shim_vulkan_free(shim_vulkan* vulkan) {}

size_t shim_vulkan_device_count(const shim_vulkan* vulkan) { return 0; }

shim_str shim_vulkan_device_name(const shim_vulkan* vulkan, size_t index) { return (shim_str){0}; }

shim_str shim_vulkan_device_path(const shim_vulkan* vulkan, size_t index) { return (shim_str){0}; }

size_t shim_vulkan_device_text(const shim_vulkan* vulkan, size_t index, char* buffer, size_t capacity) { return 0; }

shim_status shim_device_create_vulkan(const shim_vulkan* vulkan, size_t index, shim_device** out_device) {
  return (shim_status)iree_make_status(IREE_STATUS_UNAVAILABLE, "no Vulkan");
}
