import { z } from 'zod';
import { programLimits } from './program-limits.ts';

const importSchema = z.strictObject({ line: z.number().int(), path: z.string().max(200) });

/** An import of a file that commands can write. Its path is relative to the project. */
export type ProgramImport = z.infer<typeof importSchema>;

const frameSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('checked'),
    problems: z.array(z.string().max(500)).max(20),
    /** How many tests of its own the program ran. */
    tests: z.number().int().nonnegative().optional(),
    imports: z.array(importSchema).max(programLimits.imports).optional(),
  }),
  z.strictObject({ type: z.literal('call'), id: z.number().int(), tool: z.string().max(200), input: z.unknown() }),
  z.strictObject({ type: z.literal('done'), value: z.unknown(), state: z.unknown().optional() }),
  z.strictObject({
    type: z.literal('failed'),
    error: z.string().max(8_000),
    line: z.number().int().nullable(),
    trace: z.string().max(8_000),
  }),
]);

/** A message from the client that runs a program. It may be forged, so it is trusted no more than a model's words. */
export type ProgramFrame = z.infer<typeof frameSchema>;

/** Reads frames, one per line. Throws an error with the reason for anything that is not a frame. */
export function createFrameReader(onFrame: (frame: ProgramFrame) => void): (bytes: Uint8Array) => void {
  let line: Uint8Array[] = [];
  let length = 0;
  let total = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    total += piece.length;
    if (length > programLimits.frameBytes) throw new Error('it sent a frame of more than 1 MB');
    if (total > programLimits.framesBytes) throw new Error('it sent frames of more than 64 MB');
    if (piece.length > 0) line.push(piece.slice());
  };
  return (bytes) => {
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(0x0a, from);
      add(bytes.subarray(from, end === -1 ? bytes.length : end));
      if (end === -1) return;
      const text = Buffer.concat(line).toString('utf8');
      line = [];
      length = 0;
      from = end + 1;
      onFrame(readFrame(text));
    }
  };
}

function readFrame(text: string): ProgramFrame {
  try {
    if (isTooDeep(text)) throw new Error('too deep');
    return frameSchema.parse(JSON.parse(text));
  } catch {
    throw new Error('it sent something that is no frame');
  }
}

const mostDeep = 100;

/** Writing a value recurses into each level, so a deep one would overflow the stack. */
function isTooDeep(text: string): boolean {
  let deep = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted && sign === '\\') at += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === '[' || sign === '{')) deep += 1;
    else if (!isQuoted && (sign === ']' || sign === '}')) deep -= 1;
    if (deep > mostDeep) return true;
  }
  return false;
}
