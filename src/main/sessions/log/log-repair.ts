import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { isDiskFull } from '../../lib/files/json-file.ts';
import type { Damage, ScanResult } from './log-scan.ts';
import { lineEnd } from './log-record.ts';

/** A problem that was found when the log was opened, and how it was handled. Nothing was deleted. */
export interface LogRepair {
  readonly reason: string;
  readonly movedBytes: number;
  /** The file beside the log that holds the damaged bytes. Null: only records are missing. */
  readonly movedTo: string | null;
}

/** The new end of a log, and its repairs. */
export interface RepairedLog extends Pick<ScanResult, 'end' | 'marks'> {
  readonly repairs: readonly LogRepair[];
}

/**
 * Repairs a log so that every byte belongs to a good record. Damaged bytes are first copied, in order, to a file beside
 * the log (`events.damaged-N.bin`), and are on the disk before the log changes. A damaged end is cut off. Damage in the
 * middle makes a new log from the good records, which replaces the old one as a whole. Rejects with `disk-full` if the
 * damaged bytes cannot be kept; the log is then unchanged.
 */
export async function removeDamage(path: string, scan: ScanResult): Promise<RepairedLog> {
  const repairs: LogRepair[] = [];
  let end = scan.end;
  let marks = scan.marks;
  try {
    if (scan.damage.length > 0) {
      const movedTo = await keepAside(path, scan.damage);
      repairs.push({ reason: reasonOf(scan.damage), movedBytes: sizeOf(scan.damage), movedTo });
      end = await dropDamage(path, scan);
      marks = scan.marks.filter((mark) => mark.offset <= (scan.damage[0]?.start ?? 0));
    } else if (scan.lacksLineEnd) {
      end = await endLastLine(path, scan.end);
    }
  } catch (error) {
    throw isDiskFull(error)
      ? new AppError(
          'disk-full',
          'The log of this session is damaged, and the disk has no space to repair it. Nothing was changed.',
          { cause: error },
        )
      : error;
  }
  for (const gap of scan.missing) repairs.push({ reason: gapReason(gap), movedBytes: 0, movedTo: null });
  return { end, marks, repairs };
}

/** The problems of a log, in words. Empty for a good one. */
export function problemsOf(scan: ScanResult): readonly string[] {
  const damage = scan.damage.map((part) => `${part.reason} (${part.end - part.start} bytes at ${part.start})`);
  return [...damage, ...scan.missing.map(gapReason)];
}

function gapReason(gap: { readonly after: number; readonly before: number }): string {
  if (gap.before <= gap.after) return `record ${gap.before} stands after record ${gap.after}`;
  const first = gap.after + 1;
  const last = gap.before - 1;
  return first === last ? `record ${first} is missing` : `records ${first} to ${last} are missing`;
}

function reasonOf(damage: readonly Damage[]): string {
  return [...new Set(damage.map((part) => part.reason))].join('; ');
}

function sizeOf(damage: readonly Damage[]): number {
  return damage.reduce((sum, part) => sum + part.end - part.start, 0);
}

/** Copies the damaged bytes into the first unused `events.damaged-N.bin`. Returns that name. */
async function keepAside(path: string, damage: readonly Damage[]): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = `${basename(path, '.jsonl')}.damaged-${number}.bin`;
    const aside = join(dirname(path), name);
    let file: FileHandle;
    try {
      file = await open(aside, 'wx', 0o600);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue;
      throw error;
    }
    try {
      for (const part of damage) await copyRange(path, part.start, part.end, file);
      await file.sync();
    } catch (error) {
      await file.close();
      await rm(aside, { force: true });
      throw error;
    }
    await file.close();
    return name;
  }
}

/** Copies `[start, end)` of a file to the end of another. Returns the last byte copied. */
async function copyRange(path: string, start: number, end: number, to: FileHandle): Promise<number | undefined> {
  let last: number | undefined;
  if (end <= start) return last;
  for await (const chunk of createReadStream(path, { start, end: end - 1, highWaterMark: 1024 * 1024 })) {
    if (!Buffer.isBuffer(chunk)) continue;
    await to.writeFile(chunk);
    last = chunk.at(-1);
  }
  return last;
}

/** Returns the new end of the log. */
async function dropDamage(path: string, scan: ScanResult): Promise<number> {
  const [first] = scan.damage;
  if (first && scan.damage.length === 1 && first.end === scan.end) {
    await truncate(path, first.start);
    return endLastLine(path, first.start);
  }
  return rewrite(path, scan);
}

async function rewrite(path: string, scan: ScanResult): Promise<number> {
  const temporary = `${path}.repair.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    let from = 0;
    for (const part of [...scan.damage, { start: scan.end, end: scan.end }]) {
      const last = await copyRange(path, from, part.start, file);
      // If the damaged byte was the line break itself, the record before it gets a new one.
      if (last !== undefined && last !== lineEnd) await file.writeFile('\n');
      from = part.end;
    }
    await file.sync();
    const { size } = await file.stat();
    await file.close();
    await rename(temporary, path);
    return size;
  } catch (error) {
    await file.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Adds the line break of the last record if only that is missing. Returns the end of the log. */
async function endLastLine(path: string, end: number): Promise<number> {
  if (end === 0) return 0;
  const file = await open(path, 'r+');
  try {
    const last = Buffer.alloc(1);
    await file.read(last, 0, 1, end - 1);
    if (last[0] === lineEnd) return end;
    await file.write('\n', end);
    await file.sync();
    return end + 1;
  } finally {
    await file.close();
  }
}
