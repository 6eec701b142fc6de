import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { modelHub, tinyFiles, tinyModel } from '../fakes/model-hub.ts';
import { projectorFile } from '../fakes/projector-file.ts';
import { violations } from './axe.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** A user names a model that is in no list here. The hub is a small fake, and everything else is real. */
let folder: string;
let server: Server;
let place: Place;
let launched: Launched;
let endDisplay: () => void;
/** Requests with `part` in their address wait until `release` resolves. */
let held: { readonly part: string; readonly isDownload: boolean; readonly release: Promise<void> } | null = null;

/**
 * Holds requests with `part` in their address until the returned function is called. `isDownload`: those that read a part
 * of the file, such as its header, go on.
 */
function hold(part: string, isDownload = false): () => void {
  let release = (): void => undefined;
  held = { part, isDownload, release: new Promise((resolve) => (release = resolve)) };
  return () => {
    held = null;
    release();
  };
}

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-hub-page-'));
  const hub = modelHub({
    'owner/Tiny-GGUF': { license: 'apache-2.0', parameters: 130e6, files: tinyFiles },
    'owner/Eye': {
      files: { 'Eye-4B-Q4_K_M.gguf': tinyModel('eye', 30_000), 'mmproj-F16.gguf': projectorFile({ modelWidth: 64 }) },
    },
    'owner/gated': { token: 'secret', files: { 'Gated-Q4_K_M.gguf': tinyFiles['Tiny-Q4_K_M.gguf'] } },
  });
  server = createServer((request, response) => {
    const isMeant = held !== null && request.url?.includes(held.part) === true;
    const isFree = held?.isDownload === true && request.headers.range !== undefined;
    const wait = isMeant && !isFree ? held?.release : Promise.resolve();
    void Promise.resolve(wait).then(() => hub.answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  place = preparePlace([]);
  const env = { HF_ENDPOINT: `http://127.0.0.1:${port}`, DEWPOINT_CACHE: join(folder, 'cache') };
  launched = await launch(place.home, { env });
  await launched.page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
});

afterAll(async () => {
  await launched?.app.close();
  server?.closeAllConnections();
  server?.close();
  place?.remove();
  rmSync(folder, { recursive: true, force: true });
  endDisplay?.();
});

const field = () => launched.page.getByLabel('Search Hugging Face');
const lookUp = () => launched.page.getByRole('button', { name: 'Look up' });
const cancel = () => launched.page.getByRole('button', { name: 'Cancel' });
const choice = (name: string) => launched.page.locator(`[data-choice="hf:owner/Tiny-GGUF:${name}"]`);
const here = (): readonly string[] => readdirSync(join(folder, 'cache', 'models'));

it('the model search says how a model fits before anything of it is fetched, by the address of its page', async () => {
  const { page } = launched;
  await field().fill('https://huggingface.co/owner/Tiny-GGUF/tree/main');
  const release = hold('/api/models/');
  await lookUp().click();
  await page.getByText('Checking the model').waitFor();
  await cancel().click();
  await lookUp().waitFor();
  release();
  await lookUp().click();
  await page.getByText('License: apache-2.0').waitFor();
  const rows = await page.locator('[data-choice]').allInnerTexts();
  expect(rows.map((text) => text.split('\n').slice(0, 4).join(' '))).toEqual([
    expect.stringMatching(/^Q2_K 6\d\.\d kB fits here/u),
    expect.stringMatching(/^Q4_K_M 12\d\.\d kB fits here suggested/u),
    expect.stringMatching(/^Q8_0 24\d\.\d kB fits here/u),
  ]);
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'hub');
});

