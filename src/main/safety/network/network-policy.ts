import type { HostRules, NetworkRules, RunNetwork } from '@shared/safety/network-access.ts';
import type { ApproveMode } from '@shared/safety/approval-grants.ts';
import { maxRefusals } from '../approvals/approval-policy.ts';
import type { SessionExposure } from './network-ledger.ts';

/** What reaches the hosts: a command, or a web request that only reads or that may change something. */
export type HostUse = 'command' | 'read' | 'change';

/** A request to reach hosts, with everything that was decided about them. Host names are canonical. */
export interface NetworkRequest {
  readonly hosts: readonly string[];
  readonly rules: NetworkRules;
  /** The folder whose own rules apply; null: none. */
  readonly projectPath: string | null;
  /** Hosts that the user allowed for this session. */
  readonly granted: ReadonlySet<string>;
  readonly run: RunNetwork;
  readonly approve: ApproveMode;
  readonly exposure: SessionExposure;
  /** How often the user has refused in this turn. */
  readonly refusals: number;
  /** Absent: a command. */
  readonly use?: HostUse;
}

export interface NetworkVerdict {
  readonly answer: 'allow' | 'deny' | 'ask';
  /** A sentence for the model and the user. */
  readonly reason: string;
  /** A yes is for this command only. */
  readonly isOnce: boolean;
}

/**
 * Decides whether a command may reach hosts. Deny takes precedence over ask, and ask over allow. If private content and
 * text from outside have met in the session, hosts that were allowed before are asked about every time: the text may
 * have told the model where to send the content.
 */
export function decideNetwork(wish: NetworkRequest): NetworkVerdict {
  const { hosts, rules, run, approve } = wish;
  const lists = [rules, ...projectRules(wish)];
  const denied = hosts.find((host) => lists.some((list) => list.deny.includes(host)));
  if (run === 'off') return deny('This run has no network (--network off).');
  if (denied !== undefined) return deny(`A rule denies ${denied}.`);
  if (approve === 'deny') return deny('This run says no to every question (--approve deny).');
  if (typeof run !== 'string' && hosts.every((host) => run.includes(host)))
    return { answer: 'allow', reason: 'The hosts were given with the run.', isOnce: false };
  if (wish.refusals >= maxRefusals)
    return deny(
      `The person said no ${wish.refusals} times in this turn and is not asked again before the next message.`,
    );
  const met = metText(wish);
  const asked = hosts.find((host) => lists.some((list) => list.ask.includes(host)));
  const isKnown = (host: string): boolean => wish.granted.has(host) || lists.some((list) => list.allow.includes(host));
  const isCommand = (wish.use ?? 'command') === 'command';
  const news = isCommand ? 'Commands have no network of their own.' : 'Nobody has allowed this host yet.';
  const why = hosts.every(isKnown) ? 'These hosts were allowed before.' : news;
  if (asked !== undefined) return ask(approve, `A rule says to ask for ${asked} each time.`, met !== null);
  if (met !== null) return ask(approve, `${why} ${met}`, true);
  if (wish.use === 'change') return ask(approve, `${why} This request may change something there.`, true);
  if (!hosts.every(isKnown)) return ask(approve, why, false);
  return { answer: 'allow', reason: 'A person allowed these hosts before.', isOnce: false };
}

/** Why the user is asked every time: text from others may have told the model what to send where. Null: no reason. */
function metText({ exposure, rules, projectPath, use = 'command' }: NetworkRequest): string | null {
  if (!exposure.private) return null;
  const what = use === 'command' ? 'read what would be run' : 'read what would be sent';
  if (exposure.untrusted)
    return `Text from outside has come into this session, beside content of your project: ${what}.`;
  if (exposure.origin === null || projectPath === null || rules.trusted.includes(projectPath)) return null;
  const trust = JSON.stringify([...rules.trusted, projectPath]);
  return `The model has read files of this project that others may have written (it came from ${exposure.origin}): ${what}. If you trust everything in them: dewpoint settings set network.trusted '${trust}'`;
}

function deny(reason: string): NetworkVerdict {
  return { answer: 'deny', reason, isOnce: false };
}

/** With `--approve allow`, only the hosts of the run are allowed, and everything else is denied. */
function ask(approve: ApproveMode, reason: string, isOnce: boolean): NetworkVerdict {
  return approve === 'allow'
    ? deny('--approve allow covers only the hosts that are named with --network.')
    : { answer: 'ask', reason, isOnce };
}

function projectRules({ rules, projectPath }: NetworkRequest): readonly HostRules[] {
  if (projectPath === null || !Object.hasOwn(rules.projects, projectPath)) return [];
  const found = rules.projects[projectPath];
  return found === undefined ? [] : [found];
}
