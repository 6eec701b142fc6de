import type { MoneyState } from '@shared/money/session-money.ts';
import { totalCostUsd } from '@shared/money/session-money.ts';
import type { Usage } from '@shared/money/token-cost.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import { changeStatus } from '@shared/session/file-change-state.ts';
import type { ChildChange } from '../../tools/agents/child-agents.ts';
import { showChanges } from '../changes/undo-and-take.ts';
import type { Journal } from '../journal/journal.ts';

/** The changes in a child's copy that were neither taken nor undone. */
export function changesOf(journal: Pick<Journal, 'state'>): readonly ChildChange[] {
  return journal
    .state()
    .changes.filter((change) => changeStatus(change) === 'pending')
    .map(({ path, before, after, added, removed }) => ({ path, before, after, added, removed }));
}

/** The same changes as a diff that a model can read. */
export async function diffOf(journal: Parameters<typeof showChanges>[0]): Promise<string> {
  const shown = (await showChanges(journal)).filter(({ state }) => state === 'open');
  return shown.map(({ path, kind, diff, note }) => diff ?? `${path}: ${kind} (${note ?? 'no diff'})`).join('\n');
}

/** What a run of a child used and cost: the totals of its log minus those before the run. */
export function spentSince(
  before: MoneyState,
  after: MoneyState,
): { readonly costUsd: number | null; readonly usage: Usage; readonly tokens: number } {
  const [start, end] = [before.usage, after.usage];
  const usage: Usage = {
    freshInput: end.freshInput - start.freshInput,
    cacheRead: end.cacheRead - start.cacheRead,
    cacheWrite: end.cacheWrite - start.cacheWrite,
    output: end.output - start.output,
    reasoning: end.reasoning - start.reasoning,
    estimated: end.estimated,
  };
  const [had, has] = [totalCostUsd(before) ?? before.costUsd, totalCostUsd(after)];
  return { costUsd: has === null ? null : Math.max(0, has - had), usage, tokens: promptTokensOf(usage) + usage.output };
}
