import { join } from 'node:path';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { orNoted } from '../../lib/log.ts';

/** Remembers that a server speaks only the old protocol. Finding out again takes time, or a second start. */
export interface KeptWay {
  readonly isOld: () => Promise<boolean>;
  readonly keepOld: () => Promise<void>;
}

/** After this time the server is asked again, so that an updated server is reached by the new protocol. */
const validMs = 7 * 24 * 60 * 60_000;

const keptSchema = z.object({ server: z.string(), oldAt: z.number() });

/** `sha256`: hash of the definition. A changed definition is asked again. A failure of the file only costs time. */
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
      // The date of the first finding stays, so that using the record does not prolong it.
      if (!(await isOld()))
        await writeJsonFile(path, { server: sha256, oldAt: now() }).catch(
          orNoted('How to talk to a tool server was not saved', undefined),
        );
    },
  };
}
