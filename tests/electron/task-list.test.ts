import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '@shared/errors.ts';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { approvalScene, furnish, workingScene } from '../fakes/page-scenes.ts';
import { startStory } from '../fakes/page-story.ts';
import { questionScene } from '../fakes/question-scene.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import { keepLooks } from './keep-looks.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.setTime(Date.now() - 600_000);
  for (const title of ['Write the changelog', 'Sum up the minutes']) {
    const done = await startStory(core, title, '/home/ada/projects/shop');
    done.ask(title);
    done.step({ stage: 'cloud', label: 'answer', text: 'Done.' });
    done.end('done', `All of it is in **${title === 'Write the changelog' ? 'CHANGELOG.md' : 'minutes.md'}** now.`);
  }
  const asks = await startStory(core, 'Open the right port', '/home/ada/projects/shop');
  asks.ask('Open the port for the tests.');
  asks.step({ stage: 'local', label: 'ask', text: 'Which port?' });
  asks.end('waiting', 'Which port do you mean: 8080 or 9090?');
  await workingScene(core);
  await questionScene(core);
  await approvalScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const group = (name: string) => served.page.getByRole('region', { name, exact: true });
const row = (name: string, { page } = served) => page.getByRole('listitem', { name, exact: true });
const titles = (name: string): Promise<readonly string[]> =>
  group(name)
    .getByRole('listitem')
    .evaluateAll((items) => items.flatMap((item) => item.getAttribute('aria-label') ?? []));
const asked = (name: string) => core.asked.filter((one) => one.name === name);

