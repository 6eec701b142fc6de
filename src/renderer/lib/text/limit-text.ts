import type { SpendingLimit } from '@shared/money/spending-limit.ts';
import { money } from './format.ts';
import { t } from './translate.ts';

/** A spending limit with what is spent under it, the same wherever one is shown: "$0.0180 of $0.0200 for this task". */
export function limitText({ scope, limitUsd, spentUsd }: SpendingLimit): string {
  return t('money.ofLimit', { spent: money(spentUsd), limit: money(limitUsd), scope: t(`cap.scope.${scope}`) });
}
