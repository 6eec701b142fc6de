import type { CapScope } from '@shared/events/approval-events.ts';
import { moneyText } from '@shared/money/money-text.ts';
import type { SpendingLimit } from '@shared/money/spending-limit.ts';

/** What a spending limit is for. */
export const spendingLimitNames: Readonly<Record<CapScope, string>> = {
  step: 'for one step',
  task: 'for this task',
  session: 'for this session',
  project: 'for this project',
  day: 'for today',
  month: 'for this month',
};

/** A spending limit with what is spent under it: "$0.0180 of $0.0200 for this task". */
export function limitText({ scope, limitUsd, spentUsd }: SpendingLimit): string {
  return `${moneyText(spentUsd)} of ${moneyText(limitUsd)} ${spendingLimitNames[scope]}`;
}
