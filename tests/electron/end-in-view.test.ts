import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import type { Story } from '../fakes/page-story.ts';
import { startStory } from '../fakes/page-story.ts';
import { sampled } from '../fakes/sampled.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const sequences = sampled(1_000, 20);
/** A session gets long enough to be drawn in a window of its rows, then another one begins. */
const perSession = 25;
/** Less than this below the view is a margin, not a line. */
const nearPx = 24;

const core = createPageCore();
let served: ServedPage;

beforeAll(async () => {
  furnish(core);
  served = await servePage(core);
  await served.resize(1280, 820);
});

afterAll(async () => {
  await served?.close();
});

/** Pixels of the conversation below the view, once nothing moves any more. */
async function below(): Promise<number> {
  const read = (): Promise<number> =>
    served.page.evaluate(() => {
      const log = document.querySelector('[role=log]');
      return log === null ? Infinity : log.scrollHeight - log.scrollTop - log.clientHeight;
    });
  for (let last = await read(); ;) {
    await wait(60);
    const next = await read();
    if (next === last) return next;
    last = next;
  }
}

/** Sends with the composer, as a person does. Answers the id of the message. */
async function send(story: Story, text: string): Promise<string> {
  const { sessionId } = story;
  const count = async (): Promise<number> => (await core.client.sessions.show({ sessionId })).state.messages.length;
  const before = await count();
  const field = served.page.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
  await expect.poll(count).toBe(before + 1);
  const { state } = await core.client.sessions.show({ sessionId });
  return state.messages.at(-1)?.messageId ?? '';
}

const paragraph = 'The parser reads a line, looks its words up and hands them on. ';

describe('the end of the newest answer', () => {
  it(`is in view after each of ${sequences} sequences of send, stream, resize, scroll and unfold`, async () => {
    const random = seeded(21);
    const below100 = (most: number): number => Math.floor(random() * most);
    const { page } = served;
    const away: string[] = [];
    let story: Story | null = null;
    for (let sequence = 0; sequence < sequences; sequence += 1) {
      if (story === null || sequence % perSession === 0) {
        story = await startStory(core, `Sequence ${sequence}`, null);
        story.sandbox('container');
        await page.reload();
        await page.locator('[data-session]', { hasText: `Sequence ${sequence}` }).click();
        await page.getByRole('textbox', { name: 'Message' }).waitFor();
      }
      const { sessionId } = story;
      const done: string[] = [];
      const before: Readonly<Record<string, () => Promise<void>>> = {
        unfold: async () => {
          const rows = page.locator('[role=log] [aria-expanded]');
          const count = await rows.count();
          if (count > 0) await rows.nth(below100(count)).evaluate((row) => row instanceof HTMLElement && row.click());
        },
        scroll: async () => {
          await page.getByRole('log').hover();
          await page.mouse.wheel(0, -200 - below100(2_000));
        },
        resize: () => served.resize(700 + below100(700), 500 + below100(400)),
      };
      const names = Object.keys(before);
      for (let at = below100(4); at > 0; at -= 1) {
        const name = names[below100(names.length)] ?? 'resize';
        done.push(name);
        await before[name]?.();
      }
      const messageId = await send(story, `Message ${sequence}: ${paragraph.repeat(1 + below100(6))}`);
      story.ask('', { messageId });
      story.stage('local', 'As before.');
      for (let step = below100(5); step > 0; step -= 1) {
        story.step({ stage: 'local', label: `read part-${step}.md`, tool: 'read_file', output: 'text' });
      }
      const callId = story.begin('local');
      for (let part = below100(30); part > 0; part -= 1) {
        core.push(sessionId, { type: 'text-delta', callId, text: paragraph.repeat(1 + below100(4)) + '\n\n' });
        if (random() < 0.3) await wait(below100(30));
        if (random() < 0.05) {
          done.push('resize while it streams');
          await served.resize(700 + below100(700), 500 + below100(400));
        }
      }
      if ((await below()) > nearPx) away.push(`${sequence} while it streams, after ${done.join(', ')}`);
      story.answered(callId, paragraph.repeat(30));
      story.end('answered', `${paragraph.repeat(30)} That was answer ${sequence}.`);
      await page.getByText(`That was answer ${sequence}.`).first().waitFor();
      if ((await below()) > nearPx) away.push(`${sequence} after ${done.join(', ')}`);
    }
    expect(away).toEqual([]);
  }, 3_000_000);
});
