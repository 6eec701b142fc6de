import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish, workingScene } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let working: Awaited<ReturnType<typeof workingScene>>;
const core = createPageCore();

beforeAll(async () => {
  furnish(core);
  working = await workingScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(async () => {
  await served?.close();
});

/** All that the two live regions said since the first call, each with its urgency. */
async function saidSoFar(): Promise<readonly string[]> {
  return served.page.evaluate(() => {
    const said: unknown = Reflect.get(window, 'saidSoFar');
    if (Array.isArray(said)) return said.map(String);
    const list: string[] = [];
    Reflect.set(window, 'saidSoFar', list);
    const watcher = new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) {
        const way = target instanceof Element ? target.closest('[aria-live]')?.getAttribute('aria-live') : null;
        if (way === 'polite' || way === 'assertive')
          for (const node of addedNodes) list.push(`${way}: ${node.textContent}`);
      }
    });
    watcher.observe(document.body, { subtree: true, childList: true });
    return list;
  });
}

it('the page announces what waits, fails and ends in its live regions, and nothing for a token', async () => {
  const { page } = served;
  await page.locator('[data-session]', { hasText: 'Explain how releases' }).click();
  await page.getByRole('heading', { level: 1, name: 'Explain how releases' }).waitFor();
  expect(await saidSoFar()).toEqual([]);
  const { sessionId, callId } = working;
  // Announcements before the page listens reach nobody.
  await expect.poll(() => core.listeners(sessionId)).toBe(1);
  for (let index = 0; index < 100; index += 1) {
    core.push(sessionId, { type: 'text-delta', callId, text: `word${index} ` });
  }
  await page.getByRole('log').getByText('word99').waitFor();
  expect(await saidSoFar()).toEqual([]);
  expect(await page.getByRole('log').getAttribute('aria-live')).toBe('off');
  const asked = { toolCallId: 'call', kind: 'guarded-file', subject: 'write a_test.py', sha256: 'c'.repeat(64) };
  working.append({ type: 'approval-requested', approvalId: 'one', ...asked });
  const question =
    'Waiting for your answer. The agent wants to change a file that its work is checked against: write a_test.py';
  await expect.poll(saidSoFar).toEqual([`assertive: ${question}`]);
  working.append({ type: 'approval-answered', approvalId: 'one', answer: 'deny', by: 'person' });
  working.append({ type: 'notice-added', level: 'warning', code: 'x', text: 'The memory limit is not kept.' });
  await expect.poll(async () => (await saidSoFar()).at(-1)).toBe('polite: The memory limit is not kept.');
  working.end('done', 'Written.');
  await expect.poll(async () => (await saidSoFar()).at(-1)).toBe('polite: Finished.');
  working.ask('Go on.');
  await expect.poll(async () => (await saidSoFar()).at(-1)).toBe('polite: Working on your message.');
  working.end('error', 'The service is away.');
  await expect.poll(async () => (await saidSoFar()).slice(4)).toEqual(['assertive: Stopped by an error.']);
  expect(await violations(page)).toEqual([]);
});
