import { aboutUsd, moneyText, roundMoneyText } from '@shared/money/money-text.ts';
import type { Role } from '@shared/routing/routing.ts';
import type { Choice } from './choose-by-score.ts';
import { byScore } from './choose-by-score.ts';
import type { ChoiceFacts, ModelOption, Verdict } from './define.ts';
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
  const place = role === null || role === 'plan' ? 'own' : (facts.numbers.roles?.[role] ?? 'own');
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
  plan: 'A plan',
  context: 'A search',
  edit: 'An edit',
  answer: 'An answer',
  summary: 'A summary',
  title: 'A title',
};

/**
 * L1: who plans. In a turn that only plans, that model works. In a turn that works, the strongest cloud model writes a
 * plan from a handoff before the first step, and the strongest local model does the work by it. Null: the score decides,
 * because the role says so, nobody may plan, nobody here drives the loop, or the cloud had to take over.
 */
export function byPlanRole(facts: ChoiceFacts, { open }: Choice): Verdict | null {
  const { purpose, numbers, task, trajectory, isRecipeChecked } = facts;
  const place = numbers.roles?.plan;
  if (place === undefined || place === 'score' || trajectory.takeovers > 0) return null;
  const drives = ({ strategy, canDrive }: ModelOption): boolean => strategy === 'loop' && canDrive;
  const local = open.findLast((option) => option.info.where === 'local' && drives(option));
  const planner = open.findLast((option) => option.info.where === 'cloud' && drives(option));
  if (purpose === 'plan') {
    const chosen = place === 'local' ? local : planner;
    if (chosen === undefined) return null;
    return { chosen, layer: 'L1', code: 'role', text: `Plans are made by ${chosen.info.label}, as your roles say.` };
  }
  if (place !== 'cloud' || purpose !== 'act' || task.isQuestion || planner === undefined) return null;
  const recipe = open.find(({ info, strategy }) => info.where === 'local' && strategy === 'recipe');
  if (isRecipeChecked && recipe !== undefined && trajectory.steps === 0) {
    const text = 'Tests judge each try here, so no plan is needed yet.';
    return { chosen: recipe, layer: 'L1', code: 'role', text };
  }
  if (local === undefined) return null;
  if (trajectory.isPlanned) {
    const text = `${local.info.label} works by the plan of ${planner.info.label}.`;
    return { chosen: local, layer: 'L2', code: 'role', text };
  }
  if (trajectory.steps > 0) return null;
  const text = `${planner.info.label} plans, and ${local.info.label} does the work.`;
  return { chosen: local, layer: 'L1', code: 'plan', text, adviser: planner };
}

/**
 * Says so where the cloud model itself works although the roles let it only plan: no model here may drive the loop, so
 * none could work by a plan.
 */
export function notePlanRole({ purpose, numbers, task, trajectory }: ChoiceFacts, verdict: Verdict): Verdict {
  const isAsked = numbers.roles?.plan === 'cloud' && purpose === 'act' && !task.isQuestion;
  if (!isAsked || trajectory.steps > 0 || verdict.chosen?.info.where !== 'cloud') return verdict;
  return { ...verdict, text: `No model on this machine may work by a plan, as your roles say it. ${verdict.text}` };
}

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
  if (cents === 0) return moneyText(aboutUsd(usd));
  return cents < 100 ? `${cents} cent${cents === 1 ? '' : 's'}` : roundMoneyText(usd);
}
