import { AppError } from '@shared/errors.ts';
import { moneyText } from '@shared/money/money-text.ts';
import type { ProgramReport, ReportedCalls } from '@shared/session/program-reports.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { OwnToolReport } from '@shared/tools/own-tool.ts';
import { writerLine, writerText } from '@shared/tools/program-writer.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { confirmAtTerminal } from '../questions/confirm.ts';
import { keyOfWord } from './projects/named-project.ts';
import { usageError } from '../../text/report-failure.ts';
import { quoteRows } from '../../text/quoted-rows.ts';
import { jsonLine, oneLine } from '../../text/terminal.ts';

export type ProgramsAction = 'show' | 'keep' | 'list' | 'diff' | 'remove';

export interface ProgramsArguments {
  readonly project?: string;
  readonly about?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Programs that models wrote. Their text is quoted, so that it cannot pass for Dewpoint's words. */
export const programs: Command<[ProgramsAction, readonly string[], ProgramsArguments]> = async (
  context,
  action,
  words,
  args,
) => {
  switch (action) {
    case 'show':
      return show(context, words, args);
    case 'keep':
      return keep(context, words, args);
    case 'list':
      return list(context, args);
    case 'diff':
      return diff(context, words, args);
    case 'remove':
      return remove(context, words, args);
    default:
      return action satisfies never;
  }
};

async function show(context: CommandContext, [session = '', number]: readonly string[], args: ProgramsArguments) {
  const { out, err } = context.terminal;
  const { found, all } = await programsIn(context, session);
  const chosen = number === undefined ? all : [numbered(all, number)];
  if (args.json === true) out(jsonLine(chosen));
  else for (const one of chosen) out(number === undefined ? lineOf(one) : wholeOf(one, context));
  if (all.length === 0) err(`Session ${found} has run no program.\n`);
  return 0;
}

async function programsIn({ core }: CommandContext, id: string) {
  const client = await core();
  const { sessionId } = await client.sessions.find({ id });
  const { programs: all } = await client.sessions.programs({ sessionId });
  return { found: sessionId, all };
}

function numbered(all: readonly ProgramReport[], text: string): ProgramReport {
  const one = all.find(({ number }) => String(number) === text);
  if (one !== undefined) return one;
  throw new AppError('not-found', `The session has no program ${oneLine(seenName(text), 20)}.`, {
    hint: 'See them: dewpoint programs show SESSION',
  });
}

const ends = {
  done: 'ended well',
  failed: 'failed',
  'not-run': 'not run',
  stopped: 'stopped',
  refused: 'refused',
} as const satisfies Readonly<Record<NonNullable<ProgramReport['end']>, string>>;

function lineOf(one: ProgramReport): string {
  const { number, plan, end, ms } = one;
  const seconds = ms === null ? '' : `, ${(ms / 1000).toFixed(1)} s`;
  const calls = one.calls.map((call) => `${seenName(call.tool)} ${call.made} of ${call.most}`).join(', ');
  return `${String(number).padStart(3)}  ${(end === null ? 'unknown' : ends[end]).padEnd(10)}  ${oneLine(seenWords(plan), 60)}  (${oneLine(calls, 80)}${seconds})\n`;
}

function wholeOf(one: ProgramReport, { terminal: { columns } }: CommandContext): string {
  const { wrote, problems, refused, tests, review, keep: proposed, text, diff: changed, sha256 } = one;
  return [
    lineOf(one).trimEnd(),
    `Plan:\n${quoteRows(one.plan, columns)}`,
    ...one.calls.map(callLine),
    ...(refused === 0 ? [] : [`Refused calls: ${refused}`]),
    ...(tests === 0 ? [] : [`Tests that ran first: ${tests}`]),
    ...(problems.length === 0 ? [] : [`Found before it ran:\n${quoteRows(problems.join('\n'), columns)}`]),
    ...(review === null ? [] : reviewRows(review, columns)),
    wrote === null
      ? 'What its answer cost is unknown.'
      : `Its answer: ${wrote.input} tokens in, ${wrote.output} out, ${moneyText(wrote.costUsd)}.`,
    `Written by: ${writerText(one.writer)}`,
    ...(proposed === null ? [] : [`Its model would keep it as ${seenName(proposed.name)}.`]),
    ...(text === null ? [`Its file: ${seenName(one.tool)}, SHA-256 ${sha256 ?? 'unknown'}`] : []),
    ...(changed === null ? [] : [`Different from the one before it:\n${quoteRows(changed, columns)}`]),
    ...(text === null ? [] : [`Program:\n${quoteRows(text, columns)}`]),
    '',
  ].join('\n');
}

function reviewRows({ findings, model }: NonNullable<ProgramReport['review']>, columns: number): readonly string[] {
  const found = [`Found by rules before it was asked about:\n${quoteRows(findings.join('\n'), columns)}`];
  if (model === undefined) return found;
  const { label, text, why = '', costUsd } = model;
  if (text === null) return [...found, `${seenName(label)} was to review it and did not: ${seenWords(why)}`];
  return [...found, `${seenName(label)} said of it (${moneyText(costUsd)}):\n${quoteRows(text, columns)}`];
}

function callLine({ tool, most, made, ms, hosts = [], paths = [], ends: outcomes }: ReportedCalls): string {
  const where = [...hosts, ...paths].map(seenName).join(', ');
  const said = Object.entries(outcomes).map(([status, count]) => `${count} ${status}`);
  return `  ${seenName(tool)}: ${made} of ${most}${where === '' ? '' : ` (${where})`}${said.length === 0 ? '' : `, ${said.join(', ')}, ${(ms / 1000).toFixed(1)} s`}`;
}

async function keep(
  context: CommandContext,
  [session = '', number = '', named]: readonly string[],
  args: ProgramsArguments,
) {
  const { err, out, columns } = context.terminal;
  const { found, all } = await programsIn(context, session);
  const one = numbered(all, number);
  const name = named ?? one.keep?.name;
  const description = args.about ?? one.keep?.description;
  if (name === undefined || description === undefined)
    throw usageError(
      'Say its name and what it does.',
      'For example: dewpoint programs keep last 2 add_up --about "Adds up the orders."',
    );
  err(`Any agent of the project could call this, in the sandbox:\n${quoteRows(one.text ?? '', columns)}\n`);
  err(`Written by: ${writerText(one.writer)}\n`);
  for (const call of one.calls) err(`It may call ${seenName(call.tool)}, at most ${call.most} times.\n`);
  const question = `Keep it as ${seenName(name)}: ${seenWords(description)}`;
  const asking = { what: 'Keeping a program', without: 'To keep what is printed without asking: --yes' };
  if (args.yes !== true && !(await confirmAtTerminal(question, context, asking))) {
    err('Nothing was kept.\n');
    return 1;
  }
  const schema = one.keep?.input_schema;
  const client = await context.core();
  const kept = await client.ownTools.keep({
    sessionId: found,
    toolCallId: one.toolCallId,
    name,
    description,
    ...(schema === undefined ? {} : { input_schema: schema }),
  });
  out(keptLine(kept));
  err(`${seenName(kept.path)}\n`);
  return 0;
}

async function list(context: CommandContext, args: ProgramsArguments) {
  const { out, err } = context.terminal;
  const client = await context.core();
  const { tools } = await client.ownTools.list({ projectPath: await keyOfWord(context.core, args.project ?? '.') });
  const kept = tools.filter(({ program }) => program !== null);
  if (args.json === true) out(jsonLine(kept));
  else for (const one of kept) out(keptLine(one));
  if (kept.length === 0) err('This project has no kept programs.\n');
  return 0;
}

function keptLine({ name, description, program, state }: OwnToolReport): string {
  const calls = (program?.calls ?? []).map(({ tool, most }) => `${seenName(tool)} ≤ ${most}`).join(', ');
  return `${seenName(name).padEnd(24)}  version ${program?.version ?? 1}  ${state}  ${oneLine(seenWords(description), 60)}  (${oneLine(calls, 80)})\n${program === null ? '' : `  ${writerLine(program.writer, program.today)}\n`}`;
}

async function diff(context: CommandContext, [name = '']: readonly string[], args: ProgramsArguments) {
  const { out, columns } = context.terminal;
  const client = await context.core();
  const versions = await client.ownTools.versions({
    name,
    projectPath: await keyOfWord(context.core, args.project ?? '.'),
  });
  for (const { version, keptAt, sessionId, diff: changed, text, writer } of versions) {
    out(`version ${version}, ${new Date(keptAt).toISOString().slice(0, 10)}, session ${sessionId}\n`);
    out(`written by: ${writerText(writer)}\n`);
    out(`${quoteRows(changed ?? text, columns)}\n`);
  }
  return 0;
}

async function remove(context: CommandContext, [name = '']: readonly string[], args: ProgramsArguments) {
  const projectPath = await keyOfWord(context.core, args.project ?? '.');
  const client = await context.core();
  const { tools } = await client.ownTools.list({ projectPath });
  const one = tools.find((tool) => tool.name === name && tool.program !== null);
  if (one === undefined) throw new AppError('not-found', `This project has no kept program ${seenName(name)}.`);
  await client.ownTools.removeProgram({ name, projectPath, sha256: one.sha256 });
  context.terminal.err(`Deleted: ${seenName(one.path)}\n`);
  return 0;
}
