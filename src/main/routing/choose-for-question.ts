import type { Role } from '@shared/routing/routing.ts';
import type { Choice } from './choose-by-score.ts';
import { byScore, money } from './choose-by-score.ts';
import type { ChoiceFacts, Verdict } from './define.ts';
import { reviewWorthUsd } from './weigh-options.ts';

/**
 * L2: a question outside the conversation goes to the model of its role. A question that failed with a stronger model
 * does not return to it.
 */
export function byRole(facts: ChoiceFacts, choice: Choice): Verdict {
  const { open } = choice;
  const own = open.find(({ info }) => info.id === facts.driver);
  if (own === undefined) return byScore(facts, choice);
  const role = roleOf[facts.purpose];
  const place = role === null ? 'own' : (facts.numbers.roles?.[role] ?? 'own');
  const what = role === null ? 'This' : roleNames[role];
  const local = open.find(({ info }) => info.where === 'local');
  if (place === 'local' && local !== undefined) {
    return { chosen: local, layer: 'L2', code: 'role', text: `${what} goes to ${local.info.label} in this profile.` };
  }
  if (place === 'score' && own === open[0]) return byScore(facts, choice);
  const text = `${what} stays with the model that works on the task.`;
  return { chosen: own, layer: 'L2', code: 'role', text };
}

const roleOf: Readonly<Record<ChoiceFacts['purpose'], Role | null>> = {
  act: null,
  plan: null,
  locate: 'context',
  choose: 'context',
  propose: 'edit',
  answer: 'answer',
  summarize: 'summary',
  title: 'title',
  advise: null,
  review: null,
  sample: null,
  embed: null,
};

const roleNames: Readonly<Record<Role, string>> = {
  context: 'A search',
  edit: 'An edit',
  answer: 'An answer',
  summary: 'A summary',
  title: 'A title',
};

/** L4: whether a cloud model reviews work that was done locally. Choosing the local model means no review. */
export function chooseReviewer(facts: ChoiceFacts, { open, compared }: Choice): Verdict {
  const local = open.find(({ info }) => info.where === 'local') ?? null;
  const reviewer = open.findLast(({ info }) => info.where === 'cloud') ?? null;
  const most = facts.numbers.reviews ?? 0;
  const no = (code: string, text: string): Verdict => ({ chosen: local, layer: 'L4', code, text });
  if (reviewer === null) return no('local-first', 'No stronger model may review it.');
  if (facts.trajectory.reviews >= most) return no('reviews-spent', `The limit of ${most} reviews is reached.`);
  const costUsd = compared.weighed(reviewer).costUsd;
  if (costUsd === null) return no('unpriced', `${reviewer.info.label} has no known price.`);
  const worthUsd = reviewWorthUsd(facts, compared.scoreOf(reviewer)?.gain ?? 0);
  if (worthUsd <= costUsd)
    return no(
      'review-dear',
      `A check by ${reviewer.info.label} costs about ${about(costUsd)}, more than it is likely to save.`,
    );
  const who = local?.info.label ?? 'The model';
  const what = facts.isDoubtful === true ? 'The result is doubtful' : `${who} says that it is done`;
  const text = `${what}. A check by ${reviewer.info.label} costs about ${about(costUsd)} and may save a retry.`;
  return { chosen: reviewer, layer: 'L4', code: 'review', text };
}

/** An expected cost in words: cents say more than digits that nobody knows. */
function about(usd: number): string {
  const cents = Math.round(usd * 100);
  if (cents === 0) return 'a fraction of a cent';
  return cents < 100 ? `${cents} cent${cents === 1 ? '' : 's'}` : money(usd);
}
