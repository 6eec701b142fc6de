import { AppError } from '@shared/errors.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { type AskedAgain, type CallAnswer, sumsOfAskedAgain } from '@shared/comparisons/asked-again.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command } from '../../../text/command-context.ts';
import { numberOf } from '../../turn/compare-input.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine, oneLine, type Terminal } from '../../../text/terminal.ts';

export interface ReplayArguments {
  readonly on?: string;
  readonly maxUsd?: string;
  readonly json?: boolean;
}

/** Asks another model each recorded request of a session. No file is touched. Exits with 1 if it was asked nothing. */
export const askAgain: Command<[string, ReplayArguments]> = async ({ core, terminal, signal }, id, args) => {
  const client = await core();
  const model = args.on ?? '';
  const maxUsd = args.maxUsd === undefined ? null : numberOf('max-usd', args.maxUsd);
  const known = (await client.models.list()).find((one) => one.id === model);
  if (known === undefined) {
    throw new AppError('not-found', `The model "${model}" was not found.`, { hint: 'dewpoint models list' });
  }
  if (known.where === 'cloud' && maxUsd === null) {
    throw usageError(`${model} may cost money. Say how much all of it may cost: --max-usd 0.50`);
  }
  const { sessionId } = await client.sessions.find({ id });
  const rows: AskedAgain[] = [];
  for await (const row of await client.endpoint.askAgain({ sessionId, model, maxUsd }, { signal })) {
    rows.push(row);
    terminal.out(args.json === true ? jsonLine(row) : `${rowText(row)}\n`);
  }
  const sums = sumsOfAskedAgain(rows);
  if (args.json === true) terminal.out(jsonLine({ type: 'sums', ...sums }));
  else showSums(terminal, sums);
  return sums.asked > 0 || rows.length === 0 ? 0 : 1;
};

const agreements = {
  target: 'the same',
  tool: 'same tool, other target',
  words: 'words, too',
  other: 'differs',
} as const;

function rowText({ step, purpose, before, again }: AskedAgain): string {
  const head = `step ${step}, ${purpose}: ${didText(before)}`;
  if (again.type === 'not-asked') return `${head} | not asked: ${seenWords(again.why)}`;
  return `${head} | ${agreements[again.agreement]}${again.agreement === 'other' || again.agreement === 'tool' ? `: ${didText(again)}` : ''}`;
}

function didText({ tool, target }: Pick<CallAnswer, 'tool' | 'target'>): string {
  return tool === null ? 'words' : `${seenName(tool)} ${oneLine(seenWords(target ?? ''), 60)}`.trim();
}

function showSums(terminal: Terminal, sums: ReturnType<typeof sumsOfAskedAgain>): void {
  const { asked, notAsked, withTool, sameTool, sameTarget, toolShare, before, again } = sums;
  if (asked + notAsked === 0) {
    terminal.err('This session has no model call with an answer.\n');
    return;
  }
  terminal.out(`asked again: ${asked} of ${asked + notAsked} calls\n`);
  if (asked === 0) return;
  if (toolShare !== null) {
    const percent = (share: number): string => `${Math.round(share * 100)}%`;
    terminal.out(
      `same tool: ${sameTool} of ${withTool} (${percent(toolShare.low)} to ${percent(toolShare.high)}); same tool and target: ${sameTarget}\n`,
    );
  }
  for (const [name, { promptTokens, outputTokens, seconds, costUsd }] of [
    ['recorded', before],
    ['asked again', again],
  ] as const) {
    const money = costUsd === null ? 'unpriced' : moneyText(costUsd);
    terminal.out(`${name}: ${promptTokens} tokens read, ${outputTokens} written, ${seconds.toFixed(1)} s, ${money}\n`);
  }
}
