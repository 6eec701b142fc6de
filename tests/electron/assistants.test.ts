import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { localModel, startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
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
          plan: false,
          ...(assistant === undefined ? {} : { assistant }),
          criterion: null,
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

describe('assistants', () => {
  it('take no room where there is none', async () => {
    const { page } = served;
    await page.locator('[data-session]', { hasText: 'Read my letter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Read my letter' }).waitFor();
    expect(await choice().count()).toBe(0);
    expect(await send('And now?')).not.toHaveProperty('assistant');
  });

  it('are chosen beside the field, bring their mode and model, and stand in the header', async () => {
    const { page } = served;
    core.assistants = [{ name: 'reviewer', text: 'You review letters.', mode: 'plan', model: localModel }];
    await page.reload();
    await page.locator('[data-session]', { hasText: 'Read my letter' }).click();
    await choice().selectOption('reviewer');
    await page.locator('[data-mode=plan][aria-pressed=true]').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await send('Read it again.')).toMatchObject({ assistant: 'reviewer', local: localModel, policy: 'local' });
    await page.getByRole('banner').or(page.locator('header')).getByText('assistant reviewer').first().waitFor();
  });

  it('stay with their session until another is chosen', async () => {
    const { page } = served;
    await page.reload();
    await page.locator('[data-session]', { hasText: 'Read my letter' }).click();
    await expect.poll(() => choice().inputValue()).toBe('reviewer');
    await choice().selectOption('');
    expect(await send('Thank you.')).not.toHaveProperty('assistant');
  });
});

it('asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
