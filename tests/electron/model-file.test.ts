import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;
/** What the dialog of the system gives, one after the other. */
const chosen: (string | null)[] = ['/data/own.gguf', null];

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.replace({
    host: {
      info: () => ({ isWindow: true, refused: [], roots: [] }),
      chooseModelFile: () => ({ path: chosen.shift() ?? null }),
    },
  });
  served = await servePage(core);
  await served.resize(1200, 900);
});

afterAll(async () => {
  await served?.close();
});

it('a model file is chosen in the dialog of the system, and an ended dialog keeps what was chosen', async () => {
  const { page } = served;
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const form = page.getByRole('form', { name: 'Add file' });
  const field = form.getByLabel('Your own file (GGUF)');
  for (const left of [1, 0]) {
    await form.getByRole('button', { name: 'Choose…' }).click();
    await expect.poll(() => chosen.length).toBe(left);
    await expect.poll(() => field.inputValue()).toBe('/data/own.gguf');
  }
  await keepScreenshot(page, 'model-file');
  expect(await violations(page)).toEqual([]);
  await form.getByRole('button', { name: 'Add file' }).click();
  await page.getByText('your file /data/own.gguf').waitFor();
  expect(core.asked.find(({ name }) => name === 'import')?.args).toEqual(['/data/own.gguf', null]);
});
