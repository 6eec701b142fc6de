import { oc } from '@orpc/contract';
import { z } from 'zod';

/** What every command begins with. */
export const base = oc.errors({
  /** An expected failure: `data` says what, and what to do. */
  FAILED: { status: 422, data: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }) },
});
