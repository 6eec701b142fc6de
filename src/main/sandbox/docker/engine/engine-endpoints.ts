import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Settings } from '@shared/settings/settings.ts';
import { sha256Of } from '../../../lib/sha256.ts';

/** Where to look for an engine, and how long to wait for it. */
export interface EngineSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly platform: NodeJS.Platform;
  /** How long an engine that exists may take to answer. */
  readonly waitMs: number;
  /** An engine that takes longer than this is asked again after all others. Default: 5 s. */
  readonly soonMs?: number;
  /** Called with a sentence when an engine exists and does not answer soon. Must not throw. */
  readonly onWait?: (text: string) => void;
}

/** The search for an engine of this user on this machine. */
export function engineSearch(
  env: EngineSearch['env'],
  { engineWaitSeconds }: Pick<Settings['sandbox'], 'engineWaitSeconds'>,
  onWait?: EngineSearch['onWait'],
): EngineSearch {
  const search = { env, homeDirectory: homedir(), platform: process.platform, waitMs: engineWaitSeconds * 1000 };
  return onWait === undefined ? search : { ...search, onWait };
}

export interface Endpoint {
  /** For users: the path of a socket, or an address. */
  readonly label: string;
  readonly address: { readonly socketPath: string } | { readonly host: string; readonly port: number } | null;
  /** Why it cannot be used, if `address` is null. */
  readonly problem: string;
}

/**
 * Where to look for an engine, in order. If the user has set one (`DOCKER_HOST`, a Docker context), it is the only
 * place, because using another engine would be a silent fallback.
 */
export async function engineEndpoints(search: EngineSearch): Promise<readonly Endpoint[]> {
  const set = search.env['DOCKER_HOST'];
  if (set !== undefined && set !== '') return [endpointOf(set, 'DOCKER_HOST')];
  const context = await contextHost(search);
  if (context !== null) {
    const source = `the Docker context "${context.name}"`;
    if (context.host === null) return [{ label: source, address: null, problem: 'its settings were not found' }];
    return [endpointOf(context.host, source)];
  }
  return defaultSockets(search).map((socketPath) => ({ label: socketPath, address: { socketPath }, problem: '' }));
}

function defaultSockets({ env, homeDirectory, platform }: EngineSearch): readonly string[] {
  if (platform === 'win32') {
    return ['//./pipe/docker_engine', '//./pipe/dockerDesktopLinuxEngine', '//./pipe/podman-machine-default'];
  }
  const runtime = env['XDG_RUNTIME_DIR'];
  const below = (...parts: string[]): string => join(homeDirectory, ...parts);
  const user =
    runtime === undefined || runtime === ''
      ? []
      : [join(runtime, 'docker.sock'), join(runtime, 'podman', 'podman.sock')];
  return [
    below('.docker', 'run', 'docker.sock'),
    '/var/run/docker.sock',
    ...user,
    below('.docker', 'desktop', 'docker.sock'),
    below('.colima', 'default', 'docker.sock'),
    below('.config', 'colima', 'default', 'docker.sock'),
    below('.orbstack', 'run', 'docker.sock'),
    below('.rd', 'docker.sock'),
    '/run/podman/podman.sock',
    below('.local', 'share', 'containers', 'podman', 'machine', 'podman.sock'),
  ];
}

function endpointOf(value: string, source: string): Endpoint {
  const label = `${value} (from ${source})`;
  if (value.startsWith('unix://'))
    return { label, address: { socketPath: value.slice('unix://'.length) }, problem: '' };
  if (value.startsWith('npipe://'))
    return { label, address: { socketPath: value.slice('npipe://'.length) }, problem: '' };
  if (value.startsWith('/')) return { label, address: { socketPath: value }, problem: '' };
  const match = /^(?:tcp|http):\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::(\d+))?\/?$/.exec(value);
  if (match?.[1] !== undefined) {
    return { label, address: { host: match[1].replaceAll(/[[\]]/g, ''), port: Number(match[2] ?? 2375) }, problem: '' };
  }
  return { label, address: null, problem: 'an engine on another machine cannot see the project folder' };
}

const configSchema = z.object({ currentContext: z.string().nullish() });
const contextSchema = z.object({ Endpoints: z.object({ docker: z.object({ Host: z.string() }) }) });

/** The Docker context that the user chose. Null: none. Its `host` is null if it cannot be found. */
async function contextHost({
  env,
  homeDirectory,
}: Pick<EngineSearch, 'env' | 'homeDirectory'>): Promise<{ name: string; host: string | null } | null> {
  const folder = env['DOCKER_CONFIG'] ?? join(homeDirectory, '.docker');
  const config = configSchema.safeParse(await readJson(join(folder, 'config.json')));
  const name = env['DOCKER_CONTEXT'] ?? (config.success ? config.data.currentContext : null) ?? 'default';
  if (name === 'default' || name === '') return null;
  const key = sha256Of(name);
  const context = contextSchema.safeParse(await readJson(join(folder, 'contexts', 'meta', key, 'meta.json')));
  return { name, host: context.success ? context.data.Endpoints.docker.Host : null };
}

// A missing or damaged file of another program is not ours to report. It means that there is no context.
async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return null;
  }
}
