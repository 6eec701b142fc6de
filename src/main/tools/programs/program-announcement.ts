import type { AnnouncedCall } from '@shared/tools/own-tool.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import { globMatcher } from '../../lib/files/glob-matcher.ts';
import { inputJsonSchema } from '../define.ts';
import type { Tool } from '../define.ts';
import { programLimits } from './program-limits.ts';

interface Entry {
  readonly tool: Tool;
  readonly most: number;
  readonly hosts: readonly string[];
  /** Null: any path. */
  readonly paths: readonly string[] | null;
  made: number;
}

/** The calls that a program announced, and those that it made. */
export interface Announcement {
  readonly entries: readonly Readonly<Entry>[];
  /** Counts one call against the announcement. Otherwise returns what is wrong, for the program. */
  readonly take: (name: string, input: unknown) => { readonly problem: string } | Readonly<Entry>;
}

/** The announced calls that leave the sandbox. If there are any, the user is asked before the program runs. */
export function leavingIn({ entries }: Announcement): Announcement['entries'] {
  return entries.filter(({ tool: { access }, hosts }) => access === 'network' || access === 'web' || hosts.length > 0);
}

/** Returns the announcement, or what is wrong with it, for the model. */
export function readAnnouncement(
  announced: readonly AnnouncedCall[],
  tools: readonly Tool[],
): Announcement | { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const entries = new Map<string, Entry>();
  for (const { tool: name, most, hosts = [], paths = null } of announced) {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) {
      problems.push(`There is no tool "${name.slice(0, 100)}" that a program can call.`);
      continue;
    }
    if (entries.has(name)) problems.push(`${name} is announced twice.`);
    if (!Number.isInteger(most) || most < 1) problems.push(`${name}: "most" has to be 1 or more.`);
    const known = hosts.map(canonicalHost);
    for (const [at, host] of known.entries())
      if (host === null) problems.push(`${name}: "${hosts[at]?.slice(0, 100) ?? ''}" is no name of a public host.`);
    if (asksForHosts(tool) && hosts.length === 0) problems.push(`${name}: say in "hosts" which hosts it reaches.`);
    if (paths !== null && !takesPath(tool)) problems.push(`${name}: its calls cannot be held to "paths".`);
    entries.set(name, { tool, most, hosts: known.filter((host) => host !== null), paths, made: 0 });
  }
  const sum = [...entries.values()].reduce((total, { most }) => total + most, 0);
  if (sum > programLimits.calls) problems.push(`${sum} calls are announced. The limit is ${programLimits.calls}.`);
  if (problems.length > 0) return { problems };
  return { entries: [...entries.values()], take: (name, input) => take(entries, name, input) };
}

/** Whether the tool's input contains the address that it reaches. */
function asksForHosts({ needs, access, name }: Tool): boolean {
  return needs === 'web' && (access === 'network' || name === 'web_read' || name === 'http_request');
}

function take(
  entries: ReadonlyMap<string, Entry>,
  name: string,
  input: unknown,
): { readonly problem: string } | Readonly<Entry> {
  const entry = entries.get(name);
  if (entry === undefined) return { problem: `"${name.slice(0, 100)}" is not among the announced calls.` };
  if (entry.made >= entry.most) return { problem: `${name} was announced for at most ${entry.most} calls.` };
  for (const host of entry.tool.connected === undefined || entry.hosts.length > 0 ? hostsIn(input) : [])
    if (host === null || !entry.hosts.includes(host))
      return { problem: `${name} was not announced for the host ${host ?? 'of this address'}.` };
  const { paths } = entry;
  if (paths !== null) {
    const named = pathsIn(input);
    const outside = named.find((path) => !paths.some((glob) => isInside(path, glob)));
    if (named.length === 0) return { problem: `${name} was announced for some paths, and this call names none.` };
    if (outside !== undefined) return { problem: `${name} was not announced for the path ${outside.slice(0, 200)}.` };
  }
  entry.made += 1;
  return entry;
}

/** Null: an address without a host that could be announced. */
function hostsIn(input: unknown): readonly (string | null)[] {
  if (!isRecord(input)) return [];
  const { url, network } = input;
  const asked: readonly unknown[] = isRecord(network) && Array.isArray(network.hosts) ? network.hosts : [];
  const named = asked.map((host) => (typeof host === 'string' ? canonicalHost(host) : null));
  return typeof url === 'string' ? [...named, hostOf(url)] : named;
}

function hostOf(url: string): string | null {
  try {
    return canonicalHost(new URL(url).hostname);
  } catch {
    // Not an address. The tool would say so, but no host was announced for it.
    return null;
  }
}

function pathsIn(input: unknown): readonly string[] {
  return isRecord(input) && typeof input.path === 'string' ? [input.path] : [];
}

function takesPath(tool: Tool): boolean {
  const { properties } = inputJsonSchema(tool);
  return isRecord(properties) && Object.hasOwn(properties, 'path');
}

/** A path that leads upwards or outside matches no pattern. */
function isInside(path: string, glob: string): boolean {
  const plain = path.replace(/^\.\//u, '');
  if (plain === '' || plain.startsWith('/') || plain.split('/').includes('..')) return false;
  try {
    return globMatcher(glob)(plain);
  } catch {
    // An invalid pattern matches nothing.
    return false;
  }
}

/** What was announced or made, per tool. */
export function announcementText({ entries }: Pick<Announcement, 'entries'>, how: 'announced' | 'made'): string {
  return entries
    .map(({ tool, most, hosts, paths, made }) => {
      const where = [...(hosts.length === 0 ? [] : [hosts.join(', ')]), ...(paths === null ? [] : [paths.join(', ')])];
      const place = where.length === 0 ? '' : ` (${where.join('; ')})`;
      return how === 'made' ? `${tool.name} ${made} of ${most}` : `${tool.name}: at most ${most}${place}`;
    })
    .join(how === 'made' ? ', ' : '\n');
}
