import { jsonrepair } from 'jsonrepair';
import { AppError } from '@shared/errors.ts';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { serverDefinitionSchema } from '@shared/tools/server-definition.ts';
import { issuesText } from '@shared/text/issue-text.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { parseToml } from '../../lib/files/parse-toml.ts';

/** A server in a file of another program, in our form. */
export interface FoundServer {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** Values that stood in the file: they go into the key store and nowhere else. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Entries that are not taken, each with the reason. */
  readonly skipped: readonly string[];
}

/**
 * Reads the servers of `.mcp.json`, Claude Desktop, Cursor, VS Code (`servers`, or `mcp.servers` of its settings) and Codex
 * (`mcp_servers` in TOML). Nothing in the file decides that a program runs on this machine: `where` does.
 */
export function serversIn(text: string, path: string, where: 'container' | 'host'): FoundServers {
  const file = parsed(text, path);
  const lists = ['mcpServers', 'servers', 'mcp_servers'].map((key) => fieldOf(file, key));
  const entries = [...lists, fieldOf(fieldOf(file, 'mcp'), 'servers')].find(isRecord);
  if (entries === undefined) {
    throw new AppError('bad-input', `No tool servers were found in ${path}.`, {
      hint: 'It needs mcpServers, servers or mcp_servers at its top.',
    });
  }
  const servers: FoundServer[] = [];
  const skipped: string[] = [];
  for (const [label, entry] of Object.entries(entries)) {
    const found = serverOf(label, entry, where);
    if (typeof found === 'string') skipped.push(`${label}: ${found}`);
    else if (servers.some(({ name }) => name === found.name))
      skipped.push(`${label}: another one is called ${found.name}`);
    else servers.push(found);
  }
  return { servers, skipped };
}

const mostRepaired = 100_000;

function parsed(text: string, path: string): unknown {
  try {
    if (path.toLowerCase().endsWith('.toml')) return parseToml(text);
    // VS Code has comments and trailing commas in it; a longer text would take a repair too long.
    return JSON.parse(text.length > mostRepaired ? text : jsonrepair(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError('bad-input', `${path} cannot be read: ${why}`);
  }
}

/** A reason where it cannot be taken. */
function serverOf(label: string, entry: unknown, where: 'container' | 'host'): FoundServer | string {
  const name = label
    .toLowerCase()
    .slice(0, 24)
    .replaceAll(/[^a-z0-9]/g, '-')
    .replace(/^[^a-z]+/, '');
  if (name === '') return 'it has no letter in its name';
  if (!isRecord(entry)) return 'it is no object';
  const { type, command, args, env } = entry;
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl;
  if (type === 'sse' || type === 'ws')
    return `its transport (${type}) is not supported; use its streamable HTTP address`;
  if (/\$\{/.test(JSON.stringify([url ?? null, command ?? null, args ?? null])))
    return 'a variable stands in its command or address';
  const given = valuesIn(url === undefined ? env : (entry.headers ?? entry.http_headers));
  const names = [...given.keys()];
  const made = serverDefinitionSchema.safeParse(
    url === undefined
      ? { kind: 'stdio', command, args: args ?? [], env: names, where }
      : { kind: 'http', url, headers: names },
  );
  if (!made.success) return issuesText(made.error.issues, 'it');
  const secrets = [...given].flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  return { name, definition: made.data, secrets: Object.fromEntries(secrets) };
}

/** Null for a value that only names a variable: it comes from the environment when the server is started. */
function valuesIn(given: unknown): ReadonlyMap<string, string | null> {
  const entries = isRecord(given) ? Object.entries(given) : [];
  return new Map(entries.map(([key, value]) => [key, /\$\{/.test(String(value)) ? null : String(value)]));
}
