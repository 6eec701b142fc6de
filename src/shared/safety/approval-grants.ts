import { z } from 'zod';

/** What happens where the user would be asked: they are, or it is answered for them. */
export const approveModeSchema = z.enum(['ask', 'deny', 'allow']);
export type ApproveMode = z.infer<typeof approveModeSchema>;

/** Everything that a user can be asked about in a session. */
export const approvalKinds = [
  'guarded-file',
  'network',
  'fence',
  'instructions',
  'hard-links',
  'disk',
  'connected-tool',
  'program',
  'web',
  'server-form',
  'server-link',
  'server-model',
  'connection',
  'question',
  'memory',
] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** What a user can approve: the kinds above, and a raised spending limit. `other`: a kind of another version. */
export type GrantKind = ApprovalKind | 'cap' | 'other';

/**
 * How many approvals of each kind do not count here because they were given elsewhere. Kinds without any are left out.
 */
export type DroppedGrants = Readonly<Partial<Record<GrantKind, number>>>;

/** A session that was imported from a file, and the approvals in it that do not count. */
export interface ImportedSession {
  readonly sessionId: string;
  readonly dropped: DroppedGrants;
}

/** Marks everything before it as copied from another log. Part of the events (`events.ts`). */
export const historyCopiedSchema = z.object({
  by: z.enum(['fork', 'import']),
  sessionId: z.string(),
  upToSeq: z.number().int(),
  /** `settled`: its changes are in another folder, so nothing of them can be taken or undone here. */
  changes: z.enum(['open', 'settled']),
  /** Set for a fork that has only what its parent had imported. */
  isForeign: z.literal(true).optional(),
  /** Approvals that do not count, by kind. Absent: none. May hold kinds of later versions. */
  dropped: z.record(z.string(), z.number().int()).optional(),
});
type HistoryCopied = z.infer<typeof historyCopiedSchema>;

/** Whether the copied part comes from another machine or person. Then no approval in it counts here. */
export function isImportedHistory({ by, isForeign }: Pick<HistoryCopied, 'by' | 'isForeign'>): boolean {
  return by === 'import' || isForeign === true;
}

const words: readonly (readonly [GrantKind, string])[] = [
  ['network', 'hosts'],
  ['fence', 'restricted content'],
  ['instructions', 'instructions of a project'],
  ['guarded-file', 'guarded files'],
  ['hard-links', 'hard links'],
  ['disk', 'working on a full disk'],
  ['connected-tool', 'tools of servers'],
  ['program', 'programs that call tools'],
  ['web', 'web addresses'],
  ['server-form', 'forms of servers'],
  ['server-link', 'links of servers'],
  ['server-model', 'questions of servers to a model'],
  ['connection', 'accounts to connect'],
  ['cap', 'a higher spending limit'],
];

/** One sentence for people; null when there were none. */
export function droppedGrantsText(dropped: HistoryCopied['dropped']): string | null {
  const counts = dropped ?? {};
  const known = words.map(([kind, text]) => ({ text, count: counts[kind] ?? 0 }));
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  const rest = { text: 'other things', count: sum - known.reduce((total, { count }) => total + count, 0) };
  const named = [...known, rest].filter(({ count }) => count > 0).map(({ text, count }) => `${count} for ${text}`);
  if (named.length === 0) return null;
  return `This session was imported. Its approvals do not count here (${named.join(', ')}), so you are asked again.`;
}
