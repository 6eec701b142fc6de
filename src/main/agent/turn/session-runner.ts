import { isDeepStrictEqual } from 'node:util';
import type { QueuedMessage } from '../../sessions/journal/queued-message.ts';
import type { Attachment } from '@shared/attachments/attachment.ts';
import type { ChosenOptions } from '@shared/session/chosen-options.ts';
import { AppError } from '@shared/errors.ts';
import { firstLine } from '@shared/text/shorten-text.ts';
import type { AgentDependencies, Inbox } from './agent-dependencies.ts';
import type { TurnChoice, TurnOptions } from '../../settings/turn-options.ts';
import { turnChoice, withChoice } from '../../settings/turn-options.ts';
import type { TurnStarter } from './turn-starter.ts';
import { createTurnStarter } from './turn-starter.ts';
import type { TurnEnd } from './turn-baseline.ts';
import { orNoted } from '../../lib/log.ts';
import { withReasonOnly } from '../../lib/net/send-reason.ts';

/** A message that is in the log. */
export interface SentMessage {
  readonly messageId: string;
  /** True: a turn was running, so the message waits. */
  readonly queued: boolean;
  /** Resolves at the end of the turn that handles the message. */
  readonly ended: Promise<TurnEnd>;
}

/** What comes with the text of a message. */
interface MessageParts {
  readonly attachments?: readonly Attachment[];
  /** What the person chose for it, which the log keeps. */
  readonly chosen?: ChosenOptions;
}

/** Runs the agent of one session: one turn at a time, messages in between, and a way to stop. */
export interface SessionRunner {
  /**
   * Takes a message; resolves when it is in the log. While a turn runs, the message waits and is shown to the model
   * between tool calls. A message that the turn did not take gets a turn of its own.
   */
  readonly post: (text: string, options: TurnOptions, more?: MessageParts) => Promise<SentMessage>;
  /** Takes a message and waits for the end of its turn. */
  readonly send: (text: string, options: TurnOptions) => Promise<TurnEnd>;
  /** Withdraws a waiting message; false: no message with this id waits. */
  readonly withdraw: (messageId: string) => Promise<boolean>;
  /** Chooses anew for the running turn, from its next step on, and for what waits. */
  readonly choose: (choice: TurnChoice) => void;
  /** Stops the running turn. Waiting messages are dropped, and the log says so. */
  readonly cancel: () => void;
  readonly isRunning: () => boolean;
  /** The error that kept the end of the last turn out of the log (such as a full disk); null: the end is in the log. */
  readonly failure: () => unknown;
  /** Resolves when no turn runs. */
  readonly idle: () => Promise<void>;
  /** Cancels the running turn and waits for its end. */
  readonly dispose: () => Promise<void>;
}

interface Waiting extends QueuedMessage {
  options: TurnOptions;
  readonly resolve: (end: TurnEnd) => void;
  readonly reject: (error: unknown) => void;
}

const cancelledEnd: TurnEnd = { reason: 'cancelled', text: 'Cancelled.', confidence: null, failure: null };

