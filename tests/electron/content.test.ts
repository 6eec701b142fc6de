import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../src/shared/contract/sessions-contract.ts';
import type { TerminalPush } from '../../src/shared/sandbox/sandbox-view.ts';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import type { Story } from '../fakes/page-story.ts';
import { drawingOf, pageOf } from '../fakes/hostile-page.ts';
import { changedFiles } from '../fakes/page-scenes.ts';
import { startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

const rich = [
  'A request goes through two parts, and costs $5 to $6 a month.',
  fenced('mermaid', 'graph TD\n  A[Client] --> B{Router}\n  B -->|small| C[Local model]\n  B -->|large| D[Cloud]'),
  fenced('mermaid', 'sequenceDiagram\n  Ann->>Bob: Hello\n  Bob-->>Ann: Hi'),
  fenced(
    'mermaid',
    `graph LR\n${Array.from({ length: 14 }, (_, at) => `  s${at}[Step number ${at}] --> s${at + 1}[Step number ${at + 1}]`).join('\n')}`,
  ),
  'It is sure[^1].\n\n- [x] drawn\n- [ ] sent\n\n[^1]: As the test shows.',
  'The time is $O(n \\log n)$, and \\(a^2 + b^2 = c^2\\) holds:',
  '$$\n\\int_0^1 x^2 \\, dx = \\frac{1}{3}\n$$',
  '| part | seconds |\n|---|---|\n| build, all | 12 |\n| test | 3 |',
  fenced('python', 'print("hello")'),
  fenced('mermaid', 'graph TD\n  A[[[ --> broken'),
].join('\n\n');

const sections = 10;
const long = Array.from(
  { length: sections },
  (_, index) => `## Part ${index + 1} of \`it\`\n\n${'A sentence that says something about this part. '.repeat(9)}`,
).join('\n\n');

const attack = "javascript:fetch('https://evil.example/run')";
const hostile = [
  fenced(
    'mermaid',
    `graph TD\n  A["<img src=x onerror=top.pwned=1><script>top.pwned=1</script>"] --> B\n  click A "${attack}"\n  click B call pwned()`,
  ),
  fenced(
    'mermaid',
    `%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(https://evil.example/a.css)"}}%%\ngraph TD\n  A["<iframe src='https://evil.example/'></iframe>"] --> B`,
  ),
  fenced('mermaid', `graph TD\n${'a-->b\n'.repeat(320)}`),
  `Here \\(\\href{${attack}}{x}\\) and $\\url{${attack}}$ and $\\includegraphics{https://evil.example/a.png}$.`,
  '$$\n\\def\\a{\\a\\a}\\a\n$$',
  `$$\n${'{'.repeat(300)}\n$$`,
  '$$\n\\htmlStyle{position:fixed;inset:0}{x} \\htmlData{a=b}{y}\n$$',
  'The end.',
].join('\n\n');

async function tell(title: string, text: string, tier: 'container' | 'read-only' | null = 'read-only'): Promise<void> {
  const story = await startStory(core, title, '/home/ada/projects/notes');
  // A talk has none until something runs.
  if (tier !== null) story.sandbox(tier);
  story.ask(title);
  story.stage('local', 'A question.');
  story.step({ stage: 'local', label: 'answer' });
  story.end('answered', text);
}

const asked: string[] = [];
/** A server that foreign content must not reach, and the requests that reached it. */
const reached: string[] = [];
let stranger: Server;
let evil = '';

beforeAll(async () => {
  stranger = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.end();
  });
  stranger.on('connection', () => reached.push('connection'));
  await new Promise<void>((resolve) => void stranger.listen(0, '127.0.0.1', resolve));
  const bound = stranger.address();
  evil = typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : '';
  core = createPageCore();
  await tell('A rich answer', rich, 'container');
  await tell('A long answer', long);
  await tell('A hostile answer', hostile);
  await tell('A talk', rich, null);
  served = await servePage(core);
  await served.resize(1360, 860);
  served.page.on('request', (request) => asked.push(request.url()));
});

afterAll(async () => {
  await served?.close();
  stranger.close();
});

