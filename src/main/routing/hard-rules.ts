import { leastOutputTokens } from './fitting-output.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { worstCostOf } from '@shared/money/token-cost.ts';
import { usualOutput } from './usual-steps.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Denial, ChoiceFacts, ModelOption, SpentOption } from './define.ts';

/**
 * L0: why an option is excluded, whatever its score; null: it is not. The order makes the most important reason the
 * first: fences, the policy, the budget, capabilities and context size, pins, the network, and what gave up already.
 */
export function hardDenial(option: ModelOption, facts: ChoiceFacts): Denial | null {
  return (
    fenceDenial(option, facts) ??
    policyDenial(option, facts) ??
    budgetDenial(option, facts) ??
    capabilityDenial(option, facts) ??
    windowDenial(option, facts) ??
    pinDenial(option, facts) ??
    networkDenial(option, facts) ??
    spentDenial(option, facts)
  );
}

/** Whether only the context size is in the way. Then the conversation can be shortened. */
export function isOnlyTooLong(option: ModelOption, facts: ChoiceFacts): boolean {
  return hardDenial({ ...option, promptTokens: 0, maxOutputTokens: 0 }, facts) === null;
}

/** Whether only money is in the way. Then the user may be asked. */
export function isOnlyOverBudget(option: ModelOption, facts: ChoiceFacts): boolean {
  return (
    hardDenial(option, { ...facts, budgetLeftUsd: null, trajectory: { ...facts.trajectory, isCapped: false } }) === null
  );
}

/** The user is asked about a fence only if the work needs the cloud, not for an advantage. */
function fenceDenial({ info }: ModelOption, facts: ChoiceFacts): Denial | null {
  const { taint, shut } = facts;
  if (info.where === 'local') return null;
  // The reason that stopped a call before is more precise.
  if (shut !== null) return shut;
  const kept = taint.find(({ verdict }) => verdict === 'local-only');
  const hit = kept ?? (needsCloud(facts) ? undefined : taint.find(({ verdict }) => verdict === 'ask'));
  if (hit === undefined) return null;
  const what = hit.path === null ? `content restricted by "${hit.rule}"` : `${hit.path} (${hit.rule})`;
  const how =
    kept === undefined ? 'which needs your approval before it leaves this machine' : 'which stays on this machine';
  return { code: 'fence', text: `The conversation contains ${what}, ${how}.` };
}

function needsCloud({ trouble, trajectory, numbers, pin }: ChoiceFacts): boolean {
  return trouble !== null || trajectory.consecutiveFailures >= numbers.consecutiveFailures || pin?.where === 'cloud';
}

/** A local model that is the only option was put there at a spending limit or a fence. */
function policyDenial({ info }: ModelOption, { policy, options }: ChoiceFacts): Denial | null {
  if (policy === 'local' && info.where === 'cloud') return { code: 'policy', text: 'The policy is local only.' };
  if (policy === 'cloud' && info.where === 'local' && hasChoice(options))
    return { code: 'policy', text: 'The policy is cloud only.' };
  return null;
}

/**
 * A turn in progress stays in the cloud: at its limit, the user's answer decides. A new turn belongs to no model yet,
 * whichever worked on the last one.
 */
function budgetDenial({ info, promptTokens, maxOutputTokens }: ModelOption, facts: ChoiceFacts): Denial | null {
  const { trajectory, budgetLeftUsd } = facts;
  if (info.where === 'local') return null;
  if (trajectory.isCapped) return { code: 'budget', text: 'A spending limit was reached.' };
  if (budgetLeftUsd === null || (trajectory.steps > 0 && trajectory.last?.model === info.id)) return null;
  // `runStep` shortens an answer that does not fit, so only the shortest useful one counts here.
  const recorded = usualOutput(facts.numbers.priors?.[info.id]?.[facts.purpose]);
  const usual = trajectory.models[info.id]?.outputTokens ?? recorded;
  const worst = worstCostOf(promptTokens, leastOutputTokens(info, usual, maxOutputTokens), info.price);
  if (worst === null)
    return { code: 'budget', text: `${info.label} has no known price, and there is a spending limit.` };
  if (worst <= budgetLeftUsd) return null;
  const left = moneyText(Math.max(0, budgetLeftUsd));
  const cap = facts.budgetCap === undefined ? '' : ` of the limit ${facts.budgetCap}`;
  const text = `Even a short call could cost ${moneyText(worst)}, and ${left} is left${cap}.`;
  return { code: 'budget', text };
}

