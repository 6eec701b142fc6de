import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CitedPart, CitedPlace } from '../../src/shared/documents/cited-part.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import { servePage, type ServedPage } from './page-kit.ts';

let served: ServedPage;
const asked: CitedPlace[] = [];

const answer = [
  'Revenue grew (`report.pdf`, page 2), as sales.xlsx, May!B3 says, and guide/notes.md:900.',
  'It is not in report.pdf, page 9.',
].join('\n\n');

const none = { part: null, at: null, column: null, from: 1 };

function partOf({ path, line = 1, part }: CitedPlace): CitedPart | null {
  if (path === 'guide/notes.md') {
    const lines = Array.from({ length: 1_000 }, (_, index) => `Line ${index + 1} of the notes.`);
    return { ...none, path, form: 'text', lines, all: 1_000, at: line - 1 };
  }
  if (path === 'sales.xlsx') {
    const sheet = { word: 'sheet', number: 1, of: 2, name: 'May' } as const;
    const lines = [',A,B', '1,Item,Price', '2,Pen,3', '3,Ink,9'];
    return { path, part: sheet, form: 'table', lines, from: 1, all: 4, at: 3, column: 1 };
  }
  const number = part?.number ?? 1;
  if (number > 3) return null;
  const page = { word: 'page', number, of: 3, name: null } as const;
  return { ...none, path, part: page, form: 'text', lines: [`The text of page ${number}.`], all: 1 };
}

beforeAll(async () => {
  const core = createPageCore();
  const story = await startStory(core, 'An answer with citations', '/home/ada/projects/notes');
  story.sandbox('read-only');
  story.ask('How much?');
  story.stage('local', 'A question.');
  story.step({ stage: 'local', label: 'answer' });
  story.end('answered', answer);
  core.replace({
    documents: {
      find: ({ input: { places } }) => {
        asked.push(...places);
        return places.map((place) => partOf(place) !== null);
      },
      show: ({ input: { place } }) => partOf(place),
    },
  });
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(() => served?.close());

describe('a citation in an answer', () => {
  it('opens beside the conversation at its page, cell or line, and only where it exists', async () => {
    const { page } = served;
    await page.locator('[data-session]', { hasText: 'An answer with citations' }).last().click();
    const log = page.getByRole('log');
    await log.getByRole('button', { name: 'report.pdf, page 2' }).click();
    const preview = page.getByRole('tabpanel', { name: 'Preview' });
    await preview.getByText('The text of page 2.').waitFor();
    await preview.getByText('Page 2 of 3').waitFor();
    await preview.getByRole('button', { name: 'Next' }).click();
    await preview.getByText('The text of page 3.').waitFor();
    expect(await preview.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
    await log.getByRole('button', { name: 'sales.xlsx, May!B3' }).click();
    await preview.locator('td[aria-current=location]', { hasText: '9' }).waitFor();
    expect(await preview.locator('td[aria-current]').count()).toBe(1);
    await log.getByRole('button', { name: 'guide/notes.md:900' }).click();
    const line = preview.locator('mark', { hasText: 'Line 900 of the notes.' });
    await line.waitFor();
    await expect.poll(() => line.evaluate((mark) => mark.getBoundingClientRect().top < window.innerHeight)).toBe(true);
    // The same place again, after other pages were looked at.
    await log.getByRole('button', { name: 'report.pdf, page 2' }).click();
    await preview.getByText('The text of page 2.').waitFor();
    await log.getByText('report.pdf, page 9').waitFor();
    expect(await log.getByRole('button', { name: 'page 9' }).count()).toBe(0);
    expect(asked).toHaveLength(4);
    await keepScreenshot(page, 'citations');
    expect(await violations(page)).toEqual([]);
    expect(served.complaints).toEqual([]);
  });
});
