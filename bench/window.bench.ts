import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { createPageCore } from '../tests/fakes/page-core.ts';
import type { PageCore } from '../tests/fakes/page-core.ts';
import { longScene, workingScene } from '../tests/fakes/page-scenes.ts';
import { builtFolder, launch } from '../tests/electron/launch.ts';
import { firstWordMs } from '../tests/electron/first-word.ts';
import { servePage } from '../tests/electron/page-kit.ts';
import type { ServedPage } from '../tests/electron/page-kit.ts';
import { ensureShellAndDisplay } from '../tests/electron/setup.ts';
import { makeLargeSession } from './lib/large-session.ts';
import type { BenchRow, Target } from './lib/rows.ts';
import { stressRows } from './lib/stress-rows.ts';
import { largest, median, percentile } from './lib/statistics.ts';

/** Measures what a user waits for and sees: the built app on its own core, and the page on a core that floods it. */
export async function run(): Promise<readonly BenchRow[]> {
  const endDisplay = await ensureShellAndDisplay();
  try {
    return [
      ...bundleRows(),
      ...(await appRows()),
      ...(await chatRows()),
      ...(await floodRows()),
      ...(await stressRows()),
    ];
  } finally {
    endDisplay();
  }
}

function row(
  figure: string,
  [value, unit]: readonly [number | null, string],
  target: Target | null,
  note: string,
): BenchRow {
  return { figure, value, unit, target, note };
}

/** The scripts and styles that the first page names, each compressed as a server would do it. */
function bundleRows(): readonly BenchRow[] {
  const folder = join(builtFolder, 'renderer');
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  const names = [...index.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.(?:js|css))"/gu)].map(
    (match) => match[1] ?? '',
  );
  const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
  return [row('page bundle at start, gzip', [bytes / 1000, 'kB'], { atMost: 350 }, `${names.length} files`)];
}

/** An empty home with a model that answers at once, so that only Dewpoint's own time is measured. */
async function chatRows(): Promise<readonly BenchRow[]> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-bench-chat-'));
  const script = { kind: 'scripted', replies: [{ text: 'Paris.' }], strategies: ['loop'] };
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ local: 'script/script', providers: { script } }));
  const { app, page } = await launch(home, { hasEngine: true });
  try {
    const ms = await firstWordMs(page, 'What is the capital of France?', 'Paris');
    const figure = 'empty home: one click to the first word of a chat answer';
    return [row(figure, [ms / 1000, 's'], { atMost: 1 }, "beyond the model's own time; no sandbox is started")];
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  }
}

const starts = 3;

async function appRows(): Promise<readonly BenchRow[]> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-bench-window-'));
  try {
    const script = { kind: 'scripted', replies: [], strategies: ['loop'] };
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ local: 'script/script', providers: { script } }));
    const { messages, megabytes } = await makeLargeSession(home);
    const times: number[] = [];
    let opened: readonly BenchRow[] = [];
    for (let round = 0; round <= starts; round += 1) {
      const before = performance.now();
      const { app, page } = await launch(home);
      try {
        await page.getByRole('textbox', { name: 'Task' }).waitFor();
        // The first start fills caches that later ones use.
        if (round > 0) times.push((performance.now() - before) / 1000);
        if (round < starts) continue;
        const memory = (): Promise<number> =>
          app.evaluate(
            ({ app: own }) => own.getAppMetrics().reduce((sum, one) => sum + one.memory.workingSetSize, 0) / 1024,
          );
        const memoryBefore = await memory();
        const empty = await framesWhile(page, async () => page.waitForTimeout(3000));
        const ms = await openLarge(page);
        const scrolled = await framesWhile(page, () => scrollThrough(page));
        const grown = (await memory()) - memoryBefore;
        const note = `${messages} messages, ${Math.round(megabytes)} MB; the end is drawn from the whole fold at once`;
        opened = [
          row('open a session of 10,000 messages: first paint of its end', [ms / 1000, 's'], { atMost: 1 }, note),
          row('growth of all processes with it open and scrolled', [grown, 'MB'], { atMost: 150 }, 'working sets'),
          ...frameRows('scroll through it', scrolled, empty),
        ];
      } finally {
        await app.close();
      }
    }
    const note = `median of ${starts}, slowest ${(largest(times) ?? 0).toFixed(2)} s`;
    return [
      row('process start to a usable window, second start', [median(times), 's'], { atMost: 1.5 }, note),
      ...opened,
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** From the click until the last answer is drawn, by the clock of the page. */
function openLarge(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const button = document.querySelector<HTMLElement>('[data-session]');
        const begun = performance.now();
        button?.click();
        const look = (): void => {
          const log = document.querySelector('[role=log]');
          if (log?.textContent?.includes('The last answer.') === true) resolve(performance.now() - begun);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}

function scrollThrough(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const log = document.querySelector('[role=log]');
        let left = 240;
        const step = (): void => {
          if (log === null || left-- === 0) return resolve();
          log.scrollTop = left % 2 === 0 ? log.scrollTop - 700 : log.scrollTop - 500;
          requestAnimationFrame(step);
        };
        step();
      }),
  );
}

