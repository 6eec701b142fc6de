import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import { fixScene, furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot, openActions, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

const project = '/home/ada/projects/api-server';

let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  const text = 'Tests lie in tests/.';
  core.instructions = [
    { path: 'AGENTS.md', sizeBytes: 20, sha256: 'c'.repeat(64), state: 'new', text, diff: null, problem: null },
  ];
  const usual = { where: 'home', sha256: null, warnings: [] } as const;
  core.skills = [
    {
      ...usual,
      name: 'release-notes',
      description: 'Writes release notes.',
      path: '/home/skills/release-notes/SKILL.md',
      state: 'on',
      problem: null,
      narrowsTo: null,
      isOwn: true,
    },
    {
      ...usual,
      name: 'empty',
      description: '',
      path: '/home/ada/.agents/skills/empty/SKILL.md',
      state: 'unfit',
      problem: 'It has no description.',
      narrowsTo: 'read_file',
      isOwn: false,
    },
  ];
  core.memory = [
    {
      id: 'line-1',
      text: 'Dates are in UTC.',
      date: '2026-11-20',
      sessionId: 'session-1',
      isAfterOutside: true,
      of: 'project',
    },
  ];
  core.setTime(Date.now() - 3_600_000);
  await fixScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const lastAsked = (name: string) => core.asked.findLast((one) => one.name === name)?.args;
const group = (name: string) => served.page.getByRole('region', { name, exact: true });

// Catches: a skill that only a copy by hand brings, and one that replaces another without a question.
it('the page of a project adds a skill by its folder, asks before it replaces one, and removes the copy', async () => {
  const { page } = served;
  const info = () => ({ isWindow: true, refused: [] });
  const restore = core.replace({ host: { info, chooseFolder: () => ({ path: '/shelf/invoices' }) } });
  await reload(page);
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
  const skills = group('Skills');
  await skills.getByRole('button', { name: 'Add a folder…' }).click();
  await skills.locator('[data-skill=invoices]').waitFor();
  await skills.getByRole('button', { name: 'Add a folder…' }).click();
  await skills.getByText('There is a skill "invoices" already.').waitFor();
  await skills.getByRole('button', { name: 'Replace the skill that is there' }).click();
  await skills.getByText('There is a skill "invoices" already.').waitFor({ state: 'detached' });
  expect(lastAsked('add-skill')).toEqual(['/shelf/invoices', true]);
  await keepScreenshot(page, 'project-skills-added');
  await skills.getByRole('button', { name: 'Remove invoices' }).click();
  await skills.locator('[data-skill=invoices]').waitFor({ state: 'detached' });
  restore();
  await reload(page);
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
  await group('Skills').getByText('dewpoint skills add DIR').waitFor();
});

// Catches: a palette without the way to a project, and one that lists twenty runs of a comparison before the own work.
it('the palette makes a project', async () => {
  const { page } = served;
  await (await openActions(page)).fill('new project');
  await page.locator('[cmdk-item][data-value="new-project"]').click();
  const dialog = page.getByRole('dialog', { name: 'New project' });
  await dialog.getByLabel('Name').fill('Tax papers');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it('the settings of a project open, and choose its models and caps apart from all others', async () => {
  const { page } = served;
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
  await page.getByRole('heading', { level: 1, name: 'api-server' }).waitFor();
  const models = group('Models');
  await models.getByLabel('Where steps run').selectOption('Cloud');
  await expect.poll(() => lastAsked('configure')).toEqual([project, { type: 'choose', choices: { policy: 'cloud' } }]);
  await models.getByLabel('Where steps run').selectOption({ index: 0 });
  await expect.poll(() => lastAsked('configure')).toEqual([project, { type: 'forget', names: ['policy'] }]);
  const cap = group('Spending limits').getByLabel('Limit per project, $');
  for (const usd of [12.5, 4]) {
    await cap.fill(String(usd));
    await cap.press('Enter');
    await expect.poll(() => core.settings['budget']).toEqual({ projects: { [project]: usd } });
    // What is typed next is held against what is shown.
    await expect.poll(() => cap.inputValue()).toBe(String(usd));
  }
  await cap.fill('');
  await cap.press('Enter');
  await expect.poll(() => core.settings['budget']).toEqual({ projects: {} });
  expect(await violations(page)).toEqual([]);
});

it('the settings of a project keep variables, and never show the value of a secret one', async () => {
  const { page } = served;
  const variables = group('Environment variables');
  await variables.getByLabel('Name').fill('STAGE');
  await variables.getByLabel('Value').fill('test');
  await variables.getByRole('button', { name: 'Set' }).click();
  await page.locator('[data-variable=STAGE]').getByText('test').waitFor();
  await variables.getByLabel('Name').fill('DEPLOY_TOKEN');
  await variables.getByLabel('Secret').check();
  await variables.getByRole('button', { name: 'Set' }).click();
  await page.locator('[data-variable=DEPLOY_TOKEN]').getByText('secret, set').waitFor();
  expect(lastAsked('configure')).toEqual([project, { type: 'secret', name: 'DEPLOY_TOKEN' }]);
  await variables.getByRole('button', { name: 'Remove STAGE' }).click();
  await page.locator('[data-variable=STAGE]').waitFor({ state: 'detached' });
});

it('the settings of a project switch skills on and off, edit those of the user, and try one', async () => {
  const { page } = served;
  const skills = group('Skills');
  const row = page.locator('[data-skill=release-notes]');
  await skills.getByText('Writes release notes.').waitFor();
  await skills.getByText('It has no description.').waitFor();
  await row.getByRole('button', { name: 'Switch off' }).click();
  await row.getByText('off', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Switch on' }).click();
  await row.getByText('on', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'Edit' }).click();
  await row.getByLabel('SKILL.md').fill('---\ndescription: Writes notes.\n---\nBe short.');
  await row.getByRole('button', { name: 'Save skill' }).click();
  await expect
    .poll(() => lastAsked('save-skill'))
    .toEqual(['release-notes', '---\ndescription: Writes notes.\n---\nBe short.']);
  expect(await violations(page)).toEqual([]);
  await row.getByRole('button', { name: 'Try' }).click();
  await expect.poll(() => page.locator('form textarea').first().inputValue()).toContain('/release-notes');
  await page.getByRole('button', { name: 'Settings of api-server' }).click();
  await page.getByRole('heading', { level: 1, name: 'api-server' }).waitFor();
});

it('the settings of a project show its memory, where lines are noted, changed and forgotten', async () => {
  const { page } = served;
  const memory = group('Memory');
  await memory.getByText('Dates are in UTC.').waitFor();
  await memory.getByText('proposed by an agent').waitFor();
  await memory.getByText('Proposed after text from outside the project was read.').waitFor();
  await memory.getByLabel('New line').fill('The key is sk-1.');
  await memory.getByRole('button', { name: 'Note', exact: true }).click();
  await memory.getByText('The line holds a secret').waitFor();
  expect(await memory.getByLabel('New line').inputValue()).toBe('The key is sk-1.');
  await memory.getByLabel('New line').fill('Releases are cut on Fridays.');
  await memory.getByLabel('Where it counts').selectOption('you');
  await memory.getByRole('button', { name: 'Note', exact: true }).click();
  await expect.poll(() => lastAsked('note-line')).toEqual(['Releases are cut on Fridays.', 'you']);
  await memory.getByText('Every project · 2026-11-29').waitFor();
  await memory.getByRole('button', { name: 'Edit', exact: true }).first().click();
  await memory.getByLabel('Line', { exact: true }).fill('Dates are kept in UTC.');
  await memory.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => lastAsked('note-line')).toEqual(['Dates are kept in UTC.', 'project']);
  await expect.poll(() => lastAsked('forget-line')).toEqual(['line-1']);
  expect(await violations(page)).toEqual([]);
  await keepScreenshot(page, 'project-memory');
  await memory.getByRole('button', { name: 'Forget: Dates are kept in UTC.' }).click();
  await page.getByText('The line is forgotten, also in 2 logs.').waitFor();
  await memory.getByText('1 session works now, so its log still has the line.').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Undo', exact: true }).last().click();
  await memory.getByText('Dates are kept in UTC.').waitFor();
});

it('the settings of a project keep its test command, and find it again when it is empty', async () => {
  const tests = group('Tests');
  const command = tests.getByLabel('Test command');
  await command.fill('make check');
  await tests.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => lastAsked('configure')).toEqual([project, { type: 'test-command', command: 'make check' }]);
  await command.fill('');
  await tests.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => lastAsked('configure')).toEqual([project, { type: 'test-command', command: null }]);
  await served.page.getByText('Test command changed.').waitFor();
  await keepScreenshot(served.page, 'project-tests');
});

