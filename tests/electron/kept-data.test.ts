import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import type { CleanRequest, KeptItem } from '../../src/shared/projects/project-preparation.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { reload } from './launch.ts';

const packages: KeptItem = {
  kind: 'packages',
  name: '/home/ada/projects/api-server (python, pip)',
  sizeBytes: 48e6,
  unneeded: null,
  isRemoved: false,
};
const image: KeptItem = {
  kind: 'image',
  name: 'dewpoint-sandbox:0a1b2c3d4e5f',
  sizeBytes: 662e6,
  unneeded: 'this version of Dewpoint does not use it',
  isRemoved: false,
};
const copy: KeptItem = {
  kind: 'copy',
  name: `/home/ada/.dewpoint/workspaces/20261101-101010-abcdef/${'deep/'.repeat(30)}`,
  sizeBytes: 1.4e9,
  unneeded: 'its session was deleted',
  isRemoved: false,
};

let served: ServedPage;
let kept: readonly KeptItem[];
let isEngineDead = false;
const asked: CleanRequest[] = [];

beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  const clean = ({ input: request }: { readonly input: CleanRequest }): readonly KeptItem[] => {
    asked.push(request);
    if (isEngineDead) throw new AppError('sandbox-lost', 'The container engine does not answer.');
    const isGone = ({ kind, unneeded }: KeptItem): boolean =>
      request.remove === 'unneeded' && unneeded !== null && (kind !== 'image' || request.images === true);
    const items = kept.map((item) => ({ ...item, isRemoved: isGone(item) }));
    kept = kept.filter((item) => !isGone(item));
    return items;
  };
  core.replace({ clean });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

beforeEach(async () => {
  kept = [packages, image, copy];
  isEngineDead = false;
  asked.length = 0;
  await reload(served.page);
  await served.page.getByRole('button', { name: 'Settings', exact: true }).click();
  await group().waitFor();
});

afterAll(() => served?.close());

const group = () => served.page.getByRole('region', { name: 'Disk space', exact: true });
const button = (name: string | RegExp) => group().getByRole('button', { name });

it('the view of stored data counts nothing before a person asks, then says what is needed and what is not', async () => {
  expect(await group().getByRole('listitem').count()).toBe(0);
  expect(asked).toEqual([]);
  await button('Show stored data').click();
  const items = group().getByRole('listitem');
  await expect.poll(() => items.count()).toBe(3);
  expect(asked).toEqual([{ remove: 'nothing' }]);
  expect(await items.nth(0).textContent()).toMatch(/api-server.*needed.*48 MB$/u);
  expect(await items.nth(1).textContent()).toMatch(/not needed: this version.*662 MB$/u);
  expect(await violations(served.page)).toEqual([]);
  await served.resize(480, 860);
  const width = await group().evaluate((place) => place.scrollWidth - place.clientWidth);
  expect(width).toBe(0);
  await served.resize(1360, 860);
});

it('the view of stored data removes what is not needed, and images only with their own button', async () => {
  const { page } = served;
  await button('Show stored data').click();
  await button('Remove unneeded data (1.4 GB)').click();
  await page.getByText('Removed 1 item, 1.4 GB.').first().waitFor();
  expect(asked.at(-1)).toEqual({ remove: 'unneeded', images: false });
  await expect.poll(() => group().getByRole('listitem').count()).toBe(2);
  await expect.poll(() => button(/^Remove unneeded/u).count()).toBe(0);
  await button('Also remove unneeded images (662 MB)').click();
  await page.getByText('Removed 1 item, 662 MB.').first().waitFor();
  expect(asked.at(-1)).toEqual({ remove: 'unneeded', images: true });
  await expect
    .poll(() => group().getByRole('listitem').allTextContents())
    .toEqual([expect.stringContaining('api-server')]);
  await expect.poll(() => group().getByRole('button').count()).toBe(1);
});

it('the view of stored data says why it could not look, and looks again', async () => {
  isEngineDead = true;
  await button('Show stored data').click();
  await group().getByText('The container engine does not answer.').waitFor();
  isEngineDead = false;
  await button('Show stored data').click();
  await expect.poll(() => group().getByRole('listitem').count()).toBe(3);
  await group().getByText('does not answer').waitFor({ state: 'detached' });
});
