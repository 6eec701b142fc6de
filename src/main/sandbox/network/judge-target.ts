import type { NetworkReason } from './network-decision.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';

export type TargetVerdict =
  | { readonly ok: true; readonly host: string }
  | { readonly ok: false; readonly shown: string; readonly port: number | null; readonly reason: NetworkReason };

/**
 * Whether `HOST` or `HOST:PORT`, as a program in the sandbox wrote it, may be reached. It must be exactly a listed
 * name and exactly the port of the protocol. `list` contains canonical names.
 */
export function judgeTarget(target: string, port: 80 | 443, list: ReadonlySet<string>): TargetVerdict {
  const colon = target.lastIndexOf(':');
  const name = colon < 0 ? target : target.slice(0, colon);
  const portText = colon < 0 ? String(port) : target.slice(colon + 1);
  const asked = /^\d{1,5}$/.test(portText) ? Number(portText) : null;
  const refuse = (reason: NetworkReason): TargetVerdict => ({ ok: false, shown: shown(name), port: asked, reason });
  const host = canonicalHost(name);
  if (host === null) return refuse('bad-host');
  if (!list.has(host)) return refuse('not-listed');
  if (asked !== port) return refuse('bad-port');
  return { ok: true, host };
}

/** The text for logs and users: short, and without characters that move a cursor or imitate others. */
function shown(text: string): string {
  const safe = text.slice(0, 260).replaceAll(/[^\x21-\x7e]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return safe.slice(0, 260);
}
