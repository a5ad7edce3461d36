// The part of TensorFlow's C interface for kernels that we use (tensorflow/c/kernels.h, which includes headers that its
// wheel's C folder lacks).
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

extern "C" {
struct TF_KernelBuilder;
struct TF_OpKernelConstruction;
struct TF_OpKernelContext;

TF_KernelBuilder *TF_NewKernelBuilder(const char *op, const char *device, void *(*create)(TF_OpKernelConstruction *),
                                      void (*compute)(void *, TF_OpKernelContext *), void (*remove)(void *));
void TF_RegisterKernelBuilder(const char *name, TF_KernelBuilder *, TF_Status *);
void TF_OpKernelConstruction_GetAttrFloat(TF_OpKernelConstruction *, const char *name, float *, TF_Status *);
void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction *, TF_Status *);
void TF_GetInput(TF_OpKernelContext *, int index, TF_Tensor **, TF_Status *);
TF_Tensor *TF_AllocateOutput(TF_OpKernelContext *, int index, TF_DataType, const int64_t *shape, int rank, size_t bytes,
                             TF_Status *);
void TF_OpKernelContext_Failure(TF_OpKernelContext *, TF_Status *);
}
