import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../bench/lib/seeded.ts';
import { madeFiles } from '../fakes/made-files.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import type { Story } from '../fakes/page-story.ts';
import { startStory } from '../fakes/page-story.ts';
import { sampled } from '../fakes/sampled.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const sequences = sampled(1_000, 24);
/** A session gets long enough to be drawn in a window of its rows, then another one begins. */
const perSession = 25;
/** Less than this below the view is a margin, not a line. */
const nearPx = 24;

const random = seeded(21);
/** Of what comes when it likes: the sequences must not hang on it. */
const lateness = seeded(22);
const upTo = (most: number): number => Math.floor(random() * most);
const core = createPageCore();
let served: ServedPage;

beforeAll(async () => {
  furnish(core);
  const picture = madeFiles.find(({ name }) => name === 'shot.png')?.bytes ?? Buffer.alloc(0);
  const blob = { sha256: 'd'.repeat(64), bytes: picture.length };
  core.replace({
    sessions: {
      // A message in three brings a picture.
      send: ({ input: { sessionId, text } }) => {
        sent += 1;
        const messageId = `sent-${sent}`;
        const image = {
          kind: 'image',
          name: `shot-${sent}.png`,
          mediaType: 'image/png',
          width: 320,
          height: 180,
        } as const;
        const attachments = sent % 3 === 0 ? [{ ...image, blob: { ...blob, sha256: blobNameOf(sent) } }] : [];
        core.append(sessionId, { type: 'user-message-added', messageId, text, queued: false, attachments });
        return { messageId, queued: false };
      },
    },
    attachments: {
      // It comes late.
      read: async () => {
        await wait(Math.floor(lateness() * 150));
        return { mediaType: 'image/png', data: picture.toString('base64') };
      },
    },
  });
  served = await servePage(core);
  await served.resize(1280, 820);
});

afterAll(async () => {
  await served?.close();
});

const noDetail = { text: null, request: null, parts: [], price: null, tools: [] };
let sent = 0;
let reads = 0;
const blobNameOf = (count: number): string => count.toString(16).padStart(64, '0');

interface Place {
  /** Pixels of the conversation below the view. */
  readonly below: number;
  /** Pixels above it. */
  readonly top: number;
}

