import { z } from 'zod';
import { longestMemoryLine } from '@shared/projects/memory-line.ts';
import { onOneLine } from '@shared/projects/memory-proposal.ts';
import { shortenText } from '@shared/text/shorten-text.ts';
import { defineTool } from '../define.ts';
import type { ToolResult } from '../define.ts';
import { errorResult, okResult } from '../values/tool-results.ts';

/** Proposes a line for the memory. Nothing is written without the person's yes. */
export default defineTool({
  name: 'propose_memory',
  description: 'Propose a line to keep for later tasks: a convention, a decision, a test command. The user decides.',
  access: 'read',
  needs: 'memory',
  isForStrong: true,
  input: z.object({
    line: z.string().trim().min(1).max(longestMemoryLine).describe('one short sentence, or the command'),
    of: z
      .enum(['project', 'user', 'test-command'])
      .default('project')
      .describe('whom it is about, or that it is a command; default: project'),
  }),
  label: ({ line }) => `propose: ${shortenText(onOneLine(line), 200)}`,
  create:
    () =>
    async ({ line, of }, { person }): Promise<ToolResult> => {
      const said = await person?.proposeLine({
        text: onOneLine(line),
        of: of === 'user' ? 'you' : 'project',
        isTestCommand: of === 'test-command',
      });
      switch (said?.type) {
        case 'kept':
          return okResult(said.place === 'settings' ? `Kept as the test command: ${said.text}` : `Kept: ${said.text}`);
        case 'known':
          return okResult('It is kept already.');
        case 'unfit':
          return errorResult(said.why);
        case 'declined':
          return okResult('The user does not want to keep this. Do not propose it again.');
        default:
          return okResult(
            'Nobody was asked, so nothing was kept. Go on, and tell the user the line: they can note it themselves.',
          );
      }
    },
});
