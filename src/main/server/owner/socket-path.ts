import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { readJsonFile, writeJsonFile } from '../../lib/files/json-file.ts';
import { keepsWhatIsOurs, privacyOf } from '../../lib/files/private-folder.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { orNoted } from '../../lib/log.ts';

/** The longest path of a Unix socket, in bytes, that every system accepts. */
const longest = 100;
const socketName = 'core.sock';

/**
 * Where the owner of a home listens: in the home, or, if its path is too long, in a separate folder beside the system's
 * temporary files. That folder has an unpredictable name, so that nobody can create it first, and the home stores the
 * name. A folder left by a killed owner is used again. Rejects with `bad-input` if none can be made.
 */
export async function createSocketPath(home: string): Promise<string> {
  const fixed = fixedPlace(home);
  if (fixed !== null) return fixed;
  const kept = await keptFolder(home);
  if (kept !== null && (await privacyOf(kept)) === 'ours') return join(kept, socketName);
  const folder = await newFolder(home);
  await writeJsonFile(noteIn(home), folder);
  return join(folder, socketName);
}

/**
 * The same for a client of the owner; if there is no owner yet, a path at which nobody answers. Rejects with `refused`
 * if another user could be answering there.
 */
export async function findSocketPath(home: string): Promise<string> {
  const path = fixedPlace(home);
  if (path !== null) return path;
  const folder = await keptFolder(home);
  const privacy = folder === null ? 'none' : await privacyOf(folder);
  if (folder === null || privacy === 'none') return join(home, socketName);
  if (privacy === 'ours') return join(folder, socketName);
  const hint = 'End that process, and start again.';
  const text = `The process that owns this home is reached by ${folder}, and that folder is not this user's alone.`;
  throw new AppError('refused', text, { hint });
}

/** Also removes the folder that was made for it. */
export async function removeSocketPath(home: string, socketPath: string): Promise<void> {
  if (process.platform === 'win32') return;
  // What remains is removed by the next start.
  await rm(socketPath, { force: true }).catch(orNoted('The socket was not removed', undefined));
  if (fixedPlace(home) !== null) return;
  await rm(noteIn(home), { force: true }).catch(orNoted('The note about the socket was not removed', undefined));
  await rm(dirname(socketPath), { recursive: true, force: true }).catch(
    orNoted('The folder of the socket was not removed', undefined),
  );
}

function fixedPlace(home: string): string | null {
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\dewpoint-${sha256Of(home).slice(0, 16)}`;
  }
  const inside = join(home, socketName);
  return Buffer.byteLength(inside) <= longest ? inside : null;
}

const noteIn = (home: string): string => join(home, 'socket-folder.json');

async function keptFolder(home: string): Promise<string | null> {
  const kept = await readJsonFile(noteIn(home), (value) => z.string().parse(value));
  return kept.type === 'value' ? kept.value : null;
}

async function newFolder(home: string): Promise<string> {
  for (const base of [process.env.XDG_RUNTIME_DIR ?? '', tmpdir(), '/tmp']) {
    // Not every machine has each of these folders.
    const whole = isAbsolute(base) ? await realpath(base).catch(() => null) : null;
    if (whole === null || Buffer.byteLength(join(whole, 'dewpoint-123456', socketName)) > longest) continue;
    if (!(await keepsWhatIsOurs(whole))) continue;
    // Private to this user, with a name that did not exist.
    const folder = await mkdtemp(join(whole, 'dewpoint-')).catch(() => null);
    if (folder !== null && (await privacyOf(folder)) === 'ours') return folder;
  }
  const hint = 'Another folder: DEWPOINT_HOME=DIR, or set XDG_RUNTIME_DIR to a folder that is yours alone.';
  throw new AppError(
    'bad-input',
    `The path of ${home} is too long for a socket, and there is no other place for one.`,
    {
      hint,
    },
  );
}
