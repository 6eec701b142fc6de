import { type } from '@orpc/contract';
import { z } from 'zod';
import { base } from './contract-base.ts';
import { capScopeSchema, type CapScope } from '@shared/events/approval-events.ts';

const usd = z.number().nonnegative().finite();
const projectPath = z.string().min(1).max(4096).nullable().default(null);

/** A change of a spending limit by the user, in US dollars. `set` to null removes the limit. */
const capChangeSchema = z.discriminatedUnion('how', [
  z.object({ how: z.literal('set'), usd: usd.nullable() }),
  z.object({ how: z.literal('raise'), usd: usd.positive() }),
  z.object({ how: z.literal('lower'), usd: usd.positive() }),
]);
export type CapChange = z.infer<typeof capChangeSchema>;

/** A spending limit as it is now. An unknown sum is null. A step, task or session has a sum only while it runs. */
export interface CapView {
  readonly scope: CapScope;
  /** US dollars, including what it was raised by. Null: no limit. */
  readonly limitUsd: number | null;
  /** True when this project has its own limit instead of the one for every project. */
  readonly isOwn: boolean;
  /** The part of the limit that was added when it was reached, for this day, month or project. */
  readonly raisedUsd: number;
  readonly spentUsd: number | null;
  /** Reserved for calls that have not ended. */
  readonly heldUsd: number | null;
}

/** The spending limits of the settings, and those of one project. */
export const budgetContract = {
  /** All spending limits. With a project, also its own sums and limit. */
  show: base.input(z.object({ projectPath })).output(type<readonly CapView[]>()),
  /**
   * Changes one limit and returns all. With a project and the scope `project`, it changes that project's own limit;
   * null makes the limit for every project apply again. An earlier raise at the limit is counted in and then cleared.
   */
  change: base
    .input(z.object({ scope: capScopeSchema, projectPath, change: capChangeSchema }))
    .output(type<readonly CapView[]>()),
};
