import { z } from 'zod';
import { canonicalHost } from './host-name.ts';

/** For how long a person's yes to a host holds. */
export const approvalScopeSchema = z.enum(['once', 'session', 'project']);
export type ApprovalScope = z.infer<typeof approvalScopeSchema>;

/** A host as rules name it: an exact public name. */
export const hostSchema = z
  .string()
  .refine((text) => canonicalHost(text) === text, 'an exact host name in small letters, such as files.example.org');

const hosts = z.array(hostSchema).default([]);

/** What commands may reach. Deny goes over ask, ask over allow; a host in no list is asked about. */
export const hostRulesSchema = z.strictObject({ deny: hosts, ask: hosts, allow: hosts });
export type HostRules = z.infer<typeof hostRulesSchema>;

export const networkRulesSchema = z.strictObject({
  deny: hosts,
  ask: hosts,
  allow: hosts,
  /** For one project each, by its folder. */
  projects: z.record(z.string(), hostRulesSchema).default({}),
  /** Folders of projects whose files count as the person's own words, wherever they came from. */
  trusted: z.array(z.string()).default([]),
});
export type NetworkRules = z.infer<typeof networkRulesSchema>;

/** What a run may reach without anybody being asked: its own list, or nothing at all. */
export const runNetworkSchema = z.union([z.enum(['off', 'ask']), z.array(hostSchema).min(1).max(64)]);
export type RunNetwork = z.infer<typeof runNetworkSchema>;

/** What became of the connections to one host of one command, alike in port and outcome. Bytes of payload. */
export const networkUseSchema = z.object({
  toolCallId: z.string(),
  /** As it was asked for; may be anything. */
  host: z.string(),
  port: z.number().int().nullable(),
  isAllowed: z.boolean(),
  /** `listed`, or why not: `not-listed`, `bad-host`, `inner-address`, `other-name` … */
  reason: z.string(),
  /** Where the first of them went; null where none did, or where a proxy of this machine chose. */
  address: z.string().nullable(),
  count: z.number().int().positive(),
  sentBytes: z.number().int().nonnegative(),
  receivedBytes: z.number().int().nonnegative(),
});
export type NetworkUse = z.infer<typeof networkUseSchema>;

/** Names of the machine itself: every command reaches its own container by them, so they are no wish for a network. */
export function areOfItself(hosts: readonly string[]): boolean {
  return hosts.every((host) => /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1\]?)(?::\d+)?$/iu.test(host.trim()));
}
