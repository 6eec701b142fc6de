import { z } from 'zod';

/** From the strongest to the weakest; `vm` and `os` (the system's own sandbox) are known by name and not built yet. */
export const sandboxTierSchema = z.enum(['vm', 'container', 'os', 'read-only', 'memory']);
export type SandboxTier = z.infer<typeof sandboxTierSchema>;

const untrackedSchema = z.object({
  /** Relative to the workspace. */
  path: z.string(),
  /** What runs this file or obeys it, in a few words. */
  why: z.string(),
  /** What Dewpoint did about it; null when nothing was needed. */
  done: z.string().nullable(),
});
export type UntrackedPlace = z.infer<typeof untrackedSchema>;

/** Events about the place where commands run. */
export const sandboxPayloads = {
  'sandbox-started': z.object({
    tier: sandboxTierSchema,
    image: z.string().nullable(),
    /** Limits and warnings in words and numbers, as `Sandbox.describe` gives them. */
    description: z.string(),
    limits: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    /** Where the project's files came from, if from somebody else. Absent when no such source is known. */
    cameFrom: z.string().optional(),
  }),
  /**
   * Files that commands left where changes are not tracked, and that a program on this machine may run or obey later.
   */
  'untracked-found': z.object({ places: z.array(untrackedSchema) }),
  'sandbox-lost': z.object({ reason: z.string(), recreated: z.boolean() }),
  /** A background process was started or has ended. */
  'service-changed': z.object({
    serviceId: z.string(),
    command: z.string(),
    status: z.enum(['running', 'exited', 'stopped', 'lost']),
    exitCode: z.number().int().nullable(),
  }),
} as const;

export const terminalEvents = {
  /**
   * A shell of the user in the sandbox. The log does not hold what is done there. `ran`: the one piece of code that ran
   * instead of a shell.
   */
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
