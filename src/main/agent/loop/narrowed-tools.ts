import { allowedText, allowsCall, offersTool } from '@shared/skills/allowed-tools.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { pathsIn } from '../../safety/paths-in-calls.ts';
import { isFinder } from '../../tools/connected/find-tools.ts';
import type { Tool } from '../../tools/define.ts';
import { resultIdOf } from '../../tools/values/tool-path-input.ts';
import type { SkillLimit } from '../prompt/loaded-skills.ts';

/** Whether the skills that a turn works by leave this tool to it. Each of them narrows; none adds. */
export function isLeft(limits: readonly SkillLimit[], tool: Tool): boolean {
  return limits.every(
    // Each tool that a finder finds is asked about itself.
    ({ allowed }) => isFinder(tool) || offersTool(allowed, tool.name, tool.connected !== undefined),
  );
}

/** The names of the tools that they leave without a condition: an agent that the turn starts gets these. */
export function wholeTools(limits: readonly SkillLimit[], tools: readonly Tool[]): readonly string[] {
  const isWhole = ({ name }: Tool): boolean =>
    limits.every(({ allowed }) => (allowed.tools.get(name) ?? []).length === 0);
  return tools.filter((tool) => isLeft(limits, tool) && isWhole(tool)).map(({ name }) => name);
}

/** Whether they leave everything that a recipe does: it changes files and runs commands by itself. */
export function leavesRecipes(limits: readonly SkillLimit[]): boolean {
  return limits.every(({ allowed: { tools } }) =>
    ['read_file', 'edit_file', 'write_file', 'run_command'].every((name) => tools.get(name)?.length === 0),
  );
}

/** Why a call is not run, for the model; null: the skills leave it. */
export function narrowedText(limits: readonly SkillLimit[], tool: Tool, input: unknown): string | null {
  const paths = [...pathsIn(input)].filter((path) => resultIdOf(path) === null);
  const command = fieldOf(input, 'command');
  const url = fieldOf(input, 'url');
  const call = {
    tool: tool.name,
    command: typeof command === 'string' ? command : null,
    paths,
    url: typeof url === 'string' ? url : null,
  };
  const isOwn = tool.connected === undefined;
  const limit = limits.find(
    ({ allowed }) => !isLeft([{ skill: '', allowed }], tool) || (isOwn && !allowsCall(allowed, call)),
  );
  if (limit === undefined) return null;
  return `Not run: this task works by the skill "${limit.skill}", whose author means it for these tools only: ${allowedText(limit.allowed)}. Go on with them. If the task cannot be done so, end it as blocked and say what is missing: the user can change "allowed-tools" of the skill, or give the task without it.`;
}