it('the settings of a project show what it brings along, open its rules, and prepare its packages', async () => {
  const { page } = served;
  const instructions = group('Instructions');
  await instructions.getByRole('button').first().click();
  await instructions.getByRole('button', { name: 'Follow from now on' }).click();
  await instructions.getByText('approved', { exact: true }).waitFor();
  const image = group('Image');
  await image.getByText('FROM example/base:3').waitFor();
  await image.getByRole('textbox', { name: 'Another image' }).fill('mine:1');
  await image.getByRole('button', { name: 'Use image' }).click();
  await image.getByText('Commands run in mine:1').waitFor();
  await image.getByRole('button', { name: 'Use default' }).click();
  await image.getByText('Commands run in Dewpoint’s own image.').waitFor();
  await group('Project rules').getByRole('form', { name: 'New rule' }).waitFor();
  const packages = group('Prepared dependencies');
  await packages.getByRole('button', { name: 'Prepare…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Prepare project packages' });
  await dialog.getByRole('button', { name: 'Approve and run' }).click();
  await dialog.getByText('Packages are ready').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await packages.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('1 prepared part removed.').waitFor();
  await packages.getByText('not prepared').waitFor();
  expect(lastAsked('remove-packages')).toEqual([project]);
  await page.getByRole('button', { name: 'New task here' }).click();
  expect(await page.getByRole('combobox', { name: 'Project folder' }).inputValue()).toBe(project);
});

