import { z } from 'zod';
import { canonicalHost } from './host-name.ts';

/** How long a user's yes to a host holds. */
export const approvalScopeSchema = z.enum(['once', 'session', 'project', 'always']);
export type ApprovalScope = z.infer<typeof approvalScopeSchema>;

/** A host in a rule: an exact public name. */
export const hostSchema = z
  .string()
  .refine((text) => canonicalHost(text) === text, 'an exact host name in small letters, such as files.example.org');

const hosts = z.array(hostSchema).default([]);

/** What commands may reach. Deny wins over ask, and ask over allow. For a host in no list, the user is asked. */
export const hostRulesSchema = z.strictObject({ deny: hosts, ask: hosts, allow: hosts });
export type HostRules = z.infer<typeof hostRulesSchema>;

export const networkRulesSchema = z.strictObject({
  deny: hosts,
  ask: hosts,
  allow: hosts,
  /** Rules for single projects, by folder. */
  projects: z.record(z.string(), hostRulesSchema).default({}),
  /** Folders of projects whose files count as the user's own words, wherever they came from. */
  trusted: z.array(z.string()).default([]),
});
export type NetworkRules = z.infer<typeof networkRulesSchema>;

/** What a run may reach without asking: its own list, or nothing at all. */
export const runNetworkSchema = z.union([z.enum(['off', 'ask']), z.array(hostSchema).min(1).max(64)]);
export type RunNetwork = z.infer<typeof runNetworkSchema>;

/** The connections of one command to one host, with the same port and outcome. Bytes count the payload. */
export const networkUseSchema = z.object({
  toolCallId: z.string(),
  /** As the command asked for it; may be any text. */
  host: z.string(),
  port: z.number().int().nullable(),
  isAllowed: z.boolean(),
  /** `listed`, or why it was refused: `not-listed`, `bad-host`, `inner-address`, `other-name` … */
  reason: z.string(),
  /** The address of the first connection; null when there was none, or when a proxy on this machine chose it. */
  address: z.string().nullable(),
  count: z.number().int().positive(),
  sentBytes: z.number().int().nonnegative(),
  receivedBytes: z.number().int().nonnegative(),
});
export type NetworkUse = z.infer<typeof networkUseSchema>;

/** Names of the machine itself. Commands reach their own container by them, so they do not ask for a network. */
export function areOfItself(hosts: readonly string[]): boolean {
  return hosts.every((host) => /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[?::1\]?)(?::\d+)?$/iu.test(host.trim()));
}
