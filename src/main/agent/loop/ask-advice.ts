import type { Stage } from '@shared/models/model-info.ts';
import type { ModelOption } from '../../routing/define.ts';
import { readChangesOverview } from '../gate/changes-overview.ts';
import { handoffSummary } from '../prompt/handoff-summary.ts';
import { promptTexts } from '../prompt/prompt-texts.ts';
import { askCloudModel } from '../step/ask-cloud-model.ts';
import { resolveModel } from '../turn/agent-dependencies.ts';
import type { TaskWork } from '../turn/task-work.ts';
import { noteForModel } from './note-for-model.ts';

type Wanted = 'advice' | 'plan';

interface WantedWords {
  /** Of the notices with what was said, and without. */
  readonly said: string;
  readonly failed: string;
  readonly system: string;
  readonly maxTokens: number;
  /** What the model that works reads before it. */
  readonly opening: string;
  /** For the person: why it is asked. */
  readonly why: (working: string, asked: string) => string;
}

const wantedWords: Readonly<Record<Wanted, WantedWords>> = {
  advice: {
    said: 'advice',
    failed: 'advice-failed',
    system: promptTexts.advise,
    maxTokens: 500,
    opening: 'Advice of a stronger model that has seen what you did:',
    why: (working, asked) => `${working} makes no progress, so ${asked} gives advice.`,
  },
  plan: {
    said: 'plan-made',
    failed: 'plan-failed',
    system: promptTexts.planAhead,
    maxTokens: 700,
    opening: 'The plan of a stronger model that has not seen the files. Work by it where it fits what you find:',
    why: (working, asked) => `${asked} plans, and ${working} does the work.`,
  },
};

/**
 * Asks a stronger model for advice or a plan, with a handoff instead of the whole conversation: this costs a few cents,
 * while a takeover reads everything. Its words go into the conversation. If the model could not be asked, the log says
 * so.
 */
export async function askAdvice({ turn, current }: TaskWork, { info }: ModelOption, wanted: Wanted): Promise<void> {
  const { said, failed, system, maxTokens, opening, why } = wantedWords[wanted];
  const model = resolveModel(turn.dependencies, info);
  const missing = `No ${wanted} was available:`;
  if (model === null) return noteForModel(turn, failed, `${missing} ${info.label} is gone.`);
  const text = why(current?.info.label ?? 'The model', info.label);
  const stage: Stage = { strategy: 'loop', model: info.id, where: info.where };
  const handoff = handoffSummary(turn, await readChangesOverview(turn));
  const question = { purpose: 'advise', reason: { code: wanted, text }, system, handoff, maxTokens } as const;
  const answer = await askCloudModel(turn, { stage, model }, question);
  if (answer.type === 'said') return noteForModel(turn, said, `${opening}\n${answer.text}`);
  return noteForModel(turn, failed, `${missing} ${answer.why}`);
}
