import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSyntax } from '../../src/main/recipes/code/code-syntax.ts';
import { createOwnToolCommands } from '../../src/main/tools/own/commands.ts';
import { createOwnToolRecord } from '../../src/main/tools/own/own-tool-record.ts';
import { createOwnTools } from '../../src/main/tools/own/own-tools.ts';
import { success } from '../../src/shared/errors.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage, showTools } from './page-kit.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-tool-editor-')));
const project = realpathSync(mkdtempSync(join(tmpdir(), 'dewpoint-tool-editor-project-')));
const saved = (file: string): string => readFileSync(join(home, 'tools', file), 'utf8');
let served: ServedPage;

/**
 * Real files are read and written as usual. A shell runs what a container would run, because the code is our own
 * templates.
 */
beforeAll(async () => {
  const core = createPageCore();
  furnish(core);
  const record = createOwnToolRecord(join(home, 'own-tools.json'));
  const base = { home, record, loadSyntax, taken: () => new Map([['read_file', 'a tool of Dewpoint']]), off: () => [] };
  const tools = createOwnTools({
    ...base,
    projects: () => ({}),
    secret: async () => null,
    now: () => Date.now(),
    runApart: async (_, { command, stdin = '', onOutput }) => {
      const folder = mkdtempSync(join(home, 'run-'));
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, input: stdin });
      onOutput?.({ stream: 'stderr', bytes: stderr });
      const sizes = { stdoutBytes: stdout.length, stderrBytes: stderr.length, durationMs: 1 };
      return success({ outcome: 'exited', exitCode: status, stdout: String(stdout), stderr: String(stderr), ...sizes });
    },
  });
  const ownTools = createOwnToolCommands({
    ...base,
    tools,
    templates: resolve('resources/tools'),
    now: () => 1,
    programsOf: async () => ({ projectPath: null, programs: [] }),
    writerToday: async () => ({ model: null, digest: null, app: '1.2.3' }),
    saveOff: async () => undefined,
    projects: () => ({}),
    saveProject: async () => undefined,
    keepSecret: async () => undefined,
    dropSecret: async () => undefined,
  });
  core.replace({ ownTools });
  core.settings.projects = { added: [project], removed: {}, records: {} };
  const header = 'description = "Adds the orders up."\n# version = 1\n# calls = [{ tool = "shop__list", most = 40 }]';
  const text = `# /// dewpoint-tool\n# ${header}\n# ///\nresult = 1\n`;
  await core.client.ownTools.save({ file: 'add_up.py', text, projectPath: project });
  served = await servePage(core);
  await served.resize(1200, 900);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
  for (const folder of [home, project]) rmSync(folder, { recursive: true, force: true });
});

const form = () => served.page.getByRole('form', { name: 'Own tool' });
const code = () => form().getByLabel('File', { exact: true });
const begin = async (): Promise<void> => {
  await showTools(served.page);
  await served.page.getByRole('button', { name: 'New tool' }).click();
  await form().getByText('It works on the files of the workspace').waitFor();
};