export function createSessionRunner(dependencies: Omit<AgentDependencies, 'inbox'>): SessionRunner {
  const queue = createQueue();
  const turns = onBehalfOfSession(createTurnStarter({ ...dependencies, inbox: queue.inbox }), dependencies);
  let running: Promise<void> | null = null;
  const naming = createNaming(turns);
  let isDisposed = false;
  let failure: unknown = null;
  const note = (error: unknown): void => {
    failure = error;
  };

  /**
   * Finds the queue empty and clears `running` without an await in between, so that no message is lost between two
   * turns.
   */
  const work = async (first: Waiting): Promise<void> => {
    failure = null;
    await runOne(turns, queue, first).catch(note);
    for (let next = queue.next(); next !== null; next = queue.next()) {
      await deliverAndRun(dependencies, turns, queue, next).catch(note);
    }
    running = null;
    if (!isDisposed) naming.start();
  };
  const post: SessionRunner['post'] = async (text, options, { attachments = [], chosen } = {}) => {
    if (isDisposed) throw new AppError('conflict', 'This session is closed.');
    const messageId = dependencies.journal.newId('message');
    const queued = running !== null;
    const given = attachments.length === 0 ? {} : { attachments: [...attachments] };
    const { message, ended } = waiting({ messageId, text, ...given }, options);
    const { origin } = options;
    const by = { ...(origin === undefined ? {} : { origin }), ...(chosen === undefined ? {} : { chosen }) };
    const event = { type: 'user-message-added', messageId, text, queued, ...given, ...by } as const;
    // Added to queue and log without an await in between, so that its place in the log says which turn could see it.
    if (queued) {
      queue.add(message);
      await dependencies.journal.append(event);
    } else {
      queue.begin(options);
      const named = naming.end();
      const written = dependencies.journal.append(event);
      running = written.then(
        () => named.then(() => work(message)),
        () => {
          running = null;
        },
      );
      await written;
    }
    return { messageId, queued, ended };
  };
  let dropping: Promise<void> = Promise.resolve();
  const stop = (): void => {
    dropping = Promise.all([dropping, stopAndTell(dependencies, turns, queue)]).then(() => undefined, note);
  };
  return {
    post,
    send: async (text, options) => (await post(text, options)).ended,
    withdraw: async (messageId) => {
      const message = queue.remove(messageId);
      if (message === null) return false;
      message.resolve(cancelledEnd);
      await dependencies.journal.append({ type: 'message-dropped', messageId, withdrawn: true });
      return true;
    },
    choose: queue.choose,
    cancel: stop,
    isRunning: () => running !== null,
    failure: () => failure,
    idle: async () => running ?? undefined,
    dispose: async () => {
      isDisposed = true;
      stop();
      await running;
      await dropping;
      await naming.end();
      await turns.end();
    },
  };
}

/** Cancel stops everything, background processes included. Returns the ids of the messages that waited. */
function stopAll(
  { sandbox }: Pick<AgentDependencies, 'sandbox'>,
  turns: TurnStarter,
  queue: MessageQueue,
): readonly string[] {
  const dropped: string[] = [];
  queue.drop((message) => {
    dropped.push(message.messageId);
    message.resolve(cancelledEnd);
  });
  turns.abort();
  void sandbox.backgroundProcesses?.stopAll();
  return dropped;
}

/** Stops at once, and logs what ended and which messages were dropped. */
async function stopAndTell(
  dependencies: Pick<AgentDependencies, 'sandbox' | 'journal'>,
  turns: TurnStarter,
  queue: MessageQueue,
): Promise<void> {
  const named = nameEnded(dependencies);
  const dropped = stopAll(dependencies, turns, queue);
  await named;
  await noteDropped(dependencies, dropped);
}

/** Names the background processes that end now. A view of the turn must see it before the turn has ended. */
async function nameEnded({ journal, sandbox }: Pick<AgentDependencies, 'journal' | 'sandbox'>): Promise<void> {
  const ending = (sandbox.backgroundProcesses?.list() ?? []).filter(({ status }) => status === 'running');
  if (ending.length === 0) return;
  const names = ending.map(({ id, command }) => `${firstLine(command)} (${id})`);
  const text = `Ended in the background: ${names.join(', ')}`;
  await journal.append({ type: 'notice-added', level: 'info', code: 'background-ended', text });
}

/** Logs dropped messages, which would otherwise look as if they still waited. */
async function noteDropped(
  { journal }: Pick<AgentDependencies, 'journal'>,
  messageIds: readonly string[],
): Promise<void> {
  for (const messageId of messageIds) await journal.append({ type: 'message-dropped', messageId });
}

/** Names the session after a turn. A new message or the end of the session stops it. */
function createNaming(turns: TurnStarter): { readonly start: () => void; readonly end: () => Promise<void> } {
  let search: Promise<void> = Promise.resolve();
  return {
    start: () => {
      // The name is optional. A log that cannot be written fails again, and is reported, with the next message.
      search = turns.name().catch(orNoted('The session was not named', undefined));
    },
    /** Call only while no turn runs. */
    end: () => {
      turns.abort();
      return search;
    },
  };
}

