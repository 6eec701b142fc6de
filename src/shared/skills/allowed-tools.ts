import { globMatcher } from '@shared/safety/fences.ts';

/** The tools that a skill names, as ours. They only narrow what a turn may call: they grant nothing. */
export interface AllowedTools {
  /** By the name of the tool. No scope: each call of it. */
  readonly tools: ReadonlyMap<string, readonly Scope[]>;
  /** The beginnings of the names of connected tools, such as `github__`. */
  readonly servers: readonly string[];
  /** Names that mean no tool of ours. A connected tool may have such a name. */
  readonly unknown: readonly string[];
}

/** What a call may be about, as the skill wrote it between the brackets. */
interface Scope {
  readonly kind: 'command' | 'path' | 'host';
  readonly pattern: string;
}

/** What is looked at in a call. */
export interface ScopedCall {
  readonly tool: string;
  readonly command: string | null;
  readonly paths: readonly string[];
  readonly url: string | null;
}

/** They change nothing and read nothing new, or ask the person: no skill takes them away. */
const alwaysThere: readonly string[] = ['task_complete', 'ask_person', 'update_plan', 'use_skill', 'read_result'];

const runs = ['run_command', 'run_tests', 'services'];
const finds = ['search', 'find_symbol', 'symbol_info', 'search_documents'];
const edits = ['edit_file', 'apply_patch', 'rename_symbol'];
const agents = ['spawn_agent', 'agent_manage'];

/** Our tools by the names that skills in the wild use, without case and signs. */
const meanings: readonly (readonly [string, readonly string[]])[] = [
  ['bash shell sh terminal powershell exec execute runcommand runcommands runinterminal runshellcommand', runs],
  ['read readfile view notebookread readmanyfiles fileread', ['read_file']],
  ['grep codebase searchfiles searchfilecontent grepsearch', finds],
  ['glob ls list listdir listdirectory findfiles filesearch', ['list_files', 'outline']],
  ['edit multiedit notebookedit editfiles replace strreplace applydiff', edits],
  ['write createfile writetofile', ['write_file']],
  ['webfetch fetch', ['web_read']],
  ['googlewebsearch', ['web_search']],
  ['task agent subagent runsubagent', agents],
  ['todowrite todoread skill askuserquestion exitplanmode attemptcompletion', []],
];

/** Tools of ours that a skill may name as they are. */
const ownTools: readonly string[] = [
  ...alwaysThere,
  ...runs,
  ...finds,
  ...edits,
  ...agents,
  'calculate',
  'read_file',
  'list_files',
  'outline',
  'write_file',
  'delete_file',
  'web_read',
  'web_search',
  'http_request',
  'read_git',
  'propose_memory',
  'canvas_render',
  'run_program',
  'run_notebook',
  'show_page',
];

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/gu, '');

const named = new Map<string, readonly string[]>([
  ...ownTools.map((name) => [plain(name), [name]] as const),
  ...meanings.flatMap(([names, tools]) => names.split(' ').map((name) => [name, tools] as const)),
]);

/** What may stand between the brackets after a tool; a tool without a kind takes nothing there. */
const scopeKinds: Readonly<Record<string, Scope['kind']>> = {
  run_command: 'command',
  read_file: 'path',
  list_files: 'path',
  search: 'path',
  edit_file: 'path',
  apply_patch: 'path',
  write_file: 'path',
  delete_file: 'path',
  web_read: 'host',
  http_request: 'host',
};

/** Reads the entries of `allowed-tools`. Null: they narrow nothing, because there are none or one means all. */
export function readAllowedTools(entries: readonly string[]): AllowedTools | null {
  const tools = new Map<string, readonly Scope[]>();
  const servers: string[] = [];
  const unknown: string[] = [];
  for (const entry of entries) {
    const bracket = entry.endsWith(')') ? entry.indexOf('(') : -1;
    const name = (bracket < 0 ? entry : entry.slice(0, bracket)).trim();
    const inside = bracket < 0 ? '' : entry.slice(bracket + 1, -1).trim();
    if (/^\*+$/u.test(name)) return null;
    const found = ownTools.includes(name) ? [name] : named.get(plain(name));
    const server = found === undefined ? serverTool(name) : null;
    if (server !== null) {
      servers.push(server);
      continue;
    }
    const put = (found ?? []).filter((one) => allow(tools, one, inside));
    if (found === undefined || (found.length > 0 && put.length === 0)) unknown.push(entry);
  }
  return entries.length === 0 ? null : { tools, servers, unknown };
}

