import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { turnOptions } from '../../tests/fakes/agent-kit.ts';
import { callerKit, withModel } from './model-callers.ts';
import type { BenchRow } from './rows.ts';

const questionsSchema = z.array(z.object({ text: z.string(), result: z.string() }));
const longestAnswer = 250;

/**
 * Whether a small model's answer has the right sum of a pasted table: told the figures that a program computed, and
 * without them, as Dewpoint drives large models.
 */
export async function tableRows(file: string, modelPath: string): Promise<readonly BenchRow[]> {
  const questions = questionsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  const rows: BenchRow[] = [];
  await withModel(modelPath, async (model) => {
    const provider: typeof model = {
      ...model,
      stream: (request, signal) => model.stream({ ...request, maxOutputTokens: longestAnswer }, signal),
    };
    for (const [way, parametersB] of [
      ['with the computed figures', 1.5],
      ['without them', 30],
    ] as const) {
      const wrong: string[] = [];
      for (const { text, result } of questions) {
        const kit = callerKit(
          provider,
          { offered: async () => [], call: async () => ({ status: 'ok', output: '' }) },
          { parametersB, contextTokens: 8_192, strategies: ['recipe'] },
        );
        const { text: answer } = await kit.runner.send(text, { ...turnOptions, mode: 'auto' });
        const isRight = numbersIn(answer).includes(Number(result));
        console.error(
          `${way}, ${isRight ? 'right' : 'wrong'}: ${text.split('\n')[0] ?? ''} (${result}) ${answer.slice(-160)}`,
        );
        if (!isRight) wrong.push(text.split('\n')[0] ?? '');
      }
      rows.push({
        figure: `questions about a table that the starter answers right, ${way}`,
        value: questions.length - wrong.length,
        unit: '',
        target: null,
        note: `of ${questions.length}; wrong: ${wrong.join('; ')}`,
      });
    }
  });
  return rows;
}

/** Numbers in both ways of writing them. */
function numbersIn(answer: string): readonly number[] {
  return (answer.match(/\d(?:[\d.,\s']*\d)?/gu) ?? []).flatMap((written) => {
    const plain = written.replaceAll(/[\s']/gu, '');
    return [Number(plain.replaceAll(',', '')), Number(plain.replaceAll('.', '').replace(',', '.'))];
  });
}
