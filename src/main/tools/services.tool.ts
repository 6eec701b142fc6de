import { z } from 'zod';
import { defineTool, forPerson } from './define.ts';
import { describeService, noServices, stateLine } from './commands/background-services.ts';

export default defineTool({
  name: 'services',
  description: 'Look at commands in the background, or stop one.',
  access: 'execute',
  input: z.object({
    action: z
      .enum(['list', 'read', 'stop'])
      .meta(forPerson('what to do: name them, read the output of one, or stop it')),
    id: z.string().max(20).optional().describe('from list'),
  }),
  label: ({ action, id }) => `background processes: ${action}${id === undefined ? '' : ` ${id}`}`,
  create:
    () =>
    async ({ action, id }, { sandbox }) => {
      const { backgroundProcesses } = sandbox;
      if (backgroundProcesses === null) return noServices;
      if (action === 'list') {
        const lines = backgroundProcesses.list().map(stateLine);
        return { status: 'ok', output: lines.length === 0 ? 'None was started.' : lines.join('\n') };
      }
      if (id === undefined) return { status: 'error', output: 'Say which: "id", as "list" gives it.' };
      if (action === 'stop') await backgroundProcesses.stop(id);
      const found = await backgroundProcesses.read(id);
      if (found === null) return { status: 'error', output: `There is no service ${id}.` };
      return { status: 'ok', output: describeService(found), data: found.state };
    },
});
