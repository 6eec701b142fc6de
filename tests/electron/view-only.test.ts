import { afterAll, beforeAll, expect, it } from 'vitest';
import { refusedCommands } from '../../src/main/hosts/web/web-guard.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot, openActions } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;

const core = createPageCore();

beforeAll(async () => {
  furnish(core);
  await fixScene(core);
  // So that a model is there which could be used.
  await core.client.settings.set({ key: 'cloud', value: null });
  // As `dewpoint serve` answers without `--allow`.
  core.replace({ host: { info: () => ({ isWindow: false, refused: [...refusedCommands([])] }) } });
  served = await servePage(core);
  await served.resize(1360, 860);
});

afterAll(async () => {
  await served?.close();
});

/** The names of the fields in each section that can be changed. */
async function fieldsToChange(): Promise<Record<string, readonly string[]>> {
  const found = await served.page.locator('section').evaluateAll((sections) =>
    sections.map((section): [string, string[]] => {
      const fields = [...section.querySelectorAll<HTMLInputElement>('input, select, textarea')];
      const free = fields.filter((field) => field.matches(':enabled'));
      const nameOf = (field: HTMLInputElement): string => field.ariaLabel ?? field.labels?.[0]?.textContent ?? '?';
      return [section.ariaLabel ?? '', free.map(nameOf)];
    }),
  );
  return Object.fromEntries(found.filter(([, names]) => names.length > 0));
}

// Bug: without `--allow settings` every setting could be changed on the page, and only then came a refusal.
it('the settings in a browser that may not change them look fixed, and say where to change them', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByText('dewpoint settings set KEY VALUE').waitFor();
  await page.getByText('dewpoint keys set PROVIDER').waitFor();
  await page.getByText('dewpoint rules path').waitFor();
  await expect.poll(fieldsToChange).toEqual({
    Appearance: expect.any(Array),
    Notifications: expect.any(Array),
    // Whose lines are shown.
    Memory: ['Memory of'],
    // Which rules are shown, and what they would do with a file.
    Rules: expect.any(Array),
    'Test rules': expect.any(Array),
  });
  expect(await page.getByRole('button', { name: /^(?:Save rules|Save key|Choose the order)/u }).count()).toBe(0);
  for (const [width, scheme] of [
    [1360, 'light'],
    [1360, 'dark'],
    [420, 'light'],
  ] as const) {
    await served.resize(width, 860);
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, scheme);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, `view-only-${width}-${scheme}`);
  }
  await served.resize(1360, 860);
});

it('the models in such a browser offer no use, and say how to choose one', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Models', exact: true }).click();
  await page.getByText('dewpoint settings set local PROVIDER/MODEL').waitFor();
  expect(await page.getByRole('button', { name: 'Use', exact: true }).count()).toBe(0);
  await keepScreenshot(page, 'view-only-models');
});

// Bug: some pages only refused after a click, and others said nothing of how a browser may change them.
it('tools, knowledge, skills and assistants in such a browser show what is there, and how to change it', async () => {
  const { page } = served;
  core.knowledge = [
    {
      name: 'handbook.pdf',
      sizeBytes: 48_213,
      kind: 'pdf',
      pages: 12,
      tokens: 4_200,
      from: null,
      addedAt: Date.parse('2026-11-30'),
      isWhole: false,
    },
  ];
  await page.getByRole('button', { name: 'Tools', exact: true }).click();
  await page.getByText('dewpoint tools add "WHAT ITS README SAYS"').waitFor();
  expect(await page.getByRole('button', { name: /^(?:Approve|Remove|Add|New tool|Edit)/u }).count()).toBe(0);
  await keepScreenshot(page, 'view-only-tools');
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
  await page.getByText('start dewpoint serve --allow settings').first().waitFor();
  const knowledge = page.getByRole('region', { name: 'Knowledge', exact: true });
  await knowledge.getByText('dewpoint projects knowledge add PROJECT FILE').waitFor();
  await knowledge.locator('[data-knowledge="handbook.pdf"]').waitFor();
  expect(await knowledge.getByRole('checkbox').isDisabled()).toBe(true);
  expect(await knowledge.getByRole('button').count()).toBe(0);
  await page.getByRole('region', { name: 'Skills', exact: true }).getByText('dewpoint skills add DIR').waitFor();
  const prompts = page.getByRole('region', { name: 'Prompts', exact: true });
  await prompts.waitFor();
  expect(await prompts.getByRole('button').count()).toBe(0);
  await keepScreenshot(page, 'view-only-project');
  expect(await violations(page)).toEqual([]);
  await (await openActions(page)).fill('new project');
  await page.getByText('No matches.').waitFor();
  await page.getByPlaceholder('Search actions and sessions').fill('assistants');
  await page.keyboard.press('Enter');
  await page.getByText('dewpoint assistants import FILE').waitFor();
  expect(await page.getByRole('button', { name: /^(?:Save assistant|Delete assistant|New assistant)/u }).count()).toBe(
    0,
  );
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'view-only-assistants');
});
