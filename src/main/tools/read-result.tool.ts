import { z } from 'zod';
import { defineTool } from './define.ts';
import { lookIntoResult } from './results/look-into-result.ts';
import { errorResult, failureResult, okResult } from './values/tool-results.ts';

export default defineTool({
  name: 'read_result',
  description: 'Read more of a result that was shortened: by path, rows or search.',
  access: 'read',
  needs: 'results',
  input: z.object({
    result: z.string().max(60).optional().describe('its id; default: the last that was shortened'),
    path: z.string().max(400).optional().describe('in JSON, such as issues[3].body; [*] for all items'),
    rows: z.string().max(30).optional().describe('of its list, table or lines, such as 41-80'),
    search: z.string().max(200).optional().describe('words; shows the rows that have all of them'),
  }),
  label: ({ result, path, rows, search }) =>
    ['read more of', result ?? 'the last result', path, rows, search].filter((part) => part !== undefined).join(' '),
  create:
    () =>
    async ({ result, ...look }, { keptResult }) => {
      const kept = (await keptResult?.(result ?? null)) ?? null;
      if (kept === null) {
        const which = result === undefined ? 'No result was shortened' : `No shortened result has the id ${result}`;
        return errorResult(`${which} in this session. What you were shown is the whole.`);
      }
      const found = lookIntoResult(kept, look);
      return found.ok ? okResult(found.value) : failureResult(found.error);
    },
});