/** Milliseconds between the frames that were drawn while something was done. */
async function framesWhile(page: Page, work: () => Promise<unknown>): Promise<readonly number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let last = performance.now();
    const frame = (now: number): void => {
      frames.push(now - last);
      last = now;
      Reflect.set(window, 'benchFrame', requestAnimationFrame(frame));
    };
    Reflect.set(window, 'benchFrames', frames);
    requestAnimationFrame(frame);
  });
  await work();
  return page.evaluate(() => {
    cancelAnimationFrame(Number(Reflect.get(window, 'benchFrame')));
    const frames: unknown = Reflect.get(window, 'benchFrames');
    return Array.isArray(frames) ? frames.slice(2).map(Number) : [];
  });
}

function frameRows(what: string, frames: readonly number[], empty: readonly number[]): readonly BenchRow[] {
  const base = percentile(empty, 0.95) ?? 0;
  const p95 = percentile(frames, 0.95);
  const note = `${frames.length} frames; the empty page beside it: p95 ${base.toFixed(0)} ms, longest ${(largest(empty) ?? 0).toFixed(0)} ms`;
  return [
    row(`${what}: p95 frame above the empty page's`, [p95 === null ? null : p95 - base, 'ms'], { atMost: 20 }, note),
    row(`${what}: longest frame`, [largest(frames), 'ms'], { atMost: 100 }, note),
  ];
}

async function floodRows(): Promise<readonly BenchRow[]> {
  const core = createPageCore();
  core.setTime(Date.now() - 3_600_000);
  await longScene(core, 150);
  const working = await workingScene(core);
  const served = await servePage(core);
  const foreign: string[] = [];
  served.page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(served.url).host) foreign.push(request.url());
  });
  try {
    await served.resize(1360, 860);
    const { page } = served;
    const empty = await framesWhile(page, async () => page.waitForTimeout(3000));
    await page.locator('[data-session]', { hasText: 'Explain how releases' }).click();
    const streamed = await streamAndType(served, core, working);
    const clicks = await floodTerminal(served, core, working.sessionId);
    return [
      ...frameRows('stream 500 tokens a second', streamed.frames, empty),
      row(
        'keystroke to paint while streaming, p95',
        [percentile(streamed.keys, 0.95), 'ms'],
        { atMost: 30 },
        `${streamed.keys.length} keys`,
      ),
      row(
        'a click is answered while 50 MB of output come, longest',
        [largest(clicks), 'ms'],
        { atMost: 100 },
        `${clicks.length} clicks, median ${(median(clicks) ?? 0).toFixed(0)} ms`,
      ),
      row('requests of the page to others', [foreign.length, ''], { atMost: 0 }, 'through all of this'),
    ];
  } finally {
    await served.close();
  }
}

interface Working {
  readonly sessionId: string;
  readonly callId: string;
}

async function streamAndType(
  { page }: ServedPage,
  core: PageCore,
  { sessionId, callId }: Working,
): Promise<{ readonly frames: readonly number[]; readonly keys: readonly number[] }> {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.click();
  await page.evaluate(() => {
    const keys: number[] = [];
    Reflect.set(window, 'benchKeys', keys);
    window.addEventListener('keydown', (event) => {
      requestAnimationFrame(() => setTimeout(() => keys.push(performance.now() - event.timeStamp)));
    });
  });
  let word = 0;
  const stream = setInterval(() => {
    for (let count = 0; count < 10; count += 1) {
      word += 1;
      core.push(sessionId, { type: 'text-delta', callId, text: word % 40 === 0 ? 'end.\n\n' : `word${word % 97} ` });
    }
  }, 20);
  const frames = await framesWhile(page, async () => {
    for (let key = 0; key < 60; key += 1) {
      await page.keyboard.press('a');
      await page.waitForTimeout(60);
    }
  });
  clearInterval(stream);
  const keys = await page.evaluate(() => {
    const kept: unknown = Reflect.get(window, 'benchKeys');
    return Array.isArray(kept) ? kept.map(Number) : [];
  });
  await field.fill('');
  return { frames, keys };
}

/** Milliseconds from a click of the inspector's button until the page shows it, while output comes. */
async function floodTerminal({ page }: ServedPage, core: PageCore, sessionId: string): Promise<readonly number[]> {
  const toolCallId = 'tool-flood';
  const text = `${'x'.repeat(99)}\n`.repeat(640);
  core.append(sessionId, {
    type: 'tool-started',
    toolCallId,
    tool: 'run_command',
    by: 'recipe',
    input: { command: 'yes' },
    label: 'run yes',
  });
  let sent = 0;
  const flood = setInterval(() => {
    if (sent >= 50e6) return clearInterval(flood);
    sent += text.length;
    core.push(sessionId, { type: 'output-chunk', toolCallId, stream: 'stdout', text });
  }, 5);
  const clicks: number[] = [];
  const until = performance.now() + 60_000;
  while (sent < 50e6 && performance.now() < until) {
    clicks.push(await page.evaluate(clickInspector));
    await page.waitForTimeout(100);
  }
  clearInterval(flood);
  return clicks;
}

/** Runs in the page. */
function clickInspector(): Promise<number> {
  return new Promise((resolve) => {
    const button = document.querySelector<HTMLElement>('main header button[aria-expanded]:not([aria-haspopup])');
    const begun = performance.now();
    // Queued behind the page's own work, as a real click is.
    setTimeout(() => {
      button?.click();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
    });
  });
}
