import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@shared/errors.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { z } from 'zod';
import { childAbort } from '../../lib/async/child-abort.ts';
import { orNoted } from '../../lib/log.ts';

/** The state of a task. The 2025 and 2026 revisions name two of its fields differently. */
const taskSchema = z.object({
  taskId: z.string().min(1).max(1_000),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: z.string().optional().catch(undefined),
  keptMs: z.number().nullable(),
  pollMs: z.number(),
});
type Task = z.infer<typeof taskSchema>;

/** Time between two polls of a task: the server's wish, within these limits. */
const usualPollMs = 1_000;
const shortestPollMs = 250;
const longestPollMs = 30_000;
/** From this interval on, Dewpoint also asks for notices about changes. */
const listenFromMs = 2_000;
/** How long the server is asked to keep a task and its result. */
export const wantedKeptMs = 24 * 60 * 60_000;
/** How long a cancelled call waits for its server to name the task, and to confirm its end. */
const tellMs = 900;
/** Longest run of a task. No other deadline of its call counts meanwhile. */
const longestMinutes = 60;
/** Number of failed polls in a row that are tolerated, because tasks must survive short outages. */
const mostMissed = 3;
/** Most questions to the user in one call. */
const mostQuestions = 20;

/** The connection to a server that works on tasks. */
export interface TaskServer {
  /** 2026 revision: polling a task also returns its questions and its result. */
  readonly isModern: boolean;
  readonly canCancel: boolean;
  readonly canList: boolean;
  /** Rejects with an error that has a numeric `code` if the server refused. */
  readonly ask: (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>;
  readonly isOpen: () => boolean;
  /** Answers a question that the server asks in a task. Rejects if there is no answer. */
  readonly answer: (question: unknown) => Promise<unknown>;
  /** Notes that the current call became this task, so that this call answers its questions. */
  readonly becomes: (taskId: string) => void;
  /** Asks for notices about changes of a task, until the signal. The server may ignore that. */
  readonly listen: (taskId: string, signal: AbortSignal) => void;
  /** The tasks of this server that are followed now. */
  readonly followed: Map<string, FollowedTask>;
}

export interface FollowedTask {
  /** The server reported a change: the task is polled again. */
  readonly wake: () => void;
}

export interface TaskWays {
  readonly signal: AbortSignal;
  /** Called with the task before it is followed. */
  readonly onBegan?: ((taskId: string) => Promise<void>) | undefined;
  /** Runs the wait for a task. */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  readonly onStatus: (text: string) => void;
}

/** The outcome of the task is unknown: the call is neither done nor failed. */
export class LostTask extends Error {
  /** False: the server may tell the outcome later. */
  readonly isFinal: boolean;
  constructor(message: string, isFinal = true) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** The task in the answer to a call. Null: the answer is the result itself. */
export function taskIn(answer: unknown): unknown {
  const task = fieldOf(answer, 'task');
  return isRecord(task) ? task : null;
}

/** Throws if the value cannot be read. */
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
 * Makes a call that may become a task. A task can be cancelled only once the server has named it, so a cancelled call
 * waits a moment for that.
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

/** The result of a task whose call was cut off, for example by the end of this program. Does not call again. */
export async function followLeftTask(server: TaskServer, taskId: string, ways: TaskWays): Promise<unknown> {
  const seen = await server.ask('tasks/get', { taskId }, ways.signal).catch((error: unknown) => {
    throw isRefusal(error) ? new LostTask(`the server does not know the task any more (${whyOf(error)})`) : error;
  });
  if (fieldOf(seen, 'taskId') !== taskId) throw new LostTask('the server answered about another task');
  return followTask(server, seen, ways);
}

/** The result of a task that a server began. If it is left early, the server is told to cancel it. */
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
    // A flood of notices must not become a flood of polls.
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
    // The server ended the task or does not know it, so it need not be told.
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

/** Tells the server to cancel a task. Does not wait longer than `tellMs` for the answer. */
async function tellEnd(server: TaskServer, taskId: string): Promise<void> {
  const { signal } = new AbortController();
  const told = server
    .ask('tasks/cancel', { taskId }, signal)
    .catch(orNoted('A task of a tool server was not cancelled', undefined));
  await Promise.race([told, wait(tellMs, undefined, { ref: false })]);
}

class EndedTask extends Error {}

interface Watch extends TaskWays {
  readonly sleep: (ms: number) => Promise<void>;
}

/** Polls a task until it ends. An older server sends questions and then the result as the answer to one request. */
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
      // Marks the rejection as handled. Whoever awaits the result still gets the error.
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
      // The server may forget a task as soon as it sends the result, which is on its way then.
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
  /** Each question is answered once, however often it comes. */
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

/** Whether the server itself refused, in contrast to a broken connection. */
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
