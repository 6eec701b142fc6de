import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeOllama } from '../fakes/ollama-server.ts';
import { startFakeOllama } from '../fakes/ollama-server.ts';
import type { Launched } from './launch.ts';
import { launch } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** The app on an empty home with an Ollama server available: from the first view to an answer. */
let folder: string;
let home: string;
let project: string;
let ollama: FakeOllama;
let launched: Launched;
let endDisplay: () => void;
const cache = process.env.DEWPOINT_CACHE;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-first-'));
  home = join(folder, 'home');
  project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'main.py'), 'PORT = 8123\n');
  ollama = await startFakeOllama({ answer: [{ role: 'assistant', content: 'The port is 8123.' }] });
  process.env.OLLAMA_HOST = ollama.address;
  process.env.DEWPOINT_CACHE = join(folder, 'cache');
  launched = await launch(home);
});

afterAll(async () => {
  await launched?.app.close();
  await ollama?.close();
  delete process.env.OLLAMA_HOST;
  if (cache === undefined) delete process.env.DEWPOINT_CACHE;
  else process.env.DEWPOINT_CACHE = cache;
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  endDisplay?.();
});

it('the first start leads from an empty home to a first answer, past what is missing', async () => {
  const { page } = launched;
  const guide = page.getByRole('region', { name: 'Get started' });
  await guide.getByText('Questions and plans need nothing more').waitFor();
  expect(await guide.getByText('Ollama 0.17.4').isVisible()).toBe(false);
  await guide.getByText('Details', { exact: true }).click();
  await guide.getByText(`Ollama 0.17.4 at ${ollama.address}`).waitFor();
  await guide.getByRole('button', { name: 'Check again' }).waitFor();
  // The starter model is offered but not downloaded, because there is another model.
  await guide.getByRole('button', { name: /^Download/u }).waitFor();
  await guide.getByRole('button', { name: /^Use /u }).click();
  await guide.getByText('is ready.').waitFor();
  await guide.getByRole('button', { name: 'Close' }).click();
  await guide.waitFor({ state: 'detached' });
  // A skipped setup can be shown again.
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: 'Show setup again' }).click();
  await guide.getByText('is ready.').waitFor();
  await guide.getByRole('button', { name: 'Close' }).click();
  await guide.waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Task' }).fill('Which port does main.py use?');
  await page.getByRole('combobox', { name: 'Project folder' }).fill(project);
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('[data-outcome]').getByText('The port is 8123.').waitFor();
});

/** Catches: an example that needs a folder, a model or a second click before it is answered. */
it('the first start answers an example after one click', async () => {
  const { page } = launched;
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: 'Show setup again' }).click();
  await page.getByRole('button', { name: 'How do I undo my last Git commit?' }).click();
  await page.getByRole('heading', { level: 1, name: /How do I undo/u }).waitFor();
  await page.locator('[data-outcome]').getByText('The port is 8123.').waitFor();
});