function capabilityDenial({ info, canDrive, strategy }: ModelOption, { needs }: ChoiceFacts): Denial | null {
  if (needs.images && info.capabilities.images !== true) {
    return { code: 'capability', text: `${info.label} does not support images.` };
  }
  if (strategy === 'recipe' && !canDrive) {
    return { code: 'capability', text: `${info.label} did not pass the probe for recipes.` };
  }
  if (strategy === 'loop' && !canDrive) {
    return { code: 'capability', text: `${info.label} did not pass the probe for the free loop.` };
  }
  return null;
}

/**
 * A conversation that does not fit is not moved, because a part would be lost. The model that already has it makes
 * room.
 */
function windowDenial(
  { info, promptTokens, maxOutputTokens }: ModelOption,
  { trajectory, options }: ChoiceFacts,
): Denial | null {
  if (trajectory.last?.model === info.id || !hasChoice(options)) return null;
  if (promptTokens + maxOutputTokens <= info.contextTokens) return null;
  const text = `The prompt has ${promptTokens} tokens, but the context of ${info.label} holds only ${info.contextTokens}.`;
  return { code: 'context-fit', text };
}

function pinDenial({ info }: ModelOption, { pin }: ChoiceFacts): Denial | null {
  return pin === null || pin.where === info.where ? null : { code: 'pin', text: pin.text };
}

/** What gave up in this turn is not tried again. */
function spentDenial(option: ModelOption, { spent }: ChoiceFacts): Denial | null {
  const found = spentIn(spent, option);
  return found === undefined ? null : { code: 'gave-up', text: found.text };
}

/** How this way gave up in this turn; undefined: it did not. */
export function spentIn(
  spent: ChoiceFacts['spent'],
  { info, strategy }: Pick<ModelOption, 'info' | 'strategy'>,
): SpentOption | undefined {
  return spent.find((one) => one.model === info.id && (one.strategy === null || one.strategy === strategy));
}

/** With the policy cloud and no other service, not trying would gain nothing. */
function networkDenial({ info }: ModelOption, facts: ChoiceFacts): Denial | null {
  const isAlone = facts.policy === 'cloud' && !hasOtherService(info, facts);
  if (info.where === 'local' || isAlone || !isServiceAway(info, facts)) return null;
  return { code: 'offline', text: `${info.label} cannot be reached: the network or ${info.provider} is down.` };
}

function hasOtherService({ provider }: ModelInfo, facts: ChoiceFacts): boolean {
  return facts.options.some(
    ({ info }) => info.where === 'cloud' && info.provider !== provider && !isServiceAway(info, facts),
  );
}

function isServiceAway(
  { provider }: Pick<ModelInfo, 'provider'>,
  { trajectory, numbers, now }: Pick<ChoiceFacts, 'trajectory' | 'numbers' | 'now'>,
): boolean {
  const known = trajectory.services[provider];
  if (known === undefined || known.failures < numbers.offlineAfter) return false;
  // A clock that was set back must not extend the wait.
  return Math.abs(now - known.at) < numbers.offlineSeconds * 1000;
}

/** Whether more than one model may be chosen. */
export function hasChoice(options: readonly Pick<ModelOption, 'info'>[]): boolean {
  return options.some(({ info }) => info.id !== options[0]?.info.id);
}
