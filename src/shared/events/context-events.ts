import { z } from 'zod';
import { planEvents } from './plan-events.ts';

/** What became of what a model is shown, and what it says of its plan; part of the events (`events.ts`). */
export const contextEvents = {
  ...planEvents,
  'context-compacted': z.object({
    summary: z.string(),
    replacesUpToSeq: z.number().int(),
    beforeTokens: z.number().int(),
    afterTokens: z.number().int(),
  }),
  'observation-trimmed': z.object({
    toolCallId: z.string(),
    beforeTokens: z.number().int(),
    afterTokens: z.number().int(),
  }),
} as const;

export const terminalEvents = {
  /** A person's own shell in the sandbox; what is done there is not in the log. */
  'terminal-opened': z.object({ terminalId: z.string() }),
  'terminal-closed': z.object({
    terminalId: z.string(),
    exitCode: z.number().int().nullable(),
    durationMs: z.number(),
  }),
} as const;