/** Where the view is once nothing moves any more, and every diagram, formula and picture in it has come. */
function settled(): Promise<Place> {
  return served.page.evaluate(
    () =>
      new Promise<Place>((resolve) => {
        const late =
          '[data-diagram]:not(:has(img)):not(:has([data-kind=warning])), [data-formula].hidden, button[aria-expanded]:empty';
        let [before, still] = ['', 0];
        const look = (): void => {
          const log = document.querySelector('[role=log]');
          if (log === null) return resolve({ below: Infinity, top: 0 });
          const { scrollHeight, scrollTop, clientHeight } = log;
          const now = `${scrollHeight} ${scrollTop} ${clientHeight}`;
          still = now === before && log.querySelector(late) === null ? still + 1 : 0;
          before = now;
          if (still === 5) resolve({ below: scrollHeight - scrollTop - clientHeight, top: scrollTop });
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

/** Sends with the composer, as a person does. Answers the id of the message. */
async function send(text: string): Promise<string> {
  const before = sent;
  const field = served.page.getByRole('textbox', { name: 'Message' });
  await field.fill(text);
  await field.press('Enter');
  await expect.poll(() => sent, { interval: 5 }).toBe(before + 1);
  await served.page.getByText(text.slice(0, 40)).last().waitFor();
  return `sent-${sent}`;
}

const paragraph = 'The parser reads a line, looks its words up and hands them on. ';
let parts = 0;
/** Each is known by its number, wherever it is drawn. */
const prose = (): string => `Part ${(parts += 1)}: ${paragraph.repeat(1 + upTo(4))}`;
const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\`\`\``;
/** What is drawn later than it is written, and takes another height then. */
const late: readonly (() => string)[] = [
  () =>
    fenced(
      'mermaid',
      `graph TD\n${Array.from({ length: 1 + upTo(6) }, (_, at) => `  A${at} --> A${at + 1}\n`).join('')}`,
    ),
  () => fenced('typescript', Array.from({ length: 1 + upTo(60) }, (_, at) => `const value${at} = ${at};\n`).join('')),
  () => '$$\n\\int_0^1 \\frac{x^2}{\\sqrt{1 + x^3}} \\, dx = \\sum_{k=0}^{n} \\binom{n}{k}\n$$',
  () => `| part | seconds |\n|---|---|\n${'| build | 12 |\n'.repeat(1 + upTo(12))}`,
];
const content = (): string => (random() < 0.15 ? (late[upTo(late.length)] ?? prose)() : prose());

async function unfold(): Promise<void> {
  // Rows come and go as the view moves: one of those that are there at this moment. Menus are no folds.
  await served.page.locator('[role=log] [aria-expanded]:not([aria-haspopup])').evaluateAll((rows, at) => {
    const row = rows[at % rows.length];
    if (row instanceof HTMLElement) row.click();
  }, upTo(1_000));
}

async function scrollUp(most: number): Promise<void> {
  await served.page.getByRole('log').hover({ position: { x: 40, y: 60 } });
  await served.page.mouse.wheel(0, -200 - upTo(most));
}

const resize = (): Promise<void> => served.resize(700 + upTo(700), 500 + upTo(400));

/** What a person does between two messages. */
const habits = { unfold, scroll: () => scrollUp(2_000), resize };
type Habit = keyof typeof habits;
const habitNames: readonly Habit[] = ['unfold', 'scroll', 'resize'];

/** A paragraph that a person reads, and how far below the top of the view it is. */
interface Read {
  readonly words: string;
  readonly top: number;
}

/** Scrolls up to read something, where there is something to scroll to. */
async function leaveEnd(): Promise<Read | null> {
  const { top } = await settled();
  if (top < 200) return null;
  await scrollUp(600);
  await served.page.waitForFunction((before) => {
    const log = document.querySelector('[role=log]');
    return log !== null && log.scrollTop < before;
  }, top);
  await settled();
  return served.page.evaluate(() => {
    const log = document.querySelector('[role=log]');
    const view = log?.getBoundingClientRect();
    if (log === null || view === undefined) return null;
    const numbered = [...log.querySelectorAll('p')].map((element) => ({
      words: /^(?:Part|Message) \d+:/u.exec(element.textContent ?? '')?.[0] ?? '',
      top: element.getBoundingClientRect().top - view.top,
    }));
    const found = numbered.find(({ words, top: at }) => words !== '' && at >= 0 && at < view.height);
    // Of lines of code alone nobody could say afterwards where they went.
    if (found === undefined) log.scrollTop = log.scrollHeight;
    return found ?? null;
  });
}

/** What is wrong where what a person reads does not stay where it is. */
async function moved({ words, top }: Read, when: string): Promise<readonly string[]> {
  await settled();
  const now = await served.page.evaluate((sought) => {
    const log = document.querySelector('[role=log]');
    const found = [...(log?.querySelectorAll('p') ?? [])].find((element) => element.textContent?.startsWith(sought));
    return found === undefined || log === null
      ? null
      : found.getBoundingClientRect().top - log.getBoundingClientRect().top;
  }, words);
  if (now !== null && Math.abs(now - top) <= nearPx) return [];
  return [
    `${when}: "${words}" was at ${Math.round(top)} px and is ${now === null ? 'gone' : `at ${Math.round(now)} px`}`,
  ];
}

/** The words of an answer, as they come. */
async function stream(story: Story, callId: string, does: string[]): Promise<string> {
  let text = '';
  for (let part = upTo(12); part >= 0; part -= 1) {
    const next = `${content()}\n\n`;
    text += next;
    core.push(story.sessionId, { type: 'text-delta', callId, text: next });
    if (random() < 0.3) await wait(upTo(30));
    if (does.includes('resize') && random() < 0.1) await resize();
  }
  return text;
}

/** One message with its answer. What went wrong comes back as words; `jumps`: where who reads was moved as it ended. */
async function play(story: Story, sequence: number, jumps: string[]): Promise<readonly string[]> {
  const done: Habit[] = [];
  for (let at = upTo(4); at > 0; at -= 1) {
    const name = habitNames[upTo(habitNames.length)] ?? 'resize';
    done.push(name);
    await habits[name]();
  }
  const wrong: string[] = [];
  const expectEnd = async (when: string): Promise<void> => {
    const { below } = await settled();
    if (below > nearPx) wrong.push(`${sequence}: ${below} px below the view ${when}, after ${done.join(', ')}`);
  };
  const messageId = await send(`Message ${sequence}: ${paragraph.repeat(1 + upTo(6))}`);
  await expectEnd('when it was sent');
  story.ask('', { messageId });
  story.stage('local', 'As before.');
  for (let step = upTo(5); step > 0; step -= 1) {
    story.step({ stage: 'local', label: `read part-${step}.md`, tool: 'read_file', output: 'text' });
  }
  const callId = story.begin('local');
  let text = await stream(story, callId, random() < 0.3 ? ['resize'] : []);
  await expectEnd('while it streams');
  const read = random() < 0.3 ? await leaveEnd() : null;
  if (read !== null) reads += 1;
  text += await stream(story, callId, []);
  if (read !== null) wrong.push(...(await moved(read, `${sequence} while it streams`)));
  const said = `${text}That was answer ${sequence}.`;
  // The fold keeps its beginning; the page looks the rest up.
  const turn = (await core.client.sessions.show({ sessionId: story.sessionId })).state.turns.at(-1);
  for (const id of [callId, turn?.id ?? '']) core.details.set(id, { ...noDetail, text: said });
  story.answered(callId, said);
  story.end('answered', said);
  if (read === null) {
    await served.page.getByText(`That was answer ${sequence}.`).first().waitFor();
    await expectEnd('at the end');
  } else jumps.push(...(await moved(read, `${sequence} at the end`)));
  return wrong;
}

describe('the end of the newest answer', () => {
  it(`is in view after each of ${sequences} sequences of send, stream, resize, scroll and unfold, and stays away from who reads`, async () => {
    const { page } = served;
    const wrong: string[] = [];
    const jumps: string[] = [];
    let story: Story | null = null;
    for (let sequence = 0; sequence < sequences; sequence += 1) {
      if (story === null || sequence % perSession === 0) {
        story = await startStory(core, `Sequence ${sequence}`, null);
        story.sandbox('container');
        await served.resize(1280, 820);
        await page.reload();
        await page.locator('[data-session]', { hasText: `Sequence ${sequence}` }).click();
        await page.getByRole('textbox', { name: 'Message' }).waitFor();
      }
      wrong.push(...(await play(story, sequence, jumps)));
    }
    expect(wrong).toEqual([]);
    // When a turn ends its text is drawn anew; what a person reads is found again by its words.
    expect(jumps).toEqual([]);
    expect(reads).toBeGreaterThan(sequences / 10);
  }, 3_000_000);
});
