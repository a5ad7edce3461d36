// Ops of our own on the processor, each one pass over the data where TensorFlow's ops need several. They reach TensorFlow
// through its C interface alone, and are registered when the addon is loaded.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "kernel-interface.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"
#include "thread-pool.h"

namespace gondwana {

struct AttentionSizes {
  int64_t tokens, headWidth;
  /** Values of all heads, and of a position: queries, keys and values. */
  int64_t inner, step;
  /** Least length that queries and keys are divided by; 0: they are not. */
  float epsilon;
};

/** Rows that attention computes at once. */
#define ROWS 6

/** So many values, up to the end of the last line of the cache. */
constexpr int64_t wholeLines(int64_t count) { return (count + 15) / 16 * 16; }

#pragma GCC push_options
#pragma GCC optimize("O3")
namespace baseline {
#define LANES 4
#define PANEL 2
#include "row-loops.inc"
#include "attention.inc"
#include "winograd.inc"
#undef LANES
}
#if defined(__x86_64__)
#pragma GCC target("avx2,fma")
namespace avx2 {
#define LANES 8
#include "row-loops.inc"
#include "attention.inc"
#include "winograd.inc"
#undef LANES
#undef PANEL
}
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")
namespace avx512 {
#define LANES 16
#define PANEL 4
#include "row-loops.inc"
#include "attention.inc"
#include "winograd.inc"
}
#endif
#pragma GCC pop_options

/** The best form of a loop that this processor runs. */
#if defined(__x86_64__)
#define BEST(loop)                                                                                     \
  ([] {                                                                                                \
    static const auto best = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && \
                                     __builtin_cpu_supports("avx512bw")                                \
                                 ? avx512::loop                                                        \
                             : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")         \
                                 ? avx2::loop                                                          \
                                 : baseline::loop;                                                     \
    return best;                                                                                       \
  }())
#else
#define BEST(loop) baseline::loop
#endif

/** Inputs and outputs of one call; tensors are float32 where nothing else is said. */
class Call {
 public:
  explicit Call(TF_OpKernelContext *context) : context_(context), status_(TF_NewStatus()) {}

  ~Call() {
    if (TF_GetCode(status_) != TF_OK) TF_OpKernelContext_Failure(context_, status_);
    for (TF_Tensor *tensor : tensors_) TF_DeleteTensor(tensor);
    TF_DeleteStatus(status_);
  }

  /** Null after a failure. */
  const TF_Tensor *input(int index) {
    TF_Tensor *tensor = nullptr;
    TF_GetInput(context_, index, &tensor, status_);
    return kept(tensor);
  }

  const float *values(int index) {
    const TF_Tensor *tensor = input(index);
    return tensor ? data(tensor) : nullptr;
  }

  /** Of the shape of x without the last `dropped` axes. */
  float *output(int index, const TF_Tensor *x, int dropped = 0) {
    std::vector<int64_t> shape;
    for (int axis = 0; axis < TF_NumDims(x) - dropped; axis++) shape.push_back(TF_Dim(x, axis));
    return output(index, shape);
  }

  float *output(int index, const std::vector<int64_t> &shape) {
    int64_t size = 1;
    for (const int64_t length : shape) size *= length;
    const size_t bytes = size * sizeof(float);
    TF_Tensor *tensor = TF_AllocateOutput(context_, index, TF_FLOAT, shape.data(), shape.size(), bytes, status_);
    return tensor ? data(kept(tensor)) : nullptr;
  }

  void refuse(const char *reason) { TF_SetStatus(status_, TF_INVALID_ARGUMENT, reason); }

 private:
  static float *data(const TF_Tensor *tensor) { return static_cast<float *>(TF_TensorData(tensor)); }

  TF_Tensor *kept(TF_Tensor *tensor) {
    if (tensor) tensors_.push_back(tensor);
    return tensor;
  }

  TF_OpKernelContext *context_;
  TF_Status *status_;
  std::vector<TF_Tensor *> tensors_;
};

int64_t sizeOf(const TF_Tensor *x) { return TF_TensorElementCount(x); }

int64_t widthOf(const TF_Tensor *x) { return TF_NumDims(x) > 0 ? TF_Dim(x, TF_NumDims(x) - 1) : 1; }

/** Calls work(first row, rows, part) on every thread. */
template <typename Work>
int overRows(int64_t rows, int64_t width, Work work) {
  const int parts = partsOf(rows, width);
  ThreadPool::instance().run(rows, parts, [&](int64_t begin, int64_t end, int part) { work(begin, end - begin, part); });
  return parts;
}

void computeGelu(void *, TF_OpKernelContext *context) {
  Call call(context);
  const TF_Tensor *x = call.input(0);
  float *y = x ? call.output(0, x) : nullptr;
  if (!y) return;
  const float *in = call.values(0);
  overRows(sizeOf(x), 1, [=](int64_t at, int64_t count, int) { BEST(gelu)(in + at, y + at, count); });
}

void computeGeluGradient(void *, TF_OpKernelContext *context) {
  Call call(context);
  const float *dy = call.values(0);
  const TF_Tensor *x = call.input(1);
  float *dx = x ? call.output(0, x) : nullptr;
  if (!dx || !dy) return;
  if (sizeOf(call.input(0)) != sizeOf(x)) return call.refuse("dy has another size than x");
  const float *in = call.values(1);
  overRows(sizeOf(x), 1,
           [=](int64_t at, int64_t count, int) { BEST(geluGradient)(dy + at, in + at, dx + at, count); });
}

void *readEpsilon(TF_OpKernelConstruction *construction) {
  TF_Status *status = TF_NewStatus();
  auto *epsilon = new float(0);
  TF_OpKernelConstruction_GetAttrFloat(construction, "epsilon", epsilon, status);
  if (TF_GetCode(status) != TF_OK) TF_OpKernelConstruction_Failure(construction, status);
  TF_DeleteStatus(status);
  return epsilon;
}

void dropEpsilon(void *epsilon) { delete static_cast<float *>(epsilon); }

void computeLayerNorm(void *kernel, TF_OpKernelContext *context) {
  Call call(context);
  const float epsilon = *static_cast<float *>(kernel);
  const TF_Tensor *x = call.input(0);
  const float *scale = call.values(1), *offset = call.values(2);
  if (!x || !scale || !offset) return;
  const int64_t width = widthOf(x), rows = width > 0 ? sizeOf(x) / width : 0;
  if (sizeOf(call.input(1)) != width || sizeOf(call.input(2)) != width)
    return call.refuse("scale and offset have another size than the last axis of x");
  float *y = call.output(0, x), *means = call.output(1, x, 1), *inverses = call.output(2, x, 1);
  if (!y || !means || !inverses) return;
  const float *in = call.values(0);
  overRows(rows, width, [=](int64_t row, int64_t count, int) {
    const int64_t at = row * width;
    BEST(layerNorm)(in + at, scale, offset, epsilon, count, width, y + at, means + row, inverses + row);
  });
}

void computeLayerNormGradient(void *, TF_OpKernelContext *context) {
  Call call(context);
  const float *dy = call.values(0), *means = call.values(2), *inverses = call.values(3), *scale = call.values(4);
  const TF_Tensor *x = call.input(1), *gamma = call.input(4);
  if (!dy || !x || !means || !inverses || !scale) return;
  const int64_t width = widthOf(x), rows = width > 0 ? sizeOf(x) / width : 0;
  if (sizeOf(call.input(0)) != sizeOf(x) || sizeOf(gamma) != width || sizeOf(call.input(2)) != rows ||
      sizeOf(call.input(3)) != rows)
    return call.refuse("the inputs do not fit each other");
  float *dx = call.output(0, x), *dScale = call.output(1, gamma), *dOffset = call.output(2, gamma);
  if (!dx || !dScale || !dOffset) return;
  const float *in = call.values(1);
  std::vector<float> sums(2 * width * ThreadPool::instance().size(), 0.0f);
  float *partial = sums.data();
  const int parts = overRows(rows, width, [=](int64_t row, int64_t count, int part) {
    const int64_t at = row * width;
    float *scaleSum = partial + 2 * width * part;
    BEST(layerNormGradient)
    (dy + at, in + at, means + row, inverses + row, scale, count, width, dx + at, scaleSum, scaleSum + width);
  });
  for (int64_t i = 0; i < width; i++) {
    dScale[i] = dOffset[i] = 0;
    for (int part = 0; part < parts; part++) {
      dScale[i] += sums[2 * width * part + i];
      dOffset[i] += sums[2 * width * part + width + i];
    }
  }
}

void computeSoftmaxGradient(void *, TF_OpKernelContext *context) {
  Call call(context);
  const float *dy = call.values(0);
  const TF_Tensor *y = call.input(1);
  float *dx = y ? call.output(0, y) : nullptr;
  if (!dx || !dy) return;
  if (sizeOf(call.input(0)) != sizeOf(y)) return call.refuse("dy has another size than y");
  const float *out = call.values(1);
  const int64_t width = widthOf(y), rows = width > 0 ? sizeOf(y) / width : 0;
  overRows(rows, width, [=](int64_t row, int64_t count, int) {
    const int64_t at = row * width;
    BEST(softmaxGradient)(dy + at, out + at, count, width, dx + at);
  });
}

/** Values that begin at a line of the cache. */
class Scratch {
 public:
  explicit Scratch(int64_t count) : memory_(new float[count + 16]) {}
  float *values() const {
    return reinterpret_cast<float *>((reinterpret_cast<uintptr_t>(memory_.get()) + 63) / 64 * 64);
  }

 private:
  std::unique_ptr<float[]> memory_;
};

/**
 * qkv [batch, position, (queries, keys, values) · head · headWidth] → [batch, position, head · headWidth]. Scale [head];
 * rows int32 [window, token]: positions that attend to each other, or empty: all; bias [head, query, key] and mask
 * [window, query, key], added to the scores, or empty. With epsilon queries and keys are divided by their lengths.
 */
void computeAttention(void *kernel, TF_OpKernelContext *context) {
  Call call(context);
  const TF_Tensor *qkv = call.input(0), *scale = call.input(1), *rows = call.input(2);
  const TF_Tensor *bias = call.input(3), *mask = call.input(4);
  if (!qkv || !scale || !rows || !bias || !mask) return;
  if (TF_NumDims(qkv) != 3 || TF_NumDims(rows) != 2) return call.refuse("qkv has other axes than 3, or rows than 2");
  const int64_t batch = TF_Dim(qkv, 0), positions = TF_Dim(qkv, 1), step = TF_Dim(qkv, 2), heads = sizeOf(scale);
  if (heads == 0 || step % (3 * heads) != 0) return call.refuse("the heads do not divide the last axis of qkv");
  const bool isWindowed = sizeOf(rows) > 0;
  const int64_t windows = isWindowed ? TF_Dim(rows, 0) : 1, tokens = isWindowed ? TF_Dim(rows, 1) : positions;
  if (windows * tokens != positions) return call.refuse("rows have another size than the positions of qkv");
  const int64_t square = tokens * tokens;
  if ((sizeOf(bias) > 0 && sizeOf(bias) != heads * square) || (sizeOf(mask) > 0 && sizeOf(mask) != windows * square))
    return call.refuse("bias or mask has another size than the scores");
  const auto *table = isWindowed ? static_cast<const int32_t *>(TF_TensorData(rows)) : nullptr;
  for (int64_t i = 0; table && i < positions; i++)
    if (table[i] < 0 || table[i] >= positions) return call.refuse("rows name a position that qkv does not have");
  const int64_t inner = step / 3, headWidth = inner / heads;
  float *y = call.output(0, {batch, positions, inner});
  if (!y) return;
  const float *x = call.values(0), *scales = call.values(1);
  const float *added = sizeOf(bias) > 0 ? call.values(3) : nullptr;
  const float *masks = sizeOf(mask) > 0 ? call.values(4) : nullptr;
  const AttentionSizes sizes{tokens, headWidth, inner, step, *static_cast<float *>(kernel)};
  const int64_t scoreStep = wholeLines(tokens), outStep = wholeLines(headWidth);
  const int64_t needed = scoreStep * headWidth + outStep * tokens + ROWS * (scoreStep + 2 * outStep);
  overRows(batch * windows * heads, tokens * inner, [=](int64_t first, int64_t count, int) {
    const Scratch scratch(needed);
    std::memset(scratch.values(), 0, needed * sizeof(float));
    for (int64_t at = first; at < first + count; at++) {
      const int64_t head = at % heads, window = at / heads % windows, image = at / heads / windows;
      BEST(attendHead)
      (sizes, x + image * positions * step + head * headWidth, table ? table + window * tokens : nullptr, scales[head],
       added ? added + head * square : nullptr, masks ? masks + window * square : nullptr, scratch.values(),
       y + image * positions * inner + head * headWidth);
    }
  });
}

/** dy [batch, position, head · headWidth], qkv and scale as above: the gradient of qkv, scale being a constant. */
void computeAttentionGradient(void *, TF_OpKernelContext *context) {
  Call call(context);
  const TF_Tensor *dy = call.input(0), *qkv = call.input(1), *scale = call.input(2);
  if (!dy || !qkv || !scale) return;
  if (TF_NumDims(qkv) != 3) return call.refuse("qkv has other axes than 3");
  const int64_t batch = TF_Dim(qkv, 0), tokens = TF_Dim(qkv, 1), step = TF_Dim(qkv, 2), heads = sizeOf(scale);
  if (heads == 0 || step % (3 * heads) != 0) return call.refuse("the heads do not divide the last axis of qkv");
  if (3 * sizeOf(dy) != sizeOf(qkv)) return call.refuse("dy has another size than the values of qkv");
  float *dQkv = call.output(0, qkv);
  if (!dQkv || sizeOf(qkv) == 0) return;
  const float *slopes = call.values(0), *x = call.values(1), *scales = call.values(2);
  const int64_t inner = step / 3, headWidth = inner / heads;
  const AttentionSizes sizes{tokens, headWidth, inner, step, 0};
  const int64_t scoreStep = wholeLines(tokens), outStep = wholeLines(headWidth);
  const int64_t needed =
      2 * scoreStep * headWidth + 3 * outStep * tokens + 2 * (tokens + ROWS) * scoreStep + 3 * ROWS * outStep + ROWS;
  overRows(batch * heads, tokens * inner, [=](int64_t first, int64_t count, int) {
    const Scratch scratch(needed);
    std::memset(scratch.values(), 0, needed * sizeof(float));
    for (int64_t at = first; at < first + count; at++) {
      const int64_t head = at % heads, place = at / heads * tokens;
      BEST(attendHeadGradient)
      (sizes, slopes + place * inner + head * headWidth, x + place * step + head * headWidth, scales[head],
       scratch.values(), dQkv + place * step + head * headWidth);
    }
  });
}

#include "winograd-ops.inc"

struct Op {
  const char *name;
  std::vector<const char *> inputs, outputs;
  void (*compute)(void *, TF_OpKernelContext *);
  bool hasEpsilon;
};

/** Without success the op is unknown, and the caller composes it of others. */
void registerOp(const Op &op) {
  TF_OpDefinitionBuilder *definition = TF_NewOpDefinitionBuilder(op.name);
  for (const char *input : op.inputs) TF_OpDefinitionBuilderAddInput(definition, input);
  for (const char *output : op.outputs) TF_OpDefinitionBuilderAddOutput(definition, output);
  if (op.hasEpsilon) TF_OpDefinitionBuilderAddAttr(definition, "epsilon: float");
  TF_Status *status = TF_NewStatus();
  TF_RegisterOpDefinition(definition, status);
  if (TF_GetCode(status) == TF_OK) {
    TF_KernelBuilder *kernel = TF_NewKernelBuilder(op.name, "CPU", op.hasEpsilon ? readEpsilon : nullptr, op.compute,
                                                   op.hasEpsilon ? dropEpsilon : nullptr);
    TF_RegisterKernelBuilder(op.name, kernel, status);
  }
  TF_DeleteStatus(status);
}

const bool isRegistered = [] {
  const char *x = "x: float", *y = "y: float", *dx = "dx: float", *dy = "dy: float";
  const char *mean = "mean: float", *inverse = "inverse: float";
  const char *scale = "scale: float", *offset = "offset: float", *place = "place: int32";
  const Op ops[] = {
      {"GondwanaGelu", {x}, {y}, computeGelu, false},
      {"GondwanaGeluGrad", {dy, x}, {dx}, computeGeluGradient, false},
      {"GondwanaLayerNorm", {x, scale, offset}, {y, mean, inverse}, computeLayerNorm, true},
      {"GondwanaLayerNormGrad",
       {dy, x, mean, inverse, scale},
       {dx, "d_scale: float", "d_offset: float"},
       computeLayerNormGradient,
       false},
      {"GondwanaAttention",
       {"qkv: float", scale, "rows: int32", "bias: float", "mask: float"},
       {y},
       computeAttention,
       true},
      {"GondwanaAttentionGrad", {dy, "qkv: float", scale}, {"d_qkv: float"}, computeAttentionGradient, false},
      {"GondwanaSoftmaxGrad", {dy, y}, {dx}, computeSoftmaxGradient, false},
      {"GondwanaWinogradInput", {x, place}, {y}, computeWinogradInput, false},
      {"GondwanaWinogradOutput", {"m: float", place}, {y}, computeWinogradOutput, false},
      {"GondwanaWinogradGrad", {dy, place}, {"z: float"}, computeWinogradGradient, false},
      {"GondwanaWinogradFilter", {"g: float", "turned: int32"}, {"u: float"}, computeWinogradFilter, false},
      {"GondwanaWinogradFilterGrad", {"u: float"}, {"g: float"}, computeWinogradFilterGradient, false},
  };
  for (const Op &op : ops) registerOp(op);
  return true;
}();

}  // namespace gondwana
