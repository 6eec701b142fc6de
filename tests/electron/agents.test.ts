import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { openClientCore } from '../fakes/core-client.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** The page on a real core with scripted models, one of which starts agents. */
let folder: string;
let core: ClientCore;
let served: ServedPage;

const files = { 'a.py': 'x = 1\n', 'package-lock.json': '{}\n' };
const tool = (name: string, input: unknown) => ({ toolCalls: [{ name, input }] });
const spawn = (task: string, model: string) => ({ name: 'spawn_agent', input: { task, access: 'own-copy', model } });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-agents-'));
  mkdirSync(join(folder, 'project'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'project', name), text);
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files })),
  });
  const scripts = {
    lead: [
      { toolCalls: [spawn('Set x to 2 in a.py.', 'one/script'), spawn('Bring it up to date.', 'two/script')] },
      tool('task_complete', { summary: 'x is 2 now.' }),
    ],
    one: [
      tool('read_file', { path: 'a.py' }),
      tool('edit_file', { path: 'a.py', old: 'x = 1', new: 'x = 2' }),
      tool('task_complete', { summary: 'x is 2.' }),
    ],
    two: [
      tool('read_file', { path: 'package-lock.json' }),
      tool('write_file', { path: 'package-lock.json', content: '{ }\n' }),
      tool('task_complete', { summary: 'It was not to be.' }),
    ],
  };
  for (const [name, replies] of Object.entries(scripts)) {
    await core.client.settings.set({ key: `providers.${name}`, value: { kind: 'scripted', replies } });
  }
  served = await servePage(core);
  await served.resize(1100, 800);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

describe('agents that an agent starts', () => {
  /**
   * Catches: agents that nobody sees, an approval question that is out of sight, and agents without a link there and
   * back.
   */
  it('stand under the title of their session, ask there, and are a click away', async () => {
    const { page } = served;
    const { sessionId } = await core.client.sessions.create({
      projectPath: join(folder, 'project'),
      title: 'Two at once',
    });
    const options = runOptionsSchema.parse({
      local: 'lead/script',
      strategy: 'loop',
      mode: 'work',
      interactive: true,
      approve: 'ask',
    });
    await core.client.sessions.send({ sessionId, text: 'Set x to 2.', options });
    await page.locator('[data-session]', { hasText: 'Two at once' }).first().click();
    const question = page.getByRole('alertdialog', { name: 'Approval needed' });
    await question.getByText('agent-2 asks', { exact: true }).waitFor();
    const tree = page.getByRole('list', { name: 'Agents of this session' });
    await tree.getByRole('button', { name: /agent-2.*working/u }).waitFor();
    await tree.getByRole('button', { name: /agent-1.*done · 1 changed file · \$0/u }).waitFor();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'agents-working');
    await question.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('x is 2 now.').first().waitFor();
    // The list shows the session of the task, and not those of its agents.
    await expect.poll(() => page.locator('[data-session]').count()).toBe(1);
    await page.getByText('2 agents', { exact: true }).waitFor();
    await tree.getByRole('button', { name: /agent-1/u }).click();
    await page.getByRole('heading', { level: 1, name: 'agent-1: Set x to 2 in a.py.' }).waitFor();
    await keepScreenshot(page, 'agents-child');
    await page.getByRole('button', { name: 'Back to the session that started agent-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Two at once' }).waitFor();
    for (const [width, scheme] of [
      [1100, 'dark'],
      [480, 'light'],
    ] as const) {
      await served.resize(width, 800);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      if (!(await tree.isVisible())) await page.getByText('2 agents', { exact: true }).click();
      await keepScreenshot(page, `agents-${scheme}-${width}`);
    }
    expect(served.complaints).toEqual([]);
  });
});
