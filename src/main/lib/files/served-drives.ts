import { readFileSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { startProgram } from '../programs/start-program.ts';
import { isWithin } from './is-within.ts';

/**
 * Drives that another machine or another program serves. If that one is gone, a call on such a drive never returns,
 * and no thread that made one can be ended. So a process of its own asks first: it can be killed.
 */

/** What Linux calls the file systems of such drives. */
const servedKinds =
  /^(?:fuse|nfs|cifs|smb|9p|virtiofs|ceph|afs|glusterfs|lustre|gpfs|beegfs|orangefs|coda|ncp|autofs)/u;

/** So long a drive has time for its answer, and an answer holds. */
const answerMs = 3_000;
const keptMs = 3_000;

/** Links on the way to one folder. Linux follows no more. */
const mostLinks = 40;

interface Asked {
  readonly untilMs: number;
  readonly answers: Promise<boolean>;
}

const asked = new Map<string, Asked>();
/** Whether a drive gave no answer in the life of this process. */
let wasSilent = false;
let known: { readonly untilMs: number; readonly places: readonly string[] } = { untilMs: 0, places: [] };

/** Where such drives are (Linux). The list comes from the system's memory. */
export function servedDrives(): readonly string[] {
  if (process.platform !== 'linux') return [];
  if (performance.now() < known.untilMs) return known.places;
  known = { untilMs: performance.now() + 1_000, places: listed() };
  return known.places;
}

function listed(): readonly string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [before = '', after = ''] = line.split(' - ');
        const place = before.split(' ')[4];
        return place !== undefined && servedKinds.test(after) ? [unescaped(place)] : [];
      });
  } catch {
    // No such list, as in some containers: then no drive is known.
    return [];
  }
}

/** Spaces and line breaks are written as three octal digits. */
function unescaped(place: string): string {
  return place.replaceAll(/\\(\d{3})/gu, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)));
}

/** The drive on the way to a path that does not answer. Null: all answer, or none is served. Never rejects. */
export async function silentDrive(path: string): Promise<string | null> {
  const drives = servedDrives();
  if (drives.length === 0) return null;
  let rest = namesOf(resolve(path));
  let place: string = sep;
  for (let links = 0; rest.length > 0 && links <= mostLinks;) {
    const next = join(place, rest[0] ?? '');
    rest = rest.slice(1);
    if (drives.includes(next) && !(await answers(next))) return next;
    // It rejects for what is no link.
    const target = await readlink(next).catch(() => null);
    if (target === null) {
      place = next;
      continue;
    }
    links += 1;
    rest = [...namesOf(resolve(place, target)), ...rest];
    place = sep;
  }
  return null;
}

function namesOf(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== '');
}

function answers(drive: string): Promise<boolean> {
  const before = asked.get(drive);
  if (before !== undefined && performance.now() < before.untilMs) return before.answers;
  const now = ask(drive);
  asked.set(drive, { untilMs: performance.now() + answerMs + keptMs, answers: now });
  return now;
}

/** Asks for its free space, which no cache of the system knows. */
function ask(drive: string): Promise<boolean> {
  return new Promise((found) => {
    try {
      const child = startProgram({
        program: '/usr/bin/stat',
        args: ['-f', '--', drive],
        folder: '/',
        env: {},
        stdio: 'ignore',
      });
      // A process that waits for such a drive may stay until the drive answers. It is not waited for.
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        child.unref();
        wasSilent = true;
        found(false);
      }, answerMs);
      const end = (): void => {
        clearTimeout(timer);
        found(true);
      };
      // It answered, even if with an error. So the call that follows says what is wrong.
      child.once('exit', end);
      child.once('error', end);
    } catch {
      found(true);
    }
  });
}

/** Whether such a drive is at a folder, above it or in it. */
export function hasServedDrive(folder: string): boolean {
  return servedDrives().some((drive) => isWithin(drive, folder) || isWithin(folder, drive));
}

/** What is said of a folder on a drive that does not answer. */
export function silentFolderText(folder: string): string {
  return `The folder ${folder} does not answer: its drive is served by another machine or program that is silent.`;
}

export const silentFolderHint = 'Check the connection of the drive, or disconnect it. Then try again.';

/** So long an exit may take. */
const exitMs = 2_000;

/** Call it before `process.exit`, which waits for every thread: for one that waits for a silent drive, for ever. */
export function endEvenIfSilent(): void {
  if (!wasSilent) return;
  try {
    const line = `sleep ${exitMs / 1000}; kill -9 ${process.pid}`;
    startProgram({
      program: '/bin/sh',
      args: ['-c', line],
      folder: '/',
      env: {},
      stdio: 'ignore',
      detached: true,
    }).unref();
  } catch {
    // Then the person ends it: the exit goes on without it.
  }
}
