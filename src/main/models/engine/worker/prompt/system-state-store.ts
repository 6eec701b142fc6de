import { chmod, mkdir, readdir, rename, rm, stat, utimes, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Of } from '../../../../lib/sha256.ts';
import { writeFileAtomic } from '../../../../lib/files/json-file.ts';
import { noteFailure, orNoted } from '../../../../lib/log.ts';

/** States of system messages on the disk, so that a new process need not read the same text again. */
export interface StateStore {
  /** The file with the state of exactly these tokens. Null if there is none that can be trusted. */
  find(tokens: readonly number[]): Promise<string | null>;
  /** Keeps what `write` puts at the given path. A failure, such as a full disk, only returns false. */
  keep(tokens: readonly number[], write: (path: string) => Promise<unknown>): Promise<boolean>;
  /** A path for a state that is used once by this process. Rejects if the folder cannot be created. */
  temporary(): Promise<string>;
}

const describedSchema = z.object({ engine: z.string(), tokens: z.array(z.number()), bytes: z.number() });

/** The limit for all states together. The least recently used are removed first. */
const mostBytes = 512 * 1024 * 1024;

/**
 * @param engine identifies all that a state depends on: model file, engine version, context and cache types. The
 * state of another engine is never loaded, because that can end the process.
 */
export function createStateStore(dir: string, engine: string): StateStore {
  const pathOf = (tokens: readonly number[]): string =>
    join(dir, `${sha256Of(`${engine}\n${tokens.join(',')}`).slice(0, 32)}.state`);
  return {
    async temporary() {
      await privateFolder(dir);
      return join(dir, `fork-${process.pid}.tmp`);
    },
    async find(tokens) {
      const path = pathOf(tokens);
      try {
        const described = describedSchema.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')));
        const { size } = await stat(path);
        if (described.engine !== engine || described.bytes !== size || !sameTokens(described.tokens, tokens))
          return null;
        const now = new Date();
        await utimes(path, now, now);
        return path;
      } catch {
        // The file is missing, truncated or not ours, so the state is computed.
        return null;
      }
    },
    async keep(tokens, write) {
      const path = pathOf(tokens);
      const partial = `${path}.${process.pid}.tmp`;
      try {
        await privateFolder(dir);
        await write(partial);
        const { size } = await stat(partial);
        await rename(partial, path);
        const described = { engine, tokens: [...tokens], bytes: size };
        await writeFileAtomic(`${path}.json`, JSON.stringify(described), { sync: false });
        await dropOldest(dir);
        return true;
      } catch (error) {
        // A state only saves time. Without it, the prompt is read again.
        noteFailure('engine: a prompt was not kept', error);
        await rm(partial, { force: true });
        return false;
      }
    },
  };
}

/**
 * Creates the folder for this user only. A state contains what was said, and other users of this machine may share
 * the cache. The engine writes the files, so the folder must protect them.
 */
async function privateFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // Some file systems have no permissions.
  await chmod(dir, 0o700).catch(orNoted('engine: the folder of kept prompts stays readable to others', undefined));
}

async function dropOldest(dir: string): Promise<void> {
  const names = (await readdir(dir)).filter((name) => name.endsWith('.state'));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(dir, name);
      const { size, mtimeMs } = await stat(path);
      return { path, size, mtimeMs };
    }),
  );
  files.sort((left, right) => right.mtimeMs - left.mtimeMs);
  let total = 0;
  for (const file of files) {
    total += file.size;
    if (total <= mostBytes) continue;
    await rm(`${file.path}.json`, { force: true });
    await rm(file.path, { force: true });
  }
}

function sameTokens(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((token, index) => token === right[index]);
}
