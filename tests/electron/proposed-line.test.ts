import { afterAll, beforeAll, expect, it } from 'vitest';
import { proposalForm } from '../../src/shared/projects/memory-proposal.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish, workingScene } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
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

const lastAnswer = () => core.asked.findLast(({ name }) => name === 'approve')?.args;

// Catches: a line that is kept other than it was edited, and hidden letters in what an agent proposes.
it('the window shows a line that the agent proposes with its warning, and keeps it as it was edited', async () => {
  const { page } = served;
  await page.locator('[data-session]', { hasText: 'Explain how releases' }).click();
  await page.getByRole('heading', { level: 1, name: 'Explain how releases' }).waitFor();
  const text = 'Dates are stored in UTC.\u202E';
  const reason = 'Agents are told it in later tasks.\nIt comes after text from outside the project was read.';
  const form = proposalForm({ text, of: 'project', isTestCommand: false });
  const asked = { toolCallId: 'call', subject: 'A line for the memory', sha256: 'c'.repeat(64), text, reason, form };
  working.append({ type: 'approval-requested', approvalId: 'line', kind: 'memory', ...asked });
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('Keep this line for later tasks?').waitFor();
  await dialog.getByText('It comes after text from outside the project was read.').waitFor();
  expect(await dialog.locator('[data-seen=hidden]').innerText()).toBe('U+202E');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, `proposed-line-${colorScheme}`);
  }
  await dialog.getByLabel('Edit the line').fill('Dates are in UTC.');
  await dialog.getByLabel('Where it counts').selectOption('you');
  const keep = dialog.getByRole('button', { name: 'Keep', exact: true });
  await expect.poll(() => keep.getAttribute('aria-disabled')).toBe('false');
  await keep.click();
  const values = { 'dewpoint-memory-line': 'Dates are in UTC.', 'dewpoint-memory-place': 'you' };
  await expect.poll(lastAnswer).toEqual(['line', 'allow', values]);
});
