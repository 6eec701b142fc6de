import type { ConnectedToolSpec } from '../../tools/connected/connected-tool-spec.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { AppError, messageOf } from '@shared/errors.ts';
import { childAbort } from '../../lib/async/child-abort.ts';
import { createDeadlinePause } from '../../lib/async/deadline-pause.ts';
import type { FormAnswer, ServerDoor } from '../../tools/define.ts';
import { answerForServer } from '../step/answer-for-server.ts';
import type { Turn } from '../turn/turn.ts';
import type { ApprovalAnswer } from './request-approval.ts';
import { askApproval, askForm } from './request-approval.ts';

/** More questions in one call count as a flood and are not asked. */
const mostQuestions = 10;
const longestMessage = 4_000;
const longestUrl = 4_000;

/** The questions of a server during one call. */
export interface OpenServerDoor extends ServerDoor {
  /** How long models have worked for the server, or the server on a task. No deadline of the call counts this time. */
  readonly heldMs: () => number;
  /** The tokens that these models used. */
  readonly tokens: () => number;
  /** Ends open questions and waits until their end is in the log, so that nothing happens after the call. */
  readonly end: () => Promise<void>;
}

/**
 * Lets the server of a tool ask questions while it works on a call. Each is shown to the user with its words marked as
 * the server's. Question and answer are logged inside the call. Only the user's own yes counts, whatever `--approve`
 * says.
 */
export function createServerDoor(whole: Turn, spec: ConnectedToolSpec, call: CallOfServer): OpenServerDoor {
  const { server, tool } = spec;
  const { toolCallId } = call;
  const own = childAbort(call.signal);
  const turn = turnUnder(whole, own.signal);
  const open = new Set<Promise<unknown>>();
  const whileOpen = async <T>(work: Promise<T>): Promise<T> => {
    open.add(work);
    try {
      return await work;
    } finally {
      open.delete(work);
    }
  };
  const atWork = createDeadlinePause();
  let tokens = 0;
  let asked = 0;
  const isFlood = (): boolean => {
    asked += 1;
    return asked > mostQuestions;
  };
  const subject = `${server}: ${tool}`;
  return {
    form: async (text, form) => {
      // A message that nobody can be shown in full is not asked with.
      if (isFlood() || text.length > longestMessage) return { action: 'cancel' };
      const said = await whileOpen(
        askForm(turn, {
          kind: 'server-form',
          subject,
          reason: `What you fill in goes to the server ${server}.`,
          toolCallId,
          shown: { sha256: sha256Of(JSON.stringify([server, tool, text, form])), text, diff: null },
          form,
        }),
      );
      return said.values === undefined ? { action: actionOf(said.answer) } : { action: 'accept', values: said.values };
    },
    link: async (text, url) => {
      if (isFlood() || text.length > longestMessage || !isWebAddress(url)) return 'cancel';
      const answer = await whileOpen(
        askApproval(turn, {
          kind: 'server-link',
          subject: `${server}: ${new URL(url).host}`,
          reason: 'Dewpoint does not open it. Open it yourself where you trust it, then go on.',
          toolCallId,
          shown: { sha256: sha256Of(JSON.stringify([server, tool, text, url])), text, diff: null },
          url,
        }),
      );
      return answer === 'allow' ? 'accept' : actionOf(answer);
    },
    model: async (question) => {
      if (isFlood()) return { type: 'refused', why: 'it asks too often' };
      const onTokens = (used: number): void => void (tokens += used);
      try {
        return await atWork.during(() => whileOpen(answerForServer(turn, { spec, toolCallId, onTokens }, question)));
      } catch (error) {
        return { type: 'refused', why: messageOf(error) };
      }
    },
    whileTask: atWork.during,
    noteTask: async (task) => void (await turn.log.append({ type: 'server-task-began', toolCallId, ...task })),
    heldMs: atWork.heldMs,
    tokens: () => tokens,
    end: async () => {
      own.abort();
      await Promise.allSettled(open);
      own.release();
    },
  };
}

interface CallOfServer {
  readonly toolCallId: string;
  /** The signal of the call, which may end before its turn. */
  readonly signal: AbortSignal;
}

/** The turn as seen by one call: it writes to the same log, and stops with the call. */
function turnUnder(turn: Turn, signal: AbortSignal): Turn {
  const check = (): void => {
    turn.log.check();
    if (signal.aborted) throw new AppError('cancelled', 'Its call has ended.');
  };
  const append: Turn['log']['append'] = async (event) => {
    check();
    return turn.log.close(event);
  };
  return { ...turn, signal, abort: () => undefined, log: { ...turn.log, check, append } };
}

function actionOf(answer: ApprovalAnswer): Exclude<FormAnswer['action'], 'accept'> {
  return answer === 'nobody' ? 'cancel' : 'decline';
}

function isWebAddress(url: string): boolean {
  const { protocol } = URL.parse(url) ?? {};
  return url.length <= longestUrl && (protocol === 'https:' || protocol === 'http:');
}