describe('a tool that is written in the window', () => {
  it('begins with a working one, is changed and tested before it is saved, and is then one plain file', async () => {
    const { page } = served;
    await showTools(page);
    await page.getByText('None yet. Write one here').waitFor();
    await page.getByRole('button', { name: 'New tool' }).click();
    expect(await code().inputValue()).toContain('"name": "my_tool"');
    await form().getByText('It works on the files of the workspace').waitFor();
    await code().fill(`tool = {
    "name": "greet",
    "description": "Says hello to somebody.",
    "input_schema": {
        "type": "object",
        "properties": {"who": {"type": "string"}, "times": {"type": "integer"}},
        "required": ["who", "times"],
    },
}


def execute(arguments):
    print("counting")
    return f"Hello, {arguments['who']}! " * arguments["times"]
`);
    await expect.poll(() => form().getByLabel('Example input').inputValue()).toContain('"times": 1');
    await form().getByLabel('Example input').fill('{"who": "Ada", "times": 2}');
    await form().getByRole('button', { name: 'Test in the sandbox' }).click();
    await form().getByText('Hello, Ada! Hello, Ada!').waitFor();
    await form().getByText('Done', { exact: true }).waitFor();
    await form().getByText('counting', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    for (const [theme, width] of [
      ['light', 1200],
      ['dark', 1200],
      ['light', 480],
    ] as const) {
      await served.resize(width, 1900);
      await page.emulateMedia({ colorScheme: theme });
      await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
      await keepScreenshot(page, `tool-editor-${theme}-${width}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await served.resize(1200, 900);
    expect(existsSync(join(home, 'tools', 'greet.py'))).toBe(false);
    await form().getByRole('button', { name: 'Save tool' }).click();
    await page.getByRole('listitem', { name: 'greet' }).getByText('Works in the workspace').waitFor();
    expect(saved('greet.py')).toMatch(/"description": "Says hello to somebody\."[\s\S]*def execute/u);
  });

  it('says what fails and why, and saves nothing', async () => {
    await begin();
    await form().getByLabel('Example input').fill('hello');
    await form().getByRole('button', { name: 'Test in the sandbox' }).click();
    await form().getByText('Write a JSON object').waitFor();
    await form().getByLabel('Example input').fill('{"path": "missing.txt"}');
    await form().getByRole('button', { name: 'Test in the sandbox' }).click();
    await form().getByText('No such file or directory').waitFor();
    await form().getByText('Failed', { exact: true }).waitFor();
    const text = await code().inputValue();
    const withHosts = (host: string): string =>
      text.replace('"timeout_seconds"', `"hosts": ["${host}"],\n    "timeout_seconds"`);
    await code().fill(withHosts('127.0.0.1'));
    await form().getByText('give exact names of public hosts').waitFor();
    await code().fill(withHosts('api.example.org'));
    await form().getByText('It runs in a container of its own and sees none of your files.').waitFor();
    await form().getByRole('button', { name: 'Discard changes' }).click();
    await served.page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor();
    expect(existsSync(join(home, 'tools', 'my_tool.py'))).toBe(false);
  });

  it('is named with its line when it is broken, and works again after that line is mended', async () => {
    const { page } = served;
    mkdirSync(join(home, 'tools'), { recursive: true });
    writeFileSync(
      join(home, 'tools', 'odd.py'),
      'import os\ntool = {\n    "description": os.name,\n}\ndef execute(a):\n    return 1\n',
    );
    await showTools(page);
    const row = page.getByRole('listitem', { name: 'odd' });
    await row.getByText('Line 3: "os.name" is computed.').waitFor();
    await row.getByRole('button', { name: 'Edit odd' }).click();
    await form().getByText('Line 3: "os.name" is computed.').waitFor();
    await keepScreenshot(page, 'tool-editor-broken');
    expect(await violations(page)).toEqual([]);
    await form().getByRole('button', { name: 'Show line 3' }).click();
    expect(await page.evaluate(() => window.getSelection()?.toString())).toContain('"description": os.name,');
    // The text is kept while another view is open.
    await code().fill((await code().inputValue()).replace('os.name', '"Says 1."'));
    await page.getByRole('navigation').getByRole('button', { name: 'Models', exact: true }).click();
    await page.getByRole('navigation').getByRole('button', { name: 'Tools', exact: true }).click();
    await expect.poll(() => code().inputValue()).toContain('"Says 1."');
    await form().getByText('It works on the files of the workspace').waitFor();
    // The file changes on disk in the meantime. Neither version may be lost.
    const before = saved('odd.py');
    writeFileSync(join(home, 'tools', 'odd.py'), `${before}# mine\n`);
    await form().getByRole('button', { name: 'Save tool' }).click();
    await form().getByText('is not as it was when you opened it. Nothing was written.').waitFor();
    expect(saved('odd.py')).toContain('# mine');
    writeFileSync(join(home, 'tools', 'odd.py'), before);
    await form().getByRole('button', { name: 'Save tool' }).click();
    await page.getByRole('listitem', { name: 'odd' }).getByText('Works in the workspace').waitFor();
    expect(saved('odd.py')).toBe(before.replace('os.name', '"Says 1."'));
  });

  it('can change its language, and the text in the first one is there on the way back', async () => {
    await begin();
    await code().fill(`${await code().inputValue()}# more\n`);
    const choice = form().getByLabel('Begin with');
    await choice.selectOption('Any program (Bash at first)');
    await expect.poll(() => code().inputValue()).toContain('# /// dewpoint-tool');
    await choice.selectOption('Python');
    await expect.poll(() => code().inputValue()).toContain('# more');
    await form().getByRole('button', { name: 'Discard changes' }).click();
  });
});

it('the page asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});

/** Catches: a model's program that only a model can change, and a changed program that runs before the user saw it. */
describe('a kept program', () => {
  it('becomes its next version when its text is changed, and is off until the change was seen', async () => {
    const { page } = served;
    await showTools(page);
    await page.getByRole('combobox', { name: 'Show what is on in' }).selectOption({ label: basename(project) });
    const card = page.getByRole('listitem', { name: 'add_up', exact: true });
    await card.getByText('Program, version 1.').waitFor();
    await card.getByRole('button', { name: 'Edit add_up' }).click();
    await form().getByText('runs in sessions only').waitFor();
    expect(await form().getByRole('button', { name: 'Test in the sandbox' }).count()).toBe(0);
    await code().fill((await code().inputValue()).replace('result = 1', 'result = 2'));
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'tool-editor-program');
    await form().getByRole('button', { name: 'Save tool' }).click();
    await page.getByText('add_up is saved as a new version. It is off until you approve it.').first().waitFor();
    await card.getByText('result = 2').first().waitFor();
    await keepScreenshot(page, 'tool-editor-program-changed');
    await card.getByRole('button', { name: 'Approve add_up' }).click();
    await card.getByText('Program, version 2.').waitFor();
  });
});
