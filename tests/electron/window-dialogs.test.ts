import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { approvalScene, furnish, workingScene } from '../fakes/page-scenes.ts';
import { startStory } from '../fakes/page-story.ts';
import { keepLooks } from './keep-looks.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let core: PageCore;
let served: ServedPage;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  const talk = await startStory(core, 'Ask about receipts', null);
  talk.ask('Which receipts do I keep?');
  talk.step({ stage: 'local', label: 'answer', text: 'Those of this year.' });
  talk.end('done', 'Those of this year.');
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const item = (title: string) => served.page.locator('[data-session]', { hasText: title });
const open = async (title: string): Promise<void> => {
  await item(title).click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
};
const menuItem = async (name: string): Promise<void> => {
  await served.page.getByRole('button', { name: 'Session actions' }).click();
  await served.page.getByRole('menuitem', { name }).click();
};
const moving = () => served.page.getByRole('dialog', { name: 'Move to a project' });

// Catches: a way that ends at a list without entries, and a field that is marked as wrong before anything was typed.
describe('a talk that moves where no project is', () => {
  it('makes its project by its name, says nothing is wrong before, and moves back by Undo', async () => {
    const { page } = served;
    await open('Ask about receipts');
    await menuItem('Move to a project…');
    const name = moving().getByLabel('Name');
    await name.waitFor();
    const move = moving().getByRole('button', { name: 'Move', exact: true });
    expect(await move.isDisabled()).toBe(true);
    expect(await moving().getByRole('alert').count()).toBe(0);
    expect(await moving().locator('[aria-invalid]').count()).toBe(0);
    await keepLooks(served, 'move-without-projects');
    await name.fill('Tax papers');
    await name.press('Enter');
    await page.getByText('The session is in Tax papers now.').waitFor();
    await moving().waitFor({ state: 'detached' });
    await item('Ask about receipts').getByText('Tax papers').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await item('Ask about receipts').getByText('Tax papers').waitFor({ state: 'detached' });
  });
});

describe('where projects are', () => {
  beforeAll(async () => {
    const { key } = await core.client.projects.create({ name: 'Bank' });
    const rates = await startStory(core, 'Compare the rates', null);
    rates.ask('Which rate is lower?');
    rates.end('done', 'The first.');
    await core.client.sessions.move({ sessionIds: [rates.sessionId], project: key });
    const shop = await startStory(core, 'Fix the invoices', '/home/ada/projects/shop');
    shop.ask('Fix the invoices.');
    shop.end('done', 'Fixed.');
    const notes = await startStory(core, 'Write the changelog', '/home/ada/projects/notes');
    notes.ask('Write the changelog.');
    notes.end('done', 'Written.');
  });

  it('a talk moves while it works, and the list shows where it is', async () => {
    const { page } = served;
    const story = await startStory(core, 'Sort the bank letters', null);
    story.ask('Sort the bank letters.');
    await open('Sort the bank letters');
    await menuItem('Move to a project…');
    await moving().getByLabel('Project').selectOption('Bank');
    await keepLooks(served, 'move-at-work');
    await moving().getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('The session is in Bank now.').waitFor();
    await item('Sort the bank letters').getByText('Bank', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    story.end('done', 'Sorted.');
  });

  // Catches: a task that begins in the folder of another project than the one that is shown.
  describe('a new task by its shortcut', () => {
    it('begins in the project without a folder of the talk that is shown', async () => {
      const { page } = served;
      await open('Compare the rates');
      await page.keyboard.press('Control+n');
      const main = page.getByRole('main');
      await main.getByText('In the project', { exact: true }).waitFor();
      await main.getByText('Bank', { exact: true }).waitFor();
      await keepLooks(served, 'new-task-in-project');
    });

    it('begins in the folder of the session that is shown, and in the project of the list before that', async () => {
      const { page } = served;
      await open('Fix the invoices');
      await page.keyboard.press('Control+n');
      const folder = page.getByRole('main').getByLabel('Project folder', { exact: true });
      await expect.poll(() => folder.inputValue()).toBe('/home/ada/projects/shop');
      await open('Fix the invoices');
      const projects = page.getByRole('region', { name: 'Projects' });
      await projects.getByRole('button', { name: 'notes', exact: true }).click();
      await page.keyboard.press('Control+n');
      await expect.poll(() => folder.inputValue()).toBe('/home/ada/projects/notes');
      await projects.getByRole('button', { name: 'notes', exact: true }).click();
    });
  });

  // Catches: work that nobody sees because a filter was left on.
  describe('the list of sessions that shows only some', () => {
    it('says in one line what it hides that works or waits, and leads to it', async () => {
      const { page } = served;
      await workingScene(core);
      await approvalScene(core);
      const search = page.getByRole('searchbox', { name: 'Search sessions' });
      await search.fill('invoices');
      const line = page.getByRole('navigation').getByRole('button', { name: 'Hidden: 1 waiting for you, 1 working' });
      await line.waitFor();
      await keepLooks(served, 'hidden-at-work');
      await line.click();
      await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
      await search.fill('');
      await line.waitFor({ state: 'detached' });
    });
  });

  // Catches: a dialog, a filter or a selection that is lost when the window gets narrow.
  describe('what was opened and chosen in the list', () => {
    it('stays when the window gets too narrow for the list', async () => {
      const { page, resize } = served;
      await item('Fix the invoices').click({ modifiers: ['Control'] });
      await item('Write the changelog').click({ modifiers: ['Control'] });
      const bar = page.getByRole('region', { name: 'Selected sessions' });
      await bar.getByRole('button', { name: 'Ask another model…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Ask another model' });
      await dialog.waitFor();
      await resize(640, 700);
      await bar.waitFor({ state: 'detached' });
      expect(await dialog.isVisible()).toBe(true);
      await keepLooks(served, 'ask-again-without-list');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await resize(1360, 860);
      await bar.getByText('2 selected').waitFor();
      await bar.getByRole('button', { name: 'Done' }).click();
    });

    it('gives the focus back to the menu that it was opened from', async () => {
      const { page } = served;
      await open('Ask about receipts');
      await menuItem('Move to a project…');
      await moving().waitFor();
      await page.keyboard.press('Escape');
      await moving().waitFor({ state: 'detached' });
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
        .toBe('Session actions');
    });

    // Bug: the list of actions took the place of a dialog, and of what was typed or worked in it.
    it('stays when the list of actions is asked for', async () => {
      const { page } = served;
      await open('Ask about receipts');
      await menuItem('Move to a project…');
      await moving().getByLabel('Project').selectOption('New project…');
      const name = moving().getByLabel('Name');
      await name.fill('Letters');
      await name.press('Control+k');
      expect(await name.inputValue()).toBe('Letters');
      await page.keyboard.press('Escape');
      await moving().waitFor({ state: 'detached' });
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
        .toBe('Session actions');
    });
  });
});

it('the page asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
