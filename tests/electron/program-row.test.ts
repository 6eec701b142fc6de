import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import { ownToolScene } from '../fakes/page-own-tools.ts';
import { startStory } from '../fakes/page-story.ts';
import { programScene, review } from '../fakes/program-scene.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

/** Catches: a model's program whose text, calls or failures the user does not get to see. */
let served: ServedPage;
const kept: unknown[] = [];
const projectPath = '/home/ada/projects/api-server';

beforeAll(async () => {
  const core = createPageCore();
  const story = await startStory(core, 'Count the open issues', '/home/ada/projects/notes');
  story.ask('How many issues of each label are open?');
  const program = [
    'pages = tools.parallel([("issues__list", {"page": page}) for page in range(1, 4)])',
    'return {"open": sum(len(page.json()) for page in pages)}',
  ].join('\n');
  const calls = [{ tool: 'issues__list', most: 5 }];
  story.step({
    stage: 'cloud',
    label: 'run a program that calls issues__list',
    tool: 'run_program',
    input: { plan: 'Read all pages side by side and count.', calls, program },
    output: 'It gave back: {"open": 41}\nCalls: issues__list 3 of 5.',
    inner: [
      { tool: 'issues__list', label: 'issues: list, page 1', status: 'ok' },
      { tool: 'issues__list', label: 'issues: list, page 2', status: 'error' },
      { tool: 'issues__list', label: 'issues: list, page 3', status: 'ok' },
    ],
  });
  story.step({ stage: 'cloud', label: 'answer', text: '41 issues are open.' });
  story.end('done', '41 issues are open.');
  await programScene(core);
  const waiting = await startStory(core, 'Tell the shop', '/home/ada/projects/shop');
  waiting.ask('Tell the shop what is missing.');
  waiting.append({
    type: 'approval-requested',
    approvalId: 'asked',
    toolCallId: 'none',
    kind: 'program',
    subject: 'a program that calls shop__order (at most 3)',
    sha256: 'e'.repeat(64),
    reason: `These calls leave the sandbox.\nA review by rules found:\n${review.findings[0]}\nClaude Opus reviewed it ($0.0123).`,
    text: 'Plan:\nOrder.\n\nProgram:\nresult = tools.shop__order(id=1)',
    review,
  });
  ownToolScene(core.tools.own);
  const { handlers } = core.tools.own;
  const keep: typeof handlers.keep = async ({ input }) => {
    kept.push(input);
    const { tools } = await core.client.ownTools.list({ projectPath });
    const [made] = tools.filter(({ name }) => name === 'add_up');
    if (made === undefined) throw new Error('There is no add_up.');
    return made;
  };
  core.replace({ ownTools: { ...handlers, keep } });
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

it('the row of a program shows its plan, its text and each call that it made', async () => {
  const { page } = served;
  await page.locator('[data-session]', { hasText: 'Count the open issues' }).click();
  await page.locator('button[data-work]').first().click();
  await page.locator('button[aria-expanded]', { hasText: 'run a program that calls issues__list' }).click();
  await page.getByText('Read all pages side by side and count.').waitFor();
  await page.getByText('tools.parallel').first().waitFor();
  await page.getByText('3 calls of this program').first().click();
  const failed = page.getByRole('listitem').filter({ hasText: 'issues: list, page 2' });
  expect(await failed.innerText()).toMatch(/failed|error/iu);
  await keepScreenshot(page, 'program-row');
  expect(await violations(page)).toEqual([]);
});

it('a program stands among the programs of its session with its cost, and can be kept', async () => {
  const { page } = served;
  await page.locator('[data-session]', { hasText: 'Add up the orders of this week' }).click();
  await page.getByRole('heading', { level: 1, name: 'Add up the orders' }).waitFor();
  const closed = page.getByRole('button', { name: 'Show inspector', expanded: false });
  if ((await closed.count()) > 0) await closed.click();
  await page.getByRole('tab', { name: 'Programs' }).click();
  const panel = page.getByRole('tabpanel', { name: 'Programs' });
  await panel.getByText('Program 2: Add the orders up.').waitFor();
  const text = await panel.innerText();
  expect(text).toContain('Tests before it\n3');
  expect(text).toContain('Claude Opus said of it ($0.0123):');
  expect(text).toMatch(/Written with\n[\d,.]+ tokens in/u);
  expect(await panel.getByRole('row').filter({ hasText: 'shop__get_order' }).first().innerText()).toMatch(
    /2\s+1 error\s+40\s+anywhere/u,
  );
  await panel.getByText('Changes to the program before').first().click();
  await panel.getByText('json.loads').first().waitFor();
  await keepScreenshot(page, 'programs-tab');
  expect(await violations(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Keep as a tool' }).click();
  await page.getByText('Kept as add_up, version 2').waitFor();
  expect(kept).toEqual([expect.objectContaining({ name: 'add_up', description: 'Adds the orders up.' })]);
  await panel.getByText('Program 1: Add the orders up.').click();
  await panel.getByText('Refused calls').waitFor();
});

it('the question about a program shows the words of its reviewer as that model’s words', async () => {
  const { page } = served;
  await page.locator('[data-session]', { hasText: 'Tell the shop' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByText('Words of Claude Opus, which reviewed it (not verified):').waitFor();
  const text = await question.innerText();
  // Bug: line breaks in Dewpoint's own text were shown as `U+000A`.
  expect(text).not.toContain('U+000A');
  expect(text).toMatch(/reviewed it \(\$0\.0123\)[\s\S]+Lines 2 to 4 read 40 orders\.\s+Nothing is sent\./u);
  await keepScreenshot(page, 'program-reviewed');
  expect(await violations(page)).toEqual([]);
});

it('a kept program is among the tools of its project, with its versions, and can be deleted', async () => {
  const { page } = served;
  await page.getByRole('navigation').getByRole('button', { name: 'Tools', exact: true }).click();
  await page.getByRole('combobox').first().selectOption(projectPath);
  const tool = page.getByRole('listitem', { name: 'add_up' });
  await tool.getByText('Program, version 2. Calls shop__get_order up to 40 times.').waitFor();
  await tool.getByText('Versions').click();
  await tool.getByText('result = 2').first().waitFor();
  await keepScreenshot(page, 'program-versions');
  expect(await violations(page)).toEqual([]);
  await tool.getByRole('button', { name: 'Delete' }).click();
  await tool.getByRole('button', { name: 'Delete its file' }).waitFor();
});
