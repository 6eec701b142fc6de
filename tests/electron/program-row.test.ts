import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** Catches: a program of a model whose text, calls or failures a person does not get to see. */
let served: ServedPage;

beforeAll(async () => {
  const core = createPageCore();
  const story = await startStory(core, 'Count the open issues', '/home/ada/projects/notes');
  story.ask('How many issues of each label are open?');
  const program = [
    'pages = tools.parallel([("issues__list", {"page": page}) for page in range(1, 4)])',
    'return {"open": sum(len(page.json()) for page in pages)}',
  ].join('\n');
  const calls = [{ tool: 'issues__list', most: 5 }];
  story.step({
    stage: 'cloud',
    label: 'run a program that calls issues__list',
    tool: 'run_program',
    input: { plan: 'Read all pages side by side and count.', calls, program },
    output: 'It gave back: {"open": 41}\nCalls: issues__list 3 of 5.',
    inner: [
      { tool: 'issues__list', label: 'issues: list, page 1', status: 'ok' },
      { tool: 'issues__list', label: 'issues: list, page 2', status: 'error' },
      { tool: 'issues__list', label: 'issues: list, page 3', status: 'ok' },
    ],
  });
  story.step({ stage: 'cloud', label: 'answer', text: '41 issues are open.' });
  story.end('done', '41 issues are open.');
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

it('is shown with its plan, its text and each call that it made', async () => {
  const { page } = served;
  await page.locator('[data-session]', { hasText: 'Count the open issues' }).click();
  await page.locator('button[data-work]').first().click();
  await page.locator('button[aria-expanded]', { hasText: 'run a program that calls issues__list' }).click();
  await page.getByText('Read all pages side by side and count.').waitFor();
  await page.getByText('tools.parallel').first().waitFor();
  await page.getByText('3 calls of this program').first().click();
  const failed = page.getByRole('listitem').filter({ hasText: 'issues: list, page 2' });
  expect(await failed.innerText()).toMatch(/failed|error/iu);
  await keepScreenshot(page, 'program-row');
  expect(await violations(page)).toEqual([]);
});
