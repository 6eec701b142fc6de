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
import { reload } from './launch.ts';

const sequences = sampled(1_000, 24);
/** Turns for each session: enough to be drawn as a window of rows. Then the next session begins. */
const perSession = 25;
/** A distance below this counts as a margin, not as a line out of view. */
const nearPx = 24;

const random = seeded(21);
/** Random delays for answers. They have their own generator, so that the sequences of actions do not depend on them. */
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
      // One message in three contains a picture.
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
      // The answer comes late.
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
  /** Pixels of the conversation below the visible part. */
  readonly below: number;
  /** Pixels above the visible part. */
  readonly top: number;
}

/** The scroll position once nothing moves any more and every diagram, formula and picture in view is drawn. */
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

/** Sends with the composer, as a user does. Returns the id of the message. */
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
/** Each paragraph has a number, so that it can be found wherever it is drawn. */
const prose = (): string => `Part ${(parts += 1)}: ${paragraph.repeat(1 + upTo(4))}`;
const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\`\`\``;
/** Content that is drawn later than its text arrives, and then changes its height. */
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
  // Rows appear and disappear as the view moves, so this picks one that exists now. Menus do not count as folds.
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

/** What a user does between two messages. */
const habits = { unfold, scroll: () => scrollUp(2_000), resize };
type Habit = keyof typeof habits;
const habitNames: readonly Habit[] = ['unfold', 'scroll', 'resize'];

/** A paragraph that a user reads, and its distance below the top of the view. */
interface Read {
  readonly words: string;
  readonly top: number;
}

/** Scrolls up to a paragraph, if there is room to scroll. */
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
    // Lines of code alone could not be found again later.
    if (found === undefined) log.scrollTop = log.scrollHeight;
    return found ?? null;
  });
}

/** Describes the fault if the paragraph that a user reads has moved. */
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

/** Streams an answer and returns its text. */
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

/**
 * Plays one message with its answer. Returns the faults as texts. `jumps` collects moves of the read paragraph at the
 * end of a turn.
 */
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
  // The folded turn keeps only the beginning of its text. The page loads the rest.
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
  it(`stays in view after each of ${sequences} sequences of send, stream, resize, scroll and unfold, unless the person reads elsewhere`, async () => {
    const { page } = served;
    const wrong: string[] = [];
    const jumps: string[] = [];
    let story: Story | null = null;
    for (let sequence = 0; sequence < sequences; sequence += 1) {
      if (story === null || sequence % perSession === 0) {
        story = await startStory(core, `Sequence ${sequence}`, null);
        story.sandbox('container');
        await served.resize(1280, 820);
        await reload(page);
        await page.locator('[data-session]', { hasText: `Sequence ${sequence}` }).click();
        await page.getByRole('heading', { level: 1, name: `Sequence ${sequence}` }).waitFor();
        await page.getByRole('textbox', { name: 'Message' }).waitFor();
      }
      wrong.push(...(await play(story, sequence, jumps)));
    }
    expect(wrong).toEqual([]);
    // The text is drawn again when a turn ends. The page must find the read paragraph by its words.
    expect(jumps).toEqual([]);
    expect(reads).toBeGreaterThan(sequences / 10);
  }, 3_000_000);
});
