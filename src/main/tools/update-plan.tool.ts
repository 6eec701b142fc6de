import { planItemStateSchema } from '@shared/events/conversation-events.ts';
import { mostPlanItems } from '@shared/session/plan-steps.ts';
import { z } from 'zod';
import { defineTool, forPerson } from './define.ts';
import { okResult } from './values/tool-results.ts';

const item = z.object({ text: z.string().trim().min(1).max(200), state: planItemStateSchema });

/** Shows the user the progress of a plan. It is only the model's claim: nothing is changed or checked. */
export default defineTool({
  name: 'update_plan',
  description: 'Keep the steps of longer work, all with their states, for the user to see.',
  access: 'read',
  isForStrong: true,
  input: z.object({ items: z.array(item).min(1).max(mostPlanItems).meta(forPerson('all steps, in their order')) }),
  label: ({ items }) => `plan: ${items.filter(({ state }) => state === 'done').length} of ${items.length} done`,
  create:
    () =>
    async ({ items }, { notePlan }) => {
      if (notePlan === undefined) return { status: 'refused', output: 'No plan is carried out.' };
      await notePlan(items);
      return okResult('The plan was shown.', null);
    },
});
