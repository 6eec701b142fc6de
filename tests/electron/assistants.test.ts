import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { localModel, startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;
const sent: unknown[] = [];

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  const story = await startStory(core, 'Read my letter', null);
  story.ask('Read my letter.');
  story.end('answered', 'It is good.');
  core.replace({
    sessions: {
      send: ({ input: { sessionId, text, options } }) => {
        sent.push(options);
        const messageId = `own-${sent.length}`;
        core.append(sessionId, { type: 'user-message-added', messageId, text, queued: false });
        const { assistant } = options;
        core.append(sessionId, {
          type: 'turn-started',
          turnId: `turn-${messageId}`,
          messageId,
          ...(assistant === undefined ? {} : { assistant }),
          check: null,
          cascade: [],
          limits: { maxSteps: 1, maxMinutes: 1, maxTokens: 1, maxUsd: null },
        });
        core.append(sessionId, {
          type: 'turn-ended',
          turnId: `turn-${messageId}`,
          reason: 'answered',
          text: 'Yes.',
          confidence: null,
          failure: null,
        });
        return { messageId, queued: false };
      },
    },
  });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const choice = () => served.page.getByRole('main').getByRole('combobox', { name: 'Assistant' });

async function send(text: string): Promise<unknown> {
  const { page } = served;
  const before = sent.length;
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
  await expect.poll(() => sent.length).toBe(before + 1);
  return sent.at(-1);
}

describe('the choice of assistants', () => {
  it('takes no room when there are none', async () => {
    const { page } = served;
    await page.locator('[data-session]', { hasText: 'Read my letter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Read my letter' }).waitFor();
    expect(await choice().count()).toBe(0);
    expect(await send('And now?')).not.toHaveProperty('assistant');
  });

  it('stands beside the field, sets mode and model, and shows in the header', async () => {
    const { page } = served;
    core.assistants = [{ name: 'reviewer', text: 'You review letters.', mode: 'plan', model: localModel }];
    await reload(page);
    await page.locator('[data-session]', { hasText: 'Read my letter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Read my letter' }).waitFor();
    await choice().selectOption('reviewer');
    await page.locator('[data-mode=plan][aria-pressed=true]').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await send('Read it again.')).toMatchObject({ assistant: 'reviewer', local: localModel, policy: 'local' });
    await page.getByRole('banner').or(page.locator('header')).getByText('assistant reviewer').first().waitFor();
  });

  it('stays with its session until another is made', async () => {
    const { page } = served;
    await reload(page);
    await page.locator('[data-session]', { hasText: 'Read my letter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Read my letter' }).waitFor();
    await expect.poll(() => choice().inputValue()).toBe('reviewer');
    await choice().selectOption('');
    expect(await send('Thank you.')).not.toHaveProperty('assistant');
  });
});

