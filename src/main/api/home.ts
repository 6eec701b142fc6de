import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import { errorCodeOf } from '../lib/json-file.ts';
import { delay } from '../lib/delay.ts';

/** The process that owns a home: its engine, purse, sandboxes and logs. All others are its clients. */
export type HomeClaim =
  | { readonly type: 'owner'; readonly socketPath: string; release(): Promise<void> }
  | { readonly type: 'owned'; readonly socketPath: string; readonly pid: number };

const ownerSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string(), token: z.string() });
type Owner = z.infer<typeof ownerSchema>;

const takeoverTries = 50;
const takeoverWaitMs = 40;

/**
 * Claims a home, or says who has it. An owner that died is replaced: its claim is taken away under a second,
 * short-lived lock, so that of several who notice only one becomes the next. Rejects with `home-busy` when
 * that does not settle within two seconds, and with the file system's error when the home cannot be written.
 */
export async function claimHome(home: string): Promise<HomeClaim> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const lockPath = join(home, 'owner.json');
  const socketPath = socketPathOf(home);
  for (let attempt = 0; attempt < takeoverTries; attempt += 1) {
    const mine: Owner = { pid: process.pid, startedAt: (await startOf(process.pid)) ?? '', token: randomUUID() };
    if (await createExclusively(lockPath, JSON.stringify(mine))) {
      return { type: 'owner', socketPath, release: () => releaseHome(lockPath, socketPath, mine.token) };
    }
    const current = await readOwner(lockPath);
    if (current !== null && (await isAlive(current))) return { type: 'owned', socketPath, pid: current.pid };
    await removeDeadClaim(lockPath);
    await delay(takeoverWaitMs, new AbortController().signal);
  }
  throw new AppError('home-busy', `The folder ${home} is in use, and its owner does not answer.`, {
    hint: `If no Dewpoint is running, remove ${lockPath}.`,
  });
}

/** Unix sockets have short names only, so a deep home gets one beside the system's temporary files. */
export function socketPathOf(home: string): string {
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\dewpoint-${name}`;
  const inside = join(home, 'core.sock');
  if (Buffer.byteLength(inside) <= 100) return inside;
  const user = typeof process.getuid === 'function' ? process.getuid() : 'user';
  return join(tmpdir(), `dewpoint-${user}-${name}.sock`);
}

/** Written aside and linked into place: whoever reads the claim reads all of it. */
async function createExclusively(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, text, { mode: 0o600 });
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function readOwner(path: string): Promise<Owner | null> {
  try {
    return ownerSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // Gone, or not ours to understand: treated as dead, and taken away under the lock.
    return null;
  }
}

async function removeDeadClaim(lockPath: string): Promise<void> {
  const guard = `${lockPath}.takeover`;
  const own = JSON.stringify({ pid: process.pid, startedAt: (await startOf(process.pid)) ?? '', token: '' });
  if (!(await createExclusively(guard, own))) {
    const holder = await readOwner(guard);
    if (holder === null || !(await isAlive(holder))) await rm(guard, { force: true });
    return;
  }
  try {
    const current = await readOwner(lockPath);
    if (current === null || !(await isAlive(current))) await rm(lockPath, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function releaseHome(lockPath: string, socketPath: string, token: string): Promise<void> {
  const current = await readOwner(lockPath);
  if (current?.token !== token) return;
  if (process.platform !== 'win32') await unlink(socketPath).catch(() => undefined);
  await rm(lockPath, { force: true });
}

async function isAlive(owner: Owner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (errorCodeOf(error) !== 'EPERM') return false;
  }
  const started = await startOf(owner.pid);
  // A number that the system gave to another program since is not the owner.
  return started === null || owner.startedAt === '' || started === owner.startedAt;
}

/** When a process began, in the kernel's ticks since boot; null where that cannot be told. A zombie counts as gone. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : (fields[19] ?? null);
  } catch {
    return 'gone';
  }
}
