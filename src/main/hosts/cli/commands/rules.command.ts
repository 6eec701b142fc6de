import { AppError } from '@shared/errors.ts';
import type { RuleAnswer, RuleCheck, RuleFile } from '@shared/rules/rule-report.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import type { Command, CommandContext } from '../../text/command-context.ts';
import { projectOfWord } from './projects/named-project.ts';
import { usageError } from '../../text/report-failure.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine } from '../../text/terminal.ts';
import type { Purpose } from '@shared/events/call-events.ts';
import { purposeSchema } from '@shared/events/call-events.ts';
import { readFile } from '../../../lib/files/drive-calls.ts';

export interface RulesArguments {
  /** The folder of a project, whose rules count in addition to the user's own. */
  readonly project?: string;
  readonly task?: string;
  readonly purpose?: string;
  readonly json?: boolean;
}

async function projectOf({ core }: Pick<CommandContext, 'core'>, { project }: RulesArguments): Promise<string | null> {
  return project === undefined ? null : projectOfWord(core, project);
}

/** The rules in their order, with those that are in force. */
export const listRules: Command<[RulesArguments]> = async ({ core, terminal }, args) => {
  const { files } = await (await core()).rules.show({ projectPath: await projectOf({ core }, args) });
  if (args.json === true) terminal.out(jsonLine(files));
  else for (const file of files) showFile(file, terminal);
  return 0;
};

const holding = {
  none: 'none of its rules applies',
  'as-written': 'applies as written',
  before: 'has an error; its last valid version applies',
  stricter: 'comes with the project; only stricter rules apply until you approve it',
  shut: 'has an error and no valid version; nothing leaves this machine',
} as const satisfies Readonly<Record<RuleFile['holds'], string>>;

function showFile(file: RuleFile, { out, err, colors }: Terminal): void {
  if (file.text === null && file.problems.length === 0) {
    err(`${seenName(file.path)}: no rules yet\n`);
    return;
  }
  err(`${seenName(file.path)}: ${holding[file.holds]}\n`);
  for (const { line, verdict, kind, value } of file.held ?? file.rules) {
    out(`${String(line).padStart(4)}  ${verdict.padEnd(10)}  ${kind.padEnd(7)}  ${seenName(value)}\n`);
  }
  for (const text of file.problems) err(`${colors.red(seenWords(text))}\n`);
  for (const { line, text } of file.warnings) err(`${colors.yellow(`Line ${line}: ${seenWords(text)}`)}\n`);
  if (file.holds === 'stricter' && file.hash !== null) {
    err(colors.dim(`To approve exactly this, run: dewpoint rules approve ${file.hash} --project DIR\n`));
  }
}

/** Checks a file, or all rule files, and names each invalid or contradicting line. Exit code 2: a line is invalid. */
export const checkRules: Command<[string | undefined, RulesArguments]> = async ({ core, terminal }, path, args) => {
  const { rules } = await core();
  const projectPath = await projectOf({ core }, args);
  const owner = projectPath === null ? 'own' : 'project';
  const checks: readonly (readonly [string, RuleCheck])[] =
    path === undefined
      ? (await rules.show({ projectPath })).files.map((file) => [file.path, file] as const)
      : [[path, await rules.check({ projectPath, owner, text: await textOf(path) })]];
  if (args.json === true) terminal.out(jsonLine(checks.map(([name, check]) => ({ path: name, ...check }))));
  else for (const [name, check] of checks) showCheck(name, check, terminal);
  return checks.some(([, { errors }]) => errors.length > 0) ? 2 : 0;
};

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new AppError('not-found', `${path} cannot be read.`);
  }
}

function showCheck(name: string, { rules, errors, warnings }: RuleCheck, { out, colors }: Terminal): void {
  for (const { line, text } of errors) out(`${seenName(name)}:${line}: ${colors.red(seenWords(text))}\n`);
  for (const { line, text } of warnings) out(`${seenName(name)}:${line}: ${colors.yellow(seenWords(text))}\n`);
  if (errors.length + warnings.length > 0) return;
  out(`${seenName(name)}: ${rules.length === 1 ? '1 rule' : `${rules.length} rules`}, no problems\n`);
}

/** Shows what the rules say about a file, a task or a purpose. */
export const testRules: Command<[string | undefined, RulesArguments]> = async ({ core, terminal }, path, args) => {
  const purpose = purposeOf(args.purpose);
  if (path === undefined && args.task === undefined && purpose === undefined) {
    throw usageError(
      'Name a file or a task, such as: dewpoint rules test plans/a.md',
      'See: dewpoint rules test --help',
    );
  }
  const answer = await (
    await core()
  ).rules.test({
    projectPath: await projectOf({ core }, args),
    path: path ?? '',
    ...(args.task === undefined ? {} : { task: args.task }),
    ...(purpose === undefined ? {} : { purpose }),
  });
  if (args.json === true) terminal.out(jsonLine(answer));
  else showAnswer(answer, path ?? null, terminal);
  return 0;
};

function purposeOf(name: string | undefined): Purpose | undefined {
  if (name === undefined) return undefined;
  const parsed = purposeSchema.safeParse(name);
  if (parsed.success) return parsed.data;
  throw usageError(`--purpose takes ${purposeSchema.options.join(', ')}, not "${name}".`);
}

const fenceTexts = {
  'local-only': 'stays on this machine, with everything made from it',
  ask: 'needs your approval before it leaves; you see what would be sent',
  redact: 'is removed before sending',
} as const;

function showAnswer({ place, fence, mask }: RuleAnswer, path: string | null, { out }: Terminal): void {
  const say = (text: string): void => out(`${seenWords(text)}\n`);
  if (place === null) say('Where its steps run: no rule applies; the router decides.');
  else say(`Where its steps run: ${place.where === 'local' ? 'on this machine' : 'in the cloud'}. ${place.text}`);
  if (path === null) return;
  if (fence === null) say('What may leave: no rule applies; the file may leave.');
  else say(`What may leave: the file ${fenceTexts[fence.verdict]} (${fence.text}).`);
  say(mask === null ? 'What commands see: the whole file.' : `What commands see: an empty file (mask path ${mask}).`);
}

/** Puts the rules of a project in force: exactly these bytes, no others. */
export const approveRules: Command<[string, RulesArguments]> = async ({ core, terminal }, hash, args) => {
  const projectPath = await projectOf({ core }, args);
  if (projectPath === null) throw usageError('Name the project: --project DIR');
  const { files } = await (await core()).rules.approve({ projectPath, hash });
  for (const file of files.filter(({ owner }) => owner === 'project')) showFile(file, terminal);
  return 0;
};

/** The paths of the rule files, whether they exist or not. */
export const rulesPath: Command<[RulesArguments]> = async ({ core, terminal }, args) => {
  const { files } = await (await core()).rules.show({ projectPath: await projectOf({ core }, args) });
  for (const { path } of files) terminal.out(`${path}\n`);
  return 0;
};
