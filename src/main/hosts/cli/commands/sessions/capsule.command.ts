import { basename, extname, resolve } from 'node:path';
import type { CapsuleModel, CapsulePlan, CapsuleReport } from '@shared/contract/capsules-contract.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { sizeText } from '@shared/text/size-text.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { jsonLine, oneLine, pluralize } from '../../../text/terminal.ts';
import type { FlagValues } from '../../program/run-flags.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';
import { run } from '../run.command.ts';

export type CapsuleAction = 'make' | 'check' | 'run';

export interface CapsuleArguments extends Pick<FlagValues, 'local' | 'cloud' | 'policy' | 'maxUsd' | 'approve'> {
  readonly without?: readonly string[];
  readonly into?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `words`: the session and the file to write, or the file to read. */
export const capsule: Command<[CapsuleAction, readonly string[], CapsuleArguments]> = async (
  context,
  action,
  [first = '', second],
  args,
) => {
  switch (action) {
    case 'make':
      return make(context, { session: first, file: second }, args);
    case 'check':
      return check(context, resolve(first), args);
    case 'run':
      return runAgain(context, resolve(first), args);
    default:
      return action satisfies never;
  }
};

async function make(
  context: CommandContext,
  { session, file }: { readonly session: string; readonly file: string | undefined },
  { without = [], yes, json }: CapsuleArguments,
): Promise<number> {
  const { terminal, signal } = context;
  const core = await context.core();
  const { sessionId } = await core.sessions.find({ id: session });
  const plan = await core.capsules.plan({ sessionId, without: [...without] }, { signal });
  const path = resolve(file ?? `${sessionId}.capsule`);
  for (const line of linesOfPlan(plan, json === true)) terminal.err(`${line}\n`);
  const isSure =
    yes === true ||
    (await confirmAtTerminal(`Write this to ${seenName(path)}?`, context, {
      what: 'A capsule',
      without: 'Say yes beforehand: --yes',
    }));
  if (!isSure) return 1;
  const { filesHash } = plan;
  const { bytes } = await core.capsules.make({ sessionId, without: [...without], path, filesHash }, { signal });
  if (json === true) terminal.out(jsonLine({ path, bytes, ...plan }));
  else {
    terminal.out(`${seenName(path)}  ${sizeText(bytes)}\nfiles ${filesHash}\nreplay ${plan.replay.hash}\n`);
    terminal.err('It holds the whole conversation and these files. Read it before you share it.\n');
  }
  return 0;
}

/** More are named by their number. With `--json`, all are in the result. */
const shownLines = 40;

function linesOfPlan(plan: CapsulePlan, isShort: boolean): readonly string[] {
  const { files, left, changedSince, stored, replay } = plan;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const most = isShort ? 0 : shownLines;
  return [
    `${oneLine(seenWords(plan.title), 80)}: ${pluralize(plan.messages, 'message')}, ${plan.events} events, ${sizeText(stored.bytes)} of requests and outputs`,
    ...modelLines(plan.models),
    `${files.length} files, ${sizeText(total)}, as they were before the first message:`,
    ...some(files, most, ({ path, bytes }) => `  ${seenName(path)}  ${sizeText(bytes)}`),
    ...(left.length === 0 ? [] : [`Left out (${left.length}):`]),
    ...some(left, most, ({ path, why }) => `  ${seenName(path)}: ${seenWords(why)}`),
    ...(changedSince.length === 0
      ? []
      : ['Something else changed these after the session began. They go in as they are now:']),
    ...some(changedSince, most, (path) => `  ${seenName(path)}`),
    ...(stored.missing === 0 ? [] : [`${stored.missing} stored files of the log are gone, so its replay will differ.`]),
    ...(replay.difference === null
      ? []
      : [`Its replay differs already here: ${oneLine(seenWords(replay.difference), 200)}`]),
  ];
}

function some<T>(all: readonly T[], most: number, line: (one: T) => string): readonly string[] {
  const more = all.length - most;
  return [...all.slice(0, most).map(line), ...(more > 0 && most > 0 ? [`  and ${more} more`] : [])];
}

function modelLines(models: readonly CapsuleModel[]): readonly string[] {
  return models.map(
    ({ id, where, digest }) => `model ${seenName(id)} (${where}${digest === null ? '' : `, ${seenName(digest)}`})`,
  );
}

async function check(context: CommandContext, path: string, { json }: CapsuleArguments): Promise<number> {
  const { terminal, signal } = context;
  const report = await (await context.core()).capsules.check({ path }, { signal });
  if (json === true) terminal.out(jsonLine(report));
  else for (const line of linesOfReport(report)) terminal.out(`${line}\n`);
  return report.sameFiles && report.sameReplay !== false ? 0 : 1;
}

function linesOfReport(report: CapsuleReport): readonly string[] {
  return [
    `${oneLine(seenWords(report.title), 80)} (Dewpoint ${seenName(report.appVersion)}, ${seenName(report.engine)})`,
    ...modelLines(report.models),
    `${report.sameFiles ? 'Same files' : 'Other files'}: ${report.files}\n${report.filesHash}`,
    ...(report.replayHash === null
      ? ['It holds a task alone: no work on it is recorded, so nothing is replayed.']
      : [`${report.sameReplay === true ? 'Same replay hash' : 'The replay differs'}\n${report.replayHash}`]),
    ...(report.task === null ? [] : linesOfTask(report.task)),
    ...(report.difference === null ? [] : [`first difference: ${seenWords(report.difference)}`]),
    ...(report.left.length === 0 ? [] : [`Left out when it was made (${report.left.length}):`]),
    ...some(report.left, shownLines, ({ path, why }) => `  ${seenName(path)}: ${seenWords(why)}`),
  ];
}

function linesOfTask({ kind, request, check }: NonNullable<CapsuleReport['task']>): readonly string[] {
  return [
    `task (${seenName(kind)}): ${oneLine(seenWords(request), 200)}`,
    check === null ? 'A known answer judges it.' : `check: ${oneLine(seenWords(check), 200)}`,
  ];
}

async function runAgain(context: CommandContext, path: string, args: CapsuleArguments): Promise<number> {
  const { terminal, signal } = context;
  const folder = resolve(args.into ?? basename(path, extname(path)));
  const core = await context.core();
  const { files, messages, options, notes } = await core.capsules.unpack({ path, folder }, { signal });
  terminal.err(`${files} files in ${seenName(folder)}\n`);
  for (const note of notes) terminal.err(`${seenWords(note)}\n`);
  const [task = '', ...afterwards] = messages;
  if (args.policy === undefined && options.policy !== undefined && options.policy !== 'local') {
    // Somebody else wrote this file, so it does not decide that something leaves and costs money.
    const models = [options.local, options.cloud].flatMap((id) => (id === undefined ? [] : [seenName(id)]));
    const question = `The capsule asks for "${options.policy}"${models.length === 0 ? '' : ` (${models.join(', ')})`}, which may send these files to the cloud. Go on?`;
    const without = { what: 'The cloud', without: 'Say it beforehand: --policy cloud, or --policy local' };
    if (!(await confirmAtTerminal(question, context, without))) return 1;
  }
  const { into: _into, without: _without, yes: _yes, ...flags } = args;
  const { seed, ...rest } = options;
  return run(context, task, {
    ...rest,
    ...(seed === undefined ? {} : { seed: String(seed) }),
    ...flags,
    project: folder,
    afterwards,
  });
}
