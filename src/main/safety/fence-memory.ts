import { appendFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { SessionEvent } from '@shared/events/events.ts';
import { fenceHitSchema } from '@shared/safety/fences.ts';
import type { FencedTrace } from './taint.ts';
import { nothingToUndo, type WayBack } from '../lib/async/all-or-none.ts';
import { isMissing, makeFolder, writeFileAtomic } from '../lib/files/json-file.ts';
import { projectKey } from '../lib/files/project-key.ts';
import { sha256Of } from '../lib/sha256.ts';

const traceSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('path'), path: z.string(), hits: z.array(fenceHitSchema) }),
  z.object({
    type: z.literal('file'),
    path: z.string(),
    id: z.string().optional(),
    sizeBytes: z.number().optional(),
    sha256: z.string().optional(),
    hits: z.array(fenceHitSchema),
  }),
  /** Marks of a text, as numbers of 64 bits in base64. */
  z.object({ type: z.literal('marks'), hit: fenceHitSchema, marks: z.string() }),
  /** The log of this session is in here up to its last event at this time. */
  z.object({ type: z.literal('session'), sessionId: z.string(), at: z.number() }),
]);
type Line = z.infer<typeof traceSchema>;

/** A fenced file, or one that was built from fenced content, as it was seen last. */
export type RememberedFile = Extract<Line, { type: 'file' }>;

export interface FenceRecords {
  readonly traces: readonly FencedTrace[];
  readonly files: readonly RememberedFile[];
  /** The time of the last event of each session that is in here. */
  readonly sessions: ReadonlyMap<string, number>;
  /** Something is lost: a line is damaged, or there was no more room. */
  readonly isIncomplete: boolean;
}

/** Another session of the project, as its log has it. */
export interface OtherSession {
  readonly sessionId: string;
  readonly lastAt: number;
  readonly read: () => AsyncIterable<SessionEvent>;
}

/**
 * What the sessions of one project know about fenced content, for its later sessions. Nothing of the content itself is
 * in it: names of files, their numbers and hashes, and hashes of pieces of text.
 */
export interface FenceMemory {
  readonly read: () => Promise<FenceRecords>;
  /** Rejects with the error of the file system. What is known already is not written again. */
  readonly add: (news: {
    readonly traces: readonly FencedTrace[];
    readonly files: readonly RememberedFile[];
    readonly session: { readonly sessionId: string; readonly at: number } | null;
  }) => Promise<void>;
  /** The other sessions of the project. */
  readonly others: () => Promise<readonly OtherSession[]>;
}

/** A file beyond this takes nothing more. Then you are asked, because copies may not be recognized. */
const mostBytes = 48 * 1024 * 1024;

export function createFenceMemory(folder: string, projectPath: string, others: FenceMemory['others']): FenceMemory {
  let known = new Set<string>();
  let place: string | null = null;
  const placeOf = async (): Promise<string> => {
    place ??= fileOf(folder, await projectKey(projectPath));
    return place;
  };
  return {
    others,
    read: async () => {
      const text = await readFile(await placeOf(), 'utf8').catch((error: unknown) => {
        if (isMissing(error)) return '';
        throw error;
      });
      known = new Set(text.split('\n').map(sha256Of));
      return rememberedIn(text);
    },
    add: async ({ traces, files, session }) => {
      const lines: readonly Line[] = [
        ...traces.map(lineOf),
        ...files,
        ...(session === null ? [] : [{ type: 'session' as const, ...session }]),
      ];
      const fresh = lines.map((line) => JSON.stringify(line)).filter((line) => !known.has(sha256Of(line)));
      if (fresh.length === 0) return;
      const path = await placeOf();
      const size = await stat(path).then(
        (found) => found.size,
        () => 0,
      );
      // A reader takes a full file as incomplete.
      if (size > mostBytes) return;
      await makeFolder(folder);
      // A line that a crash cut off ends here.
      await appendFile(path, `\n${fresh.join('\n')}\n`, { mode: 0o600 });
      for (const line of fresh) known.add(sha256Of(line));
    },
  };
}

const fileOf = (folder: string, key: string): string => join(folder, `${sha256Of(key).slice(0, 24)}.jsonl`);

/** The folder of a project lies elsewhere now. What is known of it is known there, too. Safe to repeat. */
export async function moveFenceMemory(folder: string, from: string, to: string): Promise<WayBack> {
  const [old, next] = [fileOf(folder, from), fileOf(folder, to)];
  const text = await readFile(old, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (text === null) return nothingToUndo;
  const added = `\n${text}\n`;
  await appendFile(next, added, { mode: 0o600 });
  await rm(old, { force: true });
  return async () => {
    await writeFileAtomic(old, text);
    await writeFileAtomic(
      next,
      (await readFile(next, 'utf8')).replace(added, () => ''),
    );
  };
}

function lineOf(trace: FencedTrace): Line {
  if (trace.type === 'path') return { ...trace, hits: [...trace.hits] };
  const bytes = Buffer.from(Float64Array.from(trace.marks).buffer);
  return { type: 'marks', hit: trace.hit, marks: bytes.toString('base64') };
}

function rememberedIn(text: string): FenceRecords {
  const traces: FencedTrace[] = [];
  const files = new Map<string, RememberedFile>();
  const sessions = new Map<string, number>();
  let isIncomplete = Buffer.byteLength(text) > mostBytes;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const found = parsed(line);
    if (found === null) isIncomplete = true;
    else if (found.type === 'file') files.set(`${found.path}\n${found.id ?? ''}\n${found.sha256 ?? ''}`, found);
    else if (found.type === 'session') sessions.set(found.sessionId, found.at);
    else if (found.type === 'path') traces.push(found);
    else {
      const bytes = Uint8Array.from(Buffer.from(found.marks, 'base64'));
      const marks = new Float64Array(bytes.buffer, 0, Math.floor(bytes.length / 8));
      traces.push({ type: 'marks', hit: found.hit, marks: [...marks] });
    }
  }
  return { traces, files: [...files.values()], sessions, isIncomplete };
}

function parsed(line: string): Line | null {
  try {
    return traceSchema.parse(JSON.parse(line));
  } catch {
    // It was damaged, which the caller tells.
    return null;
  }
}
