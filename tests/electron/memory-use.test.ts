import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppError } from '@shared/errors.ts';
import type { KnowledgeFile } from '@shared/documents/knowledge.ts';
import { forgetMark, type MemoryLine } from '@shared/projects/memory-line.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot, openWork, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const project = '/home/ada/projects/api-server';
const used = 'Dates are written as 2026-11-29 everywhere, also in file names.';
const gone = 'The merger is called Larch until spring.';
const core = createPageCore();
let served: ServedPage;
let sessionId = '';

const line = (text: string, more: Partial<MemoryLine> = {}): MemoryLine => ({
  id: text,
  text,
  date: '2026-11-29',
  sessionId: null,
  isAfterOutside: false,
  of: 'project',
  ...more,
});

beforeAll(async () => {
  furnish(core);
  await fixScene(core);
  const story = await startStory(core, 'How are dates written?', project);
  ({ sessionId } = story);
  story.sandbox('read-only');
  story.ask('How are dates written in the reports?');
  story.action('read the memory', `The user noted for every task:\n- ${used}`);
  story.stage('local', 'A question.');
  story.step({ stage: 'local', label: 'answer', text: 'As 2026-11-29, also in file names.', ms: 900 });
  story.append({
    type: 'turn-ended',
    reason: 'answered',
    text: 'As 2026-11-29, also in file names.',
    confidence: null,
    failure: null,
    memory: [used, forgetMark(gone)],
  });
  core.memory = [line(used), line('Answer in short sentences.', { of: 'you' })];
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(async () => {
  await served?.close();
});

/** Looks at the page in both colors and both sizes. */
async function look(page: Page, name: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [size, width, height] of [
    ['wide', 1360, 860],
    ['narrow', 900, 700],
  ] as const) {
    await served.resize(width, height);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
      found.push(...(await violations(page)).map((one) => `${name} ${size} ${colorScheme}: ${one}`));
      await keepScreenshot(page, `${name}-${size}-${colorScheme}`);
    }
  }
  return found;
}

const sessionLink = (page: Page) => page.locator(`[data-session="${sessionId}"]`);
const memoryOf = (page: Page) => page.getByRole('region', { name: 'Memory' });

// Catches: an answer that follows a line that nobody can find, a line that was forgotten, and a page of another project.
it('an answer names the lines of the memory that it used, and leads to where they are kept', async () => {
  const { page } = served;
  await sessionLink(page).click();
  const sources = page.getByRole('region', { name: 'From memory' });
  await sources.getByRole('button', { name: used }).waitFor();
  expect(await sources.getByRole('button').count()).toBe(1);
  expect(await sources.innerText()).not.toContain('forgotten');
  expect(await look(page, 'memory-used')).toEqual([]);
  await sources.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await memoryOf(page).getByText(used).waitFor();
  expect(await memoryOf(page).getByLabel('Memory of').inputValue()).toBe(project);
});

it('the row that says what a model was told leads to the memory of its project', async () => {
  const { page } = served;
  await sessionLink(page).click();
  const answer = page.getByRole('region', { name: 'From memory' });
  await answer.waitFor();
  await openWork(page);
  await page.getByText('read the memory').click();
  await page.getByRole('button', { name: 'Change the memory' }).click();
  await memoryOf(page).getByText(used).waitFor();
  expect(await memoryOf(page).getByLabel('Memory of').inputValue()).toBe(project);
});

const file = (name: string, more: Partial<KnowledgeFile> = {}): KnowledgeFile => ({
  name,
  sizeBytes: 2_400_000,
  kind: 'pdf',
  pages: 310,
  tokens: 180_000,
  from: { type: 'file', path: `/shelf/${name}` },
  addedAt: Date.UTC(2026, 10, 30),
  isWhole: false,
  ...more,
});

/** Opens the page of the project anew, so that it asks for everything again. */
async function openProject(page: Page): Promise<void> {
  await sessionLink(page).click();
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
}

// Catches: a page that is silent where nothing is, where nothing can be read, and that breaks with long names.
it('the pages of knowledge and memory say what is there when they are empty, long and cannot be read', async () => {
  const { page } = served;
  const faults: string[] = [];
  const knowledge = page.getByRole('region', { name: 'Knowledge' });
  const sections = [
    ['knowledge', knowledge],
    ['memory', memoryOf(page)],
  ] as const;
  const lookAt = async (state: string): Promise<void> => {
    for (const [name, section] of sections) {
      await section.scrollIntoViewIfNeeded();
      faults.push(...(await look(page, `${name}-${state}`)));
    }
  };
  core.memory = [];
  await openProject(page);
  await knowledge.getByText('No files yet.').waitFor();
  await memoryOf(page).getByText('No lines yet.').waitFor();
  await lookAt('none');

  core.knowledge = Array.from({ length: 40 }, (_, at) =>
    file(`Supplier agreement ${at + 1}, signed, with all annexes.pdf`),
  );
  core.knowledge.push(file(`${'Annex-'.repeat(30)}.pdf`), file('rules.md', { kind: null, tokens: 900, isWhole: true }));
  core.memory = Array.from({ length: 40 }, (_, at) =>
    line(`Line ${at + 1}: ${'invoices are rounded per position. '.repeat(5)}`),
  );
  core.memory.push(line('x'.repeat(300), { sessionId: 'one', isAfterOutside: true, of: 'you' }));
  await openProject(page);
  await knowledge.getByText('42 files').waitFor();
  await memoryOf(page).getByText('Proposed after text from outside').waitFor();
  await lookAt('long');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);

  const broken = () => {
    throw new AppError('internal', 'The list cannot be read: the disk does not answer.', { hint: 'Try again.' });
  };
  core.replace({ knowledge: { list: broken }, memory: { list: broken } });
  await reload(page);
  await openProject(page);
  await knowledge.getByText('The list cannot be read').waitFor();
  await memoryOf(page).getByText('The list cannot be read').waitFor();
  await lookAt('error');
  expect(faults).toEqual([]);
});
