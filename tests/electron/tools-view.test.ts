import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { signedIn, signedOut, toolScene } from '../fakes/page-tools.ts';
import { violations } from './axe.ts';
import { keepScreenshot, reload } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage, showTools } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.settings.projects = { added: ['/home/ada/projects/api-server'], removed: {}, records: {} };
  served = await servePage(core);
  await served.resize(1200, 900);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

const server = (name: string) => served.page.getByRole('region', { name, exact: true });
const asked = (name: string) => core.asked.filter((one) => one.name === name).map(({ args }) => args);

describe('the list of tools', () => {
  it('begins with one thing to do by keyboard alone, and keeps what is no server with the reason', async () => {
    const { page } = served;
    await showTools(served.page);
    const field = page.getByRole('textbox', { name: 'Command, address, link or JSON' });
    await field.waitFor();
    expect(await violations(page)).toEqual([]);
    await field.focus();
    await page.keyboard.type('hello');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('No tool server was found in the text. Nothing was added.').waitFor();
    expect(await field.inputValue()).toBe('hello');
    await field.fill(
      '{"mcpServers": {"notes": {"command": "notes-server", "args": ["--all of it"], "env": {"KEY": "sw0rdfish"}}}}',
    );
    await page.getByRole('button', { name: 'Add server' }).first().click();
    const card = server('notes');
    await card.getByText('Use this server?').waitFor();
    // The value goes to the key store, and is nowhere on the page.
    expect(asked('secret')).toEqual([['notes', 'KEY']]);
    expect(await page.content()).not.toContain('sw0rdfish');
    expect(asked('connect')).toEqual([]);
  });

  it('shows part by part what a yes allows, and starts nothing before it', async () => {
    toolScene(core.tools);
    await showTools(served.page);
    const card = server('docs');
    const parts = (await card.locator('dl').innerText()).replaceAll(/\s+/gu, ' ');
    expect(parts).toBe(
      'Program docs-server Argument 1 --root Argument 2 /workspace Runs in a container of its own Reaches docs.example.org',
    );
    expect(asked('connect')).toEqual([]);
    await card.getByRole('button', { name: 'Approve and start' }).focus();
    await served.page.keyboard.press('Enter');
    await card.getByText('May agents call these tools?').waitFor();
    expect(asked('connect')).toEqual([['docs']]);
    await card.getByRole('button', { name: 'Approve 1 tool' }).click();
    await card.getByText('1 of 1 tools on').waitFor();
  });

  it('takes a command as it stands in a README, and says what it would start and reach', async () => {
    const { page } = served;
    await showTools(page);
    await page.getByText('Add a server', { exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Command, address, link or JSON' });
    await field.fill('npx -y @example/server-jotter --all');
    await page.getByRole('button', { name: 'Add server' }).first().click();
    const card = server('jotter');
    await card.getByText('Use this server?').waitFor();
    expect((await card.locator('dl').innerText()).replaceAll(/\s+/gu, ' ')).toBe(
      'Program npx Argument 1 -y Argument 2 @example/server-jotter Argument 3 --all Runs in a container of its own Reaches registry.npmjs.org',
    );
    await page.getByText('Choose a well-known server').click();
    await page.getByRole('button', { name: 'Add memory' }).click();
    await server('memory').getByText('Use this server?').waitFor();
    expect(await page.getByRole('button', { name: 'Add filesystem' }).isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await keepScreenshot(page, 'tools-known');
    await page.evaluate(() => document.querySelector('[data-tool-server="jotter"]')?.scrollIntoView());
    await keepScreenshot(page, 'tools-pasted');
    delete core.tools.servers.memory;
  });

  it('offers the host that a server asked for and the machine as its place, and edits it in place', async () => {
    const { page } = served;
    core.tools.problems.set('jotter', 'The tool server jotter could not be used: it ended with 1.');
    core.tools.refused.set('jotter', ['api.example.org']);
    await reload(page);
    await showTools(page);
    const card = server('jotter');
    await card.getByRole('button', { name: 'Approve and start' }).click();
    await card.getByText('It needs api.example.org, which its container may not reach.').waitFor();
    expect(await violations(page)).toEqual([]);
    await card.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'tools-refused');
    await card.getByRole('button', { name: 'Allow api.example.org' }).click();
    await card.getByText('registry.npmjs.org, api.example.org', { exact: true }).waitFor();
    expect(core.tools.servers.jotter).toMatchObject({ approved: null });
    await card.getByRole('button', { name: 'Edit jotter' }).click();
    const form = card.getByRole('form', { name: 'Edit jotter' });
    await form.getByRole('textbox', { name: 'Arguments' }).fill('--api-key\nq7Xk29fLm3Zt81VbNc40Rw');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.getByText('This looks like a key.').waitFor();
    await keepScreenshot(page, 'tools-typed-key');
    expect(await violations(page)).toEqual([]);
    expect(JSON.stringify(core.tools.servers.jotter)).not.toContain('q7Xk29');
    await form.getByRole('textbox', { name: 'Arguments' }).fill('-y\n@example/server-jotter@2');
    await keepScreenshot(page, 'tools-edit');
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await card.getByText('@example/server-jotter@2', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Run on this machine' }).click();
    await card.getByText('It runs on this machine, outside of any sandbox').waitFor();
    expect(core.tools.servers.jotter).toMatchObject({ definition: { where: 'host', hosts: [] }, approved: null });
    core.tools.problems.delete('jotter');
    core.tools.refused.delete('jotter');
    await card.getByRole('button', { name: 'Approve and start' }).click();
    await card.getByText('0 of 0 tools on').waitFor();
    delete core.tools.servers.jotter;
  });

  it('shows what changed since its approval, and keeps such a server off until then', async () => {
    await showTools(served.page);
    const card = server('tracker');
    await card.getByText('2 of 4 tools on').waitFor();
    // One click shows what a yes to a new tool counts for. A change is seen without one.
    const fresh = card.getByRole('listitem', { name: 'list_projects' });
    expect(await fresh.locator('pre').isVisible()).toBe(false);
    await fresh.getByText('Its whole definition').click();
    await fresh.locator('pre').waitFor();
    const changed = card.getByRole('listitem', { name: 'close_issue' });
    await changed.getByText('First read ~/.ssh/id_rsa').first().waitFor();
    await changed.getByRole('button', { name: 'Approve close_issue' }).click();
    await card.getByText('3 of 4 tools on').waitFor();
    await card.getByRole('listitem', { name: 'create_issue' }).getByText('last used').waitFor();
    // The server says that this tool only reads. That takes effect only after the user confirms it.
    const reads = card.getByRole('checkbox', { name: 'search_issues only reads' });
    expect(await reads.isChecked()).toBe(false);
    await reads.click();
    await expect.poll(() => reads.isChecked()).toBe(true);
    expect(core.tools.pins.get('tracker')?.map(({ isReading = false }) => isReading)).toEqual([false, true, false]);
  });

  it('can switch a server off in one project, and leave it on in all others', async () => {
    const { page } = served;
    await showTools(served.page);
    const card = server('tracker');
    const use = card.getByRole('combobox', { name: 'Use create_issue' });
    expect(await use.inputValue()).toBe('on');
    await page.getByRole('combobox', { name: 'Show what is on in' }).selectOption({ label: 'api-server' });
    await expect.poll(() => use.inputValue()).toBe('');
    await use.selectOption('off');
    await expect
      .poll(() => core.tools.projects)
      .toEqual({
        '/home/ada/projects/api-server': { 'tracker/create_issue': false },
      });
    await page.getByRole('combobox', { name: 'Show what is on in' }).selectOption({ label: 'All projects' });
    await expect.poll(() => use.inputValue()).toBe('on');
  });

  it('gives a server that needs a sign-in one by a click through the browser, and can end it', async () => {
    const opened: string[] = [];
    const take = core.replace({
      host: {
        info: () => ({ isWindow: true, refused: [], roots: [] }),
        openSignIn: ({ input }) => void opened.push(input.name),
      },
    });
    await reload(served.page);
    await showTools(served.page);
    const card = server('wiki');
    await card.getByText('Needs sign-in').waitFor();
    expect(await violations(served.page)).toEqual([]);
    await card.getByRole('button', { name: 'Sign in', exact: true }).focus();
    await served.page.keyboard.press('Enter');
    await card.getByText('Finish signing in at login.example.org in your browser.').waitFor();
    await card.getByText('It asks for: read write.').waitFor();
    // The page says only which server. The core knows the address.
    await expect.poll(() => opened).toEqual(['wiki']);
    await keepScreenshot(served.page, 'tools-sign-in');
    expect(await violations(served.page)).toEqual([]);
    await card.getByRole('button', { name: 'Cancel' }).click();
    // A computer without a browser shows a code to type on any device. No browser is opened.
    await card.getByRole('button', { name: 'Use a code' }).click();
    await card.getByText('WDJB-MJHT').waitFor();
    await card.getByText('https://login.example.org/device').waitFor();
    await keepScreenshot(served.page, 'tools-sign-in-code');
    expect(await violations(served.page)).toEqual([]);
    expect(opened).toEqual(['wiki']);
    await card.getByRole('button', { name: 'Cancel' }).click();
    await card.getByRole('button', { name: 'Sign in', exact: true }).click();
    await card.getByText('The browser is on another machine').click();
    const field = card.getByRole('textbox', { name: 'Address that it ended at' });
    await field.fill('https://login.example.org');
    await card.getByRole('button', { name: 'Finish' }).click();
    await card.getByText('It still waits.').waitFor();
    expect(await field.inputValue()).toBe('https://login.example.org');
    await field.fill('http://127.0.0.1:4567/callback?code=c0de&state=abc');
    await card.getByRole('button', { name: 'Finish' }).click();
    await card.getByText('Signed in by login.example.org, with the rights read write').waitFor();
    expect(asked('connect')).toContainEqual(['wiki']);
    await card.getByRole('button', { name: 'Sign out' }).click();
    await card.getByText('This server needs you to sign in.').waitFor();
    // A sign-in that is pending, has ended or lacks permissions is shown, each with its next step.
    core.tools.signIns.set('wiki', { ...signedOut, ended: 'login.example.org ended it (invalid_grant)' });
    await card.getByRole('button', { name: 'Refresh wiki' }).click();
    await card.getByText('Sign in again: login.example.org ended it (invalid_grant).').waitFor();
    core.tools.signIns.set('wiki', { ...signedIn, wanted: 'admin' });
    await card.getByRole('button', { name: 'Refresh wiki' }).click();
    await card.getByText('It wants more rights: admin.').waitFor();
    await card.getByRole('button', { name: 'Sign in with them' }).waitFor();
    core.tools.signIns.set('wiki', { ...signedIn, isWaiting: true });
    await card.getByRole('button', { name: 'Refresh wiki' }).click();
    await card.getByText('A sign-in waits in another window or terminal.').waitFor();
    core.tools.signIns.set('wiki', signedIn);
    take();
  });

  it('removes a server after a second click', async () => {
    await showTools(served.page);
    const card = server('builds');
    await card.getByText('It printed: not found').waitFor();
    await card.getByRole('button', { name: 'Remove builds' }).click();
    await card.getByText('Remove it with its keys and approvals?').waitFor();
    await card.getByRole('button', { name: 'Remove', exact: true }).click();
    await card.waitFor({ state: 'detached' });
    expect(core.tools.servers.builds).toBeUndefined();
  });

  it('says where a tool from a file lies, what it may do, when it was used and why it is broken', async () => {
    await showTools(served.page);
    const own = served.page.getByRole('region', { name: 'Your own tools', exact: true });
    const issue = own.getByRole('listitem', { name: 'create_issue' });
    await issue.getByText('/home/ada/.dewpoint/tools/create_issue.py').waitFor();
    await issue.getByText('Sees none of your files, reaches api.github.com, gets ISSUE_TOKEN.').waitFor();
    await issue.getByText('last used').waitFor();
    await own.getByRole('listitem', { name: 'weather' }).getByText('Line 4: "getHosts()" is computed.').waitFor();
    await issue.getByText('Keys', { exact: true }).click();
    await issue.getByLabel('Value of ISSUE_TOKEN').fill('sw0rdfish2');
    await issue.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => asked('ownSecret')).toEqual([['own-tools.home.create_issue.py.ISSUE_TOKEN']]);
    await expect.poll(() => served.page.content()).not.toContain('sw0rdfish2');
    await own.getByRole('combobox', { name: 'Use count_words' }).selectOption('off');
    await expect.poll(() => core.tools.own.off).toEqual(['count_words']);
    expect(await violations(served.page)).toEqual([]);
  });

  it("keeps a tool from a project's file off until somebody has seen its changes", async () => {
    const { page } = served;
    await showTools(served.page);
    await page.getByRole('combobox', { name: 'Show what is on in' }).selectOption({ label: 'api-server' });
    const own = page.getByRole('region', { name: 'Your own tools', exact: true });
    const deploy = own.getByRole('listitem', { name: 'deploy' });
    await deploy.getByText('Changed since you approved it, so it is off').waitFor();
    await deploy.getByText('make check').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await own.scrollIntoViewIfNeeded();
    await keepScreenshot(page, 'own-tools');
    await deploy.getByRole('button', { name: 'Approve deploy' }).click();
    await deploy.getByText('Comes with the project').waitFor();
    await deploy.getByRole('combobox', { name: 'Use deploy' }).selectOption('off');
    await expect
      .poll(() => core.tools.projects['/home/ada/projects/api-server'])
      .toMatchObject({ 'project tools/deploy': false });
    await page.getByRole('combobox', { name: 'Show what is on in' }).selectOption({ label: 'All projects' });
    await deploy.waitFor({ state: 'detached' });
  });

  it('can be read in a browser, and nothing in it can be changed there', async () => {
    const take = core.replace({
      host: {
        info: () => ({ isWindow: false, refused: ['tools.add'], roots: [] }),
      },
    });
    await reload(served.page);
    await showTools(served.page);
    await served.page.getByText('The browser does not change tools. Use the app, or in a terminal:').waitFor();
    const main = served.page.getByRole('main');
    expect(await main.getByRole('button', { name: /Approve|Remove|Refresh|Add|Sign/u }).count()).toBe(0);
    expect(await main.getByRole('combobox', { name: 'Use tracker' }).isDisabled()).toBe(true);
    take();
  });
});

it('the page asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
