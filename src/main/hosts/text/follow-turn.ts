import type { Attachment } from '@shared/attachments/attachment.ts';
import type { EventOf, SessionEvent, Transient } from '@shared/events/events.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { emptySession } from '@shared/session/session-state.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import type { ApprovalReply } from './approval-text.ts';
import type { CapDecision } from '../../money/budget.ts';
import type { CommandContext } from './command-context.ts';
import { toReportedFailure } from './report-failure.ts';
import { orNoted } from '../../lib/log.ts';

export interface TurnToFollow {
  readonly sessionId: string;
  /** The session was created for this message, so the events of its creation are shown, too. */
  readonly isFirst?: boolean;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
  readonly options: RunOptions;
  readonly onEvent: (event: SessionEvent) => void;
  readonly onTransient: (transient: Transient) => void;
  /** Null: the answer comes another way. The signal: the question was answered elsewhere, or has ended. */
  readonly approve: (question: EventOf<'approval-requested'>, signal: AbortSignal) => Promise<ApprovalReply | null>;
  /** An answer was not taken, so the question comes again. */
  readonly onRefused?: (error: unknown) => void;
  /** What to do at a spending limit, if the options say `ask`. Null: the answer comes another way. */
  readonly atCap: (event: EventOf<'cap-reached'>) => Promise<CapDecision | null>;
  /**
   * Called when the turn has ended and a message that it did not take begins another turn, which is then followed, too.
   * Missing: only the turn that answers this message is followed.
   */
  readonly onNext?: (ended: EventOf<'turn-ended'>) => void;
}

const lastEventsMs = 300;

/**
 * Sends a message and follows the session from there until the turn that answers it has ended. Of earlier events, only
 * a question that still waits is asked, because nobody else might end that wait; the message itself answers one of the
 * agent. Ctrl-C cancels the turn in the core and waits for its end, so that the log has what was done. At a question of
 * the agent it leaves the question open. Rejects when the turn is over and its end could not be
 * written.
 */
export async function followTurn(
  context: CommandContext,
  core: CoreClient,
  turn: TurnToFollow,
): Promise<EventOf<'turn-ended'> | null> {
  const { sessionId } = turn;
  const stop = new AbortController();
  const { seq: seen, approvals } =
    turn.isFirst === true ? emptySession : (await core.sessions.show({ sessionId })).state;
  const waiting = new Set(approvals.flatMap(({ approvalId, kind }) => (kind === 'question' ? [] : [approvalId])));
  const fromSeq = waiting.size === 0 ? seen + 1 : 1;
  const pushes = await core.sessions.events({ sessionId, fromSeq }, { signal: stop.signal });
  const questions = createQuestions(core, turn);
  // If the turn has already ended by itself, there is nothing to cancel.
  const cancel = (): void =>
    void questions
      .leave()
      .then((isLeft) => (isLeft ? undefined : core.sessions.cancel({ sessionId })))
      .catch(orNoted('The turn was not cancelled', undefined));
  // Set up before the message is taken, because that may wait until a sandbox image is built.
  context.signal.addEventListener('abort', cancel, { once: true });
  const { messageId } = await core.sessions
    .send({ sessionId, text: turn.text, options: turn.options, attachments: [...(turn.attachments ?? [])] })
    .catch((error: unknown) => {
      context.signal.removeEventListener('abort', cancel);
      stop.abort();
      throw error;
    });
  if (context.signal.aborted) cancel();
  const followed = createFollowedTurn(messageId, turn.onNext !== undefined);
  let failure: unknown = null;
  core.sessions.result({ sessionId }, { signal: stop.signal }).catch((error: unknown) => {
    failure = error;
    // Events that were written before are still on their way.
    setTimeout(() => stop.abort(), lastEventsMs).unref();
  });
  try {
    for await (const push of pushes) {
      if (push.type === 'transients') for (const item of push.items) turn.onTransient(item);
      if (push.type !== 'events') continue;
      for (const event of push.events) {
        if (event.seq <= seen) {
          if (event.type === 'approval-requested' && waiting.has(event.approvalId)) questions.ask(event);
          continue;
        }
        followed.take(event);
        turn.onEvent(event);
        if (event.type === 'approval-requested') questions.ask(event);
        if (event.type === 'approval-answered') questions.end(event.approvalId);
        if (event.type === 'cap-reached' && followed.isOf(event)) void answerCap(core, turn, event);
        if (event.type !== 'turn-ended' || !followed.isOf(event)) continue;
        if (turn.onNext === undefined || !followed.hasNext()) return await noteSeen(core, turn, event);
        turn.onNext(event);
        // If a cancel dropped the message, nothing more happens: the session is idle.
        const idle = core.sessions.result({ sessionId }, { signal: stop.signal });
        void idle.catch(() => null).then(() => setTimeout(() => stop.abort(), lastEventsMs).unref());
      }
    }
    if (failure !== null) throw failure;
    return null;
  } catch (error) {
    throw failure ?? error;
  } finally {
    context.signal.removeEventListener('abort', cancel);
    stop.abort();
  }
}

