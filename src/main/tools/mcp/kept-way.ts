import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';

/** What was found out about a server: that it speaks the old protocol alone. To find that out again takes time, or a second start. */
export interface KeptWay {
  readonly isOld: () => Promise<boolean>;
  readonly keepOld: () => Promise<void>;
}

/** After so long it is asked anew, so that a server that has learned the new protocol is spoken to in it. */
const validMs = 7 * 24 * 60 * 60_000;

const keptSchema = z.object({ server: z.string(), oldAt: z.number() });

/** `sha256`: of the definition; another one is found out about anew. A file that cannot be read or written costs time alone. */
export function keptWayIn(folder: string, name: string, sha256: string, now: () => number): KeptWay {
  const path = join(folder, name, 'protocol.json');
  const isOld = async (): Promise<boolean> => {
    const file = await readJsonFile(path, (value) => keptSchema.parse(value)).catch(() => null);
    if (file?.type !== 'value' || file.value.server !== sha256) return false;
    const age = now() - file.value.oldAt;
    return age >= 0 && age < validMs;
  };
  return {
    isOld,
    keepOld: async () => {
      // The date is that of the asking: to go by it does not make it younger.
      if (!(await isOld())) await writeJsonFile(path, { server: sha256, oldAt: now() }).catch(() => undefined);
    },
  };
}
