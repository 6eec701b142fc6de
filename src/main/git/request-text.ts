import { totalCostUsd, type MoneyState } from '@shared/money/session-money.ts';
import type { SessionState } from '@shared/session/session-state.ts';
import { moneyText } from '@shared/money/money-text.ts';

/** What was done, whether tests pass, what it cost and where it was made, as the description of a request. */
export function requestText(state: SessionState, money: MoneyState): string {
  const turn = state.turns.findLast(({ reason }) => reason !== null);
  const words = (turn?.text ?? '').trim();
  const rows = [
    `- Task: ${state.title.split('\n', 1)[0] ?? ''}`,
    `- Tests: ${testsOf(turn)}`,
    `- Made by: ${modelsOf(money)}`,
    `- Cost: ${costOf(money)}`,
  ];
  return [
    ...(words === '' ? [] : [words, '']),
    '### How this was made',
    '',
    ...rows,
    '',
    'Made with Dewpoint. A person started the work and approved this request.',
  ].join('\n');
}

function testsOf(turn: SessionState['turns'][number] | undefined): string {
  if (turn?.check === undefined || turn.check === null || turn.after === null) return 'not run';
  const now = turn.after.passed ? 'pass' : 'fail';
  const before = turn.before === null ? '' : turn.before.passed ? ', and passed before' : ', and failed before';
  return `\`${turn.check.command.replaceAll('`', "'")}\` ${now === 'pass' ? 'passes' : 'fails'}${before}`;
}

function modelsOf({ byModel, local, cloud }: MoneyState): string {
  const names = Object.keys(byModel).join(', ');
  if (names === '') return 'no model';
  const where =
    cloud.calls === 0
      ? 'on the local machine'
      : local.calls === 0
        ? 'in the cloud'
        : 'on the local machine and in the cloud';
  return `${names}, ${where}`;
}

function costOf(money: MoneyState): string {
  return moneyText(totalCostUsd(money));
}
