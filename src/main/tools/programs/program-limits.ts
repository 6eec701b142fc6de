/** What one program may use. A frame is a call with its arguments, or what the program gives back. */
export const programLimits = {
  calls: 500,
  together: 8,
  seconds: 300,
  mostSeconds: 1_800,
  frameBytes: 1024 * 1024,
  /** All frames together. */
  framesBytes: 64 * 1024 * 1024,
  printedBytes: 1024 * 1024,
  /** Of one result, as the program gets it. */
  resultCharacters: 1024 * 1024,
  /** Of what it leaves for later programs, as JSON. */
  stateCharacters: 12 * 1024,
  memoryKb: 1_536 * 1024,
  /** Failed programs of one turn. */
  failures: 3,
} as const;
