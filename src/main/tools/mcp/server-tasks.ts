import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@shared/errors.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { z } from 'zod';
import { childAbort } from '../../lib/async/child-abort.ts';

/** What a server says of a task. The revisions of 2025 and 2026 name two of its fields differently. */
const taskSchema = z.object({
  taskId: z.string().min(1).max(1_000),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional().catch(undefined),
  keptMs: z.number().nullable(),
  pollMs: z.number(),
});
type Task = z.infer<typeof taskSchema>;

/** Between two looks at a task: what its server wishes, within these. */
const usualPollMs = 1_000;
const shortestPollMs = 250;
const longestPollMs = 30_000;
/** Whoever is looked at less often than this is asked to say when something changes. */
const listenFromMs = 2_000;
/** How long its server is to keep a task and its result. */
export const wantedKeptMs = 24 * 60 * 60_000;
/** So long the end of a call waits for its server to say which task it made, and that it took the end of it. */
const tellMs = 900;
/** A task may take so long; no other deadline of its call counts meanwhile. */
const longestMinutes = 60;
/** A server may be away for a moment: that is what tasks are for. */
const mostMissed = 3;
/** More than a person is asked in one call. */
const mostQuestions = 20;

/** The way to a server that works on tasks. */
export interface TaskServer {
  /** Of the revision of 2026: its tasks give their results and their questions when they are looked at. */
  readonly isModern: boolean;
  readonly canCancel: boolean;
  readonly canList: boolean;
  /** Rejects with an error that has a number as its `code` where the server refused. */
  readonly ask: (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>;
  readonly isOpen: () => boolean;
  /** Answers what the server asks in a task. Rejects where there is no answer. */
  readonly answer: (question: unknown) => Promise<unknown>;
  /** The call that is made became this task: what the server asks for it is asked by this call. */
  readonly becomes: (taskId: string) => void;
  /** Asks to be told when something changes in a task, until the signal. A server need not. */
  readonly listen: (taskId: string, signal: AbortSignal) => void;
  /** The tasks of this server that are followed now. */
  readonly followed: Map<string, FollowedTask>;
}

export interface FollowedTask {
  /** Its server said that something changed: it is looked at again. */
  readonly wake: () => void;
}

export interface TaskWays {
  readonly signal: AbortSignal;
  /** Hears of a task before it is followed. */
  readonly onBegan?: ((taskId: string) => Promise<void>) | undefined;
  /** Runs the wait for a task. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  readonly onStatus: (text: string) => void;
}

/** Its outcome is not known: the call is neither done nor failed. */
export class LostTask extends Error {
  /** False: its server may say more another time. */
  readonly isFinal: boolean;
  constructor(message: string, isFinal = true) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** What stands in the answer to a call in place of its result; null: it is the result. */
export function taskIn(answer: unknown): unknown {
  const task = fieldOf(answer, 'task');
  return isRecord(task) ? task : null;
}

/** Throws where it cannot be read. */
export function readTask(value: unknown): Task {
  const kept = fieldOf(value, 'ttlMs') ?? fieldOf(value, 'ttl');
  const poll = fieldOf(value, 'pollIntervalMs') ?? fieldOf(value, 'pollInterval');
  const keptMs = typeof kept === 'number' && kept >= 0 ? kept : null;
  const wished = typeof poll === 'number' && poll > 0 ? poll : usualPollMs;
  const inTime = keptMs === null ? wished : Math.min(wished, keptMs / 2);
  const pollMs = Math.min(Math.max(inTime, shortestPollMs), longestPollMs);
  const parsed = taskSchema.safeParse({ ...(isRecord(value) ? value : {}), keptMs, pollMs });
  if (!parsed.success) throw new LostTask('the server says nothing that can be read of the task');
  return parsed.data;
}

/**
 * Makes a call that may become a task. When it is cancelled before the server has said which task it made, that is waited for
 * a moment: only then can it be cancelled there.
 */
export async function callInTask(
  server: TaskServer,
  ways: TaskWays,
  make: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const own = new AbortController();
  const stopLate = (): void => void setTimeout(() => own.abort(), tellMs).unref();
  if (ways.signal.aborted) own.abort();
  ways.signal.addEventListener('abort', stopLate, { once: true });
  try {
    const answer = await make(own.signal);
    const began = taskIn(answer);
    return began === null ? answer : await followTask(server, began, ways);
  } finally {
    ways.signal.removeEventListener('abort', stopLate);
  }
}

/** The result of a task that was left, as when this program ended in the middle of its call: the call is not made again. */
export async function followLeftTask(server: TaskServer, taskId: string, ways: TaskWays): Promise<unknown> {
  const seen = await server.ask('tasks/get', { taskId }, ways.signal).catch((error: unknown) => {
    throw isRefusal(error) ? new LostTask(`the server does not know the task any more (${whyOf(error)})`) : error;
  });
  if (fieldOf(seen, 'taskId') !== taskId) throw new LostTask('the server answered about another task');
  return followTask(server, seen, ways);
}

/** The result of a task that a server began. Whatever ends this early, the server is told. */
export async function followTask(server: TaskServer, began: unknown, ways: TaskWays): Promise<unknown> {
  const task = readTask(began);
  const { taskId } = task;
  if (server.followed.has(taskId)) throw new LostTask('the server gave the task of another call', false);
  server.becomes(taskId);
  let wake = (): void => undefined;
  server.followed.set(taskId, { wake: () => wake() });
  const child = childAbort(ways.signal);
  const sleep = async (ms: number): Promise<void> => {
    const woken = new Promise<void>((resolve) => (wake = resolve));
    // Notices in a flood make no flood of questions.
    await wait(Math.min(ms, shortestPollMs), undefined, { signal: child.signal });
    await Promise.race([woken, wait(ms - shortestPollMs, undefined, { signal: child.signal })]);
  };
  let isOver = false;
  let isLate = false;
  const late = (): void => {
    isLate = true;
    child.abort();
  };
  const deadline = setTimeout(late, longestMinutes * 60_000);
  try {
    await ways.onBegan?.(taskId);
    if (server.isModern && task.pollMs >= listenFromMs) server.listen(taskId, child.signal);
    const result = await ways.during(() => watch(server, task, { ...ways, signal: child.signal, sleep }));
    isOver = true;
    return result;
  } catch (error) {
    if (isLate) throw new Error(`its task timed out after ${longestMinutes} minutes, and was cancelled`);
    // What its server ended, or knows no more, needs no word.
    isOver = !ways.signal.aborted && (error instanceof EndedTask || error instanceof LostTask || isRefusal(error));
    throw error;
  } finally {
    clearTimeout(deadline);
    child.abort();
    child.release();
    server.followed.delete(taskId);
    if (!isOver && server.canCancel && server.isOpen()) await tellEnd(server, taskId);
  }
}

/** It is told whether it answers or not. */
async function tellEnd(server: TaskServer, taskId: string): Promise<void> {
  const { signal } = new AbortController();
  const told = server.ask('tasks/cancel', { taskId }, signal).catch(() => undefined);
  await Promise.race([told, wait(tellMs, undefined, { ref: false })]);
}

class EndedTask extends Error {}

interface Watch extends TaskWays {
  readonly sleep: (ms: number) => Promise<void>;
}

/** Looks at it until it has ended. An older server gives its questions, and then its result, on one request of their own. */
async function watch(server: TaskServer, began: Task, ways: Watch): Promise<unknown> {
  const { taskId } = began;
  const answered = new Set<string>();
  let result: Promise<unknown> | null = null;
  let said = '';
  let missed = 0;
  let task = began;
  let seen: unknown = null;
  for (;;) {
    const text = task.statusMessage ?? task.status.replace('_', ' ');
    if (text !== said) ways.onStatus(text);
    said = text;
    if (task.status === 'cancelled') throw new EndedTask(`the server cancelled it${because(task)}`);
    if (server.isModern && task.status === 'completed' && seen !== null) return fieldOf(seen, 'result');
    if (server.isModern && task.status === 'failed' && seen !== null) throw new EndedTask(failureIn(seen, task));
    if (server.isModern && task.status === 'input_required') await answerIn(server, seen, { taskId, answered, ways });
    if (!server.isModern && task.status !== 'working') {
      result ??= server.ask('tasks/result', { taskId }, ways.signal);
      // Whoever waits for it hears of its error; nobody may.
      result.catch(() => undefined);
      if (task.status !== 'input_required') return await result;
    }
    const done = await Promise.race([
      ways.sleep(task.pollMs).then(() => null),
      ...(result === null ? [] : [ended(result)]),
    ]);
    if (done !== null) return done.value;
    try {
      seen = await server.ask('tasks/get', { taskId }, ways.signal);
      task = readTask(seen);
      missed = 0;
    } catch (error) {
      if (ways.signal.aborted || error instanceof LostTask) throw error;
      // It may forget a task with its result, which is on its way then.
      if (isRefusal(error) && result !== null) return await result;
      if (isRefusal(error))
        throw new LostTask(`the server does not know the task any more (${whyOf(error)})${kept(began)}`);
      missed += 1;
      if (!server.isOpen()) throw new LostTask(`the connection to the server ended (${whyOf(error)})`, false);
      if (missed > mostMissed) throw new LostTask(`the server cannot be asked for the task (${whyOf(error)})`, false);
    }
    if (task.taskId !== taskId) throw new LostTask('the server answered about another task');
  }
}

const ended = async (result: Promise<unknown>): Promise<{ readonly value: unknown }> => ({ value: await result });

interface TaskQuestions {
  readonly taskId: string;
  /** Each is asked once, however often it comes. */
  readonly answered: Set<string>;
  readonly ways: TaskWays;
}

async function answerIn(server: TaskServer, seen: unknown, { taskId, answered, ways }: TaskQuestions): Promise<void> {
  const questions = fieldOf(seen, 'inputRequests');
  for (const [key, question] of isRecord(questions) ? Object.entries(questions) : []) {
    if (answered.has(key)) continue;
    answered.add(key);
    if (answered.size > mostQuestions) throw new Error('it asks without end, so its task was cancelled');
    const answer = await server.answer(question).catch(() => {
      throw new Error('it asked something that got no answer, so its task was cancelled');
    });
    await server.ask('tasks/update', { taskId, inputResponses: { [key]: answer } }, ways.signal);
  }
}

/** The server understood, and said no: no way to it that broke off. */
function isRefusal(error: unknown): boolean {
  const code = fieldOf(error, 'code');
  return typeof code === 'number' && code !== connectionClosed;
}

const connectionClosed = -32_000;

function failureIn(seen: unknown, task: Task): string {
  const message = fieldOf(fieldOf(seen, 'error'), 'message');
  return typeof message === 'string' ? whyOf(message) : `it failed${because(task)}`;
}

function because({ statusMessage }: Task): string {
  return statusMessage === undefined ? '' : `: ${whyOf(statusMessage)}`;
}

function kept({ keptMs }: Task): string {
  return keptMs === null ? '' : `; it keeps one for ${keptMs / 1000} s`;
}

const longestWhy = 600;

function whyOf(error: unknown): string {
  return (typeof error === 'string' ? error : messageOf(error)).slice(0, longestWhy);
}
