import type { KeptHere } from '@shared/routing/routing.ts';
import type { ChoiceFacts, ModelOption, Verdict } from './define.ts';
import { leastTasks } from './record/bound-harm.ts';
import { OVER_PACE } from './record/pace-of-month.ts';
import type { Score } from './weigh-options.ts';

interface Pair {
  readonly base: ModelOption;
  readonly rival: ModelOption;
  readonly score: Score | null;
}

/**
 * L1: where the record of this machine says how often work with the first model ends worse than in the cloud, the
 * person's dial decides and no price does. Null: that is not known yet, so value and price decide.
 */
export function byRecord(facts: ChoiceFacts, { base, rival, score }: Pair): Verdict | null {
  const kept = keptIn(facts, base);
  if (kept === null || score === null || rival.info.where === 'local') return null;
  const { tasks, harms, upTo, bound, limit } = kept;
  const where = kept.scope === 'project' ? 'in this project' : 'on this machine';
  if (bound !== null && upTo !== null && (upTo === 1 || score.failsByVotes < upTo)) {
    const text = `${base.info.label} starts: at most ${rateText(bound)} end worse than in the cloud, with 95% certainty from ${tasks} judged tasks ${where}. You allow ${rateText(limit)}.`;
    const otherwise = `${rival.info.label}, if ${base.info.label} gets stuck.`;
    return { chosen: base, layer: 'L1', code: 'kept', text, otherwise };
  }
  // By the estimate, the stronger model must help, too. A record alone does not say that it would.
  if ((!kept.isTooMuch && upTo === null) || score.gain <= limit) return null;
  const why =
    upTo === null
      ? `${harms} of ${tasks} judged tasks failed ${where}, and you allow ${rateText(limit)} to end worse than in the cloud`
      : `such tasks fail here more often than those that stay within the ${rateText(limit)} that you allow`;
  if ((facts.numbers.pace ?? 1) >= OVER_PACE) {
    const text = `${base.info.label} starts, although ${why}: this month's spending limit is used faster than it lasts.`;
    return { chosen: base, layer: 'L1', code: 'pace', text };
  }
  return { chosen: rival, layer: 'L1', code: 'harm', text: `${rival.info.label} does it: ${why}.` };
}

/** What the record cannot say yet, as one more sentence. Empty: nobody asked, or the task is under way. */
export function openQuestion(facts: ChoiceFacts, base: ModelOption): string {
  const kept = keptIn(facts, base);
  if (kept === null || kept.upTo !== null) return '';
  const least = leastTasks(kept.limit);
  const what = `How often that ends worse than in the cloud is not known yet`;
  return kept.tasks < least
    ? ` ${what}: ${kept.tasks} of at least ${least} judged tasks.`
    : ` ${what}: ${kept.harms} of ${kept.tasks} judged tasks failed, too many to be sure of ${rateText(kept.limit)}.`;
}

/** Only at the start of a task, and for the model that the record is about. */
function keptIn({ numbers: { kept }, trajectory, purpose }: ChoiceFacts, base: ModelOption): KeptHere | null {
  const isStart = trajectory.steps === 0 && (purpose === 'act' || purpose === 'plan');
  return isStart && kept?.model === base.info.id ? kept : null;
}

/** A rate as people say it, rounded to the careful side: "1 in 12". */
function rateText(rate: number): string {
  return `1 in ${Math.max(1, Math.floor(1 / Math.max(rate, 1e-6) + 1e-9))} tasks`;
}