async function open(title: string): Promise<void> {
  await served.page.locator('[data-session]', { hasText: title }).last().click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** Requests to anything but the page's own server. */
const elsewhere = () =>
  asked.filter((url) => !url.startsWith(new URL(served.url).origin) && !/^(?:data|blob|about):/u.test(url));

describe('an answer', () => {
  it('shows diagrams, formulas, tables and code, each with its actions', async () => {
    const { page } = served;
    await open('A rich answer');
    const log = page.getByRole('log');
    await log.locator('[data-diagram] img').nth(2).waitFor();
    const sizes = await log
      .locator('[data-diagram] img')
      .evaluateAll((images) => images.map((image) => image instanceof HTMLImageElement && image.naturalWidth > 50));
    expect(sizes).toEqual([true, true, true]);
    const wide = log.locator('[data-diagram]', { hasText: 'Actual size' });
    const isCut = () =>
      wide.locator('img').evaluate((image) => image.scrollWidth > (image.parentElement?.clientWidth ?? 0));
    expect(await isCut()).toBe(false);
    await wide.getByRole('button', { name: 'Actual size' }).click();
    await expect.poll(isCut).toBe(true);
    await log.getByText('This diagram cannot be drawn.').waitFor();
    await log.getByText('A[[[ --> broken').first().waitFor();
    await expect.poll(() => log.locator('math').count()).toBe(3);
    expect(await log.getByText('costs $5 to $6 a month').count()).toBe(1);
    await keepScreenshot(page, 'content-rich');
    expect(await violations(page)).toEqual([]);
    expect(elsewhere()).toEqual([]);
    expect(served.complaints).toEqual([]);
  });

  it('is only drawn when it is hostile: nothing runs, and nothing is fetched', async () => {
    const { page } = served;
    await open('A hostile answer');
    const log = page.getByRole('log');
    await log.getByText('The end.').waitFor();
    await expect.poll(() => log.locator('[data-diagram] img').count()).toBe(2);
    await log.getByText('This diagram cannot be drawn.').waitFor();
    await keepScreenshot(page, 'content-hostile');
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
    expect(await log.locator('a, iframe, script, [onerror], [style*="fixed"]').count()).toBe(0);
    expect(await log.locator('[href]').count()).toBe(0);
    expect(elsewhere()).toEqual([]);
    expect(served.complaints).toEqual([]);
  });

  it('runs its code in the sandbox only after a click, and shows the output below', async () => {
    const { page } = served;
    const ran: unknown[] = [];
    core.replace({
      sandboxes: {
        run: async function* ({ input }): AsyncGenerator<TerminalPush> {
          ran.push(input);
          yield { type: 'opened', terminalId: 'one' };
          yield { type: 'output', text: 'hello\r\n' };
          yield { type: 'ended', exitCode: 3 };
        },
      },
    });
    await open('A rich answer');
    const block = page.getByRole('log').locator('figure', { hasText: 'print("hello")' }).last();
    await block.getByRole('button', { name: 'Run in sandbox' }).waitFor();
    expect(ran).toEqual([]);
    await block.getByRole('button', { name: 'Run in sandbox' }).click();
    await block.getByText('Failed with exit code 3').waitFor();
    await block.getByText('hello', { exact: true }).waitFor();
    expect(ran).toEqual([{ sessionId: expect.any(String), language: 'python', code: 'print("hello")' }]);
    await keepScreenshot(page, 'content-run');
    await open('A hostile answer');
    expect(await page.getByRole('button', { name: 'Run in sandbox' }).count()).toBe(0);
    await open('A talk');
    await block.getByRole('button', { name: 'Run in sandbox' }).waitFor();
  });
});

describe('a long answer', () => {
  // Catches: an outline that jumps to the wrong place, or cannot be used without a mouse.
  it('has an outline whose headings a keyboard can reach', async () => {
    const { page } = served;
    await open('A long answer');
    const log = page.getByRole('log');
    const heading = (part: number) => log.getByRole('heading', { name: `Part ${part} of it`, exact: true });
    const outlines = log.getByText(`Outline, ${sections} headings`);
    await heading(sections).waitFor();
    expect(await outlines.count()).toBe(2);
    await outlines.last().focus();
    await page.keyboard.press('Enter');
    await log.getByRole('button', { name: 'Part 3 of it', exact: true }).focus();
    await keepScreenshot(page, 'content-outline');
    // The model chose the heading levels, so their order is not checked.
    expect((await violations(page)).filter((one) => !one.startsWith('heading-order'))).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => heading(3).evaluate((element) => element === document.activeElement)).toBe(true);
    const [top, shown] = [await log.boundingBox(), await heading(3).boundingBox()];
    expect(Math.abs((shown?.y ?? 0) - (top?.y ?? 0))).toBeLessThan(60);
    await open('A rich answer');
    expect(await log.getByText(/^Outline/u).count()).toBe(0);
  });
});

