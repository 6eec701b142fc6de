import type { Reply } from '@shared/errors.ts';
import { failure, success } from '@shared/errors.ts';
import type { SessionEvent } from '@shared/events/events.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import type { NetworkRules } from '@shared/safety/network-access.ts';
import type { NetworkRequest, NetworkVerdict } from './network-policy.ts';
import { decideNetwork } from './network-policy.ts';
import { createNetworkLedger } from './network-ledger.ts';

/** Decides which hosts the commands of one session may reach. */
export interface SessionNetwork {
  /** Decides by the rules, the log and the run's options. Host names must be canonical. */
  readonly decide: (
    hosts: readonly string[],
    run: Pick<NetworkRequest, 'run' | 'approve' | 'use'>,
  ) => Promise<NetworkVerdict>;
  /** Stores the user's yes for the project, outside the project. */
  readonly remember: (hosts: readonly string[]) => Promise<Reply<unknown>>;
}

export interface SessionNetworkOptions {
  readonly rules: () => NetworkRules;
  /** Writes the rules of all projects. */
  readonly saveProjects: (projects: NetworkRules['projects']) => Promise<Reply<unknown>>;
  readonly projectPath: string | null;
  /** Reads the session's log. */
  readonly read: (fromSeq: number) => AsyncIterable<SessionEvent>;
}

export function createSessionNetwork({
  rules,
  saveProjects,
  projectPath,
  read,
}: SessionNetworkOptions): SessionNetwork {
  const ledger = createNetworkLedger();
  let seen = 0;
  return {
    decide: async (hosts, run) => {
      for await (const event of read(seen + 1)) {
        if (event.seq <= seen) continue;
        ledger.add(event);
        seen = event.seq;
      }
      const said = { granted: ledger.granted(), exposure: ledger.exposure(), refusals: ledger.refusals() };
      return decideNetwork({ hosts, rules: rules(), projectPath, ...run, ...said });
    },
    remember: async (hosts) => {
      if (projectPath === null) return success(null);
      const { projects } = rules();
      const own = (Object.hasOwn(projects, projectPath) ? projects[projectPath] : undefined) ?? noRules;
      return saveProjects({ ...projects, [projectPath]: { ...own, allow: [...new Set([...own.allow, ...hosts])] } });
    },
  };
}

const noRules = { deny: [], ask: [], allow: [] };

/** The host names of a call, normalized and without duplicates. Fails with `bad-input`, which names what is wrong. */
export function askedHosts(names: readonly string[]): Reply<readonly string[]> {
  const hosts = new Set<string>();
  for (const name of names) {
    const host = canonicalHost(name);
    if (host === null)
      return failure(
        'bad-input',
        `"${name.slice(0, 260)}" is not a host that can be asked for.`,
        'Give exact names of public hosts: no addresses, ports, paths or patterns.',
      );
    hosts.add(host);
  }
  return success([...hosts].sort());
}
