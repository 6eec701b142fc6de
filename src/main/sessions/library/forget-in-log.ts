import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isEventType, RECORD_FORM, type EventOf, type SessionEvent } from '@shared/events/events.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { writeFileAtomic } from '../../lib/files/json-file.ts';
import { crc32Hex } from '../../lib/files/crc32.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Blobs } from '../blobs/blob-store.ts';
import { blobsOf } from '../blobs/event-blobs.ts';
import { sealRecord } from '../log/log-record.ts';
import { forgetInRecord } from './forget-in-record.ts';
import { createTextFilter, filterText, type TextFilter } from './forget-text.ts';

/** A log in which texts are forgotten. Nobody else may write it meanwhile. */
export interface ForgetInLog {
  readonly path: string;
  readonly texts: readonly string[];
  readonly blobs: Pick<Blobs, 'get' | 'put' | 'sync'>;
  /** Called before the log stops naming these blobs, so that a second run after a crash can remove them. */
  readonly onReplaced: (sha256s: readonly string[]) => Promise<void>;
  readonly now: () => number;
}

/** What one pass over a log found. */
interface Found {
  lastSeq: number;
  hits: number;
  /** Hashes that stand for a text that is forgotten, with what they become. Both have the same length. */
  readonly swaps: Map<string, string>;
  readonly replacedBlobs: string[];
}

/**
 * Writes the log anew without the texts, and the blobs that it names: what a prompt held, what a tool said. Each record
 * keeps its number and its length, and gets its checksum anew, so the log can still be checked and replayed. Paths,
 * commands and ids stay, because the session works by them. Images of files and attachments stay, too: they are the
 * person's own. False: none of the texts was in it.
 */