describe('the preview', () => {
  let made: Story;
  beforeAll(async () => {
    const story = (made = await startStory(core, 'Made files', '/home/ada/projects/notes'));
    story.sandbox('container');
    story.ask('Make a page and a table.');
    story.stage('local', 'Files are wanted.');
    for (const path of ['notes.md', 'table.csv', 'drawing.svg', 'index.html']) story.changed(path, 3, 0);
    story.end('done', 'Four files were made.');
    core.files.set('index.html', { kind: 'text', text: pageOf(evil) });
    core.files.set('drawing.svg', { kind: 'text', text: drawingOf(evil) });
    core.files.set('table.csv', { kind: 'text', text: 'name;age\nAda;36\n"Bob; B";41\n' });
    core.files.set('notes.md', { kind: 'text', text: '# Notes\n\nA **word**.' });
    await open('Made files');
    await served.page.getByRole('tab', { name: 'Preview' }).click();
  });

  const panel = () => served.page.getByRole('tabpanel', { name: 'Preview' });
  const choose = (name: string) => panel().getByRole('combobox', { name: 'File' }).selectOption({ label: name });
  /** Without scripts a page is drawn in the outer frame itself. */
  const quiet = () => panel().frameLocator('iframe');
  const inner = () => quiet().frameLocator('iframe');

  it('shows a web page without running or fetching anything, and lets nothing out when scripts are allowed', async () => {
    await quiet().getByRole('heading', { name: 'Made by the agent' }).waitFor();
    expect(await quiet().locator('#said').textContent()).toBe('no script ran');
    const color = await quiet()
      .locator('h1')
      .evaluate((element) => getComputedStyle(element).color);
    expect(color).toBe('rgb(1, 2, 3)');
    await keepScreenshot(served.page, 'content-preview');
    expect(await violations(served.page)).toEqual([]);
    await panel()
      .getByRole('checkbox', { name: /Run the scripts/u })
      .check();
    await expect.poll(() => asked.filter((url) => url.endsWith('/frames/preview-with-scripts.html')).length).toBe(1);
    // The script ran, and what it tried was refused.
    await expect.poll(() => served.complaints.some((one) => one.includes('/fetch'))).toBe(true);
    expect(reached).toEqual([]);
    expect(await served.page.evaluate(() => 'pwned' in window)).toBe(false);
    expect(served.page.url()).toContain(new URL(served.url).origin);
  });

  it('runs the scripts of a file only after a yes for it, and follows the file', async () => {
    const said = (text: string): string => `<p id="said">no</p><script>said.textContent = '${text} ' + origin</script>`;
    core.files.set('index.html', { kind: 'text', text: said('one') });
    made.changed('index.html', 4, 0);
    await inner().getByText('one null').waitFor();
    core.files.set('index.html', { kind: 'text', text: said('two') });
    made.changed('index.html', 5, 0);
    await inner().getByText('two null').waitFor();
    await choose('notes.md');
    await choose('index.html');
    await quiet().getByText('no', { exact: true }).waitFor();
  });

  /** Catches: what a person pastes next into a terminal is a command of the page. */
  it('lets the scripts of a page write no clipboard by any usual way, even after a click', async () => {
    const copies = `<button id="go">Copy</button><p id="said"></p><script>
      go.addEventListener('click', async () => {
        const area = document.body.appendChild(document.createElement('textarea'));
        area.value = 'rm -rf ~';
        area.select();
        const old = ['copy', 'CUT', { toString: () => 'copy' }].map((name) => document.execCommand(name));
        const now = await navigator.clipboard?.writeText('rm -rf ~').then(() => 'written', () => 'refused');
        said.textContent = 'old: ' + old + ' bold: ' + document.queryCommandSupported('bold') + ' now: ' + (now ?? 'none');
      });
    </script>`;
    core.files.set('index.html', { kind: 'text', text: copies });
    made.changed('index.html', 6, 0);
    await choose('index.html');
    await panel()
      .getByRole('checkbox', { name: /Run the scripts/u })
      .check();
    await inner().getByRole('button', { name: 'Copy' }).click();
    await inner()
      .getByText(/^old: false,false,false bold: true now: (?:refused|none)$/u)
      .waitFor();
    const field = served.page.getByRole('textbox', { name: 'Message' });
    await field.fill('');
    await field.press('Control+V');
    expect(await field.inputValue()).not.toContain('rm -rf');
    await field.fill('');
  });

  it('shows an SVG as a picture, a table as a table, and Markdown as a text', async () => {
    served.complaints.length = 0;
    await choose('drawing.svg');
    const picture = panel().getByRole('img', { name: 'Picture drawing.svg' });
    await picture.waitFor();
    await expect
      .poll(() => picture.evaluate((image) => (image instanceof HTMLImageElement ? image.naturalWidth : 0)))
      .toBe(80);
    await choose('table.csv');
    await panel().getByRole('cell', { name: 'Bob; B' }).waitFor();
    await choose('notes.md');
    await panel().getByRole('heading', { name: 'Notes' }).waitFor();
    expect(await served.page.evaluate(() => 'pwned' in window)).toBe(false);
    expect(reached).toEqual([]);
    expect(served.complaints).toEqual([]);
  });
});

