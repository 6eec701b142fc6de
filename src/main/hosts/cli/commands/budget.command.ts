import { hasNoFolder } from '@shared/projects/project-keys.ts';
import type { CapChange, CapView } from '@shared/contract/budget-contract.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { capScopeSchema } from '@shared/events/approval-events.ts';
import { requireFolder } from '../checks/require-folder.ts';
import { keyOfWord } from './projects/named-project.ts';
import type { Command } from '../../text/command-context.ts';
import { usageError } from '../../text/report-failure.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine, table } from '../../text/terminal.ts';

export type BudgetAction = 'show' | CapChange['how'];

export interface BudgetArguments {
  readonly project?: string;
  readonly json?: boolean;
}

const names = {
  step: 'one step',
  task: 'one task',
  session: 'one session',
  project: 'a project',
  day: 'today',
  month: 'this month',
} as const satisfies Readonly<Record<CapView['scope'], string>>;
const scopes = capScopeSchema.options;

/** Shows the spending limits, or changes one. */
export const budget: Command<[BudgetAction, readonly string[], BudgetArguments]> = async (
  { core, terminal },
  action,
  [name = '', amount = ''],
  args,
) => {
  const projectPath = args.project === undefined ? null : await keyOfWord(core, args.project);
  if (action === 'show') return show(await (await core()).budget.show({ projectPath }), args, terminal);
  const scope = scopes.find((one) => one === name);
  if (scope === undefined) throw usageError(`A spending limit is for one of ${scopes.join(', ')}, not "${name}".`);
  if (projectPath !== null && scope !== 'project')
    throw usageError('--project can be used only with the limit "project".');
  if (projectPath !== null && !hasNoFolder(projectPath)) await requireFolder(projectPath);
  const change = changeOf(action, amount);
  return show(await (await core()).budget.change({ scope, projectPath, change }), args, terminal);
};

function changeOf(how: CapChange['how'], amount: string): CapChange {
  if (how === 'set' && amount.toLowerCase() === 'none') return { how, usd: null };
  const usd = Number(amount.replace(/^\$/u, ''));
  const isRight = amount.trim() !== '' && Number.isFinite(usd) && (how === 'set' ? usd >= 0 : usd > 0);
  if (!isRight) throw usageError(`"${amount}" is not an amount in dollars, such as 2.50.`);
  return { how, usd };
}

function show(caps: readonly CapView[], { json }: BudgetArguments, terminal: Terminal): number {
  if (json === true) terminal.out(jsonLine(caps));
  else
    for (const line of table([['limit for', 'limit', 'spent', 'left', ''], ...caps.map(cells)]))
      terminal.out(`${line}\n`);
  return 0;
}

function cells({ scope, limitUsd, isOwn, raisedUsd, spentUsd, heldUsd }: CapView): readonly string[] {
  const name = isOwn ? 'this project' : names[scope];
  if (limitUsd === null) return [name, 'none', '', '', ''];
  const held = heldUsd ?? 0;
  const left = spentUsd === null ? '' : moneyText(Math.max(0, limitUsd - spentUsd - held));
  const notes = [
    ...(raisedUsd > 0 ? [`${moneyText(raisedUsd)} of it added at the limit`] : []),
    ...(held > 0 ? [`${moneyText(held)} reserved for running calls`] : []),
  ];
  return [name, moneyText(limitUsd), spentUsd === null ? '' : moneyText(spentUsd), left, notes.join('; ')];
}
