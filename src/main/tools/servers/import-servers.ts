import { jsonrepair } from 'jsonrepair';
import { AppError, messageOf } from '@shared/errors.ts';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { serverDefinitionSchema } from '@shared/tools/server-definition.ts';
import { issuesText } from '../../lib/issue-text.ts';
import { fieldOf, isRecord } from '@shared/unknown-value.ts';
import { parseToml } from '../../lib/files/parse-toml.ts';
import { serverInLine } from './command-line.ts';
import { downloadHosts, exampleIn, isExampleValue, withHome } from './program-needs.ts';

/** A server from a file of another program, in Dewpoint's form. */
export interface FoundServer {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** Secret values from the file. They go only into the key store. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Nobody gave its name, so that may be replaced by a free one. */
  readonly isUnnamed: boolean;
}

/** Where found programs will run, and which hosts they reach. */
export interface ProgramPlace {
  readonly where: 'container' | 'host';
  readonly hosts?: readonly string[];
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Entries that were not imported, each with the reason. */
  readonly skipped: readonly string[];
}

/**
 * Reads the servers of `.mcp.json`, Claude Desktop, Cursor, VS Code (`servers`, or `mcp.servers` of its settings) and
 * Codex (`mcp_servers` in TOML). `how`, not the file, decides where a program runs and what it reaches.
 */
export function serversIn(text: string, path: string, how: ProgramPlace): FoundServers {
  const file = parsed(text, path);
  const entries = listIn(file);
  if (entries === undefined) {
    throw new AppError('bad-input', `No tool servers were found in ${path}.`, {
      hint: 'It needs mcpServers, servers or mcp_servers at its top.',
    });
  }
  return serversOf(entries, how);
}

function serversOf(entries: Readonly<Record<string, unknown>>, how: ProgramPlace): FoundServers {
  const servers: FoundServer[] = [];
  const skipped: string[] = [];
  for (const [label, entry] of Object.entries(entries)) {
    if (servers.length === mostServers) {
      skipped.push(`${label}: ${mostServers} servers at once are the most`);
      break;
    }
    const found = serverOf(label, entry, how);
    if (typeof found === 'string') skipped.push(`${label}: ${found}`);
    else if (servers.some(({ name }) => name === found.name))
      skipped.push(`${label}: another one is called ${found.name}`);
    else servers.push(found);
  }
  return { servers, skipped };
}

const mostServers = 100;

function listIn(file: unknown): Readonly<Record<string, unknown>> | undefined {
  const lists = ['mcpServers', 'servers', 'mcp_servers'].map((key) => fieldOf(file, key));
  return [...lists, fieldOf(fieldOf(file, 'mcp'), 'servers')].find(isRecord);
}

/**
 * Reads a pasted text: a command line, an address, an install link of an editor (`cursor://…`, `vscode:…`), one server,
 * or the content of a file with servers.
 */
