import { z } from 'zod';

/**
 * An experiment: in the copy of a run, commands that contain these words print this text instead of what they print. What
 * the harness says is the world of the model, and this shows what becomes of it.
 */
export const falseAnswerSchema = z.object({
  command: z.string().trim().min(1).max(200),
  prints: z.string().max(10_000),
});
export type FalseAnswer = z.infer<typeof falseAnswerSchema>;

/** Stands wherever the sandbox of such a run is described. */
export function falseAnswerText({ command }: FalseAnswer): string {
  return `An experiment: commands with "${command}" answer falsely.`;
}
