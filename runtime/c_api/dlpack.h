/*===- dlpack.h - the structs of DLPack ---------------------------------------------------------===
 *
 * The binary interface by which array libraries pass tensors to each other without a copy: our own
 * declaration of the structs of DLPack 0.8 (https://dmlc.github.io/dlpack/latest/c_api.html), field
 * for field. Include DLPack's own header first, and this one declares nothing.
 *
 *===--------------------------------------------------------------------------------------------===*/
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DLPACK_VERSION 80
#define DLPACK_ABI_VERSION 1

typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLROCM = 10 } DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U
} DLDataTypeCode;

typedef struct {
  uint8_t code;   /* A DLDataTypeCode. */
  uint8_t bits;   /* Of one lane. */
  uint16_t lanes; /* 1 but for vector types. */
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* In elements; NULL for row-major and contiguous. */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

#ifdef __cplusplus
}
#endif

#endif
