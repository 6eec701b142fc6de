import type { RunOptions } from '@shared/session/run-options.ts';
import type { RunResult } from '@shared/session/run-result.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import { decodeSpeedOf } from '@shared/session/step-speeds.ts';
import { seenName } from '@shared/text/seen-text.ts';
import { modeOfText } from '@shared/text/task-mode.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import { askApproval } from '../questions/approval-question.ts';
import { howToAnswer } from '../questions/ask-answer.ts';
import { askCap } from '../questions/cap-question.ts';
import { createLiveView } from '../terminal/live-view.ts';
import type { CommandContext } from '../../text/command-context.ts';
import type { TurnToFollow } from '../../text/follow-turn.ts';
import { followTurn } from '../../text/follow-turn.ts';
import { reportFailure, usageError } from '../../text/report-failure.ts';
import { showResult } from '../../text/result-text.ts';
import { shownCurrency } from '../../text/shown-currency.ts';
import { jsonLine } from '../../text/terminal.ts';

/** As in the window: more answers are hard to compare. */
const mostAsked = 4;

interface Asked {
  readonly also: readonly string[];
  readonly text: string;
  readonly options: RunOptions;
}

/**
 * The options of each model that is asked the same question, the one of the message first. Throws a usage error for
 * what is no question: work on the same files would get into its own way. Nothing has started.
 */
export async function waysToAsk(
  context: CommandContext,
  { also, text, options }: Asked,
): Promise<readonly RunOptions[]> {
  if (also.length === 0) return [options];
  if (also.length >= mostAsked) throw usageError(`At most ${mostAsked} models are asked at once.`);
  const { policy: _policy, local: _local, cloud: _cloud, modelOrder: _modelOrder, ...others } = options;
  const core = await context.core();
  const session = options.sessionId === undefined ? null : await core.sessions.find({ id: options.sessionId });
  if (session !== null && session.status !== 'idle')
    throw usageError('A task is running in this session.', 'Ask several models when it has ended.');
  const hasFiles = (session?.projectPath ?? options.projectPath ?? null) !== null;
  if ((options.mode ?? modeOfText(text, hasFiles)) !== 'ask')
    throw usageError(
      'Only questions go to several models at once.',
      options.mode === undefined
        ? 'If this is a question, add --mode ask. For work on files: dewpoint compare'
        : 'For work on files: dewpoint compare',
    );
  const ways = also.map(async (id): Promise<RunOptions> => {
    // The check before the start says more about a model that does not exist.
    const shown = await core.models.show({ id }, { signal: context.signal }).catch(() => null);
    const isCloud = shown?.where === 'cloud';
    return isCloud ? { ...others, policy: 'cloud', cloud: id } : { ...others, policy: 'local', local: id };
  });
  return [options, ...(await Promise.all(ways))];
}

/** What goes with a run and not with a question to several models. */
export function refuseWithOthers(typed: Readonly<Record<string, unknown>>): void {
  for (const name of ['check', 'issue', 'result', 'saveCalls'] as const) {
    const flag = name === 'saveCalls' ? '--save-calls' : `--${name}`;
    if (typed[name] !== undefined)
      throw usageError(`${flag} does not go with --also. It belongs to the work of one model.`);
  }
}

interface Question extends Pick<TurnToFollow, 'sessionId' | 'isFirst' | 'text' | 'attachments'> {
  readonly ways: readonly RunOptions[];
  readonly isJson: boolean;
}

/**
 * Asks each model in a branch of the session, one after the other, and shows each answer as it is complete. A model
 * that fails does not stop the others. Resolves with the exit code of the first that is not done.
 */
export async function askEachWay(context: CommandContext, question: Question): Promise<number> {
  const { ways, isJson, ...asked } = question;
  const { sessionId } = asked;
  const { terminal, signal } = context;
  const core = await context.core();
  // A session at work cannot be branched, so all branches come before the first message.
  const places: string[] = [sessionId];
  while (places.length < ways.length)
    places.push((await core.sessions.fork({ sessionId, isBranch: true }, { signal })).sessionId);
  let code = 0;
  for (const [at, options] of ways.entries()) {
    const place = places[at];
    if (signal.aborted || place === undefined) break;
    const ended = await askOne(context, core, { ...asked, sessionId: place, options }).catch(async (error: unknown) =>
      reportFailure(error, terminal),
    );
    if (typeof ended === 'number') {
      code ||= ended;
      continue;
    }
    code ||= exitCodes[ended.status];
    await showAnswer({ context, core }, ended, { at, isJson });
  }
  return signal.aborted ? exitCodes.cancelled : code;
}

async function askOne(
  context: CommandContext,
  core: CoreClient,
  turn: Omit<Question, 'ways' | 'isJson'> & Pick<TurnToFollow, 'options'>,
): Promise<RunResult> {
  const view = createLiveView(context.terminal, context.now);
  try {
    await followTurn(context, core, {
      ...turn,
      onEvent: (event) => view.event(event),
      onTransient: (transient) => view.transient(transient),
      approve: async (asked, signal) => {
        view.close();
        return askApproval(asked, { ...context, signal: AbortSignal.any([context.signal, signal]) });
      },
      onRefused: (error) => void reportFailure(error, context.terminal),
      atCap: (event) => {
        view.close();
        return askCap(event, context);
      },
    });
  } finally {
    view.close();
  }
  return core.sessions.result({ sessionId: turn.sessionId });
}

/** The answer, who gave it, and how fast. */
async function showAnswer(
  { context, core }: { readonly context: CommandContext; readonly core: CoreClient },
  result: RunResult,
  { at, isJson }: { readonly at: number; readonly isJson: boolean },
): Promise<void> {
  const { terminal } = context;
  const { colors } = terminal;
  const { steps } = (await core.sessions.show({ sessionId: result.session })).state;
  const last = steps.findLast(({ end }) => end !== null);
  const perSecond = last?.end ? decodeSpeedOf(last.end) : null;
  const model = last?.model ?? null;
  if (isJson) {
    terminal.out(jsonLine({ model, tokensPerSecond: perSecond, ...result }));
    return;
  }
  terminal.out(`${at === 0 ? '' : '\n'}${colors.bold(model === null ? `model ${at + 1}` : seenName(model))}\n`);
  showResult(result, terminal, { isJson: false, currency: await shownCurrency(core) });
  const speed = perSecond === null ? 'speed unknown' : `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} tokens/s`;
  terminal.err(colors.dim(`${speed}, session ${result.session}\n`));
  if (result.status === 'waiting') terminal.err(`${colors.dim(howToAnswer(result.session, ''))}\n`);
}