describe('the list of tasks', () => {
  it('is one click away, says how many wait, and shows first what needs an answer', async () => {
    const { page } = served;
    const link = page.getByRole('navigation').getByRole('button', { name: /^Tasks/u });
    // The count comes with the list of sessions.
    await expect.poll(() => link.innerText()).toMatch(/3 waiting for you/u);
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await row('Rename the column of names').getByRole('alertdialog').waitFor();
    expect(await titles('Waiting for you')).toEqual([
      'Add a check for empty names',
      'Rename the column of names',
      'Open the right port',
    ]);
    expect(await titles('Working')).toEqual(['Explain how releases are made']);
    expect(await titles('Done, not looked at')).toEqual(['Sum up the minutes', 'Write the changelog']);
    await keepLooks(served, 'tasks-full');
  });

  it('takes an answer, a denial and a reply without opening a session', async () => {
    const { page } = served;
    await row('Rename the column of names').getByRole('button', { name: 'Replace it' }).click();
    await group('Working').getByRole('listitem', { name: 'Rename the column of names' }).waitFor();
    expect(asked('approve').at(-1)?.args).toEqual(['q1', 'allow', { choice: 'Replace it' }]);
    const dialog = row('Add a check for empty names').getByRole('alertdialog');
    await dialog.getByText('1 of 2').waitFor();
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await dialog.getByText('1 of 2').waitFor({ state: 'detached' });
    expect(asked('approve').at(-1)?.args).toEqual(['a0', 'deny']);
    const reply = row('Open the right port').getByRole('textbox', { name: 'Your answer' });
    await row('Open the right port').getByText('Which port do you mean').waitFor();
    await reply.fill('8080');
    await reply.press('Enter');
    await expect.poll(() => reply.inputValue()).toBe('');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Tasks');
  });

  it('stops a task', async () => {
    await row('Explain how releases are made').getByRole('button', { name: 'Stop' }).click();
    await row('Explain how releases are made').getByRole('button', { name: 'Stopping…' }).waitFor();
    const { sessionId } = (await core.client.sessions.list()).find(({ title }) => title.startsWith('Explain')) ?? {};
    expect(asked('cancel').at(-1)?.args).toEqual([sessionId]);
  });

  it('shows a result in place, keeps it while it is read, and remembers that it was looked at', async () => {
    const { page } = served;
    const done = row('Sum up the minutes');
    await done.getByText('Look at the result').click();
    await done.getByText('All of it is in').waitFor();
    await done.getByText('not looked at').waitFor({ state: 'detached' });
    expect(await titles('Done, not looked at')).toEqual(['Sum up the minutes', 'Write the changelog']);
    await keepScreenshot(page, 'tasks-result');
    await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
    await page.keyboard.press('Control+Shift+L');
    await row('Write the changelog').waitFor();
    await expect.poll(() => titles('Done, not looked at')).toEqual(['Write the changelog']);
    // Whoever opens the session has looked at it, too.
    await row('Write the changelog').getByRole('button', { name: 'Write the changelog' }).click();
    await page.getByRole('heading', { level: 1, name: 'Write the changelog' }).waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Write the changelog' })
      .getByText('not looked at')
      .waitFor({ state: 'detached' });
  });

  it('is worked through by keyboard alone', async () => {
    const { page } = served;
    await page.keyboard.press('Control+Shift+L');
    const dialog = row('Add a check for empty names').getByRole('alertdialog');
    await dialog.waitFor();
    await row('Add a check for empty names').getByRole('button', { name: 'Stop' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    // A key that comes at once could be meant for something else.
    await expect.poll(() => dialog.getByRole('button', { name: 'Deny' }).getAttribute('aria-disabled')).toBe('false');
    await dialog.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(asked('approve').at(-1)?.args).toEqual(['a1', 'deny']);
    // The focus stays where the question was.
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Add a check for empty names',
    );
  });
});

describe('the list of tasks at its ends', () => {
  it('says what will be here when nothing needs the user', async () => {
    const empty = createPageCore();
    furnish(empty);
    const page = await servePage(empty);
    try {
      await page.resize(900, 700);
      await page.page.keyboard.press('Control+Shift+L');
      await page.page.getByText('Nothing waits for you').waitFor();
      await keepScreenshot(page.page, 'tasks-empty');
      expect(await violations(page.page)).toEqual([]);
    } finally {
      await page.close();
    }
  });

  it('says why it cannot be read, and shows the tasks once it can', async () => {
    const locked = createPageCore();
    furnish(locked);
    const done = await startStory(locked, 'Write the changelog', '/home/ada/projects/shop');
    done.ask('Write the changelog');
    done.end('done', 'Done.');
    const unlock = locked.replace({
      sessions: {
        list: () => {
          throw new AppError('internal', 'The folder of sessions cannot be read.', { hint: 'Check its permissions.' });
        },
      },
    });
    const page = await servePage(locked);
    try {
      await page.page.keyboard.press('Control+Shift+L');
      const alert = page.page.getByRole('main').getByRole('alert');
      await alert.getByText('Sessions could not be loaded. The folder of sessions cannot be read.').waitFor();
      await alert.getByText('Check its permissions.').waitFor();
      expect(await page.page.getByText('Nothing waits for you').count()).toBe(0);
      await keepLooks(page, 'tasks-error');
      unlock();
      await row('Write the changelog', page).waitFor();
      expect(await alert.count()).toBe(0);
    } finally {
      await page.close();
    }
  });

  it('holds a long list', async () => {
    const long = createPageCore();
    furnish(long);
    for (let index = 0; index < 45; index += 1) {
      const title = `Task ${index + 1} with a long title that says a lot about what is wanted in this project and in others`;
      const done = await startStory(long, title, '/home/ada/projects/shop');
      done.ask('Work.');
      done.end('done', 'Done.');
    }
    const page = await servePage(long);
    try {
      await page.resize(900, 700);
      await page.page.keyboard.press('Control+Shift+L');
      await page.page.getByRole('region', { name: 'Done, not looked at' }).waitFor();
      await keepScreenshot(page.page, 'tasks-long');
      expect(await page.page.getByRole('region', { name: 'Done, not looked at' }).getByRole('listitem').count()).toBe(
        20,
      );
      await page.page.getByRole('button', { name: 'Mark all as looked at' }).click();
      await page.page.getByText('Done, not looked at').getByText('45').waitFor();
      await expect.poll(async () => (await long.client.sessions.list()).some(({ isUnseen }) => isUnseen)).toBe(false);
    } finally {
      await page.close();
    }
  });
});
