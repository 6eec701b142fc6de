import { oc } from '@orpc/contract';
import { z } from 'zod';

/** What every command is built on. */
export const base = oc.errors({
  /** An expected failure. `data` says what happened and what to do. */
  FAILED: { status: 422, data: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }) },
});

export const id = z.string().min(1).max(100);

export const bySession = z.object({ sessionId: id });

export const seq = z.number().int().positive();

export const path = z.string().min(1);

export const byId = z.object({ id });
