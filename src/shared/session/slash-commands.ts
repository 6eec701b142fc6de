import { nearestName } from '@shared/text/near-name.ts';

/** A short description of each command. */
export const slashSentences = {
  ask: 'answer only; no file changes',
  plan: 'plan without changes; edit or start the plan',
  work: 'do the task, and change files where it asks for it',
  local: 'use local models for the next messages',
  cloud: 'use cloud models for the next messages',
  auto: 'choose local or cloud for each step',
  model: 'choose the model for the next messages',
  assistant: 'choose an assistant, or see yours; off for none',
  image: 'show the model an image',
  attach: 'attach a file as data; use @ for project files',
  compact: 'summarize the conversation before the next message',
  compare: 'run a task under several policies',
  diff: 'show changes so far',
  take: 'apply changes to the project',
  undo: 'undo changes',
  cost: 'show costs so far',
  route: 'show why a step ran where it did',
  raise: 'raise the spending limit and continue',
  stop: 'stop the current turn',
  allow: 'approve the request',
  deny: 'deny the request',
  templates: 'write and edit your own prompts',
  help: 'show all commands',
  quit: 'quit; the session is kept',
} as const;

export type SlashName = keyof typeof slashSentences;

/** A line that begins with `/`. The same in the window and in `dewpoint chat`. */
export interface SlashCommand {
  readonly name: SlashName;
  /** What follows the name, for people; empty: nothing. */
  readonly argument: string;
  readonly aliases: readonly string[];
  readonly where: 'everywhere' | 'terminal';
}

const command = (
  name: SlashName,
  argument = '',
  { aliases = [], where = 'everywhere' }: Partial<Pick<SlashCommand, 'aliases' | 'where'>> = {},
): SlashCommand => ({ name, argument, aliases, where });

export const slashCommands: readonly SlashCommand[] = [
  command('ask', '[TEXT]'),
  command('plan', '[TEXT | edit | start]'),
  command('work', '[TEXT]'),
  command('local'),
  command('cloud'),
  command('auto', '', { aliases: ['hybrid'] }),
  command('model', 'PROVIDER/NAME'),
  command('assistant', '[NAME]', { aliases: ['assistants'] }),
  command('image', '[FILE]'),
  command('attach', '[FILE]', { aliases: ['file'] }),
  command('compact'),
  command('compare', 'TASK'),
  command('diff', '[PATH]', { aliases: ['changes'] }),
  command('take', '[PATH]'),
  command('undo', '[PATH]'),
  command('cost'),
  command('route', '[STEP]'),
  command('raise', 'USD'),
  command('stop'),
  command('allow', '[session | project]', { where: 'terminal' }),
  command('deny', '', { where: 'terminal' }),
  command('templates'),
  command('help'),
  command('quit', '', { aliases: ['exit'], where: 'terminal' }),
];

export type ParsedSlash =
  | { readonly type: 'command'; readonly name: SlashName; readonly rest: string }
  /** `nearest`: the command that was probably meant. */
  | { readonly type: 'unknown'; readonly typed: string; readonly nearest: string | null };

/** Null for a text that is no command. A path such as `/etc/hosts` is none. */
export function parseSlash(text: string, where: 'window' | 'terminal'): ParsedSlash | null {
  const match = /^\/([a-z0-9-]*)(?:\s([\s\S]*))?$/u.exec(text.trim());
  if (match === null) return null;
  const typed = match[1] ?? '';
  const known = commandsFor(where);
  const found = known.find(({ name, aliases }) => name === typed || aliases.includes(typed));
  if (found !== undefined) return { type: 'command', name: found.name, rest: match[2]?.trim() ?? '' };
  return {
    type: 'unknown',
    typed,
    nearest: nearestName(
      typed,
      known.flatMap(({ name, aliases }) => [name, ...aliases]),
    ),
  };
}

export function commandsFor(where: 'window' | 'terminal'): readonly SlashCommand[] {
  return slashCommands.filter((one) => one.where === 'everywhere' || where === 'terminal');
}

/** The commands that match what is typed so far; none once the name is complete and something follows. */
export function matchingCommands(text: string, where: 'window' | 'terminal'): readonly SlashCommand[] {
  const typed = /^\/(\S*)$/u.exec(text)?.[1];
  if (typed === undefined) return [];
  return commandsFor(where).filter(({ name, aliases }) => [name, ...aliases].some((one) => one.startsWith(typed)));
}
