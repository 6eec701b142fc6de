import { shortenText } from '@shared/text/shorten-text.ts';
import type { Skill } from '@shared/skills/skill-file.ts';

/** The name of the tool by which a model reads a skill. */
export const useSkillName = 'use_skill';

type Offered = Pick<Skill, 'name' | 'description'>;

/** A line of the catalog that is shorter says too little to choose by. */
const shortestLine = 60;

/** The skills that a model is told of, one a line, in so many characters: long descriptions are cut before one is left out. */
export function skillCatalog(
  skills: readonly Offered[],
  mostCharacters: number,
): { readonly text: string; readonly names: readonly string[] } {
  if (skills.length === 0) return { text: '', names: [] };
  const each = Math.max(shortestLine, Math.floor(mostCharacters / skills.length));
  const told = skills.slice(0, Math.max(1, Math.floor(mostCharacters / each)));
  const lines = told.map(({ name, description }) => `- ${shortenText(`${name}: ${description}`, each)}`);
  const left = skills.length - told.length;
  const more = left === 0 ? [] : [`(${left} more are not listed. The user can name one with "/".)`];
  const text = [`Skills: before work that one fits, read it with ${useSkillName}.`, ...lines, ...more].join('\n');
  return { text, names: told.map(({ name }) => name) };
}

const skillAtStart = /^(?:\/([a-z0-9-]+)(?=\s|$)|Use the skill "([a-z0-9-]+)"\.)/u;

/** What a message asks, without the skill that it names at its start. */
export const withoutSkillName = (message: string): string => message.trim().replace(skillAtStart, '').trim();

/** The skill that a message names at its start, as `/name` or in the words of its template; null: none. */
export function namedSkill(message: string, names: readonly string[]): string | null {
  const match = skillAtStart.exec(message.trim());
  const name = match?.[1] ?? match?.[2];
  return name !== undefined && names.includes(name) ? name : null;
}

/** What `/name` stands for in a message. */
export const skillTemplate = (name: string): string => `Use the skill "${name}".`;
