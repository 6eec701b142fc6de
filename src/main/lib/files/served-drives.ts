import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join, parse, resolve, sep, win32 } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { neverAborts, sleep } from '../async/abort.ts';
import { startProgram } from '../programs/start-program.ts';
import { drivesInMountInfo, drivesInMounts, lettersInNetUse, windowsDriveOf } from './drive-lists.ts';
import { isWithin } from './is-within.ts';

/**
 * Drives that another machine or another program serves. If that one is gone, a call on such a drive never returns,
 * and no thread that made one can be ended. So a process of its own asks first: it can be killed.
 */

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
let known: { readonly untilMs: number; readonly places: Promise<readonly string[]> } | null = null;
/** Linux has its list in memory. Other systems start a program for theirs. */
const listKeptMs = process.platform === 'linux' ? 1_000 : 10_000;

/** Where such drives are. On Windows the letters that stand for one. */
function servedDrives(): Promise<readonly string[]> {
  if (known !== null && performance.now() < known.untilMs) return known.places;
  // What is not known counts as none, as in some containers.
  const places = listed().catch(() => []);
  known = { untilMs: performance.now() + listKeptMs, places };
  void places.then((now) => (lastPlaces = now));
  return places;
}

/** The last list. Linux has it at once. */
function drivesNow(): readonly string[] {
  if (process.platform === 'linux') return drivesInMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'));
  return lastPlaces;
}

let lastPlaces: readonly string[] = [];

async function listed(): Promise<readonly string[]> {
  switch (process.platform) {
    case 'linux':
      return drivesInMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'));
    case 'darwin':
      return drivesInMounts(await printed('/sbin/mount', []));
    case 'win32':
      return lettersInNetUse(await printed(inSystem('net.exe'), ['use']));
    default:
      return [];
  }
}

const inSystem = (name: string): string => win32.join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', name);

/** What a program of the system prints in a short time. */
function printed(program: string, args: readonly string[]): Promise<string> {
  return new Promise((found, fail) => {
    const child = startProgram({ program, args, folder: systemFolder, env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.unref();
      fail(new Error(`${program} does not end.`));
    }, answerMs);
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('error', fail);
    child.once('close', () => found(text));
    child.once('close', () => clearTimeout(timer));
  });
}

const systemFolder = parse(process.execPath).root;

/** The drive on the way to a path that does not answer. Null: all answer, or none is served. Never rejects. */
export async function silentDrive(path: string): Promise<string | null> {
  return (await wayTo(path)).silent;
}

interface Way {
  readonly silent: string | null;
  /** The last one on the way, where the path itself lies. Null: it lies on none. */
  readonly drive: string | null;
}

async function wayTo(path: string): Promise<Way> {
  const drives = await servedDrives();
  if (process.platform === 'win32') return wayByName(path, drives);
  let drive: string | null = null;
  if (drives.length === 0) return { silent: null, drive };
  let rest = namesOf(resolve(path));
  let place: string = sep;
  for (let links = 0; rest.length > 0 && links <= mostLinks;) {
    const next = join(place, rest[0] ?? '');
    rest = rest.slice(1);
    if (drives.includes(next)) drive = next;
    else if (drive !== null && !isWithin(next, drive)) drive = null;
    // On a drive, the look itself may be held.
    // It rejects for what is no link.
    const look = (): Promise<string | null> => readlink(next).catch(() => null);
    const looked = drive === null ? { value: await look() } : await onDrive(drive, look);
    if (looked === null) return { silent: drive, drive };
    if (looked.value === null) {
      place = next;
      continue;
    }
    links += 1;
    rest = [...namesOf(resolve(place, looked.value)), ...rest];
    place = sep;
    drive = null;
  }
  return { silent: null, drive };
}

/**
 * The path with links resolved, without a wait for such a drive: what lies on one has its name there. Unchanged if it
 * does not exist.
 */
export function realPathHere(path: string): string {
  const drives = drivesNow();
  if (drives.length === 0 || process.platform === 'win32')
    return windowsDriveOf(path, drives) === null ? resolvedAtOnce(path) : path;
  let rest = namesOf(resolve(path));
  let place: string = sep;
  for (let links = 0; rest.length > 0 && links <= mostLinks;) {
    const next = join(place, rest[0] ?? '');
    rest = rest.slice(1);
    if (drives.includes(next)) return join(next, ...rest);
    const target = linkAtOnce(next);
    if (target === null) {
      place = next;
      continue;
    }
    links += 1;
    rest = [...namesOf(resolve(place, target)), ...rest];
    place = sep;
  }
  return resolvedAtOnce(path);
}

function linkAtOnce(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link, or nothing at all.
    return null;
  }
}

