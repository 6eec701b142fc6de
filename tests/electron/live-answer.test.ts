import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawingOf, pageOf } from '../fakes/hostile-page.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
/** A server that foreign content must not reach, and what reached it. */
const reached: string[] = [];
let stranger: Server;

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

beforeAll(async () => {
  stranger = createServer((_request, response) => void response.end());
  stranger.on('connection', () => reached.push('connection'));
  await new Promise<void>((resolve) => void stranger.listen(0, '127.0.0.1', resolve));
  const bound = stranger.address();
  const evil = typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : '';
  const core = createPageCore();
  const story = await startStory(core, 'A page in an answer', '/home/ada/projects/notes');
  story.ask('Draw a page and a drawing.');
  story.stage('local', 'A question.');
  story.step({ stage: 'local', label: 'answer' });
  const blocks = [fenced('html', pageOf(evil)), fenced('svg', drawingOf(evil)), fenced('xml', '<a/>')];
  story.end('answered', blocks.join('\n\n'));
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(async () => {
  await served?.close();
  stranger.close();
});

describe('a page and a drawing in an answer', () => {
  const block = (language: string) =>
    served.page.getByRole('log').locator(`figure:has(figcaption:has-text("${language}"))`);

  it('are seen live after a click, with their source beside them, and a second click hides them', async () => {
    const { page } = served;
    await served.page.locator('[data-session]', { hasText: 'A page in an answer' }).last().click();
    await block('xml').getByText('<a/>').waitFor();
    expect(await page.getByRole('log').locator('iframe, img').count()).toBe(0);
    expect(await block('xml').getByRole('button', { name: 'Show' }).count()).toBe(0);
    await block('svg').getByRole('button', { name: 'Show' }).click();
    const picture = block('svg').getByRole('img', { name: 'Picture code.svg' });
    const width = () => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0));
    await expect.poll(width).toBe(80);
    await block('html').getByRole('button', { name: 'Show' }).click();
    const shown = block('html').frameLocator('iframe');
    await shown.getByRole('heading', { name: 'Made by the agent' }).waitFor();
    expect(await shown.locator('#said').textContent()).toBe('no script ran');
    await block('html').getByText('Made by the agent').first().waitFor();
    await keepScreenshot(page, 'content-live');
    expect(await violations(page)).toEqual([]);
    await block('svg').getByRole('button', { name: 'Hide' }).click();
    await expect.poll(() => picture.count()).toBe(0);
  });

  it('reach nothing when they are hostile, not even with their scripts allowed', async () => {
    const { page } = served;
    const scripts = block('html').getByRole('checkbox', { name: /Run the scripts/u });
    // The drawing above is going, so the box may move away from under the pointer.
    await expect
      .poll(async () => {
        if (!(await scripts.isChecked())) await scripts.click();
        return scripts.isChecked();
      })
      .toBe(true);
    await expect.poll(() => served.complaints.some((one) => one.includes('/fetch'))).toBe(true);
    await block('svg').getByRole('button', { name: 'Show' }).click();
    expect(reached).toEqual([]);
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
    expect(page.url()).toContain(new URL(served.url).origin);
  });
});
