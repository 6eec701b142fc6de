import { type } from '@orpc/contract';
import { z } from 'zod';
import { base } from './contract-base.ts';
import { capScopeSchema, type CapScope } from '@shared/events/approval-events.ts';

const usd = z.number().nonnegative().finite();
const projectPath = z.string().min(1).max(4096).nullable().default(null);

/** A change of a cap in US dollars, by a person's hand. `set` to null: there is none. */
const capChangeSchema = z.discriminatedUnion('how', [
  z.object({ how: z.literal('set'), usd: usd.nullable() }),
  z.object({ how: z.literal('raise'), usd: usd.positive() }),
  z.object({ how: z.literal('lower'), usd: usd.positive() }),
]);
export type CapChange = z.infer<typeof capChangeSchema>;

/** A cap as it is now. A sum that is not known is null: of a step, a task and a session there is one only while they run. */
export interface CapView {
  readonly scope: CapScope;
  /** With what it was raised by; US dollars. Null: there is none. */
  readonly limitUsd: number | null;
  /** Set for this one project, in place of the one for every project. */
  readonly isOwn: boolean;
  /** Of the limit, what was added at the cap for this day, month or project. */
  readonly raisedUsd: number;
  readonly spentUsd: number | null;
  /** Put aside for calls that have not ended. */
  readonly heldUsd: number | null;
}

/** The caps of the settings, and those of one project. */
export const budgetContract = {
  /** All caps; with a project its own sums and limit. */
  show: base.input(z.object({ projectPath })).output(type<readonly CapView[]>()),
  /**
   * Changes one and gives all. With a project and the scope `project` it is that project's own; set to null it goes by the
   * one for every project again. What was raised at a cap before is part of what is raised or lowered, and then gone.
   */
  change: base
    .input(z.object({ scope: capScopeSchema, projectPath, change: capChangeSchema }))
    .output(type<readonly CapView[]>()),
};
