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
  readonly known: Known;
  /** When its first session began, as far as that is known. */
  readonly beganAt: number;
  readonly fromMs?: number;
  readonly untilMs?: number;
}

/** What the logs say. */
interface Known {
  readonly facts: ReadonlyMap<string, ReceiptFacts>;
  /** Logs that could not be read as a whole. */
  readonly unread: number;
  /** Whether the log of each session was there and was read as a whole. */
  readonly isWhole: boolean;
}

/** What left this machine, and what could have and did not: the numbers from the sockets, the rest from the logs. */
export async function makeReceipt(options: ReceiptOptions, asked: ReceiptAsked, signal: AbortSignal): Promise<Receipt> {
  options.settle();
  const found = await lookUp(options, asked, signal);
  const own = createSentFold();
  const shared = createSentFold();
  const { wants, isShared, fromMs, untilMs } = found;
  const { facts, unread, isWhole } = found.known;
  // A tool server that runs since long before may have been noted then.
  const isFromStart = !isWhole || [...facts.values()].some(({ servers }) => servers.length > 0);
  const range = {
    ...(fromMs === undefined || isFromStart ? {} : { fromMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
  };
  const wanted = { ...range, signal, wants: (line: SentLine) => wants(line) || isShared(line) };
  const read = await readRecord(options.folder, wanted, (recorded) =>
    (wants(recorded.line) ? own : shared).add(recorded),
  );
  const requests = createRequests(options.blobs);
  const rows = await withFacts(requests, own.rows(), facts);
  const others = await withFacts(requests, shared.rows(), facts);
  const uncounted = [...own.uncounted(), ...shared.uncounted()];
  const isPartial = read.sinceMs === null || (found.fromMs ?? found.beganAt) < read.sinceMs;
  const sum = (name: 'out' | 'in'): number => rows.reduce((all, row) => all + row[name], 0);
  const isAll =
    uncounted.length === 0 &&
    read.unreadable === 0 &&
    unread === 0 &&
    !isPartial &&
    [...rows, ...others].every((row) => row.perhapsMore === 0);
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
    kept: [...facts.values()].flatMap(({ kept }) => kept),
    uncounted,
    here: own.here(),
    record: {
      since: read.sinceMs,
      isPartial,
      unreadable: read.unreadable,
      unreadLogs: unread,
      unreadRequests: requests.unread(),
    },
  };
}

async function lookUp(options: ReceiptOptions, asked: ReceiptAsked, signal: AbortSignal): Promise<Asked> {
  switch (asked.type) {
    case 'session':
      return ofSession(options, asked.sessionId, signal);
    case 'project': {
      const { project } = asked;
      const all = idsOf(await sessionsWhere(options, (one) => one.projectPath === project));
      const known = await factsOf(options, all, { signal });
      const beganAt = beginningOf(all, known.facts);
      return {
        about: asked,
        wants: ({ why }) => why.project === project,
        isShared: sharedWith(known, beganAt),
        known,
        beganAt,
      };
    }
    case 'month': {
      const { month } = asked;
      const [fromMs, untilMs] = monthOf(month);
      const isIn = (at: number): boolean => at >= fromMs && at < untilMs;
      const all = idsOf(await sessionsWhere(options, (one) => one.lastAt >= fromMs && one.createdAt < untilMs));
      const known = await factsOf(options, all, { signal, isIn });
      const isOfServer = sharedWith(known, Infinity);
      return {
        about: asked,
        wants: ({ at }) => isIn(at),
        isShared: (line) => line.at < fromMs && isOfServer(line),
        known,
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
  const known = await factsOf(options, [...ids], { signal });
  const [listed] = await sessionsWhere(options, ({ id }) => id === sessionId);
  const beganAt = beginningOf([...ids], known.facts);
  return {
    about: { type: 'session', sessionId, title: listed?.title ?? null },
    wants: ({ why }) => why.sessionId !== undefined && ids.has(why.sessionId),
    isShared: sharedWith(known, beganAt),
    known,
    beganAt,
  };
}

/**
 * What tool servers sent for all sessions from then on. One on this machine may have been started long before. Where a log
 * is gone or was not read, it may have been any server.
 */
function sharedWith({ facts, isWhole }: Known, beganAt: number): Asked['isShared'] {
  const servers = new Set([...facts.values()].flatMap((one) => one.servers));
  return ({ at, state, why }) =>
    why.sessionId === undefined &&
    why.server !== undefined &&
    (!isWhole || servers.has(why.server)) &&
    (at >= beganAt || state === 'unseen');
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

/** Of a damaged log, what could be read is known. The numbers do not come from logs. */
async function factsOf(
  { stores }: ReceiptOptions,
  ids: readonly string[],
  { signal, isIn }: { readonly signal: AbortSignal; readonly isIn?: (at: number) => boolean },
): Promise<Known> {
  const facts = new Map<string, ReceiptFacts>();
  let [unread, gone] = [0, 0];
  for (const id of ids) {
    const fold = createFactsFold(id, isIn);
    let last = 0;
    let hasGap = false;
    try {
      for await (const event of await eventsIn(stores, id)) {
        signal.throwIfAborted();
        hasGap ||= event.seq !== last + 1;
        last = event.seq;
        fold.add(event);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AppError && error.code === 'not-found') {
        gone += 1;
        continue;
      }
      noteFailure('A log was not read for a receipt', error);
      hasGap = true;
    }
    // A damaged record is left out when a log is read.
    if (hasGap) unread += 1;
    facts.set(id, fold.facts());
  }
  return { facts, unread, isWhole: unread + gone === 0 };
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

async function withFacts(
  requests: Requests,
  rows: readonly SentRow[],
  facts: ReadonlyMap<string, ReceiptFacts>,
): Promise<readonly ReceiptRow[]> {
  const done: ReceiptRow[] = [];
  for (const { steps, toolCalls, command, ...row } of rows) {
    const known = row.sessionId === null ? undefined : facts.get(row.sessionId);
    const tools = toolCalls.flatMap((id) => known?.tools.get(id) ?? []);
    const calls = steps.flatMap((step) => known?.steps.get(step) ?? []);
    const files = new Set(tools.flatMap((one) => one.files));
    const isLookedUp = known !== undefined && calls.length === steps.length && requests.has(calls.length);
    let isRead = isLookedUp;
    for (const { request } of isLookedUp ? calls : []) {
      const inside = await requests.filesIn(request);
      isRead &&= inside !== null;
      for (const path of inside ?? []) files.add(path);
    }
    const said = [...new Set([...calls.flatMap(({ why }) => why), ...tools.flatMap(({ why }) => why)])];
    const isSent = row.by.kind === 'model' || row.by.kind === 'tool' || row.by.kind === 'server';
    done.push({
      ...row,
      why: said.length > 0 ? said.slice(0, mostReasons) : [whyWithout(row, command)],
      files: isSent && isRead ? [...files].sort() : null,
    });
  }
  return done;
}

const mostReasons = 12;

function whyWithout({ by, sessionId }: Pick<SentRow, 'by' | 'sessionId'>, command: string | null): string {
  if (by.kind === 'command') return askedFor(by.name);
  if (by.kind === 'server' && sessionId === null) return 'You approved this tool server, which runs for all sessions';
  return command === null ? 'Dewpoint began it; no reason was recorded' : askedFor(command);
}

/** Where a person asked, by the first part of the command's name. */
const places: Readonly<Record<string, string>> = {
  sessions: 'in a session',
  models: 'under Models',
  tools: 'under Tools',
  ownTools: 'under Tools',
  web: 'under Tools',
  knowledge: 'for the knowledge of a project',
  projects: 'for a project',
  git: 'for a repository',
  comparisons: 'in a comparison',
  keys: 'for a key',
  settings: 'in the settings',
  endpoint: 'for another program, which has a key of yours',
};

function askedFor(command: string): string {
  const [first = ''] = command.split('.');
  const place = Object.hasOwn(places, first) ? places[first] : undefined;
  return place === undefined ? `You asked for it (${command})` : `You asked for it ${place}`;
}

const requestSchema = z.looseObject({ messages: z.array(messageSchema) });

/** Requests of more steps are not opened for the names of their files. */
const mostRequests = 500;

interface Requests {
  /** Whether so many more may be opened. Then they count as opened. */
  readonly has: (count: number) => boolean;
  /** The files whose text a request carries, by the tool calls and attachments in it. Null: it cannot be read. */
  readonly filesIn: (request: BlobRef) => Promise<readonly string[] | null>;
  /** How many could not be read. */
  readonly unread: () => number;
}

function createRequests(blobs: ReceiptOptions['blobs']): Requests {
  let left = mostRequests;
  let unread = 0;
  return {
    has: (count) => {
      if (count > left) return false;
      left -= count;
      return true;
    },
    filesIn: async (request) => {
      try {
        const bytes = await blobs.get(request);
        if (bytes === null) throw new AppError('not-found', 'The request is gone or damaged.');
        const { messages } = requestSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
        return messages.flatMap(({ parts }) => parts.flatMap(fileOf));
      } catch (error) {
        noteFailure('A request was not read for a receipt', error);
        unread += 1;
        return null;
      }
    },
    unread: () => unread,
  };
}

function fileOf(part: Part): readonly string[] {
  if (part.type === 'image') return part.name === undefined ? [] : [part.name];
  const path: unknown = part.type === 'tool-call' ? fieldOf(part.input, 'path') : undefined;
  return typeof path === 'string' && path !== '' ? [path] : [];
}
