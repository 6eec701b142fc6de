import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import type { Story } from '../fakes/page-story.ts';
import { askQuestion, questionScene } from '../fakes/question-scene.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;
let story: Story;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  story = await questionScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(async () => {
  await served?.close();
});

// Catches: a question of the agent that looks like an approval, or that a click does not answer.
it('a question of the agent shows its choices in light and dark, and is answered by a click or in words', async () => {
  const { page } = served;
  await page.locator('[data-session]', { hasText: 'Rename the column' }).click();
  const card = page.getByRole('alertdialog', { name: 'The agent asks' });
  await card.getByText('What should happen to it?').waitFor();
  await card.getByText('Without an answer within 5 minutes, the suggestion counts.').waitFor();
  // The time of the person is no work.
  await page
    .getByRole('log')
    .getByText(/^Waiting for you · worked/u)
    .waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await keepScreenshot(page, `agent-question-${colorScheme}`);
    expect(await violations(page)).toEqual([]);
  }
  await card.getByRole('textbox', { name: 'Your answer' }).fill('Ask the owners of the reports first');
  await takesAnswer(card);
  await card.getByRole('button', { name: 'Replace it (suggested)' }).click();
  await expect
    .poll(() => core.asked.findLast(({ name }) => name === 'approve')?.args)
    .toEqual(['q1', 'allow', { choice: 'Replace it' }]);
});

/** A key that comes at once could be meant for something else. */
const takesAnswer = (card: Locator): Promise<void> =>
  expect.poll(() => card.getByRole('button', { name: 'Answer' }).getAttribute('aria-disabled')).toBe('false');

// Bug: the words in the question's field were gone with it, because somebody answered elsewhere or by Escape.
it('words that were typed for a question and not sent are in the message field once the question is gone', async () => {
  const { page } = served;
  const composer = page.getByRole('textbox', { name: 'Message' });
  const card = page.getByRole('alertdialog', { name: 'The agent asks' });
  const field = card.getByRole('textbox', { name: 'Your answer' });
  const answeredElsewhere = (): void =>
    story.append({ type: 'approval-answered', approvalId: 'q2', answer: 'allow', by: 'person', values: {} });
  for (const [approvalId, leave] of [
    ['q2', answeredElsewhere],
    ['q3', () => field.press('Escape')],
  ] as const) {
    await composer.fill('');
    askQuestion(story, approvalId);
    await field.fill('Ask the owners');
    await takesAnswer(card);
    await leave();
    await expect.poll(() => composer.inputValue()).toBe('Ask the owners');
  }
  askQuestion(story, 'q4');
  await composer.fill('');
  await field.fill('Keep both');
  await takesAnswer(card);
  await field.press('Enter');
  await field.waitFor({ state: 'detached' });
  expect(await composer.inputValue()).toBe('');
});

// Catches: a turn that waits for the person and is shown as a failure.
it('the window says that a turn waits for you, and takes the next message as the answer', async () => {
  const { page } = served;
  story.end('waiting', 'What should happen to the column `name`?');
  await page.getByRole('log').getByText('Waiting for you').waitFor();
  await page.getByPlaceholder('Your answer').waitFor();
  await keepScreenshot(page, 'waiting-for-you');
  // Bug: the list forgot the question as soon as the person asked something back.
  const listed = page.locator('[data-session]', { hasText: 'Rename the column' });
  await listed.getByText('waiting for you').waitFor();
  story.ask('Which reports are these?');
  await listed.getByText('working').waitFor();
  story.end('answered', 'The two of finance.');
  await listed.getByText('waiting for you').waitFor();
});
