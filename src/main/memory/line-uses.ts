import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../lib/files/json-file.ts';

/** A session in whose work a line was of use, with the time of its last such turn, in milliseconds. */
const useSchema = z.object({ sessionId: z.string(), at: z.number() });
const usesSchema = z.object({ lines: z.record(z.string(), z.array(useSchema)) });
export type LineUse = z.infer<typeof useSchema>;

/** By the id of the line; the latest use last. */
type LineUses = Readonly<Record<string, readonly LineUse[]>>;

interface LineUseFile {
  /** A file that cannot be read counts as empty: the order of lines is not worth an error. */
  readonly read: () => Promise<LineUses>;
  /** Notes that these lines were of use. */
  readonly note: (ids: readonly string[], use: LineUse) => Promise<void>;
  readonly drop: (id: string) => Promise<void>;
}

/** More say nothing more about a line. */
const mostUses = 20;

/** `folder`: `memory/` of the home. */
export function createLineUseFile(folder: string): LineUseFile {
  const path = join(folder, 'uses.json');
  let tail: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<LineUses> => {
    const found = await readJsonFile(path, (value) => usesSchema.parse(value));
    return found.type === 'value' ? found.value.lines : {};
  };
  // One change after the other, so that none is lost.
  const change = (make: (lines: LineUses) => LineUses): Promise<void> => {
    const done = tail.then(async () => writeJsonFile(path, { lines: make(await read()) }));
    tail = done.catch(() => undefined);
    return done;
  };
  return {
    read,
    note: (ids, use) =>
      change((lines) => {
        const own = ids.map((id) => {
          const others = (lines[id] ?? []).filter(({ sessionId }) => sessionId !== use.sessionId);
          return [id, [...others, use].slice(-mostUses)] as const;
        });
        return { ...lines, ...Object.fromEntries(own) };
      }),
    drop: (id) => change((lines) => Object.fromEntries(Object.entries(lines).filter(([one]) => one !== id))),
  };
}