it('the settings add an endpoint with its key, test it, and remove both', async () => {
  const { page } = served;
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const form = page.getByRole('form', { name: 'Add endpoint' });
  await form.getByLabel('Name').fill('mine');
  await form.getByLabel('Base URL').fill('https://models.example.org/v1');
  await form.getByLabel('Key').fill('secret-77');
  await form.getByRole('button', { name: 'Add and test' }).click();
  await form.getByText('Added. Connected.').waitFor();
  expect(lastAsked('set')).toEqual([
    ['providers', 'mine'],
    { kind: 'openai-compatible', baseUrl: 'https://models.example.org/v1', where: 'cloud' },
  ]);
  expect([lastAsked('key'), await form.getByLabel('Key').inputValue()]).toEqual([['mine'], '']);
  const row = page.locator('[data-endpoint=mine]');
  await row.getByRole('button', { name: 'Test' }).click();
  await row.getByText('Connected. The provider lists 3 models.').waitFor();
  expect(await violations(page)).toEqual([]);
  await row.getByRole('button', { name: 'Remove mine and its key' }).click();
  await row.waitFor({ state: 'detached' });
  expect([lastAsked('forget'), lastAsked('unset')]).toEqual([['mine'], [['providers', 'mine']]]);
});

it('the settings set up a known service by its name, and remove it when its key is wrong', async () => {
  const { page } = served;
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  const form = page.getByRole('form', { name: 'Add endpoint' });
  await form.getByLabel('Provider').selectOption('LM Studio');
  await form.getByText('Models come from your server').waitFor();
  expect(await form.getByLabel('Base URL').inputValue()).toBe('http://127.0.0.1:1234/v1');
  await form.getByLabel('Provider').selectOption('Groq');
  await form.getByText('the dated list of this version').waitFor();
  expect(await form.getByLabel('Base URL').count()).toBe(0);
  const add = form.getByRole('button', { name: 'Add and test' });
  await form.getByLabel('Key').fill('no key');
  await add.click();
  await form.getByText('This is no key').waitFor();
  expect(lastAsked('unset')).toEqual([['providers', 'groq']]);
  await form.getByLabel('Key').fill('secret-78');
  await add.click();
  await form.getByText('Added. Connected.').waitFor();
  expect(lastAsked('set')).toEqual([['providers', 'groq'], { kind: 'openai-compatible', preset: 'groq' }]);
});

