import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allViews } from '../../src/renderer/lib/all-views.ts';
import { createPageCore } from '../fakes/page-core.ts';
import {
  answerScene,
  approvalScene,
  capScene,
  comparisonScene,
  endScenes,
  fixScene,
  furnish,
  longScene,
  planScene,
} from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
const sessions: Record<string, string> = {};

beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  comparisonScene(core);
  core.setTime(Date.now() - 3_600_000);
  const long = await longScene(core, 10);
  await endScenes(core);
  const [answer, approval, cap] = [await answerScene(core), await approvalScene(core), await capScene(core)];
  const [plan, fix] = [await planScene(core), await fixScene(core)];
  for (const [name, { sessionId }] of Object.entries({ long, answer, approval, cap, plan, fix })) {
    sessions[name] = sessionId;
  }
  const missing = (await core.listSessions()).find(({ title }) => title === 'Make the nightly job idempotent');
  sessions.missing = missing?.sessionId ?? '';
  served = await servePage(core);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

/** By the palette, which is there in every size of the window. */
async function choose(id: string): Promise<void> {
  const { page } = served;
  await page.keyboard.press('Control+K');
  await page.locator(`[cmdk-item][data-value="${id}"]`).click();
  await page.getByPlaceholder('Search actions').waitFor({ state: 'detached' });
}

async function goTo(action: string, heading: string | RegExp): Promise<void> {
  await choose(action);
  await served.page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

async function openSession(name: string, title: string): Promise<void> {
  await choose(sessions[name] ?? '');
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

async function inspect(tab: string): Promise<void> {
  await openSession('fix', 'Fix the failing date test');
  await choose(`inspect-${tab.toLowerCase()}`);
  await served.page.getByRole('tabpanel', { name: tab }).waitFor();
}

const packages = () => served.page.getByRole('dialog', { name: 'Prepare the packages of this project' });
const listButton = () => served.page.getByRole('button', { name: 'Open the list of sessions' });

/** How a person comes to each view. */
const ways: Readonly<Record<keyof typeof allViews, () => Promise<void>>> = {
  new: () => goTo('new', 'What is to be done?'),
  'first-start': async () => {
    await goTo('first-steps', 'What is to be done?');
    await served.page.getByText('Three things').waitFor();
  },
  project: async () => {
    await openSession('answer', 'Which port');
    await goTo('project', 'api-server');
  },
  session: () => openSession('long', 'A session of many weeks'),
  route: () => inspect('Route'),
  cost: () => inspect('Cost'),
  sandbox: () => inspect('Sandbox'),
  changes: () => inspect('Changes'),
  context: () => inspect('Context'),
  failure: async () => {
    await choose(sessions.missing ?? '');
    await served.page.getByText('No container engine was found').first().waitFor();
  },
  plan: async () => {
    await openSession('plan', 'Move the settings');
    await served.page.getByRole('textbox', { name: 'Step 1' }).waitFor();
  },
  approval: async () => {
    await openSession('approval', 'Add a check for empty names');
    const dialog = served.page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Deny' }).waitFor();
  },
  cap: async () => {
    await openSession('cap', 'Rewrite the importer');
    await served.page.getByRole('alertdialog', { name: 'The money cap is reached' }).waitFor();
  },
  bin: () => goTo('bin', 'Bin'),
  models: () => goTo('models', 'Models'),
  driving: async () => {
    await goTo('models', 'Models');
    await served.page
      .getByRole('button', { name: /^How it is driven/u })
      .first()
      .click();
    await served.page.getByLabel('Tools at most').waitFor();
  },
  price: async () => {
    await goTo('models', 'Models');
    await served.page
      .getByRole('button', { name: /^(?:Set a|Change the) price/u })
      .first()
      .click();
    await served.page.getByLabel('Input, $').waitFor();
  },
  compare: () => goTo('compare', 'Compare'),
  'compare-form': async () => {
    await goTo('compare', 'Compare');
    await served.page.getByRole('button', { name: 'New comparison' }).click();
    await served.page.getByRole('form', { name: 'New comparison' }).waitFor();
  },
  comparison: async () => {
    await goTo('compare', 'Compare');
    await served.page.getByRole('button', { name: /local, hybrid, cloud/u }).click();
    await served.page.getByText('Result by policy').waitFor();
  },
  costs: () => goTo('costs', 'Costs'),
  settings: () => goTo('settings', 'Settings'),
  shortcuts: async () => {
    await goTo('settings', 'Settings');
    await served.page.getByRole('button', { name: /^Change the keys of Costs/u }).click();
    await served.page.getByText('Press keys').waitFor();
  },
  rules: async () => {
    await goTo('settings', 'Settings');
    await served.page.getByRole('form', { name: 'New rule' }).scrollIntoViewIfNeeded();
  },
  sessions: async () => {
    if (await listButton().isVisible()) await listButton().click();
    await served.page.getByRole('searchbox', { name: 'Search sessions' }).waitFor();
  },
  palette: async () => {
    await served.page.keyboard.press('Control+K');
    await served.page.getByPlaceholder('Search actions').waitFor();
  },
  'session-menu': async () => {
    await openSession('answer', 'Which port');
    await served.page.getByRole('button', { name: 'What to do with this session' }).click();
    await served.page.getByRole('menuitem', { name: 'Rename' }).waitFor();
  },
  packages: async () => {
    await openSession('answer', 'Which port');
    await goTo('project', 'api-server');
    await served.page.getByRole('button', { name: 'Prepare …' }).click();
    await packages().getByText('packages.example.org').waitFor();
  },
};

const allComparisons = (): Promise<void> => served.page.getByRole('button', { name: 'All comparisons' }).click();

/** What lies over the window, or in a view's place, is closed again. */
const waysBack: Partial<Record<keyof typeof allViews, () => Promise<void>>> = {
  'compare-form': allComparisons,
  comparison: allComparisons,
  // Else the next keys would be taken for the action.
  shortcuts: async () => {
    await served.page.keyboard.press('Escape');
    await served.page.getByText('Press keys').waitFor({ state: 'detached' });
  },
  palette: async () => {
    await served.page.keyboard.press('Escape');
    await served.page.getByPlaceholder('Search actions').waitFor({ state: 'detached' });
  },
  'session-menu': async () => {
    await served.page.keyboard.press('Escape');
    await served.page.getByRole('menuitem', { name: 'Rename' }).waitFor({ state: 'detached' });
  },
  packages: async () => {
    await packages().getByRole('button', { name: 'Close' }).click();
    await packages().waitFor({ state: 'detached' });
  },
};

const names = Object.keys(allViews).filter((name): name is keyof typeof allViews => name in allViews);

async function look(theme: 'light' | 'dark'): Promise<void> {
  await served.page.emulateMedia({ colorScheme: theme });
  await served.page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
}

describe('everybody can use every view, light and dark', () => {
  it.for([
    [1360, '100%'],
    [1360, '200%'],
    [420, '100%'],
  ] as const)('%i pixels wide, with text at %s', { timeout: 240_000 }, async ([width, fontSize]) => {
    const { page } = served;
    await served.resize(width, 860);
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = size;
      window.dispatchEvent(new Event('resize'));
    }, fontSize);
    const found: Record<string, readonly string[]> = {};
    for (const name of names) {
      await look('light');
      await ways[name]();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      const light = await violations(page);
      await look('dark');
      // Nothing but the colours is another there.
      const dark = await violations(page, ['color-contrast']);
      found[name] = [...light, ...dark, ...(overflow > 0 ? [`is ${overflow} pixels too wide`] : [])];
      await waysBack[name]?.();
    }
    expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([]);
  });
});

it('asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
