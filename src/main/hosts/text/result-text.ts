import type { RunResult } from '@shared/session/run-result.ts';
import { limitText } from '../../money/limit-names.ts';
import { bothText, type Currency, inBoth } from '@shared/money/currency.ts';
import { aboutUsd, moneyText } from '@shared/money/money-text.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import { chartsInText } from '@shared/tools/canvas.ts';
import { canvasRows } from './canvas-rows.ts';
import { mostChangesNamed } from './event-lines.ts';
import { endings } from './ending-words.ts';
import type { Terminal } from './terminal.ts';
import { pluralize, seconds } from './terminal.ts';

interface ResultDetails {
  readonly isJson: boolean;
  /** Those that hold for one message, to be typed again. */
  readonly flags?: string;
  /** Sums are shown in it beside dollars. */
  readonly currency: Currency | null;
}

/** Prints the answer on stdout, and everything about it on stderr. */
export function showResult(
  result: RunResult,
  terminal: Terminal,
  { isJson, flags = '', currency }: ResultDetails,
): void {
  const { colors } = terminal;
  const good = result.status === 'done';
  const why = howItEnded(result, isJson);
  const isProposed = result.confidence === 'proposed';
  const headline = isProposed ? colors.yellow('proposed') : good ? colors.green('done') : colors.yellow(why);
  if (!isJson && result.text.trim() !== '') terminal.out(`${printable(result.text).trimEnd()}\n`);
  if (!isJson && result.memory !== undefined)
    terminal.err(colors.dim(`From memory:\n${result.memory.map((line) => `  ${seenWords(line)}\n`).join('')}`));
  for (const chart of isJson ? [] : chartsInText(result.text))
    for (const row of canvasRows(chart, terminal.columns)) terminal.err(`${row}\n`);
  terminal.err(`${headline}${result.confidence === null ? '' : colors.dim(` (${confidenceWords(result)})`)}\n`);
  for (const change of result.changes.slice(0, mostChangesNamed)) {
    terminal.err(`  ${seenName(change.path)}  +${change.added ?? '?'} -${change.removed ?? '?'}\n`);
  }
  const more = result.changes.length - mostChangesNamed;
  if (more > 0) terminal.err(colors.dim(`  and ${pluralize(more, 'more file')}\n`));
  const tokens = result.tokens.freshInput + result.tokens.cacheRead + result.tokens.cacheWrite;
  terminal.err(
    colors.dim(
      `${stepsText(result)}, ${pluralize(result.actions, 'action')}, ${seconds(result.seconds * 1000)}, ${pluralize(tokens, 'token')} read, ${result.tokens.output} written, ${spentText(result, currency)}\n`,
    ),
  );
  for (const { server, calls, carried, seconds: time } of result.servers ?? []) {
    const inner = carried === 0 ? '' : ` (${pluralize(carried, 'call')} inside)`;
    terminal.err(
      colors.dim(`${seenName(server)}: ${pluralize(calls, 'call')}${inner}, ${seconds(time * 1000)}, price unknown\n`),
    );
  }
  showElsewhere(result, terminal, currency);
  // A text that names a command says what to do already.
  if (result.status === 'gave-up' && !result.text.includes('`dewpoint '))
    terminal.err(colors.dim(`${nextStage(result)}\n`));
  if (result.status === 'limit' || result.status === 'cap')
    terminal.err(
      colors.dim(
        `to continue, send another message: dewpoint run --session ${result.session}${flagsToGoOn(result, flags)} "go on"\n`,
      ),
    );
  if (result.reason === 'planned')
    terminal.err(
      colors.dim(
        `to start the plan: dewpoint run --session ${result.session}${flags} --mode work "Carry out the plan"\n`,
      ),
    );
  if (result.changes.length > 0) {
    terminal.err(
      colors.dim(`review: dewpoint changes ${result.session}   undo: dewpoint changes ${result.session} undo\n`),
    );
  }
}

/** A limit that stopped the task would stop it again. */
function flagsToGoOn({ status, limit }: RunResult, flags: string): string {
  return status === 'cap' && limit?.scope === 'task' ? flags.replace(/ --max-usd \S+/u, ' --max-usd MORE') : flags;
}