function waiting(
  message: QueuedMessage,
  options: TurnOptions,
): { readonly message: Waiting; readonly ended: Promise<TurnEnd> } {
  let settle: Pick<Waiting, 'resolve' | 'reject'> = { resolve: () => undefined, reject: () => undefined };
  const ended = new Promise<TurnEnd>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A caller of `post` does not wait for the end; a failure is in the log.
  ended.catch(() => undefined);
  return { message: { ...message, options, ...settle }, ended };
}

interface MessageQueue {
  readonly inbox: Inbox;
  readonly add: (message: Waiting) => void;
  readonly next: () => Waiting | null;
  /** Null: the message is not in the queue any more. */
  readonly remove: (messageId: string) => Waiting | null;
  /** The messages that the running turn has taken. They end with it. */
  readonly taken: () => readonly Waiting[];
  readonly drop: (each: (message: Waiting) => void) => void;
  /** A turn begins with these options. */
  readonly begin: (options: TurnOptions) => void;
  readonly choose: (choice: TurnChoice) => void;
}

function createQueue(): MessageQueue {
  const messages: Waiting[] = [];
  const taken: Waiting[] = [];
  let current: TurnOptions | null = null;
  let chosen: TurnChoice | null = null;
  const begin = (options: TurnOptions): void => {
    current = options;
    chosen = null;
  };
  const take = (options: TurnOptions): void => {
    if (current !== null && !isChosenAlike(options, current)) chosen = turnChoice(options);
    current = options;
  };
  return {
    begin,
    choose: (choice) => {
      for (const message of messages) message.options = withChoice(message.options, choice);
      if (current !== null) take(withChoice(current, choice));
    },
    inbox: {
      take: () => {
        const next = messages.shift();
        if (next !== undefined) taken.push(next);
        // What was chosen for a message counts as soon as the turn has it.
        if (next !== undefined) take(next.options);
        return next ?? null;
      },
      choice: () => {
        const choice = chosen;
        chosen = null;
        return choice;
      },
    },
    add: (message) => {
      messages.push(message);
    },
    next: () => {
      const next = messages.shift() ?? null;
      if (next !== null) begin(next.options);
      return next;
    },
    remove: (messageId) => {
      const at = messages.findIndex((message) => message.messageId === messageId);
      return at < 0 ? null : (messages.splice(at, 1)[0] ?? null);
    },
    taken: () => taken.splice(0),
    drop: (each) => {
      for (const message of messages.splice(0)) each(message);
    },
  };
}

/** For the record of what leaves. A turn of a child session works on its own behalf, not on that of its parent. */
function onBehalfOfSession(turns: TurnStarter, { journal }: Pick<AgentDependencies, 'journal'>): TurnStarter {
  const run: TurnStarter['run'] = (...given) => {
    const { sessionId, projectPath: project } = journal.state();
    const whose = { ...(sessionId === null ? {} : { sessionId }), ...(project === null ? {} : { project }) };
    return withReasonOnly({ ...whose, command: 'sessions.send' }, () => turns.run(...given));
  };
  return { ...turns, run };
}

/** What was learned meanwhile about the models is no choice. */
function isChosenAlike(left: TurnOptions, right: TurnOptions): boolean {
  const [one, other] = [turnChoice(left), turnChoice(right)];
  return isDeepStrictEqual({ ...one, routing: null }, { ...other, routing: null });
}

/** Reports an error to the senders of its messages and to the caller. */
async function runOne(turns: TurnStarter, queue: MessageQueue, message: Waiting): Promise<void> {
  try {
    const end = await turns.run(message, message.options);
    for (const one of [message, ...queue.taken()]) one.resolve(end);
  } catch (error) {
    for (const one of [message, ...queue.taken()]) one.reject(error);
    queue.drop((waiter) => waiter.reject(error));
    throw error;
  }
}

async function deliverAndRun(
  dependencies: Pick<AgentDependencies, 'journal'>,
  turns: TurnStarter,
  queue: MessageQueue,
  message: Waiting,
): Promise<void> {
  try {
    await dependencies.journal.append({ type: 'message-delivered', messageId: message.messageId });
  } catch (error) {
    message.reject(error);
    throw error;
  }
  await runOne(turns, queue, message);
}
