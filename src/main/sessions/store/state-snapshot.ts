import { open, readFile } from 'node:fs/promises';
import { LOG_VERSION } from '@shared/events/events.ts';
import type { MoneyState } from '@shared/money/session-money.ts';
import { type SessionState, STATE_VERSION } from '@shared/session/session-state.ts';
import { crc32Hex } from '../../lib/files/crc32.ts';
import { isMissing, writeFileAtomic } from '../../lib/files/json-file.ts';
import type { LogPosition } from '../log/log-scan.ts';
import { lineEnd, sealRecord, unsealRecord } from '../log/log-record.ts';

/** The folded state of a log up to a position, so that opening need not read what comes before it. Can be deleted. */
export interface Snapshot extends LogPosition {
  readonly state: SessionState;
  readonly money: MoneyState;
  readonly marks: readonly LogPosition[];
}

interface StoredSnapshot extends Snapshot {
  readonly kind: 'snapshot';
  readonly logVersion: number;
  readonly stateVersion: number;
  /** CRC of the last bytes of the log before `offset`, which identifies the log. */
  readonly tailCrc: string;
}

const tailBytes = 64 * 1024;

/** Writes a snapshot beside the log as a whole. Rejects with the file system's error; the old one is then unchanged. */
export async function saveSnapshot(path: string, logPath: string, snapshot: Snapshot): Promise<void> {
  const tailCrc = await tailCrcOf(logPath, snapshot.offset);
  const stored: StoredSnapshot = {
    kind: 'snapshot',
    logVersion: LOG_VERSION,
    stateVersion: STATE_VERSION,
    tailCrc,
    ...snapshot,
  };
  await writeFileAtomic(path, sealRecord(stored), { sync: false });
}

/** Null for a snapshot that is missing, damaged, of another version, or of another log. None of these rejects. */
export async function loadSnapshot(path: string, logPath: string): Promise<Snapshot | null> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  if (bytes.at(-1) !== lineEnd) return null;
  const unsealed = unsealRecord(bytes, 0, bytes.length - 1);
  if (!unsealed.ok || !isOurs(unsealed.value)) return null;
  const { tailCrc, seq, offset, state, money, marks } = unsealed.value;
  if ((await tailCrcOf(logPath, offset)) !== tailCrc) return null;
  return { seq, offset, state, money, marks };
}

/** This version sealed it, so its shape fits the types. */
function isOurs(value: unknown): value is StoredSnapshot {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === 'snapshot' &&
    'logVersion' in value &&
    value.logVersion === LOG_VERSION &&
    'stateVersion' in value &&
    value.stateVersion === STATE_VERSION
  );
}

/** `none` if the log is shorter than `offset`. */
async function tailCrcOf(logPath: string, offset: number): Promise<string> {
  const file = await open(logPath, 'r');
  try {
    const length = Math.min(tailBytes, offset);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset - length);
    return bytesRead === length ? crc32Hex(buffer) : 'none';
  } finally {
    await file.close();
  }
}
