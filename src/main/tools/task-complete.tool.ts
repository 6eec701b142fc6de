import { z } from 'zod';
import { defineTool } from './define.ts';
import { okResult } from './values/tool-results.ts';

/** The claim that the work is done. The agent checks it before it believes it. */
export default defineTool({
  name: 'task_complete',
  description: 'Say that the task is done, and what was done.',
  access: 'end',
  input: z.object({ summary: z.string().max(8000) }),
  label: () => 'finish the task',
  create:
    () =>
    async ({ summary }) =>
      okResult(summary, { summary }),
});
