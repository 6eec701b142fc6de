import { z } from 'zod';

/** From the strongest to the weakest; `vm` and `os` (the system's own sandbox) are known by name and not built yet. */
export const sandboxTierSchema = z.enum(['vm', 'container', 'os', 'read-only', 'memory']);
export type SandboxTier = z.infer<typeof sandboxTierSchema>;

const untrackedSchema = z.object({
  /** Relative to the workspace. */
  path: z.string(),
  /** What runs it or goes by it, in a few words. */
  why: z.string(),
  /** What was done about it; null: nothing had to be. */
  done: z.string().nullable(),
});
export type UntrackedPlace = z.infer<typeof untrackedSchema>;

/** What is noted of the place where commands run. */
export const sandboxPayloads = {
  'sandbox-started': z.object({
    tier: sandboxTierSchema,
    image: z.string().nullable(),
    /** Limits and warnings in words and numbers, as `Sandbox.describe` gives them. */
    description: z.string(),
    limits: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    /** Where the files of the project came from, where that was somebody else; absent: from nowhere that is known. */
    cameFrom: z.string().optional(),
  }),
  /** What commands left where changes are not tracked, and what a program of this machine goes by later. */
  'untracked-found': z.object({ places: z.array(untrackedSchema) }),
  'sandbox-lost': z.object({ reason: z.string(), recreated: z.boolean() }),
  /** A command that goes on beside the others was started, or has ended. */
  'service-changed': z.object({
    serviceId: z.string(),
    command: z.string(),
    status: z.enum(['running', 'exited', 'stopped', 'lost']),
    exitCode: z.number().int().nullable(),
  }),
} as const;

export const terminalEvents = {
  /** A person's own shell in the sandbox; what is done there is not in the log. `ran`: in its place this was run once. */
  'terminal-opened': z.object({
    terminalId: z.string(),
    ran: z.object({ language: z.string(), code: z.string() }).optional(),
  }),
  'terminal-closed': z.object({
    terminalId: z.string(),
    exitCode: z.number().int().nullable(),
    durationMs: z.number(),
  }),
} as const;
