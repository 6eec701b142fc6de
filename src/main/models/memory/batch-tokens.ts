/**
 * Prompt tokens that the engine's process computes in one native call, which is what its compute buffer is made for.
 * A call cannot be interrupted: on a processor 64 take less than a second and are computed nearly as fast as 512; a
 * card computes 512 at once. Fixed, not adapted to the clock, because the last digits of a result depend on how a
 * prompt was divided.
 */
export const batchTokens = { card: 512, processor: 64 } as const;
