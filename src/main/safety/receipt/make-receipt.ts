import { z } from 'zod';
import { AppError } from '@shared/errors.ts';
import type { BlobRef } from '@shared/events/blob-ref.ts';
import { messageSchema, type Part } from '@shared/models/model-messages.ts';
import type { Receipt, ReceiptRow, ReceiptSubject } from '@shared/safety/receipt.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { noteFailure } from '../../lib/log.ts';
import type { Blobs } from '../../sessions/blobs/blob-store.ts';
import type { SessionStore } from '../../sessions/store/session-store.ts';
import type { SentLine } from '../../lib/net/sent-line.ts';
import { readRecord } from './read-record.ts';
import { createFactsFold, type ReceiptFacts } from './receipt-facts.ts';
import { createSentFold, type SentRow } from './sent-rows.ts';

export interface ReceiptOptions {
  /** The folder of the record. */
  readonly folder: string;
  /** Where logs of sessions may be: the store, the bin, the logs of the endpoint. */
  readonly stores: readonly Pick<SessionStore, 'list' | 'members' | 'view'>[];
  readonly blobs: Pick<Blobs, 'get'>;
  readonly version: string;
  readonly now: () => number;
  /** Writes down everything until now. */
  readonly settle: () => void;
}

export type ReceiptAsked =
  | { readonly type: 'session'; readonly sessionId: string }
  | { readonly type: 'project'; readonly project: string }
  | { readonly type: 'month'; readonly month: string };

interface Asked {
  readonly about: ReceiptSubject;
  readonly wants: (line: SentLine) => boolean;
  /** What a tool server sent for all sessions while one of these used it. */
  readonly isShared: (line: SentLine) => boolean;
  readonly facts: ReadonlyMap<string, ReceiptFacts>;
  /** When its first session began, as far as that is known. */
  readonly beganAt: number;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** What left this machine, and what could have and did not: the numbers from the sockets, the rest from the logs. */
export async function makeReceipt(options: ReceiptOptions, asked: ReceiptAsked, signal: AbortSignal): Promise<Receipt> {
  options.settle();
  const found = await lookUp(options, asked, signal);
  const own = createSentFold();
  const shared = createSentFold();
  const { wants, isShared, fromMs, untilMs } = found;
  const range = { ...(fromMs === undefined ? {} : { fromMs }), ...(untilMs === undefined ? {} : { untilMs }) };
  const wanted = { ...range, signal, wants: (line: SentLine) => wants(line) || isShared(line) };
  const read = await readRecord(options.folder, wanted, (recorded) =>
    (wants(recorded.line) ? own : shared).add(recorded),
  );
  const rows = await withFacts(options, own.rows(), found.facts);
  const others = await withFacts(options, shared.rows(), found.facts);
  const uncounted = [...own.uncounted(), ...shared.uncounted()];
  const isPartial = read.sinceMs === null || (found.fromMs ?? found.beganAt) < read.sinceMs;
  const sum = (name: 'out' | 'in'): number => rows.reduce((all, row) => all + row[name], 0);
  const isAll =
    uncounted.length === 0 && read.unreadable === 0 && !isPartial && rows.every((row) => row.perhapsMore === 0);
  return {
    format: 'dewpoint receipt 1',
    about: found.about,
    madeAt: new Date(options.now()).toISOString(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    version: options.version,
    verdict: !isAll ? 'not-all' : rows.length + others.length === 0 ? 'nothing' : 'counted',
    out: sum('out'),
    in: sum('in'),
    rows,
    shared: others,
    kept: [...found.facts.values()].flatMap(({ kept }) => kept),
    uncounted,
    here: own.here(),
    record: { since: read.sinceMs, isPartial, unreadable: read.unreadable },
  };
}

async function lookUp(options: ReceiptOptions, asked: ReceiptAsked, signal: AbortSignal): Promise<Asked> {
  switch (asked.type) {
    case 'session':
      return ofSession(options, asked.sessionId, signal);
    case 'project': {
      const { project } = asked;
      const all = idsOf(await sessionsWhere(options, (one) => one.projectPath === project));
      const facts = await factsOf(options, all, { signal });
      return {
        about: asked,
        wants: ({ why }) => why.project === project,
        isShared: () => false,
        facts,
        beganAt: beginningOf(all, facts),
      };
    }
    case 'month': {
      const { month } = asked;
      const [fromMs, untilMs] = monthOf(month);
      const isIn = (at: number): boolean => at >= fromMs && at < untilMs;
      const all = idsOf(await sessionsWhere(options, (one) => one.lastAt >= fromMs && one.createdAt < untilMs));
      return {
        about: asked,
        wants: ({ at }) => isIn(at),
        isShared: () => false,
        facts: await factsOf(options, all, { signal, isIn }),
        beganAt: fromMs,
        fromMs,
        untilMs,
      };
    }
    default:
      return asked satisfies never;
  }
}

/** Its first and its last millisecond in the time zone of this machine. */
function monthOf(month: string): readonly [number, number] {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return [new Date(year, number - 1).getTime(), new Date(year, number).getTime()];
}

/** A session with the sessions that it started, whose log may be gone. */
async function ofSession(options: ReceiptOptions, sessionId: string, signal: AbortSignal): Promise<Asked> {
  const members = (await Promise.all(options.stores.map((store) => store.members()))).flat();
  const ids = new Set([sessionId]);
  for (let before = 0; before < ids.size;) {
    before = ids.size;
    for (const { id, tree } of members) if (tree?.by !== undefined && ids.has(tree.by.sessionId)) ids.add(id);
  }
  const facts = await factsOf(options, [...ids], { signal });
  const own = facts.get(sessionId);
  const [known] = await sessionsWhere(options, ({ id }) => id === sessionId);
  const servers = [...facts.values()].flatMap((one) => one.servers);
  const began = own?.beganAt ?? -Infinity;
  const isOf = ({ why }: SentLine): boolean => why.sessionId !== undefined && ids.has(why.sessionId);
  return {
    about: { type: 'session', sessionId, title: known?.title ?? null },
    wants: isOf,
    // A server on this machine may have been started long before.
    isShared: ({ at, state, why }) =>
      why.sessionId === undefined &&
      why.server !== undefined &&
      servers.includes(why.server) &&
      (at >= began || state === 'unseen'),
    facts,
    beganAt: beginningOf([...ids], facts),
  };
}

/** A log that is gone or cannot be read says nothing, and its session is as old as its id. Without any, nothing is known. */
function beginningOf(ids: readonly string[], facts: ReadonlyMap<string, ReceiptFacts>): number {
  if (ids.length === 0) return -Infinity;
  return Math.min(...ids.map((id) => facts.get(id)?.beganAt ?? timeOfId(id)));
}

/** Some ids have none. */
function timeOfId(id: string): number {
  const found = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-([0-9a-z]{2})/u.exec(id);
  if (found === null) return -Infinity;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second, Number.parseInt(found[7] ?? '0', 36));
}

type Listed = Awaited<ReturnType<SessionStore['list']>>[number];

async function sessionsWhere({ stores }: ReceiptOptions, wants: (one: Listed) => boolean): Promise<readonly Listed[]> {
  return (await Promise.all(stores.map((store) => store.list()))).flat().filter(wants);
}

const idsOf = (sessions: readonly Listed[]): readonly string[] => sessions.map(({ id }) => id);

/** Logs that cannot be read say nothing; the numbers do not come from them. */
async function factsOf(
  { stores }: ReceiptOptions,
  ids: readonly string[],
  { signal, isIn }: { readonly signal: AbortSignal; readonly isIn?: (at: number) => boolean },
): Promise<ReadonlyMap<string, ReceiptFacts>> {
  const facts = new Map<string, ReceiptFacts>();
  for (const id of ids) {
    const fold = createFactsFold(id, isIn);
    try {
      for await (const event of await eventsIn(stores, id)) {
        signal.throwIfAborted();
        fold.add(event);
      }
      facts.set(id, fold.facts());
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError && error.code === 'not-found'))
        noteFailure('A log was not read for a receipt', error);
    }
  }
  return facts;
}

