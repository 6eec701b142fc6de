import { resolve } from 'node:path';
import { exitCodes } from '@shared/session/run-result.ts';
import type { SkillReport } from '@shared/skills/skill-report.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { padRight } from '../../../text/columns.ts';
import type { Command, CommandContext } from '../../../text/command-context.ts';
import { quoteRows } from '../../../text/quoted-rows.ts';
import { jsonLine, oneLine } from '../../../text/terminal.ts';
import { confirm } from '../../questions/confirm.ts';
import { projectOfWord } from './named-project.ts';

export type SkillsAction = 'list' | 'show' | 'enable' | 'disable' | 'add' | 'remove';

export interface SkillsArguments {
  readonly project?: string;
  readonly json?: boolean;
  readonly sha256?: string;
  readonly replace?: boolean;
}

/** The skills of the person and of a project. */
export const skills: Command<[SkillsAction, string, SkillsArguments]> = async (context, action, name, args) => {
  const { terminal } = context;
  if (action === 'add' || action === 'remove')
    return action === 'add' ? add(context, name, args) : remove(context, name);
  const projectPath = await projectOfWord(context.core, args.project ?? '.');
  const core = await context.core();
  switch (action) {
    case 'list': {
      const { folder, skills: all } = await core.skills.list({ projectPath });
      if (args.json === true) terminal.out(jsonLine(all));
      else for (const one of all) terminal.out(`${lineOf(one)}\n`);
      if (all.length === 0)
        terminal.err(
          `No skills yet. Add one: dewpoint skills add DIR. Or write one: ${seenName(folder)}/NAME/SKILL.md\n`,
        );
      return 0;
    }
    case 'show': {
      const shown = await core.skills.show({ projectPath, name });
      terminal.out(args.json === true ? jsonLine(shown) : wholeText(shown, terminal.columns));
      return 0;
    }
    case 'enable':
      return enable(context, { projectPath, name, args });
    case 'disable': {
      const skill = await core.skills.disable({ projectPath, name });
      if (args.json === true) terminal.out(jsonLine(skill));
      else terminal.err(`${lineOf(skill)}\n`);
      return 0;
    }
    default:
      return action satisfies never;
  }
};

async function add(context: CommandContext, folder: string, args: SkillsArguments): Promise<number> {
  const core = await context.core();
  const path = resolve(folder);
  const { skill, isReplaced } = await core.skills.add({ path, replace: args.replace === true });
  const name = seenName(skill.name);
  if (args.json === true) context.terminal.out(jsonLine(skill));
  else context.terminal.err(isReplaced ? `${name} replaces the skill that was there.\n` : `${name} is added.\n`);
  for (const warning of skill.warnings) context.terminal.err(`${seenWords(warning)}\n`);
  return 0;
}

async function remove(context: CommandContext, name: string): Promise<number> {
  await (await context.core()).skills.remove({ name });
  context.terminal.err(`Removed the copy of ${seenName(name)}. The original folder stays.\n`);
  return 0;
}

interface Enabling {
  readonly projectPath: string;
  readonly name: string;
  readonly args: SkillsArguments;
}

/** A skill of a project is shown before it is approved. */
async function enable(context: CommandContext, { projectPath, name, args }: Enabling): Promise<number> {
  const { terminal } = context;
  const core = await context.core();
  const shown = await core.skills.show({ projectPath, name });
  const { state, sha256 } = shown.skill;
  const needsYes = state === 'new' || state === 'changed';
  if (needsYes && args.sha256 === undefined) {
    terminal.err(wholeText(shown, terminal.columns));
    if (!terminal.isInteractive) {
      terminal.err(`Nobody can answer here. To approve exactly this: --sha256 ${sha256 ?? ''}\n`);
      return exitCodes['needs-approval'];
    }
    if (!(await confirm('Let agents use exactly this skill?', context))) return exitCodes['needs-approval'];
  }
  const skill = await core.skills.enable({ projectPath, name, sha256: args.sha256 ?? (needsYes ? sha256 : null) });
  if (args.json === true) terminal.out(jsonLine(skill));
  else terminal.err(`${lineOf(skill)}\n`);
  return 0;
}

const sentences = {
  on: 'on',
  off: 'off',
  new: 'off: it needs your approval',
  changed: 'off: it changed since your approval',
  unfit: 'cannot be used',
} as const;

function lineOf({ name, description, state, where, path, problem }: SkillReport): string {
  const said = problem === null ? oneLine(seenWords(description), 60) : seenWords(problem);
  const place = where === 'project' ? seenName(path) : 'yours';
  return `${padRight(seenName(name), 24)}  ${sentences[state]}  ${said}  (${place})`;
}

interface Shown {
  readonly skill: SkillReport;
  readonly text: string;
  readonly diff: string | null;
}

function wholeText({ skill, text, diff }: Shown, columns: number): string {
  const warnings = skill.warnings.map((warning) => `${seenWords(warning)}\n`).join('');
  const narrowed = skill.narrowsTo === null ? '' : `leaves a task only these tools: ${seenWords(skill.narrowsTo)}\n`;
  const changed = diff === null ? '' : `changes since you approved it:\n${quoteRows(diff, columns, '  ~ ')}\n`;
  return `${lineOf(skill)}\n${warnings}${narrowed}${quoteRows(text, columns)}\n${changed}`;
}
