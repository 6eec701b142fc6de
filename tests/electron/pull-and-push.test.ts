import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

/** A person brings a project up to date, and sends a branch, on the page of the project. */
let core: PageCore;
let served: ServedPage;

beforeAll(async () => {
  core = createPageCore();
  const sessions = await furnishEveryView(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await viewWays(served.page, sessions).ways.project();
});

afterAll(async () => {
  await served?.close();
});

const lastAsked = (name: string) => core.asked.findLast((one) => one.name === name)?.args;

describe('the repository on the page of a project', () => {
  it('is pulled with a click, and says where the branch is and what is missing', async () => {
    const { page } = served;
    await page.getByText('On branch main at 3f1c9d2e.').waitFor();
    expect(lastAsked('pull')).toBeUndefined();
    await page.getByRole('button', { name: 'Pull', exact: true }).click();
    await page.getByText('main is at 3f1c9d2e: 2 files changed. 1 submodule is not brought.').waitFor();
    expect(lastAsked('pull')).toEqual(['/home/ada/projects/api-server']);
    await keepScreenshot(page, 'repository');
    expect(await violations(page)).toEqual([]);
  });

  it('is pushed only after a person saw the remote, the branch and its commits', async () => {
    const { page } = served;
    await page.getByRole('button', { name: 'Push…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Push the branch' });
    await dialog.getByText('main at 3f1c9d2e is pushed to https://example.org/ada/app (remote origin).').waitFor();
    await dialog.getByText('Read dates in UTC').waitFor();
    await keepScreenshot(page, 'repository-push');
    expect(await violations(page)).toEqual([]);
    expect(lastAsked('push')).toBeUndefined();
    await dialog.getByRole('button', { name: 'Push', exact: true }).click();
    await page.getByText('main at 3f1c9d2e is pushed to https://example.org/ada/app.').waitFor();
    expect(lastAsked('push')).toEqual(['c'.repeat(64)]);
  });
});
