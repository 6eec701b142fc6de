import { z } from 'zod';
import { strategySchema } from './model-info.ts';

/** How a model calls tools. */
export const probedStyleSchema = z.enum(['native', 'grammar', 'schema', 'text']);
export type ProbedStyle = z.infer<typeof probedStyleSchema>;

const score = z.object({ passed: z.number().int(), of: z.number().int() });

const draftsResultSchema = z.object({
  /** The server's build, its cards and its options. With others, drafts must be measured again. */
  on: z.string(),
  /** Tokens per second without drafts, for each prompt. */
  plain: z.array(z.number()),
  ways: z.array(
    z.object({
      way: z.string(),
      speeds: z.array(z.number()),
      drafted: z.number().int(),
      accepted: z.number().int(),
      /** How much faster it was over all prompts, in percent; negative when slower. Null: not fully measured. */
      quicker: z.number().nullable(),
      /** The prompts whose greedy answer changed. */
      differs: z.array(z.string()),
      /** Why it was not fully measured. */
      problem: z.string().nullable(),
    }),
  ),
  /** The way to use from now on; null when none is worth it. */
  best: z.string().nullable(),
  /** Hash of the draft model's file. */
  sha256: z.string().nullable(),
});
export type DraftsResult = z.infer<typeof draftsResultSchema>;

/** `hasSameFile`: the draft model, if there is one, is still the file that was measured. */
export type DraftVerdict = Pick<DraftsResult, 'on' | 'best'> & { readonly hasSameFile: boolean };

/** What a probe found by asking a model. Null or absent: not tried, or not possible. */
export const probeCardSchema = z.object({
  model: z.string(),
  /** Its context window at that time. */
  contextTokens: z.number().int(),
  /** Correct calls (tool and arguments) for each way of calling. */
  calls: z.array(score.extend({ style: probedStyleSchema })),
  /** The best way; null when no way had two of three calls right. */
  callStyle: probedStyleSchema.nullable(),
  /** The most tools to tell it about; null: the usual number. */
  toolBudget: z.number().int().nullable(),
  /** Whether it quotes replaced text exactly, or writes whole files without other changes; null: neither. */
  edit: z.enum(['search-replace', 'whole-file']).nullable(),
  /** Results of tiny tasks for each strategy. */
  tasks: z.object({ recipe: score, loop: score.nullable() }),
  /** The strategies that passed, best first; empty: none. */
  strategies: z.array(strategySchema),
  /** Tokens per second by the engine's own clock, for prompts of growing length with nothing cached. */
  speeds: z.array(
    z.object({
      promptTokens: z.number().int(),
      prefillPerSecond: z.number().nullable(),
      decodePerSecond: z.number().nullable(),
    }),
  ),
  /** For an engine on this machine, where it ran: `cpu`, or a card's library. Absent: unknown. */
  backend: z.string().optional(),
  /** Whether it found a fact from the beginning of a prompt that fills its window. */
  needle: z.object({ promptTokens: z.number().int(), isFound: z.boolean() }).nullable(),
  /** Ways to draft tokens ahead, compared with no drafts. Absent: its server has none. */
  drafts: draftsResultSchema.optional(),
  promptForm: z.enum(['short', 'full']),
  /** For calls that are not samples. Above 0 if greedy answers repeated endlessly. */
  temperature: z.number(),
  /** What was skipped, and why. */
  notes: z.array(z.string()),
});
export type ProbeCard = z.infer<typeof probeCardSchema>;

/** A stored probe card. */
export const keptCardSchema = probeCardSchema.extend({
  at: z.number(),
  seconds: z.number(),
  /** The session that holds every call of the probe. */
  sessionId: z.string(),
});
export type KeptCard = z.infer<typeof keptCardSchema>;

/** The progress of a probe. The last report has the card. */
export interface ProbeProgress {
  readonly text: string;
  readonly card: KeptCard | null;
}