/** A person who can answer here has seen the end, so no list shows it as new. */
async function noteSeen(
  core: CoreClient,
  { sessionId, options }: Pick<TurnToFollow, 'sessionId' | 'options'>,
  ended: EventOf<'turn-ended'>,
): Promise<EventOf<'turn-ended'>> {
  if (options.interactive) {
    const noted = core.sessions.organize({ sessionIds: [sessionId], isSeen: true });
    await noted.catch(orNoted('The end of the turn was not marked as seen', undefined));
  }
  return ended;
}

/** Which turns are followed: the one that answers the message and, with `isLong`, those of messages waiting for it. */
function createFollowedTurn(messageId: string, isLong: boolean) {
  const ours = new Set([messageId]);
  const waiting = new Set<string>();
  let turnId: string | null = null;
  return {
    take: (event: SessionEvent): void => {
      if (isLong && event.type === 'user-message-added' && event.queued) {
        ours.add(event.messageId);
        waiting.add(event.messageId);
      }
      if (event.type === 'message-dropped') waiting.delete(event.messageId);
      if (event.type !== 'turn-started' && event.type !== 'message-delivered') return;
      waiting.delete(event.messageId);
      if (ours.has(event.messageId)) turnId = event.turnId ?? null;
    },
    isOf: (event: SessionEvent): boolean => turnId !== null && event.turnId === turnId,
    hasNext: (): boolean => waiting.size > 0,
  };
}

async function answerCap(core: CoreClient, turn: TurnToFollow, event: EventOf<'cap-reached'>): Promise<void> {
  if (turn.options.atCap !== 'ask') return;
  const decision = await turn.atCap(event);
  if (decision === null) return;
  // If the turn has ended meanwhile, nobody waits for the answer any more.
  await core.sessions.answerCap({ sessionId: turn.sessionId, capId: event.capId, decision }).catch(() => undefined);
}

/**
 * Asks one question at a time, because there is one keyboard, and children may ask while their session does. A question
 * that is answered elsewhere is withdrawn.
 */
function createQuestions(core: CoreClient, turn: TurnToFollow) {
  const { sessionId } = turn;
  const open = new Map<string, AbortController>();
  const ofAgent = new Set<string>();
  let last: Promise<void> = Promise.resolve();
  return {
    ask: (event: EventOf<'approval-requested'>): void => {
      const { signal } = mapped(open, event.approvalId);
      if (event.kind === 'question') ofAgent.add(event.approvalId);
      last = last.then(() => (signal.aborted ? undefined : answer(core, turn, event, signal)));
    },
    end: (approvalId: string): void => {
      ofAgent.delete(approvalId);
      mapped(open, approvalId).abort();
    },
    /** Leaves the open question of the agent for later, which ends the turn. False: there is none. */
    leave: async (): Promise<boolean> => {
      const [approvalId] = ofAgent;
      if (approvalId === undefined) return false;
      return core.sessions.approve({ sessionId, approvalId, answer: 'allow', values: {} }).then(
        () => true,
        () => false,
      );
    },
  };
}

function mapped(open: Map<string, AbortController>, id: string): AbortController {
  const controller = open.get(id) ?? new AbortController();
  open.set(id, controller);
  return controller;
}

/** Asks again if the core does not take the answer, because nobody else might end that wait. */
async function answer(
  core: CoreClient,
  turn: TurnToFollow,
  question: EventOf<'approval-requested'>,
  signal: AbortSignal,
): Promise<void> {
  const isAnswered = (turn.options.approve ?? 'ask') !== 'ask' && question.kind !== 'question';
  if (!turn.options.interactive || isAnswered) return;
  for (;;) {
    const said = await turn.approve(question, signal);
    if (said === null || signal.aborted) return;
    try {
      await core.sessions.approve({ sessionId: turn.sessionId, approvalId: question.approvalId, ...said });
      return;
    } catch (error) {
      // If the turn has ended meanwhile, nobody waits for the answer any more.
      if (toReportedFailure(error).code !== 'bad-input') return;
      turn.onRefused?.(error);
    }
  }
}
