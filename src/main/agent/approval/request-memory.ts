import { z } from 'zod';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ProposedLine } from '@shared/projects/memory-proposal.ts';
import { keptProposal, lineToKeep, proposalForm } from '@shared/projects/memory-proposal.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { hideSecrets } from '../../lib/secrets/secret-patterns.ts';
import { sha256Of } from '../../lib/sha256.ts';
import { fencedIn } from '../../safety/fenced-text.ts';
import type { ProposeLine } from '../../tools/define.ts';
import { isSmall } from '../prompt/build-prompt.ts';
import type { ActionResult } from '../turn/take-action.ts';
import { takeAction } from '../turn/take-action.ts';
import type { TurnEnd } from '../turn/turn-baseline.ts';
import type { Turn } from '../turn/turn.ts';
import { askForm } from './request-approval.ts';

/**
 * Asks the person whether to keep a line that a model proposes, with question and answer in the log, and keeps what the
 * person said yes to. Only the person's own yes counts, whatever `--approve` says.
 */
export function memoryProposal(turn: Turn, toolCallId: string): ProposeLine {
  return async (proposed) => {
    const { memory } = turn.dependencies.project;
    const { text } = proposed;
    if ((await memory.lines()).some((line) => line.text === text)) return { type: 'known' };
    const why = await whyUnfit(turn, text);
    if (why !== null) return { type: 'unfit', why };
    const hasProject = turn.given.mode !== 'chat' || turn.dependencies.journal.state().projectPath !== null;
    const isAfterOutside = await memory.hasReadOutside();
    const {
      answer,
      values,
      isSettled = false,
    } = await askForm(turn, {
      kind: 'memory',
      subject: proposed.isTestCommand ? 'A test command' : 'A line for the memory',
      reason: reasonFor(proposed, isAfterOutside),
      toolCallId,
      shown: { sha256: sha256Of(text), text, diff: null },
      form: proposalForm(proposed, hasProject),
    });
    // A standing no is not the person's: nobody was asked.
    if (answer !== 'allow') return { type: answer === 'nobody' || isSettled ? 'nobody' : 'declined' };
    const kept = keptProposal(values ?? {});
    if (kept === null) return { type: 'declined' };
    await memory.keep({ ...kept, isAfterOutside });
    return { type: 'kept', ...kept };
  };
}

const keptResult = z.object({ text: z.string(), isKept: z.boolean() });

/**
 * Asks about the line of a message that wants nothing but to be remembered. No model is called: a small one proposes
 * nothing, and would answer beside the point. Only for a turn that may propose lines. Null: the message says more, or a
 * large model works on it.
 */
export async function keepWhatWasSaid(turn: Turn, model: ModelInfo | null): Promise<TurnEnd | null> {
  const isAsked = turn.options.mode !== 'plan' && (model === null || isSmall(model));
  const line = isAsked ? lineToKeep(turn.task) : null;
  if (line === null) return null;
  const run = async (toolCallId: string): Promise<ActionResult<z.infer<typeof keptResult>>> => {
    const said = await memoryProposal(turn, toolCallId)({ text: line, of: 'project', isTestCommand: false });
    const data = { text: wordsFor(said, line), isKept: said.type === 'kept' };
    return { status: said.type === 'unfit' ? 'error' : 'ok', output: data.text, data };
  };
  const label = `propose: ${shortenText(line, 200)}`;
  const action = { tool: 'propose_memory', label, input: { line }, run };
  const { text } = await takeAction(turn, action, (data) => keptResult.parse(data));
  return { reason: 'answered', text, confidence: null, failure: null };
}

function wordsFor(said: Awaited<ReturnType<ProposeLine>>, line: string): string {
  switch (said.type) {
    case 'kept':
      return `Noted: ${said.text}`;
    case 'known':
      return `It is noted already: ${line}`;
    case 'unfit':
      return `Nothing was noted. ${said.why}`;
    case 'declined':
      return 'Nothing was noted.';
    case 'nobody':
      return `Nobody was asked, so nothing was noted. To note it, run \`dewpoint memory add "LINE"\`.`;
    default:
      return said satisfies never;
  }
}

/** Why a line may not be kept; null: it may. */
async function whyUnfit({ dependencies: { fences }, signal }: Turn, text: string): Promise<string | null> {
  if (/\[redacted:[^\]\n#]{1,80}#[0-9a-f]{6}\]/u.test(text) || hideSecrets(text).kinds.length > 0)
    return 'The line holds a secret, which no memory keeps.';
  // It would go into other tasks, where nobody knows any more what it was built from.
  return (await fencedIn(fences, text, signal)).hits.length > 0
    ? 'This session has read restricted content, so it proposes no line for other tasks.'
    : null;
}

const outsideMark =
  'It comes after text from outside the project was read, such as a web page or the answer of a tool server. Somebody else may be behind it.';

function reasonFor({ isTestCommand }: ProposedLine, isAfterOutside: boolean): string {
  return [
    isTestCommand
      ? "As the project's test command, checks and test runs use it, and no prompt pays for it."
      : 'Agents are told it in later tasks.',
    ...(isAfterOutside ? [outsideMark] : []),
  ].join('\n');
}
