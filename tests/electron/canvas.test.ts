import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { drawAttacks } from '../generated/drawn-attacks.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { openClientCore } from '../fakes/core-client.ts';
import { sampled } from '../fakes/sampled.ts';
import { violations } from './axe.ts';
import { keepScreenshot, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** The page on a real core, with scripted models that draw on the canvas. */
let folder: string;
let core: ClientCore;
let served: ServedPage;

const show = (input: unknown) => ({ toolCalls: [{ name: 'canvas_render', input }] });
const done = { toolCalls: [{ name: 'task_complete', input: { summary: 'It was shown.' } }] };
const picture = (color: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="120"><rect width="240" height="120" fill="${color}"/></svg>`;

const shown = [
  { kind: 'table', title: 'Files by size', content: 'file,lines,what\na.ts,120,"first, and last"\nb.ts,7,' },
  {
    kind: 'bar',
    title: 'Tokens by day',
    content: 'day,read,written\nMon,1200,150\nTue,900,\nWed,-200,60\nThu,400,90',
  },
  { kind: 'line', title: 'Seconds', content: 'size,before,after\n1,2.5,1.1\n10,4.8,1.4\n20,9.1,1.6\n80,33,3' },
  { kind: 'pie', title: 'Where steps ran', content: 'where,steps\nthis machine,81\ncloud,14\nlost,1' },
  { kind: 'diagram', title: 'The way of a call', content: 'graph LR\n  A[Page] --> B[Core] --> C[Sandbox]' },
  {
    kind: 'html',
    title: 'A page',
    content: '<h1>Made by the agent</h1><p id=said>no script ran</p><script>said.textContent="a script ran"</script>',
  },
  { kind: 'image', title: 'A drawing', content: 'art/drawing.svg' },
];

const crowd = [
  {
    kind: 'bar',
    title: 'x'.repeat(190),
    content: `name,${'value'.repeat(40)}\n${Array.from({ length: 400 }, (_, at) => `${'label '.repeat(9)}${at},${(at * 7919) % 1000}`).join('\n')}`,
  },
  { kind: 'area', title: 'Large numbers', content: 'year,all\n1,1e99\n2,-1e99\n3,0.00001\n4,' },
  { kind: 'line', title: 'One point', content: 'x,y\na,5' },
  {
    kind: 'table',
    title: 'Wide',
    content: `${Array.from({ length: 30 }, (_, at) => `column ${at}`).join(',')}\n${Array.from({ length: 300 }, (_, at) => Array.from({ length: 30 }, () => `${at}`).join(',')).join('\n')}`,
  },
  { kind: 'table', title: 'Deceiving', content: 'name\n\u202Egpj.exe\n<b>bold</b>' },
  { kind: 'diagram', title: 'Broken', content: 'graph TD\n  A[[[ --> B' },
];

const wrong = [
  { kind: 'bar', content: 'day,read\nMon,many' },
  { kind: 'pie', content: 'a,b\nx,-1' },
  { kind: 'image', content: '../../etc/passwd' },
  { kind: 'image', content: 'a.py' },
];

const talked = [
  'The sales of the week:',
  '```chart-bar\nDay,Sold,Returned\nMon,12,1\nTue,19,3\nWed,7,0\n```',
  'And one that is wrong:',
  '```chart-pie\nFruit,Sold\nApples,many\n```',
].join('\n\n');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-canvas-'));
  mkdirSync(join(folder, 'project'));
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () =>
      success(
        createMemorySandbox({
          files: { 'a.py': 'x = 1\n', 'art/drawing.svg': picture('teal') },
          exec: ({ command }, sandbox) => {
            if (command !== 'python3 plot.py') return {};
            sandbox.put('plots/week.svg', picture('navy'));
            return { stdout: 'saved plots/week.svg\n' };
          },
        }),
      ),
  });
  const scripts = {
    shows: [...shown.map(show), { toolCalls: [{ name: 'run_command', input: { command: 'python3 plot.py' } }] }, done],
    crowd: [...crowd.map(show), done],
    wrong: [...wrong.map(show), done],
    talk: [{ text: talked }],
  };
  for (const [name, replies] of Object.entries(scripts)) {
    await core.client.settings.set({ key: `providers.${name}`, value: { kind: 'scripted', replies } });
  }
  served = await servePage(core);
  await served.resize(1280, 900);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
  await core?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function work(name: string): Promise<string> {
  const { sessionId } = await core.client.sessions.create({ projectPath: join(folder, 'project'), title: name });
  const options = runOptionsSchema.parse({
    local: `${name}/script`,
    strategy: 'loop',
    mode: 'work',
    maxSteps: 200,
    maxTokens: 5_000_000,
  });
  await core.client.sessions.send({ sessionId, text: 'Draw charts of it.', options });
  await core.client.sessions.result({ sessionId });
  await served.page.locator('[data-session]', { hasText: name }).first().click();
  await served.page.getByRole('heading', { level: 1, name }).waitFor();
  return sessionId;
}

/**
 * Complaints of the page itself. It leaves out what the agent's pages were refused, and messages of axe-core to their
 * frames.
 */
const ownComplaints = () => served.complaints.filter((one) => !/'about:srcdoc'|'postMessage'/u.test(one));
const log = () => served.page.getByRole('log');
const panel = () => served.page.getByRole('tabpanel', { name: 'Preview' });

/** Catches: a chat that can only describe a chart, or that needs a project, a sandbox or a second call to draw one. */
describe('a code block with a chart', () => {
  it('is drawn as a chart, or shown with the reason when it cannot be', async () => {
    const { page } = served;
    const { sessionId } = await core.client.sessions.create({ projectPath: null, title: 'talk' });
    const options = runOptionsSchema.parse({ local: 'talk/script' });
    await core.client.sessions.send({ sessionId, text: 'Show me a chart of the sales.', options });
    await core.client.sessions.result({ sessionId });
    await page.locator('[data-session]', { hasText: 'talk' }).first().click();
    const chart = log().locator('[data-canvas="bar"]');
    await chart.locator('svg').first().waitFor();
    await chart.getByRole('button', { name: 'Table' }).click();
    await chart.getByRole('cell', { name: '19' }).waitFor();
    await chart.getByRole('button', { name: 'Table' }).click();
    await log().getByText('This cannot be drawn. Row 1 of "Sold" is no number: "many".').waitFor();
    await log().getByText('Apples,many').waitFor();
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'chat-chart');
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await served.resize(700, 900);
    await keepScreenshot(page, 'chat-chart-dark-narrow');
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await served.resize(1280, 900);
  });
});

describe('what an agent shows', () => {
  /**
   * Catches: a chart that is not drawn, disappears when the work is folded, or is lost when the session is opened
   * again.
   */
  it('stands in the folded conversation and in the preview, in every look', async () => {
    const { page } = served;
    const sessionId = await work('shows');
    await expect.poll(() => log().locator('[data-canvas]').count()).toBe(shown.length);
    await log().locator('[data-canvas=table]').getByRole('cell', { name: 'first, and last' }).waitFor();
    await log().locator('[data-canvas=diagram] img').waitFor();
    const inner = log().locator('[data-canvas=html]').frameLocator('iframe');
    await inner.getByText('no script ran').waitFor();
    const image = log().getByRole('img', { name: 'Picture art/drawing.svg' });
    await expect
      .poll(() => image.evaluate((one) => (one instanceof HTMLImageElement ? one.naturalWidth : 0)))
      .toBe(240);
    const bars = log().locator('[data-canvas=bar]');
    expect(await bars.locator('svg rect').count()).toBe(7);
    await bars.getByRole('button', { name: 'Table' }).click();
    await bars.getByRole('cell', { name: '-200' }).waitFor();
    await bars.getByRole('button', { name: 'Table' }).click();
    const plot = log().getByRole('button', { name: 'Picture plots/week.svg' });
    await plot.click();
    expect(await plot.getAttribute('aria-expanded')).toBe('true');
    expect(await violations(page)).toEqual([]);
    for (const [width, scheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [420, 'light'],
    ] as const) {
      await served.resize(width, 900);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      for (const kind of ['bar', 'pie', 'html']) {
        await log().locator(`[data-canvas=${kind}]`).scrollIntoViewIfNeeded();
        await keepScreenshot(page, `canvas-${kind}-${scheme}-${width}`);
      }
      expect(await violations(page)).toEqual([]);
    }
    await served.resize(1280, 900);
    await page.getByRole('tab', { name: 'Preview' }).click();
    const choice = panel().getByRole('combobox', { name: 'File' });
    await choice.selectOption({ label: 'show pie: Where steps ran' });
    await panel().getByRole('listitem').filter({ hasText: 'this machine' }).waitFor();
    await keepScreenshot(page, 'canvas-preview');
    await reload(page);
    await page.locator('[data-session]', { hasText: 'shows' }).first().click();
    await expect.poll(() => log().locator('[data-canvas]').count()).toBe(shown.length);
    expect((await core.client.sessions.replay({ sessionId })).matched).toBe(true);
  });

  it('stays in its place however much there is, and its faults are told to the model alone', async () => {
    const { page } = served;
    await work('crowd');
    await expect.poll(() => log().locator('[data-canvas]').count()).toBe(crowd.length);
    for (const [index] of crowd.entries()) {
      await log().locator('[data-canvas]').nth(index).scrollIntoViewIfNeeded();
      await keepScreenshot(page, `canvas-crowd-${index}`);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    expect(await log().locator('svg [d*=NaN], svg [y*=NaN], svg [d*=Infinity]').count()).toBe(0);
    await log().getByText('<U+202E>gpj.exe').waitFor();
    await work('wrong');
    await log().getByText('It was shown.').waitFor();
    expect(await log().locator('[data-canvas]').count()).toBe(0);
    await keepScreenshot(page, 'canvas-wrong');
    expect(ownComplaints()).toEqual([]);
  });
});

describe('HTML and SVG that attack', () => {
  /** Catches: a drawing that runs code in the page, or that reports to anybody that it was drawn. */
  it('neither run nor reach anything, as pages, as drawings and as words', { timeout: 480_000 }, async () => {
    const each = sampled(1, 5);
    const found = await drawAttacks((page, name) => keepScreenshot(page, `canvas-attacks-${name}`), each);
    expect(found.attacks).toBeGreaterThanOrEqual(60 / each);
    expect(found.drawn).toBe(3 * found.attacks);
    expect(found.reached).toEqual([]);
    expect(found.hasRun).toBe(false);
    expect(found.unlocked).toBeGreaterThan(found.attacks / 2);
  });
});
