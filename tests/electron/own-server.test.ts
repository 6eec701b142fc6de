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
const works = '/opt/llama.cpp/llama-server';

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.replace({
    host: {
      info: () => ({ isWindow: true, refused: [], roots: [] }),
      chooseProgram: () => ({ path: works }),
    },
    models: {
      lookForServer: ({ input: { program } }) => ({
        places: '`llama-server` is looked for in the search path (PATH).',
        howToGet: 'Run `brew install llama.cpp` in a terminal, then look again.',
        ...(program === works
          ? { path: works, version: '8763', cards: ['RTX 4090'], problem: null }
          : { path: null, version: null, cards: [], problem: 'No program `llama-server` was found on this machine.' }),
      }),
    },
  });
  served = await servePage(core);
});

afterAll(async () => {
  await served?.close();
});

it('a llama-server that is missing is said with how to get it, and one that is chosen is tested, then used', async () => {
  const { page } = served;
  await served.resize(900, 700);
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const form = page.getByRole('form', { name: 'Your own llama-server' });
  await form.getByRole('button', { name: 'Test and use' }).click();
  await form.getByText('No program llama-server was found on this machine.').waitFor();
  await form.getByText('brew install llama.cpp').waitFor();
  expect(core.settings.providers).toBeUndefined();
  for (const look of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: look });
    await keepScreenshot(page, `own-server-missing-${look}`);
    expect(await violations(page)).toEqual([]);
  }
  await form.getByRole('button', { name: 'Choose…' }).click();
  await expect.poll(() => form.getByLabel('Program').inputValue()).toBe(works);
  await form.getByRole('button', { name: 'Test and use' }).click();
  await form.getByText(`llama-server 8763 works: ${works}. It sees RTX 4090.`).waitFor();
  await keepScreenshot(page, 'own-server-works');
  const saved = core.asked.filter(({ name }) => name === 'set').map(({ args }) => args);
  expect(JSON.stringify(saved)).toContain(works);
});
