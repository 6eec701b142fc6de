import { z } from 'zod';
import { shortenText } from '@shared/text/shorten-text.ts';
import { waitingResultText, questionInWords } from '@shared/tools/person-question.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { defineTool, forPerson } from './define.ts';
import type { ToolResult } from './define.ts';
import { okResult } from './values/tool-results.ts';

export const askToolName = 'ask_person';

/** The question in a result that ends the turn as waiting, because nobody answers it now; null: another result. */
export function openQuestion(data: unknown): string | null {
  const question = fieldOf(data, 'needsAnswer');
  return typeof question === 'string' ? question : null;
}

/** The model's question to the person. Where nobody can answer now, the turn waits with the question as its text. */
export default defineTool({
  name: askToolName,
  description:
    'Ask the user one question that only they can answer. If they are away, the task waits. Not for leave to go on.',
  access: 'read',
  isForStrong: true,
  input: z.object({
    question: z.string().min(1).max(2000).meta(forPerson('the question, in up to 2,000 characters')),
    choices: z
      .array(z.string().min(1).max(500))
      .min(2)
      .max(50)
      .optional()
      .meta(forPerson('answers to choose from; default: any words')),
    default: z.string().min(1).max(500).optional().describe('your suggestion; may count if they do not answer'),
  }),
  label: ({ question }) => `ask: ${shortenText(question, 200)}`,
  create:
    () =>
    async ({ question, choices: given = [], default: suggested = '' }, { person }): Promise<ToolResult> => {
      const choices = [...new Set(given.map(onOneLine))].filter((choice) => choice !== '');
      const usual = onOneLine(suggested) === '' ? null : onOneLine(suggested);
      const said = await person?.ask({ question, choices, usual });
      switch (said?.type) {
        case 'answered':
          return okResult(`The user answered: ${said.text}`);
        case 'default':
          return okResult(`The user did not answer, so your default counts: ${said.text}`);
        case 'declined':
          return okResult('The user does not want to answer this. Go on without it, or say why you cannot.');
        default:
          return waitingResult(questionInWords(question, choices, usual));
      }
    },
});

/** A choice with a line break would look like two of them. */
function onOneLine(words: string): string {
  return words.replaceAll(/\s+/gu, ' ').trim();
}

function waitingResult(asked: string): ToolResult {
  return okResult(waitingResultText(asked), { needsAnswer: asked });
}