function resolvedAtOnce(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** On Windows a name tells it. Links there are not followed. */
async function wayByName(path: string, letters: readonly string[]): Promise<Way> {
  const drive = windowsDriveOf(resolve(path), letters);
  return { silent: drive === null || (await answers(drive)) ? null : drive, drive };
}

/** Where folders lie, for a while. */
const lastWays = new Map<string, { readonly untilMs: number; readonly drive: string | null }>();
const mostWays = 100;

async function driveOf(folder: string): Promise<string | null> {
  if (process.platform !== 'win32' && (await servedDrives()).length === 0) return null;
  const known = lastWays.get(folder);
  if (known !== undefined && performance.now() < known.untilMs) return known.drive;
  const { drive } = await wayTo(folder);
  if (lastWays.size >= mostWays) lastWays.clear();
  lastWays.set(folder, { untilMs: performance.now() + keptMs, drive });
  return drive;
}

/**
 * Runs work on a folder. If its drive falls silent, it resolves with null, and the work goes on for nobody: each holds a
 * thread until the drive answers, so few may be under way, and the others wait. `left` tells work that changes something
 * that nobody waits for it any more. Rejects as the work does, or on abort.
 */
export async function workOnDrive<T>(
  folder: string,
  work: (left: AbortSignal) => Promise<T>,
  signal: AbortSignal = neverAborts,
): Promise<{ readonly value: T } | null> {
  const drive = await driveOf(folder);
  return drive === null ? { value: await work(neverAborts) } : onDrive(drive, work, signal);
}

/** Runs work as `workOnDrive` does, and rejects with `timeout` if the drive falls silent. */
export async function askDrive<T>(
  folder: string,
  work: (left: AbortSignal) => Promise<T>,
  { signal = neverAborts, kept = '' }: { readonly signal?: AbortSignal; readonly kept?: string } = {},
): Promise<T> {
  const done = await workOnDrive(folder, work, signal);
  if (done === null) throw silentFolder(folder, kept);
  return done.value;
}

const underWay = new Map<string, number>();
/** Work on a drive that is part of other work there. */
const partOf = new AsyncLocalStorage<{ readonly drive: string; readonly left: AbortSignal }>();
/** The process has `threads` of `lean-start.ts`, and work makes a few calls at once. */
const mostUnderWay = 3;
const lookMs = 500;

async function onDrive<T>(
  drive: string,
  work: (left: AbortSignal) => Promise<T>,
  signal: AbortSignal = neverAborts,
): Promise<{ readonly value: T } | null> {
  const whole = partOf.getStore();
  if (whole?.drive === drive) return { value: await work(whole.left) };
  for (;;) {
    if (!(await answers(drive))) return null;
    if ((underWay.get(drive) ?? 0) < mostUnderWay) break;
    await sleep(lookMs / 10, signal);
  }
  underWay.set(drive, (underWay.get(drive) ?? 0) + 1);
  const leave = new AbortController();
  const working = partOf
    .run({ drive, left: leave.signal }, () => work(leave.signal))
    .finally(() => void underWay.set(drive, (underWay.get(drive) ?? 1) - 1))
    .then((value) => ({ value }));
  // What it rejects with is of no use to anybody once it is not waited for.
  working.catch(() => undefined);
  const stop = new AbortController();
  try {
    for (;;) {
      const wait = sleep(lookMs, AbortSignal.any([signal, stop.signal])).then(() => 'waiting' as const);
      wait.catch(() => undefined);
      const ended = await Promise.race([working, wait]);
      if (ended !== 'waiting') return ended;
      if (!(await answers(drive))) return null;
    }
  } finally {
    stop.abort();
    leave.abort();
  }
}

function namesOf(path: string): readonly string[] {
  return path.split(sep).filter((name) => name !== '');
}

/** Drives that gave no answer when they were asked last. */
const silent = new Set<string>();

/** One that was silent is asked again from time to time, and has less time then: a whole turn would wait at every call. */
async function answers(drive: string): Promise<boolean> {
  const before = asked.get(drive);
  const isOld = before === undefined || performance.now() >= before.untilMs;
  const now = isOld ? ask(drive) : before.answers;
  if (isOld) asked.set(drive, { untilMs: performance.now() + answerMs + keptMs, answers: now });
  const known = now.then((isThere) => {
    if (isThere) silent.delete(drive);
    else silent.add(drive);
    return isThere;
  });
  if (!silent.has(drive)) return known;
  return Promise.race([known, sleep(lookMs, neverAborts).then(() => false)]);
}

function freeSpaceOf(drive: string): { readonly program: string; readonly args: readonly string[] } {
  if (process.platform === 'win32') return { program: inSystem('fsutil.exe'), args: ['volume', 'diskfree', drive] };
  if (process.platform === 'darwin') return { program: '/bin/df', args: ['-k', '--', drive] };
  return { program: '/usr/bin/stat', args: ['-f', '--', drive] };
}

/** Asks for its free space, which no cache of the system knows. */
function ask(drive: string): Promise<boolean> {
  return new Promise((found) => {
    try {
      const child = startProgram({
        ...freeSpaceOf(drive),
        folder: systemFolder,
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
export async function hasServedDrive(folder: string): Promise<boolean> {
  return (await servedDrives()).some((drive) => isWithin(drive, folder) || isWithin(folder, drive));
}

/** What is said of a folder on a drive that does not answer, and what was kept. */
export function silentFolder(folder: string, kept = ''): AppError {
  const text = `The folder ${seenName(folder)} does not answer: its drive is served by another machine or program that is silent. ${kept}`;
  return new AppError('timeout', text.trimEnd(), { hint: silentFolderHint });
}

export const silentFolderHint = 'Check the connection of the drive, or disconnect it. Then try again.';

/** So long an exit may take. */
const exitMs = 2_000;

/** Call it before `process.exit`, which waits for every thread: for one that waits for a silent drive, for ever. */
export function endEvenIfSilent(): void {
  if (!wasSilent || process.platform === 'win32') return;
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