it('the settings drive a model as a person says, entry by entry, and return to what its probe found', async () => {
  const { page } = served;
  const row = page.locator('[data-model="example/large-1"]');
  const open = () => row.getByRole('button', { name: /^Advanced/u }).click();
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  await open();
  await row.getByLabel('Tool calls').selectOption('As text');
  await row.getByLabel('Strategy (first that fits)').selectOption('Loop, then recipe');
  await row.getByLabel('Tool limit').fill('5');
  await row.getByLabel('Temperature').fill('0.3');
  await row.getByLabel('Custom system prompt').fill('Answer in German.');
  await row.getByRole('button', { name: 'Save', exact: true }).click();
  await row.getByText(/^Custom: Tool calls: text · .*Answer in German\.$/u).waitFor();
  expect(core.settings['models']).toEqual({
    'example/large-1': {
      calls: 'text',
      strategies: ['loop', 'recipe'],
      toolBudget: 5,
      temperature: 0.3,
      systemText: 'Answer in German.',
    },
  });
  expect(await violations(page)).toEqual([]);
  await open();
  expect(await row.getByLabel('Tool calls').inputValue()).toBe('text');
  await row.getByRole('button', { name: 'Reset all' }).click();
  await expect.poll(() => lastAsked('unset')).toEqual([['models', 'example/large-1']]);
  await row.getByLabel('Tool calls').waitFor({ state: 'detached' });
  await row.getByText(/^Custom:/u).waitFor({ state: 'detached' });
});

it('the settings take a price of a person, mark it, and return to the listed one', async () => {
  const { page } = served;
  const row = page.locator('[data-model="example/large-1"]');
  await row.getByRole('button', { name: 'Set price' }).click();
  await row.getByLabel('Input, $').fill('2.5');
  await row.getByLabel('Output, $').fill('10');
  await row.getByRole('button', { name: 'Save price' }).click();
  await row.getByText('your price', { exact: true }).waitFor();
  expect(core.settings['prices']).toMatchObject({ 'example/large-1': { input: 2.5, output: 10 } });
  await page.locator('[data-session]', { hasText: 'Fix the failing' }).click();
  // Its shortcut works only after it is shown.
  await page.getByRole('heading', { level: 1, name: 'Fix the failing date test' }).waitFor();
  await page.keyboard.press('Control+2');
  const models = page.getByRole('tabpanel', { name: 'Cost' }).getByRole('row', { name: /large/iu });
  await models.getByText('your price', { exact: true }).waitFor();
  await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
  await row.getByRole('button', { name: 'Use listed price' }).click();
  await row.getByText('your price', { exact: true }).waitFor({ state: 'detached' });
});

it('the settings keep the keys of actions, and follow changes made elsewhere', async () => {
  const { page } = served;
  await page.getByRole('navigation').getByRole('button', { name: 'Settings', exact: true }).click();
  await page.getByRole('button', { name: /^Change shortcut for Costs/u }).click();
  await page.keyboard.press('Control+L');
  await page.getByText('Write a message already uses Ctrl+L').waitFor();
  await page.keyboard.press('Control+Shift+Y');
  await expect.poll(() => core.settings['shortcuts']).toEqual({ costs: 'Mod+Shift+Y' });
  // Changes the setting as another window, or the terminal, would.
  await core.client.settings.set({ key: 'shortcuts', value: { costs: 'Mod+Shift+U', bin: 'Mod+Shift+U' } });
  await page.getByText('Several actions use Ctrl+Shift+U (Costs, Bin)').waitFor();
  await core.client.settings.set({ key: 'shortcuts', value: { costs: 'Mod+Shift+U' } });
  await page.getByRole('button', { name: /^Change shortcut for Costs, now Ctrl\+Shift\+U/u }).waitFor();
  await page.keyboard.press('Control+Shift+U');
  await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor();
});