it('the model search fetches the chosen file, stops when told to, and offers to use the model', async () => {
  const { page } = launched;
  const release = hold('Tiny-Q8_0');
  await choice('Q8_0').getByRole('button', { name: 'Download' }).click();
  await choice('Q8_0').getByRole('progressbar').waitFor();
  await choice('Q8_0').getByRole('button', { name: 'Cancel' }).click();
  await choice('Q8_0').getByRole('button', { name: 'Download' }).waitFor();
  release();
  await choice('Q8_0').getByRole('button', { name: 'Download' }).click();
  await choice('Q8_0').getByRole('button', { name: 'Use' }).click();
  await choice('Q8_0').getByText('used for local steps').waitFor();
  await page.locator('[data-model="llama-cpp/Tiny-Q8_0"]').getByText('used for local steps').waitFor();
  expect(here()).toEqual(['Tiny-Q8_0.gguf']);
});

it('the model search shows a download of one model while another is looked at', async () => {
  const { page } = launched;
  const release = hold('Tiny-Q2_K');
  await choice('Q2_K').getByRole('button', { name: 'Download' }).click();
  await field().fill('owner/gated');
  await lookUp().click();
  await page.getByText('gated: accept its terms').waitFor();
  const download = page.locator('[data-pull="hf:owner/Tiny-GGUF:Q2_K"]');
  await download.getByRole('progressbar').waitFor();
  release();
  await download.waitFor({ state: 'detached' });
  await page.locator('[data-model="llama-cpp/Tiny-Q2_K"]').getByText('ready', { exact: false }).waitFor();
});

/** Catches: a model whose download ended before its projector, that stays blind, or is fetched again as a whole. */
it('the model search offers the projector that a stopped download left out, and then the model sees', async () => {
  const { page } = launched;
  await field().fill('owner/Eye');
  await lookUp().click();
  const eye = page.locator('[data-choice="hf:owner/Eye:Q4_K_M"]');
  const get = eye.getByRole('button', { name: 'Get its projector' });
  const release = hold('mmproj-F16', true);
  await eye.getByRole('button', { name: 'Download' }).click();
  await expect.poll(here).toContain('Eye-4B-Q4_K_M.gguf');
  expect(await get.count()).toBe(0);
  await eye.getByRole('button', { name: 'Cancel' }).click();
  await eye.getByText('It sees no images yet: its projector is not here.').waitFor();
  expect(await eye.getByRole('button', { name: 'Download', exact: true }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'hub-projector');
  release();
  await get.click();
  await eye.getByText('its projector is not here').waitFor({ state: 'detached' });
  await get.waitFor({ state: 'detached' });
  expect(here()).toEqual(expect.arrayContaining(['Eye-4B-Q4_K_M.gguf', 'mmproj-Eye-4B-Q4_K_M.gguf']));
  expect(await violations(page)).toEqual([]);
});

it('the model search finds models by words, and leads to the files of one', async () => {
  const { page } = launched;
  await field().fill('tiny');
  await lookUp().click();
  const hit = page.locator('[data-hit="hf:owner/Tiny-GGUF"]');
  await hit.getByText('probably fits here').waitFor();
  await keepScreenshot(page, 'hub-search');
  expect(await violations(page)).toEqual([]);
  await hit.getByRole('button', { name: 'See files of owner/Tiny-GGUF' }).click();
  await choice('Q4_K_M').getByText('fits here').waitFor();
  await field().fill('no such model');
  await lookUp().click();
  await page.getByText('Nothing was found for “no such model”.').waitFor();
});

it('the model search says what is wrong with a name or what the hub refuses, and can be tried again', async () => {
  const { page } = launched;
  await field().fill('https://example.com/a-model/files');
  await page.getByText('Enter words, or an owner and a repository').waitFor();
  expect(await lookUp().isDisabled()).toBe(true);
  await field().fill('owner/gone');
  await lookUp().click();
  const problem = page.getByRole('alert').filter({ hasText: 'The hub has no owner/gone, or it is private.' });
  await problem.getByRole('button', { name: 'Try again' }).click();
  await problem.waitFor();
  await field().fill('owner/gated');
  await lookUp().click();
  await page.locator('[data-choice="hf:owner/gated:Q4_K_M"]').getByRole('button', { name: 'Download' }).click();
  await page.getByRole('alert').getByText('Accept the terms at the source and set HF_TOKEN').waitFor();
});
