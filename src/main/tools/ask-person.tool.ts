import { z } from 'zod';
import { shortenText } from '@shared/text/shorten-text.ts';
import { defineTool } from './define.ts';
import type { ToolResult } from './define.ts';
import { okResult } from './values/tool-results.ts';

/** Marks a result that ends the turn as waiting: nobody could answer the question in it now. */
export const needsAnswer = { needsAnswer: true } as const;

/** The model's question to the person. Where nobody can answer now, the turn waits with the question as its text. */
export default defineTool({
  name: 'ask_person',
  description: 'Ask the user one question that only they can answer. Not for leave to go on.',
  access: 'read',
  isForStrong: true,
  input: z.object({
    question: z.string().min(1).max(2000),
    choices: z.array(z.string().min(1).max(200)).min(2).max(6).optional(),
    default: z.string().min(1).max(200).optional().describe('counts if they do not answer'),
  }),
  label: ({ question }) => `ask: ${shortenText(question, 200)}`,
  create:
    () =>
    async ({ question, choices = [], default: usual = null }, { askPerson }): Promise<ToolResult> => {
      const said = await askPerson?.({ question, choices, usual });
      switch (said?.type) {
        case 'answered':
          return okResult(`The user answered: ${said.text}`);
        case 'default':
          return okResult(`The user did not answer in time, so your default counts: ${said.text}`);
        case 'declined':
          return okResult('The user does not want to answer this. Go on without it, or say why you cannot.');
        default:
          return { status: 'refused', output: questionText(question, choices), data: needsAnswer };
      }
    },
});

function questionText(question: string, choices: readonly string[]): string {
  return [question, ...choices.map((choice, at) => `${at + 1}. ${choice}`)].join('\n');
}
