import type { NetworkDecision } from './network-decision.ts';

const mostNamed = 5;

/** A command may ask for anything: words that are no name are not said for it. */
function named(host: string): string {
  return /^[a-z0-9.-]{1,253}$/.test(host) ? host : 'what is no name of a host';
}

/** What kept a command from hosts it asked for, a sentence for each cause; empty where nothing did. For people. */
export function refusedHostsText(decisions: readonly Pick<NetworkDecision, 'host' | 'isAllowed' | 'reason'>[]): string {
  const refused = decisions.filter(({ isAllowed }) => !isAllowed);
  const listOf = (...reasons: readonly string[]): string => {
    const hosts = refused.filter(({ reason }) => reasons.includes(reason)).map(({ host }) => named(host));
    return [...new Set(hosts)].slice(0, mostNamed).join(', ');
  };
  const unlisted = listOf('not-listed');
  const unreached = listOf('unreachable', 'no-address');
  const others = refused.filter(({ reason }) => !['not-listed', 'unreachable', 'no-address'].includes(reason));
  return [
    unlisted === '' ? '' : `It asked for ${unlisted}, which was not approved (--host).`,
    unreached === '' ? '' : `This machine cannot reach ${unreached}: look at its network and its proxy.`,
    ...new Set(others.slice(0, mostNamed).map(({ host, reason }) => `${named(host)} was not let through (${reason}).`)),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
