/**
 * The prompt tokens that the engine's process computes in one native call, which determines its compute buffer. A
 * call cannot be interrupted. On a processor, 64 take less than a second and are nearly as fast as 512 at once. A
 * card computes 512 at once. The numbers are fixed and not adapted to the speed, because the last digits of a result
 * depend on how a prompt was divided.
 */
export const batchTokens = { card: 512, processor: 64 } as const;
