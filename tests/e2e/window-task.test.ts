import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Launched } from '../electron/launch.ts';
import { keepScreenshot, launch } from '../electron/launch.ts';
import { ensureShellAndDisplay } from '../electron/setup.ts';

/** The same promise for the window: real Electron, the starter model on this processor, and a real container. */
const minutes = 60_000;
let folder = '';
let project = '';
let launched: Launched;
let endDisplay: () => void;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-window-'));
  project = join(folder, 'calculator');
  await cp(resolve('examples/calculator'), project, { recursive: true });
  launched = await launch(join(folder, 'home'), { hasEngine: true });
}, 2 * minutes);

afterAll(async () => {
  await launched?.app.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  endDisplay?.();
});

it(
  'a person goes from an empty home and a typed task to an accepted diff in the window',
  async () => {
    const { page } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill('A test fails in this project. Find the bug and fix it.');
    await page.getByRole('combobox', { name: 'Project folder' }).fill(project);
    await page.getByText('More options').click();
    await page.getByRole('combobox', { name: 'Work in' }).selectOption('copy');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page
      .locator('[data-outcome]')
      .getByText('Done')
      .waitFor({ timeout: 9 * minutes });

    const bar = page.getByRole('region', { name: 'Status' });
    await bar.getByText('Qwen2.5 Coder 1.5B').waitFor();
    await bar.getByText('Container').waitFor();
    await bar.getByText('$0 spent').waitFor();

    await page.getByText('1 file changed').waitFor();
    await page.getByRole('button', { name: 'Review' }).click();
    const file = page.getByRole('tabpanel', { name: 'Changes' }).locator('[data-change]');
    await file.and(page.locator('[data-change=open]')).waitFor();
    const path = (await file.getAttribute('aria-label')) ?? '';
    expect(await file.innerText()).toMatch(/^\s*[-+]/mu);
    await keepScreenshot(page, 'window-task');
    // The session worked in a copy. The project does not change until the user takes the change.
    expect(await differences()).toEqual([]);
    await file.getByRole('button', { name: 'Apply to project' }).click();
    await file.and(page.locator('[data-change=taken]')).waitFor();
    expect(await differences()).toEqual([path]);
    expect(launched.errors()).not.toContain('rror:');
  },
  10 * minutes,
);

/** The files of the project that are not those of the example. */
async function differences(): Promise<readonly string[]> {
  const example = resolve('examples/calculator');
  const entries = await readdir(example, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(example, join(entry.parentPath, entry.name)));
  const pairs = paths.map(async (path) => {
    const [was, is] = await Promise.all([example, project].map((root) => readFile(join(root, path), 'utf8')));
    return was === is ? [] : [path];
  });
  return (await Promise.all(pairs)).flat();
}
