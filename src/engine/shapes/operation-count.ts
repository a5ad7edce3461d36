/** Arithmetic of a computation, or of the part of it that belongs to one parameter. */
export interface OperationCount {
  /** Pairs of a multiplication and an addition, of convolutions and matrix products, attention's too. */
  readonly multiplyAdds: number;
  /** Those of them between two things that are computed, as in attention; no parameter takes part. */
  readonly activationProducts: number;
  /** Those of them in transposed convolutions. */
  readonly transposedConvolutions: number;
  /**
   * All other arithmetic: one a value that an elementwise operation writes or a reduction reads, three a value of a
   * softmax, four of a resizing, one an element of each pooling window. Moving numbers counts nothing.
   */
  readonly otherOperations: number;
}

/** A count to add to. */
export const NOTHING: OperationCount = {
  ...{ multiplyAdds: 0, activationProducts: 0, transposedConvolutions: 0, otherOperations: 0 },
};
