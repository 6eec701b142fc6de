import type { EventOf } from '@shared/events/events.ts';
import { spendingLimitNames } from '../../money/limit-names.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { seenName } from '@shared/text/seen-text.ts';

/** Why the next call was not made, in one line, with its figures. */
export function describeReachedCap({
  scope,
  limitUsd,
  spentUsd,
  heldUsd,
  worstUsd,
  model,
}: EventOf<'cap-reached'>): string {
  const limit = `limit of ${moneyText(limitUsd)} ${spendingLimitNames[scope]}`;
  if (worstUsd === null) return `the price of ${seenName(model)} is unknown, so the ${limit} cannot be checked`;
  const held = heldUsd > 0 ? ` and ${moneyText(heldUsd)} is reserved` : '';
  return `the next call could exceed your ${limit}: ${moneyText(spentUsd)} is spent${held}, and even a short answer of ${seenName(model)} could cost ${moneyText(worstUsd)}`;
}
