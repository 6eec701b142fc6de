import { z } from 'zod';

/** What becomes of what a person would be asked about: asked, or answered for them. */
export const approveModeSchema = z.enum(['ask', 'deny', 'allow']);
export type ApproveMode = z.infer<typeof approveModeSchema>;

/** All that a person can be asked about in a session. */
export const approvalKinds = [
  'guarded-file',
  'network',
  'fence',
  'instructions',
  'hard-links',
  'disk',
  'foreign-tool',
  'program',
  'web',
  'server-form',
  'server-link',
  'server-model',
  'connection',
] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** What a person can say yes to there: the same, and a higher cap. `other`: a kind of another version. */
export type GrantKind = ApprovalKind | 'cap' | 'other';

/** How many yeses of each kind count for nothing here, because they were said elsewhere; a kind without any is not named. */
export type DroppedGrants = Readonly<Partial<Record<GrantKind, number>>>;

/** A session that came out of a file, and what of it counts for nothing. */
export interface ImportedSession {
  readonly sessionId: string;
  readonly dropped: DroppedGrants;
}

/** Everything before it was copied from another log; part of the events (`events.ts`). */
export const historyCopiedSchema = z.object({
  by: z.enum(['fork', 'import']),
  sessionId: z.string(),
  upToSeq: z.number().int(),
  /** `settled`: the changes in it are those of another folder, and nothing of this one is to be taken or undone. */
  changes: z.enum(['open', 'settled']),
  /** Of a fork that has nothing but what its parent had imported. */
  isForeign: z.literal(true).optional(),
  /** By kind; absent: none. Kinds of later versions may be among them. */
  dropped: z.record(z.string(), z.number().int()).optional(),
});
type HistoryCopied = z.infer<typeof historyCopiedSchema>;

/** Whether what was said before it was said on another machine, or by somebody else: no yes in it is one here. */
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
  ['foreign-tool', 'tools of servers'],
  ['program', 'programs that call tools'],
  ['web', 'web addresses'],
  ['server-form', 'forms of servers'],
  ['server-link', 'links of servers'],
  ['server-model', 'questions of servers to a model'],
  ['connection', 'accounts to connect'],
  ['cap', 'a higher spending limit'],
];

/** In a sentence for people; null: there were none. */
export function droppedGrantsText(dropped: HistoryCopied['dropped']): string | null {
  const counts = dropped ?? {};
  const known = words.map(([kind, text]) => ({ text, count: counts[kind] ?? 0 }));
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  const rest = { text: 'other things', count: sum - known.reduce((total, { count }) => total + count, 0) };
  const named = [...known, rest].filter(({ count }) => count > 0).map(({ text, count }) => `${count} for ${text}`);
  if (named.length === 0) return null;
  return `This session was imported. Its approvals do not count here (${named.join(', ')}), so you are asked again.`;
}
