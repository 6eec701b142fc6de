import type { TextKey } from './texts.ts';

/** What `/` offers in the composer: the commands of `dewpoint chat`. */
export interface SlashCommand {
  readonly name: string;
  /** What comes after it, for people; empty: nothing. */
  readonly argument: string;
  readonly about: TextKey;
}

export const slashCommands: readonly SlashCommand[] = [
  { name: 'plan', argument: 'TEXT', about: 'slash.plan' },
  { name: 'local', argument: '', about: 'slash.local' },
  { name: 'cloud', argument: '', about: 'slash.cloud' },
  { name: 'model', argument: 'PROVIDER/NAME', about: 'slash.model' },
  { name: 'changes', argument: '', about: 'slash.changes' },
  { name: 'undo', argument: '[PATH]', about: 'slash.undo' },
  { name: 'cost', argument: '', about: 'slash.cost' },
  { name: 'stop', argument: '', about: 'slash.stop' },
  { name: 'help', argument: '', about: 'slash.help' },
];

/** The commands that fit what is typed so far; none once the name is whole and something follows. */
export function matchingCommands(text: string): readonly SlashCommand[] {
  const typed = /^\/(\S*)$/u.exec(text);
  return typed === null ? [] : slashCommands.filter((command) => command.name.startsWith(typed[1] ?? ''));
}

/** `/name rest`; null for a text that is no command. A path like `/etc/hosts` is none. */
export function parseSlash(text: string): { readonly name: string; readonly rest: string } | null {
  const match = /^\/([a-z]*)(?:\s+([\s\S]*))?$/u.exec(text.trim());
  return match === null ? null : { name: match[1] ?? '', rest: match[2]?.trim() ?? '' };
}
