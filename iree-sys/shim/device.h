// What the files of the shim share about devices.
#ifndef IREE_SYS_DEVICE_H_
#define IREE_SYS_DEVICE_H_

#include <stdbool.h>

#include "iree/async/util/proactor_pool.h"
#include "iree/hal/api.h"
#include "iree/hal/utils/statistics_sink.h"
#include "shim.h"

struct shim_device {
  iree_hal_device_t* device;
  iree_hal_device_group_t* group;
  // What its dispatches took; NULL unless they are timed.
  iree_hal_profile_statistics_sink_t* profile;
  // Whether its memory is this process's.
  bool is_local;
};

// What devices signal and read files with. The caller releases it.
iree_status_t shim_proactor_pool_create(iree_async_proactor_pool_t** out_pool);

// Takes `device` over whether or not it succeeds.
iree_status_t shim_device_wrap(iree_hal_device_t* device, bool is_local, shim_device** out_device);

#endif  // IREE_SYS_DEVICE_H_
