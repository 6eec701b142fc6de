import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TerminalPush } from '../../src/shared/sandbox/sandbox-view.ts';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { startStory } from '../fakes/page-story.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

const rich = [
  'A request goes through two parts, and costs $5 to $6 a month.',
  fenced('mermaid', 'graph TD\n  A[Client] --> B{Router}\n  B -->|small| C[Local model]\n  B -->|large| D[Cloud]'),
  fenced('mermaid', 'sequenceDiagram\n  Ann->>Bob: Hello\n  Bob-->>Ann: Hi'),
  'The time is $O(n \\log n)$, and \\(a^2 + b^2 = c^2\\) holds:',
  '$$\n\\int_0^1 x^2 \\, dx = \\frac{1}{3}\n$$',
  '| part | seconds |\n|---|---|\n| build, all | 12 |\n| test | 3 |',
  fenced('python', 'print("hello")'),
  fenced('mermaid', 'graph TD\n  A[[[ --> broken'),
].join('\n\n');

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

async function tell(title: string, text: string, tier: 'container' | 'read-only' = 'read-only'): Promise<void> {
  const story = await startStory(core, title, '/home/ada/projects/notes');
  story.sandbox(tier);
  story.ask(title);
  story.stage('local', 'A question.');
  story.step({ stage: 'local', label: 'answer' });
  story.end('answered', text);
}

const asked: string[] = [];

beforeAll(async () => {
  core = createPageCore();
  await tell('A rich answer', rich, 'container');
  await tell('A hostile answer', hostile);
  served = await servePage(core);
  await served.resize(1360, 860);
  served.page.on('request', (request) => asked.push(request.url()));
});

afterAll(async () => {
  await served?.close();
});

async function open(title: string): Promise<void> {
  await served.page.locator('[data-session]', { hasText: title }).last().click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** What went anywhere but to the page's own server. */
const elsewhere = () =>
  asked.filter((url) => !url.startsWith(new URL(served.url).origin) && !/^(?:data|blob|about):/u.test(url));

describe('an answer', { timeout: 120_000 }, () => {
  it('has diagrams, formulas, tables and code, each with what can be done with it', async () => {
    const { page } = served;
    await open('A rich answer');
    const log = page.getByRole('log');
    await log.locator('[data-diagram] img').nth(1).waitFor();
    const sizes = await log
      .locator('[data-diagram] img')
      .evaluateAll((images) => images.map((image) => image instanceof HTMLImageElement && image.naturalWidth > 50));
    expect(sizes).toEqual([true, true]);
    await log.getByText('This diagram cannot be drawn.').waitFor();
    await log.getByText('A[[[ --> broken').first().waitFor();
    await expect.poll(() => log.locator('math').count()).toBe(3);
    expect(await log.getByText('costs $5 to $6 a month').count()).toBe(1);
    await keepScreenshot(page, 'content-rich');
    expect(await violations(page)).toEqual([]);
    expect(elsewhere()).toEqual([]);
    expect(served.complaints).toEqual([]);
  });

  it('is only drawn when it is hostile: nothing runs in the page, and nothing is fetched', async () => {
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

  it('runs code in the sandbox after a click and not before, and shows what it printed below', async () => {
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
  });
});
