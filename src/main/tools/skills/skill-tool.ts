import { z } from 'zod';
import { useSkillName } from './skill-catalog.ts';
import type { Tool, ToolContext, ToolResult } from '../define.ts';
import { errorResult, okResult } from '../values/tool-results.ts';

/** A skill as a model reads it. */
export interface SkillText {
  readonly text: string;
  /** The tools that its author names; empty: none. */
  readonly allows: readonly string[];
  /** A file of it as text; null: there is none of this path, or it is no text. */
  readonly file: (path: string) => string | null;
}

/** Loads a skill of this turn. Null: there is none of this name any more. */
export type LoadSkill = (name: string, context: Pick<ToolContext, 'sandbox' | 'signal'>) => Promise<SkillText | null>;

/** The tool by which a model reads a skill, and files of it. `load` is null in a replay, where no tool runs. */
export function createSkillTool(names: readonly string[], load: LoadSkill | null): Tool {
  const input = z.object({ name: z.enum(names), file: z.string().optional().describe('a file of it, as text') });
  return {
    name: useSkillName,
    description: 'Read a skill: how to do a kind of work.',
    access: 'read',
    needs: 'skills',
    input,
    label: (value) => {
      const { name, file } = input.parse(value);
      return file === undefined ? `skill ${name}` : `read ${file} of the skill ${name}`;
    },
    run: async (value, context) => {
      const { name, file } = input.parse(value);
      return load === null ? errorResult('No skill can be read here.') : readSkill(load, { name, file }, context);
    },
  };
}

export async function readSkill(
  load: LoadSkill,
  { name, file }: { readonly name: string; readonly file?: string | undefined },
  context: Pick<ToolContext, 'sandbox' | 'signal'>,
): Promise<ToolResult> {
  const skill = await load(name, context);
  if (skill === null) return errorResult(`The skill "${name}" is gone, or it is not what was approved.`);
  // Marks what stays in the conversation when it is summarized.
  const { allows } = skill;
  if (file === undefined) return okResult(skill.text, { skill: name, ...(allows.length === 0 ? {} : { allows }) });
  const text = skill.file(file);
  return text === null ? errorResult(`The skill "${name}" has no text file "${file}".`) : okResult(text);
}
