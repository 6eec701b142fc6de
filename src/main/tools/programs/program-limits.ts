/** The limits of one program. A frame is a call with its arguments, or the program's result. */
export const programLimits = {
  calls: 500,
  together: 8,
  seconds: 300,
  mostSeconds: 1_800,
  frameBytes: 1024 * 1024,
  /** For all frames together. */
  framesBytes: 64 * 1024 * 1024,
  printedBytes: 1024 * 1024,
  /** For one result, as the program receives it. */
  resultCharacters: 1024 * 1024,
  /** For the state that it leaves for later programs, as JSON. */
  stateCharacters: 12 * 1024,
  /** How many imports of files that commands can write are named in the question. */
  imports: 50,
  memoryKb: 1_536 * 1024,
  /** Failed programs in one turn. */
  failures: 3,
} as const;