export async function forgetInLog({ path, texts, blobs, onReplaced, now }: ForgetInLog): Promise<boolean> {
  const eraser = createTextFilter([...texts, ...(await proposedAs(path, createTextFilter(texts)))]);
  const found = await findIn(path, eraser, blobs);
  const folder = dirname(path);
  const hasAside = await eraseAside(folder, eraser);
  if (found.hits === 0 && found.swaps.size === 0) return hasAside;
  await onReplaced(found.replacedBlobs);
  const temporary = `${path}.forget.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    for await (const line of linesOf(path)) {
      await file.writeFile(Buffer.from(`${erasedLine(line, eraser, found.swaps)}\n`, 'latin1'));
    }
    const text = 'A line of the memory was forgotten. A mark of the same length stands in its place in this log.';
    const notice = { type: 'notice-added', level: 'info', code: 'line-forgotten', text } as const;
    await file.writeFile(sealRecord({ v: RECORD_FORM, seq: found.lastSeq + 1, at: now(), ...notice }));
    await file.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  // They are made from the log again.
  for (const name of ['snapshot.json', 'summary.json']) await rm(join(folder, name), { force: true });
  await rename(temporary, path);
  return true;
}

async function findIn(path: string, eraser: TextFilter, blobs: ForgetInLog['blobs']): Promise<Found> {
  const found: Found = { lastSeq: 0, hits: 0, swaps: new Map(), replacedBlobs: [] };
  for await (const line of linesOf(path)) {
    const isHit = forgetInRecord(line, eraser) !== line;
    if (isHit) found.hits += 1;
    const event = eventIn(line);
    if (event === null) continue;
    found.lastSeq = Math.max(found.lastSeq, event.seq);
    for (const blob of textBlobsOf(event)) await eraseBlob(blob, { found, eraser, blobs });
    if (isHit) for (const text of hashedTexts(event)) swapHash(found, text, eraser);
  }
  return found;
}

/** Texts whose hash stands in the log: a replay makes the hash of the text as it is now. */
function hashedTexts(event: SessionEvent): readonly string[] {
  if (event.type === 'approval-requested') return event.text === undefined ? [] : [event.text];
  if (event.type !== 'tool-ended') return [];
  const memory = event.tool === 'gather_facts' ? fieldOf(event.data, 'memory') : undefined;
  return typeof memory === 'string' ? [memory] : [];
}

function swapHash({ swaps }: Found, text: string, eraser: TextFilter): void {
  const erased = filterText(text, eraser);
  if (erased !== text) swaps.set(sha256Of(text), sha256Of(erased));
}

async function eraseBlob(
  { ref, isRecord: hasFields }: TextBlob,
  {
    found,
    eraser,
    blobs,
  }: { readonly found: Found; readonly eraser: TextFilter; readonly blobs: ForgetInLog['blobs'] },
): Promise<void> {
  if (found.swaps.has(ref.sha256)) return;
  const bytes = await blobs.get(ref);
  if (bytes === null) return;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const erased = hasFields ? forgetInRecord(text, eraser) : eraser.erase(text);
  if (erased === text) return;
  const memory = memoryIn(text);
  if (memory !== null) swapHash(found, memory, eraser);
  const made = await blobs.put(Buffer.from(erased, 'latin1'));
  await blobs.sync(made);
  found.swaps.set(ref.sha256, made.sha256);
  found.replacedBlobs.push(ref.sha256);
}

/** The memory in the facts of a turn that are too long for the log itself. */
function memoryIn(blob: string): string | null {
  if (!blob.includes('"memory":')) return null;
  try {
    const memory = fieldOf(JSON.parse(Buffer.from(blob, 'latin1').toString('utf8')), 'memory');
    return typeof memory === 'string' ? memory : null;
  } catch {
    // Not facts.
    return null;
  }
}

interface TextBlob {
  readonly ref: BlobRef;
  /** JSON of ours, with fields as in the log. */
  readonly isRecord: boolean;
}

/** The blobs of an event that hold what models and tools said. Images and files of the person are not among them. */
function textBlobsOf(event: SessionEvent): readonly TextBlob[] {
  if (event.type === 'tool-ended') {
    const { full, dataBlob } = event;
    const output = full === null ? [] : [{ ref: full, isRecord: false }];
    return dataBlob === null ? output : [...output, { ref: dataBlob, isRecord: true }];
  }
  const isSent = event.type === 'model-call-started' || event.type === 'call-fenced';
  return isSent ? blobsOf(event).map((ref) => ({ ref, isRecord: true })) : [];
}

/** The words of the model where the person kept the line in other words. */
async function proposedAs(path: string, eraser: TextFilter): Promise<readonly string[]> {
  const asked = new Map<string, string>();
  const found: string[] = [];
  for await (const line of linesOf(path)) {
    if (!line.includes('"approval-')) continue;
    const event = eventIn(line);
    if (event?.type === 'approval-requested' && event.kind === 'memory' && event.text !== undefined)
      asked.set(event.approvalId, event.text);
    if (event?.type === 'approval-answered') found.push(...wordsBehind(event, asked, eraser));
  }
  return found;
}

function wordsBehind(
  { approvalId, values = {} }: EventOf<'approval-answered'>,
  asked: ReadonlyMap<string, string>,
  eraser: TextFilter,
): readonly string[] {
  const text = asked.get(approvalId);
  const isKept = Object.values(values).some(
    (value) => typeof value === 'string' && filterText(value, eraser) !== value,
  );
  return text === undefined || !isKept ? [] : [text];
}

/** Null: it is no good record, or of a type that this version does not know. */
function eventIn(line: string): SessionEvent | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(line, 'latin1').toString('utf8'));
    return isEvent(value) ? value : null;
  } catch {
    // A damaged line is written as it is.
    return null;
  }
}

const isEvent = (value: unknown): value is SessionEvent =>
  isRecord(value) && typeof value.type === 'string' && isEventType(value.type) && typeof value.seq === 'number';

const crcField = ',"crc":"';

/** The line with its checksum anew; one that was damaged stays damaged. */
function erasedLine(line: string, eraser: TextFilter, swaps: ReadonlyMap<string, string>): string {
  const at = line.lastIndexOf(crcField);
  const body = at === -1 ? line : line.slice(0, at);
  const erased = forgetInRecord(line, eraser)
    .slice(0, body.length)
    .replaceAll(/[0-9a-f]{64}/gu, (hash) => swaps.get(hash) ?? hash);
  if (at === -1 || erased === body) return erased + line.slice(body.length);
  const isGood = line.slice(at + crcField.length, -2) === crc32Hex(Buffer.from(body, 'latin1'));
  return isGood ? `${erased}${crcField}${crc32Hex(Buffer.from(erased, 'latin1'))}"}` : erased + line.slice(at);
}

/** The bytes that an earlier repair moved aside. */
async function eraseAside(folder: string, { erase }: TextFilter): Promise<boolean> {
  let hasErased = false;
  for (const name of await readdir(folder)) {
    if (!/^events\.damaged-\d+\.bin$/u.test(name)) continue;
    const bytes = await readFile(join(folder, name), 'latin1');
    const erased = erase(bytes);
    if (erased === bytes) continue;
    await writeFileAtomic(join(folder, name), Buffer.from(erased, 'latin1'));
    hasErased = true;
  }
  return hasErased;
}

/** The lines of a file, one character for each byte. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let parts: string[] = [];
  for await (const chunk of createReadStream(path, { encoding: 'latin1', highWaterMark: 1024 * 1024 })) {
    const pieces = String(chunk).split('\n');
    for (const piece of pieces.slice(0, -1)) {
      yield parts.length === 0 ? piece : [...parts, piece].join('');
      parts = [];
    }
    const rest = pieces.at(-1) ?? '';
    if (rest !== '') parts.push(rest);
  }
  if (parts.length > 0) yield parts.join('');
}
