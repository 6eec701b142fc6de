import { z } from 'zod';
import { strategySchema } from './model-info.ts';

/** How a model is made to call tools. */
export const probedStyleSchema = z.enum(['native', 'grammar', 'schema', 'text']);
export type ProbedStyle = z.infer<typeof probedStyleSchema>;

const score = z.object({ passed: z.number().int(), of: z.number().int() });

const draftsResultSchema = z.object({
  /** The server's build, its cards and what it was started with: with others it is to be measured again. */
  on: z.string(),
  /** Tokens a second without drafts, of each prompt. */
  plain: z.array(z.number()),
  ways: z.array(
    z.object({
      way: z.string(),
      speeds: z.array(z.number()),
      drafted: z.number().int(),
      accepted: z.number().int(),
      /** How much quicker it was over all prompts, in percent; below 0: slower. Null: it was not measured to the end. */
      quicker: z.number().nullable(),
      /** The prompts whose greedy answer was not the same text. */
      differs: z.array(z.string()),
      /** Why it was not measured to the end. */
      problem: z.string().nullable(),
    }),
  ),
  /** The way that is used from now on; null: none is worth it. */
  best: z.string().nullable(),
  /** Of the file of a model that drafts. */
  sha256: z.string().nullable(),
});
export type DraftsResult = z.infer<typeof draftsResultSchema>;

/** `hasSameFile`: the model that drafts, if it is one, is there and the one that was measured. */
export type DraftVerdict = Pick<DraftsResult, 'on' | 'best'> & { readonly hasSameFile: boolean };

/** What the probe found out about a model, by asking it; null or absent: it was not tried, or could not be. */
export const probeCardSchema = z.object({
  model: z.string(),
  /** The window that it had then. */
  contextTokens: z.number().int(),
  /** Right calls (tool and arguments) of those asked for, by the way of calling. */
  calls: z.array(score.extend({ style: probedStyleSchema })),
  /** The best of them; null: in none were two of three calls right. */
  callStyle: probedStyleSchema.nullable(),
  /** Tools that it is told of at most; null: no fewer than usual. */
  toolBudget: z.number().int().nullable(),
  /** Whether it quotes what it replaces exactly, or writes files whole without other changes; null: neither. */
  edit: z.enum(['search-replace', 'whole-file']).nullable(),
  /** Tiny tasks by strategy. */
  tasks: z.object({ recipe: score, loop: score.nullable() }),
  /** Strategies that its tasks passed in, best first; empty: none. */
  strategies: z.array(strategySchema),
  /** Tokens a second by the engine's own clock, at growing lengths of a prompt that nothing of was kept. */
  speeds: z.array(
    z.object({
      promptTokens: z.number().int(),
      prefillPerSecond: z.number().nullable(),
      decodePerSecond: z.number().nullable(),
    }),
  ),
  /** Where it ran, of an engine of this machine: `cpu`, or a card's library. Absent: nobody said. */
  backend: z.string().optional(),
  /** A fact at the beginning of a prompt that fills its window, asked for at the end. */
  needle: z.object({ promptTokens: z.number().int(), isFound: z.boolean() }).nullable(),
  /** Ways to draft tokens ahead against writing without; absent: its server has none. */
  drafts: draftsResultSchema.optional(),
  promptForm: z.enum(['short', 'full']),
  /** Of calls that are not samples; above 0 where greedy answers repeated themselves without end. */
  temperature: z.number(),
  /** What was left out, and why. */
  notes: z.array(z.string()),
});
export type ProbeCard = z.infer<typeof probeCardSchema>;

/** A card as it is kept. */
export const keptCardSchema = probeCardSchema.extend({
  at: z.number(),
  seconds: z.number(),
  /** Where every call of it can be read. */
  sessionId: z.string(),
});
export type KeptCard = z.infer<typeof keptCardSchema>;

/** What a probe does now; the last one has its card. */
export interface ProbeProgress {
  readonly text: string;
  readonly card: KeptCard | null;
}
