import { z } from 'zod';

/** From the strongest to the weakest; `vm` and `os` (the system's own sandbox) are known by name and not built yet. */
export const sandboxTierSchema = z.enum(['vm', 'container', 'os', 'read-only', 'memory']);
export type SandboxTier = z.infer<typeof sandboxTierSchema>;

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
  'sandbox-lost': z.object({ reason: z.string(), recreated: z.boolean() }),
  /** A command that goes on beside the others was started, or has ended. */
  'service-changed': z.object({
    serviceId: z.string(),
    command: z.string(),
    status: z.enum(['running', 'exited', 'stopped', 'lost']),
    exitCode: z.number().int().nullable(),
  }),
} as const;
