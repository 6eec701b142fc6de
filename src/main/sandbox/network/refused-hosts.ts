import type { NetworkDecision } from './decision.ts';

const mostNamed = 5;

/** What kept a command from hosts it asked for, a sentence for each cause; empty where nothing did. For people. */
export function refusedText(decisions: readonly Pick<NetworkDecision, 'host' | 'isAllowed' | 'reason'>[]): string {
  const refused = decisions.filter(({ isAllowed }) => !isAllowed);
  const named = (wanted: (decision: (typeof refused)[number]) => boolean): string =>
    [...new Set(refused.filter(wanted).map(({ host }) => host))].slice(0, mostNamed).join(', ');
  const unlisted = named(({ reason }) => reason === 'not-listed');
  const unreached = named(({ reason }) => reason === 'unreachable' || reason === 'no-address');
  const others = refused.filter(({ reason }) => !['not-listed', 'unreachable', 'no-address'].includes(reason));
  return [
    unlisted === '' ? '' : `It asked for ${unlisted}, which was not approved (--host).`,
    unreached === '' ? '' : `This machine cannot reach ${unreached}: look at its network and its proxy.`,
    ...new Set(others.slice(0, mostNamed).map(({ host, reason }) => `${host} was not let through (${reason}).`)),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}
