/**
 * Whether TensorFlow could not get the memory for a tensor: its status 8, RESOURCE_EXHAUSTED, of a GPU or of the processor.
 * The engine goes on after it. (WebAssembly does not: ENGINE_MEMORY. A system that kills the process says nothing at all.)
 */
export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /Invalid TF_Status: 8\b|OOM when allocating/.test(error.message);
