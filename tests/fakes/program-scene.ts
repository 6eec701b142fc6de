import type { ProgramReview } from '../../src/shared/events/approval-events.ts';
import type { PageCore } from './page-core.ts';
import type { Story } from './page-story.ts';
import { startStory } from './page-story.ts';

const calls = [{ tool: 'shop__get_order', most: 40 }];
const first = `import json

found = []
for number in range(40):
    order = json.loads(tools.shop__get_order(id=number))
    found.append(order["total"])
result = sum(found)
`;
const second = first
  .replace('json.loads(tools.shop__get_order(id=number))', 'tools.shop__get_order(id=number).json()')
  .replace('import json\n\n', '');

export const review: ProgramReview = {
  findings: ['Line 2: it encodes or packs data. What leaves may then not be readable in the log.'],
  model: { label: 'Claude Opus', text: 'Lines 2 to 4 read 40 orders.\nNothing is sent.', costUsd: 0.0123 },
};

/** A program that failed, and its replacement, which can be kept. */
export async function programScene(core: PageCore): Promise<Story> {
  const story = await startStory(core, 'Add up the orders of this week', '/home/ada/projects/api-server');
  story.ask('What do the orders of this week come to?');
  const keep = { name: 'add_up', description: 'Adds the orders up.' };
  const program = (text: string, facts: object, review?: ProgramReview): void => {
    story.step({
      ...(review === undefined ? {} : { review }),
      stage: 'cloud',
      label: 'program: Add the orders up.',
      tool: 'run_program',
      input: { plan: 'Add the orders up.', calls, program: text },
      output: 'The program ended.',
      inner: [
        { tool: 'shop__get_order', label: 'shop: get_order', status: 'ok' },
        { tool: 'shop__get_order', label: 'shop: get_order', status: 'error' },
      ],
      ms: 1_200,
      data: { program: { sha256: 'c'.repeat(64), calls: calls.map((call) => ({ ...call, made: 2 })), ...facts } },
    });
  };
  program(first, { end: 'failed', refused: 1 });
  const writer = { model: 'ollama/coder', digest: 'a'.repeat(64), app: '1.2.0' };
  program(second, { end: 'done', tests: 3, keep, writer }, review);
  story.step({ stage: 'cloud', label: 'answer', text: 'They come to 1,234 dollars.' });
  story.end('answered', 'They come to 1,234 dollars.');
  return story;
}