const weeksDiff = `--- a/report/weeks.ts
+++ b/report/weeks.ts
@@ -1,6 +1,7 @@
 import { readFile } from 'node:fs/promises';
+import { join } from 'node:path';
 
-const folder = './reports/';
+const folder = 'reports';
 
 export interface Week {
   readonly year: number;
@@ -20,7 +21,7 @@
 }
 
 export async function readWeek(name: string): Promise<string> {
-  return readFile(folder + name, 'utf8');
+  return readFile(join(folder, name), 'utf8');
 }
 
 export function titleOf({ year, week }: Week): string {
@@ -40,6 +41,7 @@
 export function sum(weeks: readonly Week[]): number {
   let total = 0;
   for (const week of weeks) total += week.hours;
+  // Rounded to a quarter of an hour.
   return Math.round(total * 4) / 4;
 }
 
`;

/** One file with a hunk in each state. */
const changedInParts: readonly ChangedFile[] = [
  {
    path: 'report/weeks.ts',
    kind: 'modified',
    added: 3,
    removed: 1,
    diff: weeksDiff,
    state: 'open',
    hunks: ['taken', 'undone', 'open'],
    version: 'v1',
  },
];

describe('the review of changes', () => {
  it('uses the whole width for both sides, with colors and comments for the next message', async () => {
    const { page } = served;
    await open('A rich answer');
    const story = await startStory(core, 'A change to review', '/home/ada/projects/notes');
    story.ask('Fix it.');
    story.changed('dates.py', 6, 3);
    story.end('done', 'Done.');
    const files = [...changedFiles, ...changedInParts];
    core.changes.set(story.sessionId, files);
    await open('A change to review');
    await page.getByRole('tab', { name: 'Changes' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Changes' });
    await panel.locator('[data-diff="unified"] span[style*="color"]').first().waitFor();
    expect(await panel.getByRole('button', { name: 'Side by side' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Use the full width' }).click();
    await panel.getByRole('button', { name: 'Side by side' }).click();
    await panel.locator('[data-diff="split"]').first().waitFor();
    await keepScreenshot(page, 'content-review');
    expect(await violations(page)).toEqual([]);
    const inParts = panel.getByRole('region', { name: 'report/weeks.ts' });
    // Lines that are not in the file cannot be commented on.
    expect(await inParts.getByRole('button', { name: /^Comment on line/u }).count()).toBe(14);
    await inParts.getByRole('button', { name: 'Redo hunk 2' }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'content-hunks');
    await panel.getByRole('button', { name: 'Unified' }).click();
    await inParts.getByRole('button', { name: 'Undo hunk 3' }).click();
    await expect
      .poll(() => core.asked.findLast(({ name }) => name === 'undo')?.args)
      .toEqual(['report/weeks.ts', 2, 'v1']);
    await inParts.getByRole('button', { name: 'Redo hunk 2' }).scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'content-hunks-unified');
    await panel.getByRole('button', { name: 'Side by side' }).click();
    await panel.getByRole('button', { name: 'Comment on line 18' }).first().click();
    await panel.getByRole('textbox', { name: 'Comment on line 18' }).fill('Say which week is meant.');
    await panel.getByRole('button', { name: 'Add to message' }).click();
    await panel.getByText('1 comment was added to your message.').waitFor();
    await page.getByRole('button', { name: 'Back beside the conversation' }).click();
    const message = page.getByRole('textbox', { name: 'Message' });
    expect(await message.inputValue()).toBe('About dates.py line 18: Say which week is meant.');
    await panel.locator('[data-diff="unified"]').first().waitFor();
  });

  it('keeps the width that a person gives its pane', async () => {
    const { page } = served;
    const widthOf = async () => (await page.getByRole('complementary', { name: 'Inspector' }).boundingBox())?.width;
    const before = (await widthOf()) ?? 0;
    const edge = page.getByRole('separator', { name: 'Width of the inspector' });
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await widthOf()).toBeCloseTo(before + 48, 0);
    const box = await edge.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 2, 400);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) - 98, 400);
    await page.mouse.up();
    expect(await widthOf()).toBeCloseTo(before + 148, 0);
    await reload(page);
    await open('A change to review');
    expect(await widthOf()).toBeCloseTo(before + 148, 0);
  });
});

// Bug: the reset of all padding put "1 2 / 3 4" together as "12 / 34", and narrow tables broke their words.
it('a matrix has room between its numbers, and a table breaks no words', async () => {
  const styles = await served.page.evaluate(() => {
    const text = document.createElement('div');
    text.className = 'prose';
    const cell = document.createElementNS('http://www.w3.org/1998/Math/MathML', 'mtd');
    const table = document.createElement('table');
    text.append(cell, table);
    document.body.append(text);
    const found = [getComputedStyle(cell).paddingLeft, getComputedStyle(table).overflowWrap];
    text.remove();
    return found;
  });
  expect(Number.parseFloat(styles[0] ?? '')).toBeGreaterThan(2);
  expect(styles[1]).toBe('break-word');
});