/** `mcp__github__create-issue`, `github/*`, `mcp__slack`: a connected tool, or all of a server. Null: it names none. */
function serverTool(name: string): string | null {
  const isMarked = name.startsWith('mcp__');
  const [server = '', ...rest] = (isMarked ? name.slice('mcp__'.length) : name).split(/__|\//u);
  const tool = rest.join('__');
  if (server === '' || (tool === '' && !isMarked) || !/^[\w*-]*$/u.test(server + tool)) return null;
  return connectedName(`${server}__${tool === '*' ? '' : tool}`);
}

/** False: this tool takes no such brackets, so it is not allowed by them. */
function allow(tools: Map<string, readonly Scope[]>, tool: string, inside: string): boolean {
  const before = tools.get(tool);
  if (inside === '' || /^[*:]+$/u.test(inside)) {
    tools.set(tool, []);
    return true;
  }
  const kind = scopeKinds[tool];
  if (kind === undefined) return false;
  // Once a tool is allowed as a whole, it stays so.
  if (before?.length !== 0) tools.set(tool, [...(before ?? []), { kind, pattern: inside }]);
  return true;
}

const connectedName = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** Whether the tool is offered at all. `isConnected`: it is none of ours. */
export function offersTool({ tools, servers, unknown }: AllowedTools, name: string, isConnected: boolean): boolean {
  if (alwaysThere.includes(name) || tools.has(name)) return true;
  if (!isConnected) return false;
  const known = connectedName(name);
  const isOfServer = servers.some((server) => (server.endsWith('__') ? known.startsWith(server) : known === server));
  return isOfServer || unknown.includes(name);
}

/** Whether a call of a tool that is offered may be made. */
export function allowsCall({ tools }: AllowedTools, call: ScopedCall): boolean {
  const scopes = tools.get(call.tool) ?? [];
  if (scopes.length === 0) return true;
  const of = (kind: Scope['kind']): readonly string[] =>
    scopes.flatMap((scope) => (scope.kind === kind ? [scope.pattern] : []));
  switch (scopes[0]?.kind) {
    case 'command':
      return call.command !== null && partsOf(call.command).every((part) => fitsCommand(part, of('command')));
    case 'path': {
      const fits = of('path').map((pattern) => globMatcher(pattern.replace(/^\.\//u, '')));
      return call.paths.length > 0 && call.paths.every((path) => fits.some((one) => one(path.replace(/^\.\//u, ''))));
    }
    case 'host':
      return call.url !== null && fitsHost(call.url, of('host'));
    default:
      return true;
  }
}

/**
 * The single commands of a command line. What could hold another command, or write a file, stays in its part, which then
 * fits no pattern: a `;` between quotes is taken for an end, too.
 */
function partsOf(line: string): readonly string[] {
  const quiet = line.replaceAll(/\d?>&\d|[&\d]?> ?\/dev\/null/gu, ' ');
  return quiet
    .split(/[;&|\n]+/u)
    .map((part) => part.trim().replaceAll(/\s+/gu, ' '))
    .filter((part) => part !== '');
}

function fitsCommand(part: string, patterns: readonly string[]): boolean {
  if (/[`<>]|\$\(/u.test(part)) return false;
  return /^cd(?: [^ ]+)?$/u.test(part) || patterns.some((pattern) => fitsPattern(part, pattern));
}

/** `git add:*` and `git add *`: what begins with these words. Another `*` stands for anything. */
function fitsPattern(part: string, pattern: string): boolean {
  const words = /^(.*?)(?::| )\*$/u.exec(pattern)?.[1]?.trim();
  if (words !== undefined && !words.includes('*')) return part === words || part.startsWith(`${words} `);
  const pieces = (words === undefined ? pattern : `${words} *`).split('*');
  if (pieces.length === 1) return part === pattern;
  const [first = '', ...rest] = pieces;
  const last = rest.pop() ?? '';
  let at = first.length;
  if (!part.startsWith(first)) return false;
  for (const piece of rest) {
    const next = part.indexOf(piece, at);
    if (next < 0) return false;
    at = next + piece.length;
  }
  return part.length - last.length >= at && part.endsWith(last);
}

function fitsHost(url: string, patterns: readonly string[]): boolean {
  const host = /^https?:\/\/(?:[^/@\s]*@)?([^/:?#\s]+)/iu.exec(url)?.[1]?.toLowerCase() ?? '';
  return patterns.some((pattern) => {
    const name = pattern
      .replace(/^domain:/u, '')
      .replace(/^\*\./u, '')
      .toLowerCase();
    return host !== '' && (host === name || host.endsWith(`.${name}`));
  });
}

/** The tools in words, for a model and for people: `read_file, run_command (git:*)`. */
export function allowedText({ tools, servers }: AllowedTools): string {
  const own = [...tools].map(([name, scopes]) =>
    scopes.length === 0 ? name : `${name} (${scopes.map(({ pattern }) => pattern).join(', ')})`,
  );
  const connected = servers.map((server) => (server.endsWith('__') ? `${server}*` : server));
  return [...own, ...connected].join(', ') || 'none';
}
