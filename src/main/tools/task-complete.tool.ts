import { z } from 'zod';
import { defineTool, forFull } from './define.ts';
import { okResult } from './values/tool-results.ts';

/** The model's claim that the work is done, which the agent checks first, or the reason why it cannot be done. */
export default defineTool({
  name: 'task_complete',
  description: 'End the task: done, or blocked. The success check runs then.',
  access: 'end',
  input: z.object({
    summary: z.string().max(8000).describe('what was wrong, changed and checked; or what is missing'),
    status: z.enum(['done', 'blocked']).optional().describe('default: done').meta(forFull),
  }),
  label: ({ status }) => (status === 'blocked' ? 'say what is missing' : 'finish the task'),
  create:
    () =>
    async ({ summary }) =>
      okResult(summary, { summary }),
});