export function serversInText(text: string, how: ProgramPlace): FoundServers {
  const pasted = withoutFence(text);
  if (/^https?:\/\/\S+$/iu.test(pasted)) return serverAtAddress(pasted, how);
  if (/^[a-z-]+:\S*$/iu.test(pasted) && !pasted.startsWith('{')) return serverOfLink(pasted, how);
  if (pasted.startsWith('[mcp_servers') || pasted.includes('\n[mcp_servers'))
    return serversIn(pasted, 'the text.toml', how);
  const line = /^(?:[{[]|\/[/*]|"[^"]*"\s*:)/u.test(pasted) ? null : serverInLine(pasted);
  if (line !== null) return oneServer(line.name ?? undefined, line.entry, how);
  if (!/[{["]/u.test(pasted)) throw noServer();
  // Text from web pages often starts at the name, without the braces around it.
  const value = parsed(pasted.startsWith('"') ? `{${pasted}}` : pasted, 'The text');
  const list = listIn(value);
  if (list !== undefined) return serversOf(list, how);
  if (isServer(value)) return oneServer(undefined, value, how);
  if (isRecord(value) && Object.keys(value).length > 0 && Object.values(value).every(isServer))
    return serversOf(value, how);
  throw noServer();
}

function noServer(): AppError {
  return new AppError('bad-input', 'No tool server was found in the text. Nothing was added.', {
    hint: 'Paste the command from its README, such as npx -y @example/server, its address, or JSON with mcpServers.',
  });
}

/** Text copied with the marks of a code block around it. */
function withoutFence(text: string): string {
  const lines = text.trim().split('\n');
  return (lines[0]?.startsWith('```') === true ? lines.filter((line) => !line.startsWith('```')) : lines)
    .join('\n')
    .trim();
}

/** Pages about a server, which are not its address. */
const pages = /^(?:www\.)?(?:github\.com|gitlab\.com|npmjs\.com|pypi\.org|hub\.docker\.com)$/u;

function serverAtAddress(address: string, how: ProgramPlace): FoundServers {
  const url = URL.parse(address);
  // Pages of clients link their install links through a web address.
  const inner = url?.searchParams.get('url') ?? '';
  if (/^(?:vscode|vscode-insiders|cursor):/u.test(inner)) return serverOfLink(inner, how);
  if (url?.searchParams.has('config') === true && url.searchParams.has('name')) return serverOfLink(address, how);
  if (url === null || !pages.test(url.hostname)) return oneServer(undefined, { url: address }, how);
  throw new AppError('bad-input', `${url.hostname} shows a page about a server, not the server. Nothing was added.`, {
    hint: 'Open the page, and copy the command or the JSON that it gives under Install or Configuration.',
  });
}

function isServer(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && ['command', 'url', 'serverUrl', 'httpUrl'].some((key) => typeof value[key] === 'string');
}

/** `given`: the name it was given outside of its entry. */
function oneServer(
  given: string | undefined,
  entry: Readonly<Record<string, unknown>>,
  how: ProgramPlace,
): FoundServers {
  const own = given ?? (typeof entry.name === 'string' ? entry.name : undefined);
  const { servers, skipped } = serversOf({ [own ?? nameOfServer(entry)]: entry }, how);
  // An address says whose server it is. Programs of one name may be different servers.
  const isUnnamed = own === undefined && typeof entry.command === 'string';
  return { servers: servers.map((one) => ({ ...one, isUnnamed: one.isUnnamed || isUnnamed })), skipped };
}

/** The name of a server whose address is only a number, such as `http://127.0.0.1:8000/mcp`. */
const noName = 'server';

/** The owner's part of an address: `https://mcp.linear.example/mcp` gives `linear`. */
function nameOfAddress(address: string): string {
  const hostname = URL.parse(address)?.hostname ?? '';
  const labels = hostname.startsWith('[') ? [] : hostname.split('.');
  const own = labels.filter((label) => /[a-z]/iu.test(label) && !['mcp', 'api', 'www'].includes(label));
  return own[0] ?? noName;
}

/**
 * A package runner is named after its package: `npx -y @example/docs-server` gives `docs-server`. A script is named after
 * itself, or after its folder if its own name says nothing: `node /work/weather/build/index.js` gives `weather`.
 */
function nameOfServer({ command, args, url, serverUrl, httpUrl }: Readonly<Record<string, unknown>>): string {
  const address = [url, serverUrl, httpUrl].find((one) => typeof one === 'string');
  if (address !== undefined) return nameOfAddress(String(address));
  const words = (Array.isArray(args) ? args : []).map(String);
  const ours = words.filter((word, at) => !isOfRunner(word, words[at - 1]));
  const script = ours.find((word) => /^(?:[@a-z~./\\]|[a-z]:\\)[\w@./:~\\ -]*$/iu.test(word));
  const folder = words.find((_word, at) => /^--(?:directory|cwd)$/u.test(words[at - 1] ?? ''));
  const paths = [folder ?? '', script ?? String(command)];
  const names = paths.flatMap((path) => path.split(/[\\/]/u)).map(plainName);
  return shortName(names.findLast((name) => !saysNothing.test(name)) ?? names.at(-1) ?? noName);
}

/** Without the version of a package and without the ending of a script. */
const plainName = (name: string): string =>
  name.replace(/(?<=.)@[\w.-]+$|:[\w.-]+$/u, '').replace(/\.(?:[cm]?[jt]s|py|jar|exe|sh)$/iu, '');

/** Names of scripts and folders that servers share. */
const saysNothing =
  /^(?:|\.+|~|[a-z]:|index|main|__main__|server|mcp|app|cli|run|start|build|dist|out|lib|src|bin|node_modules)$/iu;

/** Words of `docker run`, `uv tool run` and `pnpm dlx` that name no server. */
function isOfRunner(word: string, before = ''): boolean {
  const takesValue = /^(?:-e|--env|-v|--volume|--mount|-p|--name|--network|--directory|--python|--with)$/u;
  return /^(?:run|exec|dlx|tool|x|start|-.*)$/u.test(word) || takesValue.test(before);
}

/** `mcp-server-fetch` and `server-memory` are called `fetch` and `memory`. */
function shortName(name: string): string {
  const own = name.replace(/^(?:mcp-server-|server-|mcp-)/u, '').replace(/(?:-mcp-server|-mcp)$/u, '');
  return own === '' ? name : own;
}

/** Reads `cursor://…/install?name=NAME&config=BASE64` or `vscode:mcp/install?JSON`. */
function serverOfLink(link: string, how: ProgramPlace): FoundServers {
  try {
    const query = link.slice(link.indexOf('?') + 1);
    const fields = new URLSearchParams(query);
    const config = fields.get('config');
    const given = fields.get('name') ?? undefined;
    const text =
      config === null ? decodeURIComponent(query) : Buffer.from(config.replaceAll(' ', '+'), 'base64').toString('utf8');
    const entry: unknown = JSON.parse(text);
    // Some links give the program and its arguments as one line.
    const line = isServer(entry) && typeof entry.command === 'string' && entry.args === undefined ? entry.command : '';
    const found = serverInLine(line)?.entry;
    const env = { ...recordOf(found?.env), ...recordOf(isRecord(entry) ? entry.env : null) };
    const whole = isRecord(entry) && found !== undefined ? { ...entry, ...found, env } : entry;
    if (isServer(whole)) return oneServer(given, whole, how);
  } catch {
    // The error follows below, as for a link without a server.
  }
  throw new AppError('bad-input', 'No tool server was found in the link. Nothing was added.', {
    hint: 'Paste the JSON of the server instead.',
  });
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

const mostRepaired = 100_000;

function parsed(text: string, path: string): unknown {
  try {
    if (path.toLowerCase().endsWith('.toml')) return parseToml(text);
    // VS Code allows comments and trailing commas. Longer texts are not repaired, because that takes too long.
    return JSON.parse(text.length > mostRepaired ? text : jsonrepair(text));
  } catch (error) {
    throw new AppError('bad-input', `${path} cannot be read: ${messageOf(error)}`);
  }
}

/** Returns the reason as text if the entry cannot be imported. */
function serverOf(label: string, entry: unknown, how: ProgramPlace): FoundServer | string {
  const name = label
    .toLowerCase()
    .slice(0, 24)
    .replaceAll(/[^a-z0-9]/g, '-')
    .replace(/^[^a-z]+/, '');
  if (name === '') return 'it has no letter in its name';
  if (!isRecord(entry)) return 'it is no object';
  const { command, env } = entry;
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl;
  const { args, env: ofEngine } = argumentsIn(entry);
  const texts = [url, command, ...args].filter((word) => typeof word === 'string');
  const example = texts.map((text) => exampleIn(text)).find((one) => one !== null);
  if (example !== undefined && example !== null) return `put your own value in the place of ${example}`;
  const given = url === undefined ? new Map([...ofEngine, ...valuesIn(env)]) : headersIn(entry);
  const names = [...given.keys()];
  const made = serverDefinitionSchema.safeParse(
    url === undefined
      ? programWith({ command, args: args.map(atHome), env: names }, how)
      : { kind: 'http', url, headers: names },
  );
  if (!made.success) return issuesText(made.error.issues, 'it');
  const secrets = [...given].flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  return { name, definition: made.data, secrets: Object.fromEntries(secrets), isUnnamed: label === noName };
}

function atHome(word: unknown): unknown {
  return typeof word === 'string' ? withHome(word) : word;
}

/** What would be started or reached, if it holds what looks like a secret, which is masked. Null: it holds none. */
export function maskedLine(definition: ServerDefinition, hide: (text: string) => string): string | null {
  if (definition.kind === 'composio') return null;
  const words = definition.kind === 'http' ? [definition.url] : [definition.command, ...definition.args];
  const masked = words.map((word) => withoutCredentials(hide(word)));
  const line = masked.map((word) => (/^[\w@%+=:,./[\]-]+$/u.test(word) ? word : JSON.stringify(word))).join(' ');
  // An option and its value are two words: `--api-key VALUE`.
  const shown = hide(line);
  return shown === line && masked.every((word, at) => word === words[at]) ? null : shown;
}

/** A header with its value in one argument, as `mcp-remote` takes it. Whatever it looks like, the value is a secret. */
function withoutCredentials(word: string): string {
  const [header] = /^(?:proxy-)?authorization:/iu.exec(word) ?? [];
  return header === undefined || word.trim() === header ? word : `${header} [redacted]`;
}

/** A program in a container may reach the hosts that the person named; else those from which its runner gets it. */
function programWith(
  { command, args, env }: { readonly command: unknown; readonly args: readonly unknown[]; readonly env: string[] },
  how: ProgramPlace,
): unknown {
  const words = args.map((one) => (typeof one === 'string' ? one : String(one)));
  const isNamed = how.where === 'host' || (how.hosts ?? []).length > 0;
  const hosts = isNamed ? (how.hosts ?? []) : downloadHosts({ command: String(command), args: words });
  return { kind: 'stdio', command, args: words, env, where: how.where, hosts };
}

/**
 * The arguments as they are written. A value that `docker run -e NAME=value` sets goes into the key store, and `-e NAME`
 * passes it on. So do `--env=NAME=value` and `-eNAME=value`.
 */
function argumentsIn({ args, command }: Readonly<Record<string, unknown>>): {
  readonly args: readonly unknown[];
  readonly env: ReadonlyMap<string, string | null>;
} {
  const env = new Map<string, string | null>();
  const words: readonly unknown[] = Array.isArray(args) ? args : [];
  const isEngine = /(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/u.test(String(command));
  const own = words.map((word, at) => {
    if (typeof word !== 'string' || !isEngine) return word;
    const option = /^(?:-[ditPq]*e|--env)$/u.test(String(words[at - 1])) ? '' : inlineVariable.exec(word)?.[0];
    if (option === undefined) return word;
    const given = word.slice(option.length);
    const [, name = given, value] = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/u.exec(given) ?? [];
    env.set(name, value === undefined ? null : valueOf(name, value));
    return `${option}${name}`;
  });
  return { args: own, env };
}

/** The option of a word that also holds its variable. Behind the short one only capitals, so that `-extra` is none. */
const inlineVariable = /^(?:--env=|-[ditPq]*e=?(?=[A-Z_][A-Z0-9_]*(?:=|$)))/u;

/**
 * Null for a value that only names a variable: it comes from the environment when the server is started.
 * `${NAME:-value}` gives the value to use if the variable is not set.
 */
function valuesIn(given: unknown): ReadonlyMap<string, string | null> {
  const entries = isRecord(given) ? Object.entries(given) : [];
  return new Map(entries.map(([key, value]) => [key, valueOf(key, String(value))]));
}

function valueOf(key: string, text: string): string | null {
  if (isExampleValue(text)) return null;
  if (!text.includes('${')) return text;
  const [, name, preset] = /^\$\{(\w+):-([^{}]+)\}$/u.exec(text) ?? [];
  return name === key && preset !== undefined ? preset : null;
}

/** Codex names the environment variables that hold a token or a header. */
function headersIn({
  headers,
  http_headers,
  ...entry
}: Readonly<Record<string, unknown>>): ReadonlyMap<string, string | null> {
  const named = isRecord(entry.env_http_headers) ? Object.keys(entry.env_http_headers) : [];
  const token = typeof entry.bearer_token_env_var === 'string' ? ['Authorization'] : [];
  return new Map([...[...named, ...token].map((one) => [one, null] as const), ...valuesIn(headers ?? http_headers)]);
}
