import { z } from 'zod';
import type { ConnectedToolSpec } from './connected-tool-spec.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { memo } from '../../lib/memo.ts';
import type { Tool } from '../define.ts';

/** The two tools that reach tools outside of the prompt: one finds their definitions, the other calls them. */
export const findToolName = 'find_tools';
export const callToolName = 'call_tool';

const mostFound = 5;
/** Further matches are only named, so that the model can ask for them. */
const mostNamed = 10;
/** For all definitions together, so that connected text does not fill a small context. */
const mostCharacters = 12_000;
const longestDescription = 1_500;
/** Only this much of a name or description is searched. */
const longestIndexed = 600;
const longestWord = 40;
const mostServers = 20;

/** How much a match counts: names most, then descriptions, then servers and arguments. */
const weights = { name: 3, server: 1, description: 2, arguments: 1 } as const;
/** Words that are in nearly every definition or request, so they do not help to find anything. */
const idle = new Set(
  'a an and are as at be by for from given i in is it me my of on or please that the this to what with you'.split(' '),
);

/**
 * Tools that find other tools on demand. Definitions come as results at the end of the conversation, so the beginning
 * of the prompt does not change.
 */
export function createFindTools(specs: readonly ConnectedToolSpec[]): readonly Tool[] {
  const servers = serversText(specs);
  return [
    {
      name: findToolName,
      // A small model sees only the first sentence, so it says everything.
      description: `Finds tools of ${servers} by what they do, with their whole definitions; without a query, the names of all. Call what it found with ${callToolName}.`,
      access: 'read',
      input: z.object({ query: z.string().max(1000).optional().describe('what it should do, in a few words') }),
      label: (input) => (queryOf(input) === '' ? 'list tools' : `find tools: ${queryOf(input)}`),
      run: async (input) => {
        const query = queryOf(input);
        const output = query === '' ? namesText(specs) : foundText(await searchTools(specs, query), specs);
        return { status: 'ok', output };
      },
    },
    {
      name: callToolName,
      description: `Calls a tool that ${findToolName} found.`,
      // The parser of calls replaces this call by the tool that it names, so this one never runs.
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
  return isRecord(input) && typeof input.query === 'string' ? input.query.trim() : '';
}

/** Every server with the names of its tools, as far as there is room. */
function namesText(specs: readonly ConnectedToolSpec[]): string {
  const byServer = Map.groupBy(specs, ({ server }) => server);
  const lines = [...byServer].map(([server, tools]) => `${server}: ${tools.map(({ name }) => name).join(', ')}`);
  const text = `${specs.length} tools of ${byServer.size} servers:\n${lines.join('\n')}`;
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)} …\nName what you look for.` : text;
}

function serversText(specs: readonly ConnectedToolSpec[]): string {
  const counts = new Map<string, number>();
  for (const { server } of specs) counts.set(server, (counts.get(server) ?? 0) + 1);
  const named = [...counts].slice(0, mostServers).map(([server, count]) => `${server} (${count})`);
  const left = counts.size - named.length;
  return `${named.join(', ')}${left > 0 ? ` and ${left} more servers` : ''}`;
}

/** The best match first (BM25). A tool whose exact name is given comes before all others. */
export async function searchTools(
  specs: readonly ConnectedToolSpec[],
  query: string,
): Promise<readonly ConnectedToolSpec[]> {
  const index = await indexOf(specs);
  const named = specs.filter(({ name, tool }) => query === name || query === tool);
  const found = index.search(query.slice(0, 1000)).flatMap(({ id }) => specs[Number(id)] ?? []);
  return [...new Set([...named, ...found])];
}

/** Made by the first search. The tools do not change during a turn. */
const indexOf = memo(async (specs: readonly ConnectedToolSpec[]) => {
  const { default: MiniSearch } = await import('minisearch');
  const index = new MiniSearch({
    fields: Object.keys(weights),
    tokenize: wordsOf,
    processTerm: (word) => (idle.has(word) ? null : stem(word)),
    searchOptions: { boost: weights, prefix: (word) => word.length > 3 },
  });
  // In chunks, so that thousands of tools do not block the program.
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

/** Also splits `createIssue` and `create_issue` into words. */
function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return apart
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, longestWord));
}

/** The same form for `issue` and `issues`, `find` and `finds`. */
function stem(word: string): string {
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

/** Names and descriptions of the arguments at the first level. */
function argumentWords({ properties }: ConnectedToolSpec['inputSchema']): string {
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

/** As many whole definitions as there is room for, at least one. Further matches are only named. */
function foundText(found: readonly ConnectedToolSpec[], all: readonly ConnectedToolSpec[]): string {
  const [first] = found;
  if (first === undefined) return `None of the ${all.length} tools fits. Say it in other words.`;
  const whole: string[] = [];
  let length = 0;
  for (const spec of found.slice(0, mostFound)) {
    const text = definitionText(spec);
    length += text.length;
    if (whole.length > 0 && length > mostCharacters) break;
    whole.push(text);
  }
  const others = found.slice(whole.length, whole.length + mostNamed).map(({ name }) => name);
  const example = JSON.stringify({ tool: first.name, arguments: {} }).replace('{}', '{…}');
  return [
    `${whole.length} of ${all.length} tools. Call one with ${callToolName}: ${example}`,
    ...whole,
    ...(others.length === 0 ? [] : [`Others that may fit, to be found by their names: ${others.join(', ')}`]),
  ].join('\n\n');
}

/** A tool whole, as far as there is room for a stranger's words. */
export function definitionText({ name, description, inputSchema }: ConnectedToolSpec): string {
  const about = description.length > longestDescription ? `${description.slice(0, longestDescription)} …` : description;
  return `${name}: ${about}\nArguments: ${JSON.stringify(inputSchema)}`.slice(0, mostCharacters);
}
