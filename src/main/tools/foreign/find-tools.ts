import { z } from 'zod';
import type { ForeignToolSpec } from '@shared/tools/foreign-tool-spec.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { memo } from '../../lib/memo.ts';
import type { Tool } from '../define.ts';

/** By these a model reaches tools that no prompt holds: the one says what there is, the other is how each is called. */
export const findToolName = 'find_tools';
export const callToolName = 'call_tool';

const mostFound = 5;
/** Names of further ones, to be asked for. */
const mostNamed = 10;
/** Together, so that a small window is not filled by what strangers write. */
const mostCharacters = 12_000;
const longestDescription = 1_500;
/** More of a stranger's words is not looked through. */
const longestIndexed = 600;
const longestWord = 40;
const mostServers = 20;

/** What finds them in a text: names count most, then what they are for, then what they take. */
const weights = { name: 3, server: 1, description: 2, arguments: 1 } as const;
/** Words that stand in nearly every definition or request, and tell nothing apart. */
const idle = new Set(
  'a an and are as at be by for from given i in is it me my of on or please that the this to what with you'.split(' '),
);

/** Tools that are found on demand: their definitions come as results, behind all that was said, and the prompt stays as it was. */
export function createFindTools(specs: readonly ForeignToolSpec[]): readonly Tool[] {
  const servers = serversText(specs);
  return [
    {
      name: findToolName,
      // The first sentence has all of it, for a small model is told no more.
      description: `Finds tools of ${servers} by what they do, with their whole definitions. Call what it found with ${callToolName}.`,
      access: 'read',
      input: z.object({ query: z.string().min(1).max(1000).describe('what it should do, in a few words') }),
      label: (input) => `find tools: ${queryOf(input)}`,
      run: async (input) => ({ status: 'ok', output: foundText(await searchTools(specs, queryOf(input)), specs) }),
    },
    {
      name: callToolName,
      description: `Calls a tool that ${findToolName} found.`,
      // Whoever reads calls puts the tool itself in its place: this one never runs.
      access: 'network',
      input: z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }),
      label: () => callToolName,
      run: async () => ({ status: 'error', output: `Name a tool that ${findToolName} found.` }),
    },
  ];
}

export function isFinder({ name }: Pick<Tool, 'name'>): boolean {
  return name === findToolName || name === callToolName;
}

function queryOf(input: unknown): string {
  return isRecord(input) && typeof input.query === 'string' ? input.query : '';
}

function serversText(specs: readonly ForeignToolSpec[]): string {
  const counts = new Map<string, number>();
  for (const { server } of specs) counts.set(server, (counts.get(server) ?? 0) + 1);
  const named = [...counts].slice(0, mostServers).map(([server, count]) => `${server} (${count})`);
  const left = counts.size - named.length;
  return `${named.join(', ')}${left > 0 ? ` and ${left} more servers` : ''}`;
}

/** The best first (BM25); a name that is given whole comes before all others. */
export async function searchTools(
  specs: readonly ForeignToolSpec[],
  query: string,
): Promise<readonly ForeignToolSpec[]> {
  const index = await indexOf(specs);
  const named = specs.filter(({ name, tool }) => query === name || query === tool);
  const found = index.search(query.slice(0, 1000)).flatMap(({ id }) => specs[Number(id)] ?? []);
  return [...new Set([...named, ...found])];
}

/** Made with the first search; the tools of a turn are the same to its end. */
const indexOf = memo(async (specs: readonly ForeignToolSpec[]) => {
  const { default: MiniSearch } = await import('minisearch');
  const index = new MiniSearch({
    fields: Object.keys(weights),
    tokenize: wordsOf,
    processTerm: (word) => (idle.has(word) ? null : stem(word)),
    searchOptions: { boost: weights, prefix: (word) => word.length > 3 },
  });
  // In pieces, so that thousands of them do not hold the program up.
  await index.addAllAsync(
    specs.map(({ server, tool, description, inputSchema }, id) => ({
      id,
      name: tool.slice(0, longestIndexed),
      server,
      description: description.slice(0, longestIndexed),
      arguments: argumentWords(inputSchema),
    })),
  );
  return index;
});

/** Also the words in `createIssue` and `create_issue`. */
function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return apart
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, longestWord));
}

/** One form for `issue` and `issues`, `finds` and `find`. */
function stem(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Names and descriptions of what it takes, at the first level. */
function argumentWords({ properties }: ForeignToolSpec['inputSchema']): string {
  if (!isRecord(properties)) return '';
  const entries = Object.entries(properties).slice(0, 50);
  return entries
    .map(([name, property]) => {
      const about = isRecord(property) && typeof property.description === 'string' ? property.description : '';
      return `${name.slice(0, longestWord)} ${about.slice(0, 200)}`;
    })
    .join(' ')
    .slice(0, longestIndexed);
}

/** As many whole definitions as there is room for, at least one; then names. */
function foundText(found: readonly ForeignToolSpec[], all: readonly ForeignToolSpec[]): string {
  const [first] = found;
  if (first === undefined) return `None of the ${all.length} tools fits. Say it in other words.`;
  const whole: string[] = [];
  let length = 0;
  for (const spec of found.slice(0, mostFound)) {
    const text = definitionText(spec);
    length += text.length;
    if (whole.length > 0 && length > mostCharacters) break;
    whole.push(text.slice(0, mostCharacters));
  }
  const others = found.slice(whole.length, whole.length + mostNamed).map(({ name }) => name);
  const example = JSON.stringify({ tool: first.name, arguments: {} }).replace('{}', '{…}');
  return [
    `${whole.length} of ${all.length} tools. Call one with ${callToolName}: ${example}`,
    ...whole,
    ...(others.length === 0 ? [] : [`Others that may fit, to be found by their names: ${others.join(', ')}`]),
  ].join('\n\n');
}

function definitionText({ name, description, inputSchema }: ForeignToolSpec): string {
  const about = description.length > longestDescription ? `${description.slice(0, longestDescription)} …` : description;
  return `${name}: ${about}\nArguments: ${JSON.stringify(inputSchema)}`;
}