function stepsText({ steps, retries = 0 }: RunResult): string {
  const again = retries === 0 ? '' : ` (${retries} failed and ${retries === 1 ? 'was' : 'were'} tried again)`;
  return `${pluralize(steps, 'step')}${again}`;
}

/** How a run ended, with what its text does not say already. */
function howItEnded({ status, reason, text }: RunResult, isJson: boolean): string {
  const [, said = ''] = /^[a-z-]+: (.*)$/su.exec(reason) ?? [];
  const shown = text.trim();
  const isShown = !isJson && shown !== '' && said.startsWith(shown);
  // What follows the text may begin with the period that it lacks.
  const rest = (isShown ? said.slice(shown.length).replace(/^\./u, '') : said).trim();
  return rest === '' ? endings[status] : `${endings[status]}: ${seenWords(rest)}`;
}

/** Suggests what else could do the task, by where it was allowed to work and what is set up. */
function nextStage({ byStep, routing }: RunResult): string {
  const words = 'next: name the function or the file, give a command that checks it (--check)';
  const isAllCloud = byStep.length > 0 && byStep.every(({ where }) => where === 'cloud');
  // Whoever chose the cloud is not told to get a local model.
  if (routing === null || routing.policy === 'cloud' || isAllCloud) return words;
  const cloud = routing.policy === 'local' && routing.hasCloud ? ', or let the cloud help: --policy hybrid' : '';
  return `${words}, use a larger local model (dewpoint models list, --local PROVIDER/MODEL)${cloud}`;
}

function confidenceWords({ confidence, tests, changes }: RunResult): string {
  switch (confidence) {
    case 'tests-pass':
      return tests ?? 'the success check passes';
    case 'high':
      return tests === undefined ? 'the success check passes' : `the success check passes: ${tests}`;
    case 'reviewed':
      return 'reviewed by a stronger model';
    case 'proposed':
      return 'no test asks for this change; please review';
    case 'weak-tests':
      return `${tests ?? 'tests pass'}; review advised`;
    case 'mechanical':
      return 'found by trial and error; review advised';
    default:
      return tests ?? (changes.length === 0 ? 'no files changed' : 'not tested');
  }
}

/** What the run cost, with its child sessions, and the limit that is closest to being reached. */
function spentText({ costUsd, children, limit }: RunResult, currency: Currency | null): string {
  const by = children === undefined ? '' : ` (${moneyText(children.costUsd)} of it by agents)`;
  return `${bothText(currency, costUsd)}${by}${limit === undefined ? '' : `, ${limitText(limit)} spent`}`;
}

/** What the same work would have cost in one place alone, if that is known and differs from what was paid. */
function showElsewhere(
  { counterfactual, energyWh, energyReason }: RunResult,
  { err, colors }: Terminal,
  currency: Currency | null,
): void {
  const { detail } = counterfactual;
  const places = [
    ['all local', detail?.allLocal],
    ['all cloud', detail?.allCloud],
  ] as const;
  const told = places.flatMap(([name, place]) => {
    if (place === undefined || place.basis === 'measured' || place.usd === null) return [];
    const { value, low, high } = place.usd;
    const how = place.basis === 'guessed' ? 'a guess' : 'about';
    const sum = inBoth({ currency }, (show) => `${show(aboutUsd(value))} (${show(low)} to ${show(high)})`);
    return [`${name} ${how} ${sum}`];
  });
  const { usd, seconds: time } = counterfactual.against ?? { usd: null, seconds: null };
  const compared = [
    usd === null || usd.way === 'unclear'
      ? []
      : [`about ${bothText(currency, aboutUsd(usd.by))} ${usd.way} than all cloud`],
    time === null || time.way === 'unclear'
      ? []
      : [`about ${seconds(time.by * 1000)} ${time.way === 'less' ? 'quicker' : 'slower'} than all cloud`],
  ].flat();
  const about = energyReason === undefined ? '' : 'about ';
  const energy = energyWh === null || energyWh === 0 ? [] : [`${about}${energyWh.toFixed(2)} Wh`];
  if (told.length + energy.length > 0) err(colors.dim(`${[...energy, ...told, ...compared].join('; ')}\n`));
}
