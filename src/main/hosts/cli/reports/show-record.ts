import { type Currency, inBoth } from '@shared/money/currency.ts';
import { moneyText } from '@shared/money/money-text.ts';
import type {
  Expectation,
  ExpectedWay,
  HarmView,
  Judge,
  LearnedReport,
  SolvedShare,
} from '@shared/routing/outcomes.ts';
import { isQuestion } from '@shared/text/task-kind.ts';
import { seenName } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine, pluralize, seconds, table } from '../../text/terminal.ts';
import { projectOfWord } from '../commands/projects/named-project.ts';
import { intervalText } from './interval-text.ts';
import { shownCurrency } from '../../text/shown-currency.ts';

export interface RecordArguments {
  readonly json?: boolean;
  readonly learned?: boolean;
  /** A task. */
  readonly expect?: string;
  readonly forget?: boolean;
  /** A project: its folder, its name or its id. */
  readonly project?: string;
}

/** What was learned about models, what that says about a task, and forgetting it. */
export async function showRecord(client: CoreClient, terminal: Terminal, args: RecordArguments): Promise<number> {
  const projectPath = args.project === undefined ? null : await projectOfWord(async () => client, args.project);
  const isJson = args.json === true;
  if (args.forget === true) {
    const { forgotten } = await client.routing.forget({ projectPath });
    if (isJson) terminal.out(jsonLine({ forgotten }));
    terminal.err(`Forgotten: what ${pluralize(forgotten, 'task')} said about your models.\n`);
    return 0;
  }
  if (args.expect === undefined) {
    const report = await client.routing.learned({ projectPath });
    if (isJson) terminal.out(jsonLine(report));
    else showLearned(report, terminal);
    return 0;
  }
  const kind = isQuestion(args.expect) ? 'question' : 'work';
  const found = await client.routing.expect({ projectPath, kind });
  if (isJson) terminal.out(jsonLine(found));
  else showExpectation(found, terminal, await shownCurrency(client));
  return 0;
}

const judgeNames: Readonly<Record<Judge, string>> = {
  check: 'a check',
  taken: 'you kept it',
  undone: 'you undid it',
  reverted: 'set back later',
  'asked-again': 'you asked again',
  calibration: 'a calibration',
  comparison: 'a comparison',
  count: 'older counts',
};

function showLearned({ rows, harm, tasks, pace }: LearnedReport, { out, err }: Terminal): void {
  const cells = rows.map(({ model, kind, share, by, here }) => [
    seenName(model),
    kind,
    solvedText(share),
    Object.entries(judgeNames)
      .flatMap(([judge, name]) => {
        const count = Object.entries(by).find(([one]) => one === judge)?.[1] ?? 0;
        return count === 0 ? [] : [`${name} ${Math.round(count)}`];
      })
      .join(', '),
    String(here),
  ]);
  if (cells.length > 0)
    for (const line of table([['model', 'kind', 'solves', 'judged by', 'here'], ...cells])) out(`${line}\n`);
  if (harm !== null) out(`${harmText(harm)}\n`);
  if (pace !== null) {
    const factor = pace.factor === 1 ? 'within its pace' : `a dollar counts ${pace.factor} times, so that it lasts`;
    out(`This month: ${moneyText(pace.spentUsd)} of ${moneyText(pace.limitUsd)}, ${factor}.\n`);
  }
  err(
    `From ${pluralize(tasks, 'task')} on this machine. Nothing of it leaves it. Forget it: dewpoint route --forget\n`,
  );
}

function harmText({ model, limit, tasks, harms, bound, least }: HarmView): string {
  const allowed = `You allow 1 in ${Math.round(1 / limit)}.`;
  const judged = `${harms} of ${pluralize(tasks, 'judged task')} that ${seenName(model)} began failed`;
  if (bound !== null)
    return `Kept here, at most 1 in ${Math.floor(1 / bound)} tasks ends worse than in the cloud, with 95 % certainty: ${judged}. ${allowed}`;
  const missing = tasks < least ? `it takes at least ${least}` : 'too many failed to be sure';
  return `How often tasks end worse here than in the cloud is not known yet: ${judged}, and ${missing}. ${allowed} Until then, value and price decide.`;
}

function showExpectation(
  { kind, ways, warning }: Expectation,
  { out, err }: Terminal,
  currency: Currency | null,
): void {
  out(kind === 'question' ? 'A question\n' : 'Work on files\n');
  const cells = ways.map((way) => [
    way.way,
    solvedText(way.solves),
    way.seconds === null ? 'unknown yet' : intervalText(way.seconds, (value) => seconds(value * 1000)),
    usdText(way, currency),
  ]);
  for (const line of table([['', 'solves', 'time', 'price'], ...cells])) out(`  ${line}\n`);
  if (warning !== null) err(`${warning}\n`);
}

function usdText({ way, usd, isGuess }: ExpectedWay, currency: Currency | null): string {
  if (way === 'local') return 'no bill';
  if (usd === null) return 'unknown yet';
  return `${inBoth({ currency }, (show) => intervalText(usd, show))}${isGuess ? ', a guess' : ''}`;
}

function solvedText(share: SolvedShare | null): string {
  if (share === null) return 'unknown yet';
  const tenths = (value: number): number => Math.round(value * 10);
  const [value, low, high] = [share.value, share.low, share.high].map(tenths);
  return `${value} of 10 (${low} to ${high}), ${Math.round(share.solved)} of ${Math.round(share.tasks)}`;
}