describe('the editor of assistants', () => {
  const form = () => served.page.getByRole('form', { name: 'Assistant' });
  const field = (name: string) => form().getByLabel(name, { exact: true });
  const button = (name: string) => form().getByRole('button', { name, exact: true });
  const names = () => core.assistants.map(({ name }) => name);

  async function open(): Promise<void> {
    const { page } = served;
    // The window listens for keys only after it is drawn.
    await page.getByRole('navigation').getByRole('button', { name: 'Commands' }).click();
    await page.locator('[cmdk-item][data-value="assistants"]').click();
    await page.getByRole('heading', { level: 1, name: 'Assistants' }).waitFor();
    await form().waitFor();
  }

  /** Catches: a wrong value that is dropped, or refused with an error about a line of a file. */
  it('says what is wrong at each field, and saves the assistant once it is right', async () => {
    const { page } = served;
    core.assistants = [];
    await reload(page);
    await open();
    await keepScreenshot(page, 'assistants-empty');
    await button('Save assistant').click();
    await form().getByText('Use lower-case letters').last().waitFor();
    await expect.poll(() => field('Name').evaluate((one) => one === document.activeElement)).toBe(true);
    await field('Name').fill('Letter writer');
    await field('Instructions').fill('You write short letters.');
    await field('Temperature').fill('warm');
    await field('Tools').selectOption('off');
    await field('Mode').selectOption('work');
    await form().getByText('Use a number from 0 to 2.').waitFor();
    await form().getByText('Without tools it can only answer.').waitFor();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'assistants-problems');
    await button('Save assistant').click();
    expect(names()).toEqual([]);
    expect(await field('Temperature').inputValue()).toBe('warm');
    await field('Name').fill('letters');
    await field('Temperature').fill('0.2');
    await field('Mode').selectOption('ask');
    await field('In one sentence').fill('Writes: short letters.');
    await field('Model').selectOption(localModel);
    await button('Save assistant').click();
    await page.getByText('Saved. It holds from your next message on.').waitFor();
    expect(core.assistants).toEqual([
      {
        name: 'letters',
        about: 'Writes: short letters.',
        text: 'You write short letters.',
        model: localModel,
        mode: 'ask',
        tools: 'off',
        temperature: 0.2,
      },
    ]);
  });

  /** Catches: a long text that is lost when the user clicks elsewhere. */
  it('keeps unsaved changes in other views and after a reload, and asks before they are lost', async () => {
    const { page } = served;
    await field('Instructions').fill('You write short letters, without adjectives.');
    await page.getByRole('navigation').getByRole('button', { name: 'Costs', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor();
    await reload(page);
    await open();
    expect(await field('Instructions').inputValue()).toBe('You write short letters, without adjectives.');
    await page.getByRole('button', { name: 'New assistant' }).click();
    await page.getByText('You have changes that are not saved.').waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await field('Instructions').inputValue()).toBe('You write short letters, without adjectives.');
    await button('Duplicate').click();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => field('Name').inputValue()).toBe('letters-2');
  });

  it('copies, renames, deletes and restores an assistant', async () => {
    const { page } = served;
    await field('Name').fill('letters');
    await form().getByText('There is an assistant with this name already.').waitFor();
    await field('Name').fill('notes');
    await button('Save assistant').click();
    await expect.poll(names).toEqual(['letters', 'notes']);
    await field('Name').fill('memos');
    await button('Save assistant').click();
    await expect.poll(names).toEqual(['letters', 'memos']);
    await button('Delete assistant').click();
    await expect.poll(names).toEqual(['letters']);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await expect.poll(names).toEqual(['letters', 'memos']);
  });

  /** Catches: a file from elsewhere that takes effect before anybody read it. */
  it('shows an assistant from a file before taking it, and saves one as a file', async () => {
    const { page } = served;
    const give = (name: string, text: string) =>
      page
        .getByRole('main')
        .locator('input[type=file]')
        .setInputFiles({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });
    await give('bad.md', '---\napprove: allow\n---\nText.');
    await page.getByText('The line "approve: allow" is not known.').waitFor();
    await give('Planner.md', '---\nabout: Plans.\nmode: plan\n---\nYou plan.');
    await page.getByText('Read its text before you save it').waitFor();
    await expect.poll(() => field('Instructions').inputValue()).toBe('You plan.');
    expect(names()).not.toContain('planner');
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'assistants-taken');
    await button('Save assistant').click();
    await expect.poll(names).toEqual(['letters', 'memos', 'planner']);
    // The window asks where to save a download. This replacement keeps its content instead.
    await page.evaluate(() => {
      HTMLAnchorElement.prototype.click = function click(this: HTMLAnchorElement): void {
        document.body.dataset.saved = this.download;
      };
      const create = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (blob) => {
        if (blob instanceof Blob) void blob.text().then((text) => (document.body.dataset.text = text));
        return create(blob);
      };
    });
    await button('Save as file…').click();
    await page.locator('body[data-saved="planner.md"][data-text]').waitFor();
    expect(await page.locator('body').getAttribute('data-text')).toBe(
      '---\nabout: Plans.\nmode: plan\n---\n\nYou plan.\n',
    );
  });

  it('says why a file in the folder cannot be used, and is readable at every size', async () => {
    const { page } = served;
    core.brokenAssistants = [{ name: 'old', why: 'It has no text.' }];
    await reload(page);
    await open();
    await page.getByText('old.md cannot be used. It has no text.').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await keepScreenshot(page, 'assistants-dark');
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await served.resize(420, 860);
    await keepScreenshot(page, 'assistants-narrow');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420);
    await served.resize(1360, 860);
  });

  it('is opened by a command, which can also choose an assistant', async () => {
    const { page } = served;
    await page.locator('[data-session]', { hasText: 'Read my letter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Read my letter' }).waitFor();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('/assistant nobody');
    await page.keyboard.press('Enter');
    await page.getByText('There is no assistant nobody. Yours: letters, memos, planner.').waitFor();
    await message.fill('/assistant planner');
    await page.keyboard.press('Enter');
    await expect.poll(() => choice().inputValue()).toBe('planner');
    await message.fill('/assistant off');
    await page.keyboard.press('Enter');
    await expect.poll(() => choice().inputValue()).toBe('');
    await message.fill('/assistant');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Assistants' }).waitFor();
  });
});

it('the page asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
