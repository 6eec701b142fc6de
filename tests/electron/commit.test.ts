import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { furnishEveryView, viewWays } from './view-ways.ts';

/** A person takes a session's changes from the window into git: a commit, a draft request, and the comments on it. */
let core: PageCore;
let served: ServedPage;
let sessions: Readonly<Record<string, string>>;

beforeAll(async () => {
  core = createPageCore();
  sessions = await furnishEveryView(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const lastAsked = (name: string) => core.asked.findLast((one) => one.name === name)?.args;

describe('the dialog for git', () => {
  it('shows the commit as it would be, and makes exactly that', async () => {
    const { page } = served;
    await viewWays(page, sessions).ways.commit();
    const dialog = page.getByRole('dialog', { name: 'Commit and review' });
    await dialog.getByText('you changed it, too').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction((wanted) => document.documentElement.dataset['theme'] === wanted, colorScheme);
      await keepScreenshot(page, `commit-${colorScheme}`);
      expect(await violations(page)).toEqual([]);
    }
    const branch = dialog.getByRole('textbox', { name: 'Branch' });
    await branch.fill('main');
    await dialog.getByText('The branch main is checked out').waitFor();
    expect(await dialog.getByRole('button', { name: 'Commit', exact: true }).isDisabled()).toBe(true);
    await branch.fill('ada/date');
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Read dates in UTC');
    expect(lastAsked('commit')).toBeUndefined();
    await dialog.getByRole('button', { name: 'Commit', exact: true }).click();
    await dialog.getByText('1 file is committed on ada/date, as 3f1c9d2e8a4b.').waitFor();
    expect(lastAsked('commit')).toEqual(['ada/date', 'Read dates in UTC', 'a'.repeat(64)]);
  });

  it('sends nothing before a person saw what and where, and gives comments to the agent', async () => {
    const { page } = served;
    const dialog = page.getByRole('dialog', { name: 'Commit and review' });
    await dialog.getByRole('button', { name: 'Ask for a review…' }).click();
    await dialog.getByText('is pushed to https://example.org/ada/app.git (remote origin).').waitFor();
    await dialog.getByText('1 commit that is not of this session goes along.').waitFor();
    await keepScreenshot(page, 'commit-request');
    expect(await violations(page)).toEqual([]);
    expect(lastAsked('request')).toBeUndefined();
    await dialog.getByRole('button', { name: 'Push and open a draft' }).click();
    await dialog.getByText('https://example.org/ada/app/pulls/7').waitFor();
    expect(lastAsked('request')).toEqual(['b'.repeat(64)]);

    const comments = dialog.getByRole('tab', { name: 'Comments' });
    await comments.click();
    await dialog.getByText('Nobody has commented on https://example.org/ada/app/pulls/7 yet.').waitFor();
    core.comments = [{ author: 'Grace', place: 'src/date.ts:4', text: 'use UTC' }];
    await dialog.getByRole('tab', { name: 'Commit', exact: true }).click();
    await comments.click();
    await dialog.getByText('Grace on src/date.ts:4').waitFor();
    await keepScreenshot(page, 'commit-comments');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Let the agent work on these' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { state } = await core.client.sessions.show({ sessionId: sessions['fix'] ?? '' });
    expect(state.messages.at(-1)?.text).toContain('Grace: use UTC');
  });
});
