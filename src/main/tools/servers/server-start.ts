import { AppError } from '@shared/errors.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import { secretNames, type ServerDefinition } from '@shared/tools/server-definition.ts';
import { downloadHosts } from './program-needs.ts';

/** At most this many refused hosts of a server are kept. */
const mostHosts = 20;

/** The hosts that servers asked for in their last run and may not reach. */
export interface RefusedHosts {
  /** Begins a run of a server. The result takes each host that is refused. */
  readonly startOf: (name: string) => (host: string) => void;
  readonly of: (name: string) => readonly string[];
}

export function createRefusedHosts(): RefusedHosts {
  const all = new Map<string, Set<string>>();
  return {
    startOf: (name) => {
      const hosts = new Set<string>();
      all.set(name, hosts);
      return (host) => {
        if (hosts.size < mostHosts && canonicalHost(host) === host) hosts.add(host);
      };
    },
    of: (name) => [...(all.get(name) ?? [])],
  };
}

type Contained = Extract<ServerDefinition, { kind: 'stdio' }>;

export function isContained(definition: ServerDefinition): definition is Contained {
  return definition.kind === 'stdio' && definition.where === 'container';
}

/** The hosts that would help a server in a container: those that it was refused, and those of its package runner. */
export function wantedHosts(definition: ServerDefinition, refused: readonly string[]): readonly string[] {
  if (!isContained(definition)) return [];
  const wanted = new Set([...downloadHosts(definition), ...refused]);
  return [...wanted].filter((host) => !definition.hosts.includes(host));
}

const downloadMs = 300_000;

/** A program that is downloaded at its start may take minutes to answer. */
export function startWait(definition: ServerDefinition): { readonly connectMs?: number } {
  return definition.kind === 'stdio' && downloadHosts(definition).length > 0 ? { connectMs: downloadMs } : {};
}

/** The values that a server needs. Rejects if one is not set. */
export async function secretsOf(
  { secret }: { readonly secret: (server: string, variable: string) => Promise<string | null> },
  name: string,
  definition: ServerDefinition,
): Promise<Readonly<Record<string, string>>> {
  const names = secretNames(definition);
  const values = await Promise.all(names.map(async (one) => [one, await secret(name, one)] as const));
  const missing = values.filter(([, value]) => value === null).map(([one]) => one);
  if (missing.length > 0) {
    throw new AppError('missing-key', `The tool server ${name} needs a value for ${missing.join(', ')}.`, {
      hint: `Set it: dewpoint tools secret ${name} ${missing[0] ?? ''}`,
    });
  }
  return Object.fromEntries(values.flatMap(([one, value]) => (value === null ? [] : [[one, value]])));
}