async function eventsIn(stores: ReceiptOptions['stores'], id: string) {
  for (const store of stores) {
    try {
      return (await store.view(id)).read(1);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'not-found')) throw error;
    }
  }
  throw new AppError('not-found', `The session "${id}" was not found.`);
}

/** Requests of more steps are not opened for the names of their files. */
const mostRequests = 500;

async function withFacts(
  { blobs }: ReceiptOptions,
  rows: readonly SentRow[],
  facts: ReadonlyMap<string, ReceiptFacts>,
): Promise<readonly ReceiptRow[]> {
  let left = mostRequests;
  const done: ReceiptRow[] = [];
  for (const { steps, toolCalls, command, ...row } of rows) {
    const known = row.sessionId === null ? undefined : facts.get(row.sessionId);
    const tools = toolCalls.flatMap((id) => known?.tools.get(id) ?? []);
    const calls = steps.flatMap((step) => known?.steps.get(step) ?? []);
    const files = new Set(tools.flatMap((one) => one.files));
    const isLookedUp = known !== undefined && calls.length <= left && calls.length === steps.length;
    if (isLookedUp) {
      left -= calls.length;
      for (const { request } of calls) for (const path of await filesIn(request, blobs)) files.add(path);
    }
    const said = [...new Set([...calls.flatMap(({ why }) => why), ...tools.flatMap(({ why }) => why)])];
    const isSent = row.by.kind === 'model' || row.by.kind === 'tool' || row.by.kind === 'server';
    done.push({
      ...row,
      why: said.length > 0 ? said.slice(0, mostReasons) : [whyWithout(row, command)],
      files: isSent && isLookedUp ? [...files].sort() : null,
    });
  }
  return done;
}

const mostReasons = 12;

function whyWithout({ by, sessionId }: Pick<SentRow, 'by' | 'sessionId'>, command: string | null): string {
  if (by.kind === 'command') return `The command ${by.name} was called`;
  if (by.kind === 'server' && sessionId === null) return 'You approved this tool server, which runs for all sessions';
  return command === null ? 'Dewpoint began it; no reason was recorded' : `Part of the command ${command}`;
}

const requestSchema = z.looseObject({ messages: z.array(messageSchema) });

/** The files whose text a request carries, by the tool calls and attachments in it. */
async function filesIn(request: BlobRef, blobs: ReceiptOptions['blobs']): Promise<readonly string[]> {
  const bytes = await blobs.get(request);
  if (bytes === null) return [];
  const parsed = requestSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  if (!parsed.success) return [];
  return parsed.data.messages.flatMap(({ parts }) => parts.flatMap(fileOf));
}

function fileOf(part: Part): readonly string[] {
  if (part.type === 'image') return part.name === undefined ? [] : [part.name];
  const path: unknown = part.type === 'tool-call' ? fieldOf(part.input, 'path') : undefined;
  return typeof path === 'string' && path !== '' ? [path] : [];
}
