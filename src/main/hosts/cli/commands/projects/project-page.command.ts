import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { iconColors, hasNoFolder } from '@shared/projects/project-keys.ts';
import { recordChangeSchema, type RecordChange } from '@shared/projects/project-record.ts';
import type { ProjectChange } from '@shared/projects/project-settings.ts';
import { projectChangeSchema } from '@shared/projects/project-settings.ts';
import { ownFirst } from '@shared/session/session-news.ts';
import { printable, seenName, seenWords } from '@shared/text/seen-text.ts';
import { issueText } from '../../../../lib/issue-text.ts';
import { writeProblem } from '../../../../lib/files/json-file.ts';
import type { CoreClient } from '../../../../server/local-socket.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { usageError } from '../../../text/report-failure.ts';
import { jsonLine, pluralize } from '../../../text/terminal.ts';
import { findAssistant } from '../../checks/with-assistant.ts';
import { asWord } from '../../program/run-flags.ts';
import { confirmAtTerminal } from '../../questions/confirm.ts';
import { readTask } from '../../turn/read-task.ts';
import { projectNamed } from './named-project.ts';

export type ProjectPageAction = 'new' | 'show' | 'set' | 'delete' | 'restore';

export interface ProjectPageArguments {
  readonly name?: string;
  readonly icon?: string;
  readonly color?: string;
  readonly folder?: string;
  readonly instructions?: string;
  readonly instructionsFile?: string;
  readonly assistant?: string;
  readonly mode?: string;
  readonly policy?: string;
  readonly local?: string;
  readonly cloud?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Makes, shows, changes and deletes projects. `word`: a name, an id or a folder; absent: the current folder. */
export const projectPage: Command<[ProjectPageAction, string | undefined, ProjectPageArguments]> = async (
  context,
  action,
  word,
  args,
) => {
  const core = await context.core();
  switch (action) {
    case 'new':
      return makeProject(context, core, word ?? '', args);
    case 'restore': {
      const head = await core.projects.restore({ id: word ?? '' });
      context.terminal.out(`${seenName(head.name ?? head.key)} is back, with its instructions.\n`);
      return 0;
    }
    case 'show':
      return show(context, core, (await projectNamed(core, word ?? '.')).path, args.json === true);
    case 'set':
      return set(context, core, word ?? '.', args);
    case 'delete':
      return remove(context, core, word ?? '', args);
    default:
      return action satisfies never;
  }
};

async function makeProject(
  context: CommandContext,
  core: CoreClient,
  name: string,
  args: ProjectPageArguments,
): Promise<number> {
  const { terminal } = context;
  const changes = await changesOf(args, context);
  const { folder } = args;
  const instructions = await instructionsOf(args);
  const head = await core.projects.create({
    name,
    ...(folder === undefined ? {} : { folder: resolve(folder) }),
    ...(instructions === undefined ? {} : { instructions }),
  });
  const records = changes.records.filter(({ type }) => !['folder', 'instructions', 'name'].includes(type));
  try {
    for (const change of records) await core.projects.change({ project: head.key, change });
    for (const change of changes.settings) await core.projects.configure({ projectPath: head.key, change });
  } catch (error) {
    // What was refused leaves no half of a project behind.
    await core.projects.remove({ project: head.key });
    throw error;
  }
  if (args.json === true) terminal.out(jsonLine({ id: head.id, key: head.key, name: head.name }));
  else terminal.out(`${head.id}\n`);
  terminal.err(
    `${seenName(head.name ?? name)} is a project now. Ask in it: dewpoint chat --project ${head.id}\nMove a session into it: dewpoint sessions move last --project ${head.id}\n`,
  );
  return 0;
}

async function set(
  context: CommandContext,
  core: CoreClient,
  word: string,
  args: ProjectPageArguments,
): Promise<number> {
  const found = await projectNamed(core, word);
  const { records, settings } = await changesOf(args, context);
  if (records.length + settings.length === 0)
    throw usageError(
      'Nothing to change was named.',
      'For example: dewpoint projects set NAME --instructions "Answer in German."',
    );
  let key = found.path;
  const { signal } = context;
  for (const change of records) ({ key } = await core.projects.change({ project: key, change }, { signal }));
  for (const change of settings) await core.projects.configure({ projectPath: key, change });
  return show(context, core, key, args.json === true);
}

async function remove(
  context: CommandContext,
  core: CoreClient,
  word: string,
  args: ProjectPageArguments,
): Promise<number> {
  const { terminal } = context;
  const { path: project, name } = await projectNamed(core, word);
  const { lost, kept } = await core.projects.removal({ project });
  if (lost.length === 0)
    throw usageError(
      `Nothing was said about ${seenName(name)}, so there is nothing to delete.`,
      'To take its folder from the list: dewpoint projects remove DIR',
    );
  terminal.err(`Deleted: ${lost.map(seenWords).join('; ')}.\n`);
  if (kept.length > 0) terminal.err(`Kept: ${kept.map(seenWords).join('; ')}.\n`);
  const isSure =
    args.yes === true ||
    (await confirmAtTerminal(`Delete the project ${seenName(name)}?`, context, {
      what: 'Deleting a project',
      without: 'Delete it without a question: --yes',
    }));
  if (!isSure) {
    terminal.err('Nothing was deleted.\n');
    return 1;
  }
  const { id } = await core.projects.remove({ project });
  terminal.err(`${seenName(name)} is deleted. For 30 days you can restore it: dewpoint projects restore ${id ?? ''}\n`);
  return 0;
}

async function show({ terminal }: CommandContext, core: CoreClient, project: string, isJson: boolean): Promise<number> {
  const page = await core.projects.page({ project });
  const settings = await core.projects.settings({ projectPath: project });
  const sessions = ownFirst(await core.sessions.list()).filter((one) => one.project === project);
  const { total } = await core.costs({ by: 'day', project });
  const { lines, files } = await core.memory.list({ projectPath: project });
  const memory = lines.filter(({ of }) => of === 'project').length;
  if (isJson) {
    const { own } = settings;
    terminal.out(
      jsonLine({
        ...page,
        models: own,
        sessions: sessions.map(({ sessionId }) => sessionId),
        costUsd: total.costUsd,
        memory,
      }),
    );
    return 0;
  }
  const { head, instructions } = page;
  const { own, usual } = settings;
  const usualWord = (value: string | null): string => `${value ?? 'none'} (as everywhere)`;
  const icon = head?.icon === null || head?.icon === undefined ? '' : `${seenName(head.icon.text)} `;
  const rows: readonly (readonly [string, string])[] = [
    ['project', `${icon}${seenName(head?.name ?? project)}`],
    ...(head === null ? [] : [['id', head.id] as const]),
    [
      'folder',
      hasNoFolder(project)
        ? 'none'
        : `${seenName(project)}${settings.isThere ? '' : settings.missing?.isGone === false ? '  (it cannot be used)' : '  (the folder is gone)'}`,
    ],
    ['models', own.policy ?? usualWord(usual.policy)],
    ['local', own.local ?? usualWord(usual.local)],
    ['cloud', own.cloud === undefined ? usualWord(usual.cloud) : (own.cloud ?? 'none')],
    ['assistant', head?.assistant ?? 'none'],
    ['mode', head?.mode ?? 'as the words of a message say'],
    ['sessions', String(sessions.length)],
    ['costs', `$${total.costUsd.toFixed(4)}${total.unpricedCalls > 0 ? ', and calls without a price' : ''}`],
    ['memory', memory === 0 ? 'no lines' : `${pluralize(memory, 'line')} in ${seenName(files.project ?? files.you)}`],
  ];
  const { missing } = settings;
  if (missing !== undefined) terminal.err(`${seenWords(missing.text)}\n`);
  if (missing?.isGone === true)
    terminal.err(`If it was moved: dewpoint projects set ${seenName(asWord(head?.id ?? project))} --folder DIR\n`);
  for (const [label, value] of rows) terminal.out(`${label.padEnd(10)} ${value}\n`);
  if (instructions.problem !== null) terminal.err(`Instructions: ${seenWords(instructions.problem)}\n`);
  else if (instructions.text === '')
    terminal.out(
      `\nNo instructions of your own. Write some: dewpoint projects set ${seenName(asWord(head?.id ?? project))} --instructions "…"\n`,
    );
  else
    terminal.out(
      `\nInstructions, about ${instructions.tokens} tokens with each message:\n${printable(instructions.text)}\n`,
    );
  return 0;
}

async function instructionsOf(args: ProjectPageArguments): Promise<string | undefined> {
  const { instructions, instructionsFile: path } = args;
  if (path === undefined) return instructions;
  if (instructions !== undefined) throw usageError('Give the instructions as a text or as a file, not both.');
  if (path === '-') return readTask('-');
  try {
    return await readFile(resolve(path), 'utf8');
  } catch (error) {
    throw usageError(`${path} could not be read: ${writeProblem(error)}`);
  }
}

interface Changes {
  readonly records: readonly RecordChange[];
  readonly settings: readonly ProjectChange[];
}

const noneOf = (text: string): string | null => (text === 'none' ? null : text);

/** Checked whole before anything is changed. */
async function changesOf(args: ProjectPageArguments, context: CommandContext): Promise<Changes> {
  const records: unknown[] = [];
  const { name, icon, color, folder, assistant, mode, policy, local, cloud } = args;
  if (name !== undefined) records.push({ type: 'name', name });
  if (color !== undefined && icon === undefined) throw usageError('--color is the color of --icon. Give both.');
  if (icon !== undefined)
    records.push({
      type: 'icon',
      icon: icon === 'none' ? null : { text: icon, ...(color === undefined ? {} : { color }) },
    });
  if (assistant !== undefined) {
    if (assistant !== 'none') await findAssistant(context, assistant);
    records.push({ type: 'assistant', assistant: noneOf(assistant) });
  }
  if (mode !== undefined) records.push({ type: 'mode', mode: mode === 'auto' ? null : noneOf(mode) });
  const text = await instructionsOf(args);
  if (text !== undefined) records.push({ type: 'instructions', text });
  if (folder !== undefined) records.push({ type: 'folder', path: resolve(folder) });
  const settings: unknown[] = [];
  const choices = {
    ...(policy === undefined || policy === 'none' ? {} : { policy: policy === 'auto' ? 'hybrid' : policy }),
    ...(local === undefined || local === 'none' ? {} : { local }),
    ...(cloud === undefined ? {} : { cloud: noneOf(cloud) }),
  };
  if (Object.keys(choices).length > 0) settings.push({ type: 'choose', choices });
  const forgotten = [...(policy === 'none' ? ['policy'] : []), ...(local === 'none' ? ['local'] : [])];
  if (forgotten.length > 0) settings.push({ type: 'forget', names: forgotten });
  return {
    records: records.map((one) => checked(recordChangeSchema.safeParse(one), one)),
    settings: settings.map((one) => checked(projectChangeSchema.safeParse(one), one)),
  };
}

function checked<T>(
  read:
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Parameters<typeof issueText>[0][] } },
  one: unknown,
): T {
  if (read.success) return read.data;
  const type: unknown = Reflect.get(Object(one), 'type');
  const hint =
    type === 'icon'
      ? `An icon is one emoji or one letter, such as --icon 📚, or --icon D --color blue (${iconColors.join(', ')}).`
      : 'See: dewpoint projects set --help';
  throw usageError(
    `--${type === 'choose' ? 'policy' : String(type)} is wrong: ${issueText(read.error.issues[0]).replace(/\.$/u, '')}. Nothing was changed.`,
    hint,
  );
}
