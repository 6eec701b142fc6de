import { z } from 'zod';
import type { ToolSpec } from '../../models/providers/define.ts';
import type { ModelInfo } from '@shared/models/model-info.ts';
import type { Tool } from '../../tools/define.ts';
import { findToolName, isFinder } from '../../tools/connected/find-tools.ts';
import { definitionTokens } from '../../tools/connected/connected-tool.ts';
import { isRawInput } from '../../tools/define.ts';
import { isRecord } from '@shared/unknown-value.ts';

export type PromptForm = 'short' | 'full';

/** The tools that a small model is told of, because it chooses better among fewer. The others stay callable by name. */
const shortList: readonly string[] = [
  'list_files',
  'read_file',
  'search',
  'edit_file',
  'write_file',
  'run_command',
  'run_tests',
  'task_complete',
];

/** The tools that are dropped last if a model is told of only a few. */
const firstOfAll: readonly string[] = ['read_file', 'edit_file', 'task_complete', 'run_tests', 'list_files'];
/** No model is told of them: a patch and a command delete files, too. A program still calls them by name. */
export const unlisted: readonly string[] = ['delete_file'];
/** Tools that need text quoted word for word from a file. */
const quoting: readonly string[] = ['edit_file', 'apply_patch'];

interface ToolChoice {
  /** The most tools to offer; null: all that the form has. */
  readonly budget: number | null;
  /** The model misquotes, but writes whole files correctly. */
  readonly writesWhole: boolean;
}

/** If the definitions of connected tools take more than this share of the context, they are found on demand. */
const mostOfWindow = 0.03;

/**
 * The tools of one stage. Connected tools that take too much of the context are hidden, and a tool that finds them is
 * added. `wanted` is called next and is not hidden.
 */
export function withFinders(
  tools: readonly Tool[],
  { contextTokens }: Pick<ModelInfo, 'contextTokens'>,
  wanted: string | null = null,
): readonly Tool[] {
  if (!tools.some(({ name }) => name === findToolName)) return tools;
  const taken = tools.reduce(
    (sum, { connected }) => sum + (connected === undefined ? 0 : definitionTokens(connected)),
    0,
  );
  if (taken <= contextTokens * mostOfWindow) return tools.filter((tool) => !isFinder(tool));
  return tools.map((tool) =>
    tool.connected === undefined || tool.name === wanted ? tool : { ...tool, isHidden: true },
  );
}

/**
 * Whether the tool is there because the user connected it, switched it on or asked for it, or because the project has
 * what it needs.
 */
export function isAdded(tool: Tool): boolean {
  return tool.needs !== undefined || tool.connected !== undefined || isFinder(tool);
}

/**
 * The tools that a model is told of: the built-in tools that its form and budget allow, then those that the user added.
 */
export function toolsForForm(all: readonly Tool[], form: PromptForm, choice: ToolChoice): readonly Tool[] {
  const own = all.filter((tool) => !isAdded(tool) && !unlisted.includes(tool.name));
  return [...ownForForm(own, form, choice), ...all.filter((tool) => isAdded(tool) && tool.isHidden !== true)];
}

function ownForForm(all: readonly Tool[], form: PromptForm, choice: ToolChoice): readonly Tool[] {
  const { budget, writesWhole } = choice;
  // If no tool can write whole files, quoting is better than nothing.
  const leavesOut = writesWhole && all.some(({ name }) => name === 'write_file');
  const tools = leavesOut ? all.filter(({ name }) => !quoting.includes(name)) : all;
  const short = form === 'full' ? tools : tools.filter((tool) => shortList.includes(tool.name));
  const listed = short.length === 0 ? tools : short;
  if (budget === null || listed.length <= budget) return listed;
  const first = leavesOut ? firstOfAll.map((name) => (name === 'edit_file' ? 'write_file' : name)) : firstOfAll;
  const rank = ({ name }: Tool): number => (first.includes(name) ? first.indexOf(name) : first.length);
  const kept = new Set([...listed].sort((left, right) => rank(left) - rank(right)).slice(0, budget));
  return listed.filter((tool) => kept.has(tool));
}

/**
 * A tool for a provider's tools field. The short form leaves out what only a large model uses. `isPlain`: see
 * `inputSchemaOf`.
 */
export function toolSpec(tool: Tool, form: PromptForm, isPlain: boolean): ToolSpec {
  const schema = inputSchemaOf(tool, form, isPlain);
  return {
    name: tool.name,
    description: form === 'full' ? tool.description : firstSentence(tool.description),
    inputSchema: withoutKeys(schema, form === 'short' ? prose : isRawInput(tool.input) ? [] : sizes),
  };
}

/** The tools as lines for the system text: `read_file(path, from?, to?): Reads a file.` */
export function toolLines(tools: readonly Tool[], form: PromptForm, isPlain: boolean): string {
  return tools
    .map((tool) => {
      const what = form === 'full' ? tool.description : firstSentence(tool.description);
      return `${tool.name}(${schemaParameters(inputSchemaOf(tool, form, isPlain))}): ${what}`;
    })
    .join('\n');
}

/**
 * The input of a tool as JSON Schema. The short form leaves out what is marked `forFull`. `isPlain` leaves out what is
 * marked `forLarge`: under a grammar a small model fills in every optional field. For example, each command of one
 * asked for a network, with more hosts in every step.
 */
function inputSchemaOf(tool: Tool, form: PromptForm, isPlain: boolean): Record<string, unknown> {
  if (isRawInput(tool.input)) return { ...tool.input.jsonSchema };
  const { $schema: _schema, ...schema } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });
  const properties: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!isRecord(property)) properties[name] = property;
    else {
      const { forLarge: isForLarge, isForPerson, description, ...plain } = property;
      const rest = description === undefined || isForPerson === true ? plain : { ...plain, description };
      const isLeftOut = isForLarge === 'full' ? form === 'short' : isForLarge === true && isPlain;
      if (!isLeftOut) properties[name] = rest;
    }
  }
  return { ...schema, properties };
}

/** The properties of a JSON Schema as parameters: `path, from?: integer`. */
export function schemaParameters(schema: Readonly<Record<string, unknown>>): string {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties)
    .map(([name, property]) => `${name}${required.includes(name) ? '' : '?'}${typeSuffix(property)}`)
    .join(', ');
}

function typeSuffix(property: unknown): string {
  if (!isRecord(property) || typeof property.type !== 'string') return '';
  return property.type === 'string' ? '' : `: ${property.type}`;
}

/**
 * Limits of size, which no prompt needs: a number out of range is moved to the nearest that is allowed, and a text or
 * list that is too long is refused with the reason.
 */
const lengths = ['maxLength', 'minLength', 'minimum', 'maximum', 'exclusiveMinimum'] as const;
const sizes: readonly string[] = [...lengths, 'minItems', 'maxItems'];
const prose: readonly string[] = [...lengths, 'description', 'title', 'default', 'examples', 'additionalProperties'];

/** The schema without these keys, also those of its fields. Required fields stay required. */
function withoutKeys(value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  const inner = (key: string, one: unknown): unknown => {
    if (!isRecord(one)) return one;
    return key === 'properties'
      ? Object.fromEntries(Object.entries(one).map(([name, property]) => [name, inner('', property)]))
      : withoutKeys(one, keys);
  };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !keys.includes(key))
      .map(([key, one]) => [key, inner(key, one)]),
  );
}

export function firstSentence(text: string): string {
  const end = /[.!?](?=\s|$)/u.exec(text);
  return end === null ? text : text.slice(0, end.index + 1);
}
