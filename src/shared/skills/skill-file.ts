import { readAllowedTools } from './allowed-tools.ts';
import { readFrontFields } from '@shared/text/front-fields.ts';
import { frontMatter, refusal } from '@shared/text/front-matter.ts';
import type { ReadOutcome } from '@shared/text/front-matter.ts';

/** A skill as its `SKILL.md` describes it (agentskills.io). It is loaded only when it is chosen. */
export interface Skill {
  readonly name: string;
  /** What it does and when to use it. Models choose by it. */
  readonly description: string;
  /** What to do, in Markdown. */
  readonly text: string;
  /**
   * The tools that its author names; empty: none. They grant nothing, and only narrow what a turn may call that works by
   * the skill (`allowed-tools.ts`).
   */
  readonly allowedTools: readonly string[];
  /** What is wrong with the file without making it useless. */
  readonly warnings: readonly string[];
}

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/u;
const longestName = 64;
const longestDescription = 1024;
/** A longer text is not read to its end by most models. */
export const mostSkillCharacters = 100_000;

export function isSkillName(name: string): boolean {
  return namePattern.test(name) && name.length <= longestName;
}

/** Reads a `SKILL.md` leniently: only a file that no model could choose or follow is refused. */
export function parseSkill(folderName: string, file: string): ReadOutcome<Skill> {
  const parts = frontMatter(file.replace(/^\uFEFF/u, ''));
  if (parts === null) return refusal('It begins with "---", but has no second line of it.');
  const { head, text } = parts;
  if (head.length === 0) return refusal('It does not begin with "---" and a "description".');
  if (text === '') return refusal('It has no text below its description.');
  if (text.length > mostSkillCharacters)
    return refusal(`Its text has ${text.length} characters. The limit is ${mostSkillCharacters}.`);
  const fields = readFrontFields(head);
  const description = (fields.get('description') ?? '').replaceAll(/\s+/gu, ' ').trim();
  if (description === '') return refusal('It has no "description" that says when to use it.');
  const named = fields.get('name') ?? '';
  if (!isSkillName(folderName))
    return refusal('The name of its folder needs lower-case letters and digits, with single "-" between.');
  const allowedTools = toolsIn(fields.get('allowed-tools') ?? '');
  const unknown = readAllowedTools(allowedTools)?.unknown ?? [];
  const warnings = [
    ...(named === '' ? ['Its name is missing, so that of its folder counts.'] : []),
    ...(named === '' || named === folderName
      ? []
      : [`Its name "${named.slice(0, 80)}" is not that of its folder, which counts.`]),
    ...(description.length <= longestDescription
      ? []
      : [`Its description has ${description.length} characters. Only the first ${longestDescription} are used.`]),
    ...(unknown.length === 0
      ? []
      : [`Its "allowed-tools" name what is no tool here, so that is not there: ${unknown.join(', ')}.`]),
  ];
  return {
    ok: true,
    value: { name: folderName, description: description.slice(0, longestDescription), text, allowedTools, warnings },
  };
}

/** `Bash(git add:*) Read` names two tools. Bounded, because text with many open brackets would be read again and again. */
function toolsIn(text: string): readonly string[] {
  return (text.slice(0, 10_000).match(/[^\s,(]+(?:\([^()]{0,200}\))?/gu) ?? [])
    .slice(0, 50)
    .map((tool) => tool.slice(0, 100));
}
