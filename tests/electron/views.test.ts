import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TerminalPush } from '../../src/shared/sandbox/sandbox-view.ts';
import { wholeStream } from '../../src/main/lib/async/push-queue.ts';
import { createPageCore } from '../fakes/page-core.ts';
import type { PageCore } from '../fakes/page-core.ts';
import {
  answerScene,
  approvalScene,
  capScene,
  changedFiles,
  endScenes,
  fixScene,
  furnish,
  longScene,
  workingScene,
} from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import { keepScreenshot, openActions } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';

let served: ServedPage;
let core: PageCore;
let working: Awaited<ReturnType<typeof workingScene>>;
let longOne: string;

beforeAll(async () => {
  core = createPageCore();
  furnish(core);
  core.setTime(Date.now() - 3_600_000);
  longOne = (await longScene(core, 40)).sessionId;
  await endScenes(core);
  await answerScene(core);
  await approvalScene(core);
  await capScene(core);
  working = await workingScene(core);
  await fixScene(core);
  served = await servePage(core);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ reducedMotion: 'reduce' });
});

afterAll(async () => {
  await served?.close();
});

async function open(title: string): Promise<void> {
  // A fork has the same title as its original, and is later in the list.
  await served.page.locator('[data-session]', { hasText: title }).last().click();
  await served.page.getByRole('heading', { level: 1, name: title }).waitFor();
}

async function show(name: string): Promise<void> {
  await served.page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
}

const message = () => served.page.getByRole('textbox', { name: 'Message' });
const lastAsked = (name: string) => core.asked.findLast((one) => one.name === name)?.args;

describe('a session', () => {
  it('opens the input, output and reason of a step from its dot', async () => {
    const { page } = served;
    await open('Fix the failing date test');
    await page.getByRole('button', { name: /^Step 5, cloud/u }).click();
    await page.getByRole('log').getByText('changed 6 lines').waitFor();
    const route = page.getByRole('tabpanel', { name: 'Route' });
    await route.getByText('The same edit was rejected twice; local has no new idea.').waitFor();
    // The row gets the focus after it is drawn, possibly after the panel.
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-expanded') === 'true');
    await route.getByText('This step on this machine').click();
    await route.getByText('tokens a second + tokens written').waitFor();
  });

  it('shows the four buckets of tokens and what they cost, by place', async () => {
    const { page } = served;
    await page.getByRole('button', { name: 'Inspector: Cost' }).or(page.getByTitle('Inspector: Cost')).first().click();
    const cost = page.getByRole('tabpanel', { name: 'Cost' });
    const rows = async (): Promise<readonly string[]> =>
      (await cost.getByRole('row').allInnerTexts()).map((row) => row.replaceAll(/\s+/gu, ' ').trim());
    // The daily figures arrive later than those of the session.
    await expect.poll(rows).toEqual([
      'Type local cloud',
      'New input 320 1,850',
      'Cache read 10.2k 0',
      'Cache write 0 1,200',
      'Output 190 310',
      'of which reasoning 0 120',
      'Money $0 $0.0147',
      'Model Calls Money',
      'Qwen2.5 Coder 1.5B Instruct 5 $0',
      'Large 1 1 $0.0147',
      // The totals of the project and the month are beside their charts.
      ...['', ''].flatMap(() => [
        'Day Calls Local calls Money',
        '2026-11-18 7 4 $0.0310',
        '2026-11-17 30 28 $0.0840',
        '2026-11-16 41 40 $0.2130',
        '2026-11-15 12 12 $0.0021',
      ]),
    ]);
    // The figure for one place alone says on a click that it is estimated, and how.
    await cost.getByText('All in the cloud').click();
    await cost.getByText(/^Estimated\. .*Formula: .*at the price of example\/large-1/u).waitFor();
    await cost.getByText('Alternatives by step').click();
    await cost.getByText(/^Step 6: /u).waitFor();
    const steps = await cost.locator('li summary').allInnerTexts();
    expect(steps.map((step) => step.replaceAll(/\s+/gu, ' '))).toEqual([
      'Step 1: $0, 0.9 s $0.0069 ($0.0055–$0.0086) 0.5 s (0.3 s–0.9 s)',
      'Step 2: $0, 0.9 s $0.0069 ($0.0055–$0.0086) 0.5 s (0.3 s–0.9 s)',
      'Step 3: $0, 2.3 s $0.0069 ($0.0055–$0.0086) 0.5 s (0.3 s–0.9 s)',
      'Step 4: $0, 0.9 s $0.0069 ($0.0055–$0.0086) 0.5 s (0.3 s–0.9 s)',
      'Step 5: $0.0147, 4.1 s unknown 15 s (10 s–32 s)',
      'Step 6: $0, 2.1 s $0.0069 ($0.0055–$0.0086) 0.5 s (0.3 s–0.9 s)',
    ]);
  });

  it('accepts and undoes a change, file by file', async () => {
    const { page } = served;
    await page.getByRole('button', { name: 'Review', exact: true }).click();
    const file = page.getByRole('region', { name: 'dates.py' });
    await file.getByText('thursday = day + timedelta').first().waitFor();
    await file.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => lastAsked('undo')).toEqual(['dates.py']);
    await page.getByRole('button', { name: 'Mark all reviewed' }).click();
    const open = changedFiles.filter((one) => one.state === 'open').map((one) => one.path);
    await expect.poll(() => lastAsked('take')).toEqual(open);
  });

  it('draws Markdown, and loads no image', async () => {
    const { page } = served;
    await open('Which port');
    const outcome = page.locator('[data-outcome]');
    await outcome.getByRole('table').waitFor();
    await outcome.getByText('Image not loaded: a diagram, https://example.com/ports.png').waitFor();
    await outcome.locator('figure span[style]').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('a[href]').count()).toBe(0);
  });

  it('shows what is being written, and keeps a waiting message apart', async () => {
    const { page } = served;
    await open('Explain how releases');
    // Text before the page listens reaches nobody.
    await expect.poll(() => core.listeners(working.sessionId)).toBe(1);
    core.push(working.sessionId, { type: 'text-delta', callId: working.callId, text: 'Releases are **made' });
    await page.getByRole('log').locator('strong, [data-streamdown=strong]', { hasText: 'made' }).waitFor();
    const waiting = page.getByRole('article', { name: 'You · waiting for the next step' });
    expect(await waiting.innerText()).toContain('Mention the changelog');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect.poll(() => lastAsked('cancel')).toEqual([working.sessionId]);
  });

  it('draws only a part when it is long, opens at its end, and finds an early step', async () => {
    const { page } = served;
    await open('A session of many weeks');
    await page.getByText('Answer 40.').waitFor();
    expect(await page.getByRole('article').count()).toBeLessThan(40);
    await page.getByRole('button', { name: /^Step 3, local/u }).click();
    await page.locator('[aria-expanded=true][id^=row-]').waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await page.getByText('Answer 40.').waitFor();
  });

  it('does not move while somebody reads it', async () => {
    const { page } = served;
    const log = page.getByRole('log');
    await log.hover();
    await page.mouse.wheel(0, -12_000);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    const place = (): Promise<number> => log.evaluate((element) => element.scrollTop);
    // Rows that come into view are measured, which may move the rest. The position is stable only after that.
    let before = Number.NaN;
    await expect
      .poll(async () => {
        const last = before;
        before = await place();
        return before - last;
      })
      .toBe(0);
    core.append(longOne, { type: 'notice-added', level: 'info', code: 'x', text: 'Something happened.' });
    core.append(longOne, { type: 'session-renamed', title: 'A session of many weeks, and more' });
    // The notice is below the visible part. The page already shows the later title.
    await page.getByRole('heading', { level: 1, name: 'A session of many weeks, and more' }).waitFor();
    expect(await place()).toBe(before);
  });
});

describe('the sandbox panel', () => {
  it('shows what it takes, what it hides from commands and where they went, and removes a host', async () => {
    const { page } = served;
    await open('Fix the failing date test');
    await page.keyboard.press('Control+3');
    const panel = page.getByRole('tabpanel', { name: 'Sandbox' });
    await panel.getByText('37% of one core').waitFor();
    await panel.getByText('412 MB of 2.1 GB').waitFor();
    await panel.getByText('2 secret files appear empty').click();
    await panel.getByText('config/credentials.json').waitFor();
    await panel.getByText('collect.example.net:443').waitFor();
    expect(await violations(page)).toEqual([]);
    await panel.getByRole('button', { name: 'Revoke files.example.org' }).click();
    const rules = { deny: [], ask: [], allow: [] };
    await expect.poll(() => lastAsked('set')).toEqual(['network.projects', { '/home/ada/projects/api-server': rules }]);
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
    await panel.getByRole('button', { name: 'Revoke files.example.org' }).waitFor();
  });

  it('shows commands and hosts before packages are installed, and runs nothing without a yes', async () => {
    const { page } = served;
    const panel = page.getByRole('tabpanel', { name: 'Sandbox' });
    await panel.getByRole('button', { name: 'Prepare…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Prepare project packages' });
    await dialog.getByText('python -m pip install -r requirements.txt').waitFor();
    await dialog.getByText('packages.example.org').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(lastAsked('prepare')).toBeUndefined();
    await dialog.getByRole('button', { name: 'Approve and run' }).click();
    await dialog.getByText('Successfully installed six').waitFor();
    await dialog.getByText('Packages are ready').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await panel.getByText('1 package · 40.0 kB').waitFor();
    expect(lastAsked('prepare')).toEqual(['a'.repeat(64)]);
  });
});

describe('a terminal in the sandbox', () => {
  it('keeps what is typed before the shell is there', async () => {
    const { page } = served;
    const typed: string[] = [];
    let open: (() => void)[] = [];
    const terminal = ({ signal }: { readonly signal: AbortSignal }) =>
      wholeStream<TerminalPush>(
        (push, stop) =>
          new Promise((resolve) => {
            open = [() => push({ type: 'opened', terminalId: 'one' })];
            stop.addEventListener('abort', () => resolve());
          }),
        signal,
      );
    core.replace({ sandboxes: { terminal, type: ({ input }) => void typed.push(input.text) } });
    const panel = page.getByRole('tabpanel', { name: 'Sandbox' });
    await panel.getByRole('button', { name: 'Open terminal' }).click();
    const region = panel.getByRole('region', { name: 'Terminal' });
    await region.getByRole('textbox').focus();
    await page.keyboard.type('ls -l\n');
    await expect.poll(() => open).toHaveLength(1);
    for (const begin of open) begin();
    await expect.poll(() => typed.join('')).toBe('ls -l\r');
    await region.getByRole('button', { name: 'Close' }).click();
    await region.waitFor({ state: 'detached' });
  });
});

describe('an approval', () => {
  it('is denied by default, cannot be given at once, and marks deceptive characters', async () => {
    const { page } = served;
    // Presses in the page at the moment the question appears. A press from the test may come too late on a busy
    // machine.
    await page.evaluate(() => {
      const watch = new MutationObserver(() => {
        const buttons = [...document.querySelectorAll<HTMLButtonElement>('[role=alertdialog] button')];
        const deny = buttons.find(({ textContent }) => textContent.startsWith('Deny'));
        if (deny === undefined) return;
        watch.disconnect();
        deny.click();
        document.body.dataset.pressed = 'at once';
      });
      watch.observe(document.body, { childList: true, subtree: true });
    });
    await open('Add a check for empty names');
    const dialog = page.getByRole('alertdialog');
    const deny = dialog.getByRole('button', { name: 'Deny' });
    await page.locator('body[data-pressed="at once"]').waitFor();
    expect(lastAsked('approve')).toBeUndefined();
    expect(await dialog.locator('[data-seen=hidden]').innerText()).toBe('U+202E');
    expect(await dialog.locator('[data-seen=alike]').innerText()).toBe('\u0430');
    await page.keyboard.press('Control+Shift+A');
    await expect.poll(() => deny.evaluate((element) => element === document.activeElement)).toBe(true);
    await expect.poll(() => deny.getAttribute('aria-disabled')).toBe('false');
    // The first press had time to arrive here.
    expect(lastAsked('approve')).toBeUndefined();
    await page.keyboard.press('Enter');
    await expect.poll(() => lastAsked('approve')).toEqual(['a0', 'deny']);
    await dialog.getByText('write conftest.py').waitFor();
    await expect.poll(() => deny.getAttribute('aria-disabled')).toBe('false');
    await dialog.getByRole('button', { name: 'Allow' }).click();
    await expect.poll(() => lastAsked('approve')).toEqual(['a1', 'allow']);
    await expect.poll(() => dialog.count()).toBe(0);
  });
});

describe('a cap', () => {
  it('says what the next call could cost, and is raised to the typed amount', async () => {
    const { page } = served;
    await open('Rewrite the importer');
    const dialog = page.getByRole('alertdialog', { name: 'The next call could exceed your limit' });
    await dialog.getByText('$0.0405 of $0.0500 for this task is spent').waitFor();
    expect(await violations(page)).toEqual([]);
    const amount = dialog.getByLabel('Raise by $');
    expect(await amount.inputValue()).toBe('0.18');
    await amount.fill('0.5');
    await dialog.getByRole('button', { name: 'Raise limit' }).click();
    await expect.poll(() => lastAsked('cap')).toEqual(['cap-1', { answer: 'raise', usd: 0.5 }]);
    await expect.poll(() => dialog.count()).toBe(0);
  });
});

describe('the composer', () => {
  it('offers commands, takes one by keyboard, and says what is wrong with another', async () => {
    const { page } = served;
    await open('Which port');
    await message().fill('/co');
    expect(await page.getByRole('listbox', { name: 'Commands' }).getByRole('option').allInnerTexts()).toEqual([
      expect.stringContaining('/compact'),
      expect.stringContaining('/compare'),
      expect.stringContaining('/cost'),
    ]);
    await message().press('ArrowDown');
    await message().press('ArrowDown');
    await message().press('Enter');
    await message().press('Enter');
    await page.getByRole('tabpanel', { name: 'Cost' }).waitFor();
    await message().fill('/nothing');
    await message().press('Enter');
    await page.getByRole('alert').getByText('Unknown command /nothing').waitFor();
    expect(await message().inputValue()).toBe('/nothing');
    await message().fill('');
  });

  it('keeps what is typed while a message is on its way', async () => {
    const sent: string[] = [];
    let answer = (): void => undefined;
    const restore = core.replace({
      sessions: {
        send: async ({ input }) => {
          sent.push(input.text);
          await new Promise<void>((resolve) => (answer = resolve));
          return { messageId: 'one', queued: false };
        },
      },
    });
    await message().fill('The first one.');
    await message().press('Enter');
    await expect.poll(() => sent).toEqual(['The first one.']);
    restore();
    await message().press('End');
    await message().pressSequentially('And the next');
    answer();
    await expect.poll(() => message().inputValue()).toBe('And the next');
    await message().fill('');
  });
});

describe('the sessions', () => {
  it('are searched, and a found place is opened there', async () => {
    const { page } = served;
    const [sessionId] = (await core.client.sessions.list())
      .filter(({ title }) => title.startsWith('Fix'))
      .map((one) => one.sessionId);
    const { state } = await core.client.sessions.show({ sessionId: sessionId ?? '' });
    const call = state.steps.at(-1)?.callId ?? '';
    core.found.set('thursday', [
      {
        sessionId: sessionId ?? '',
        title: state.title,
        projectPath: state.projectPath,
        kind: 'output',
        ref: call,
        seq: 1,
        at: 1,
        snippet: { before: 'the year of its ', match: 'Thursday', after: ' and more' },
      },
    ]);
    await open('Which port');
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('thursday');
    const places = page.getByRole('region', { name: 'Matches in sessions' });
    await places.getByRole('button', { name: 'the year of its Thursday' }).click();
    await page.getByRole('heading', { level: 1, name: state.title }).waitFor();
    await page.locator(`#row-${call}[aria-expanded=true]`).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('nobody said this');
    await places.getByText('No matches in sessions.').waitFor();
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill('');
  });

  it('are renamed in their title, and forked, by keyboard alone', async () => {
    const { page } = served;
    await open('Which port');
    await page.getByRole('button', { name: 'Session actions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Session title' }).fill('Which port is it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Which port is it' }).waitFor();
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Fork from here' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which port is it (fork)' }).waitFor();
    expect(lastAsked('fork')).toEqual([null]);
  });

  it('branch from a message that is edited and from a step', async () => {
    const { page } = served;
    await open('Fix the failing date test');
    await page.getByRole('button', { name: 'Edit and resend' }).first().click();
    const field = page.getByRole('textbox', { name: 'Edit message' });
    expect(await field.inputValue()).toContain('The test in dates.py fails');
    expect(await violations(page)).toEqual([]);
    await field.fill('Only look, change nothing.');
    await field.press('Enter');
    await page.getByRole('article', { name: 'You' }).getByText('Only look, change nothing.').waitFor();
    expect(lastAsked('fork')).toEqual([{ before: expect.stringContaining('message-') }]);
    await open('Fix the failing date test');
    await page.getByRole('button', { name: /^Step 1, local/u }).click();
    await page.getByRole('button', { name: 'Fork after this step' }).click();
    await expect.poll(() => lastAsked('fork')).toEqual([{ after: expect.stringContaining('call-') }]);
    await page.getByRole('heading', { level: 1, name: 'Fix the failing date test (fork)' }).waitFor();
  });

  it('go to the bin, and can be restored from there at once or later', async () => {
    const { page } = served;
    await open('Make the nightly');
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Move to bin' }).click();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Make the nightly job idempotent' }).waitFor();
    await page.getByRole('button', { name: 'Session actions' }).click();
    await page.getByRole('menuitem', { name: 'Move to bin' }).click();
    await show('Bin');
    const binned = page.getByRole('listitem', { name: 'Make the nightly job idempotent' });
    await binned.getByRole('button', { name: 'Delete forever' }).click();
    await binned.getByText('Delete this session’s log forever?').waitFor();
    expect(await violations(page)).toEqual([]);
    await binned.getByRole('button', { name: 'Delete forever' }).click();
    await page.getByText('The bin is empty.').waitFor();
    expect(lastAsked('purge')).toEqual(lastAsked('delete'));
    await page.getByRole('button', { name: 'Dismiss' }).click();
  });
});

describe('a view outside a session', () => {
  it('fetches a model and then lets it be used', async () => {
    const { page } = served;
    await show('Models');
    const row = page.locator('[data-model$="0.5b-instruct"]');
    await row.getByRole('button', { name: 'Download' }).click();
    await row.getByText('400 MB of 1.1 GB').waitFor();
    core.endDownload();
    await row.getByRole('button', { name: 'Use' }).click();
    await expect.poll(() => lastAsked('set')).toEqual(['local', 'llama-cpp/qwen2.5-coder-0.5b-instruct']);
    await row.getByText('used for local steps').waitFor();
  });

  it('imports a model file, forgets it, and asks before it deletes a downloaded one', async () => {
    const { page } = served;
    await show('Models');
    await page.getByLabel('Your own file (GGUF)').fill('/data/own.gguf');
    await page.getByRole('button', { name: 'Add file' }).click();
    const own = page.locator('[data-model="llama-cpp/own"]');
    await own.getByText('your file /data/own.gguf').waitFor();
    await own.getByRole('button', { name: 'Forget' }).click();
    await own.waitFor({ state: 'detached' });
    expect(lastAsked('import')).toEqual(['/data/own.gguf', null]);
    expect(lastAsked('remove')).toEqual(['llama-cpp/own']);
    const starter = page.locator('[data-model$="1.5b-instruct"]');
    await starter.getByRole('button', { name: 'Remove' }).click();
    await starter.getByRole('button', { name: 'Cancel' }).click();
    await starter.getByRole('button', { name: 'Remove' }).waitFor();
    expect(lastAsked('remove')).toEqual(['llama-cpp/own']);
  });

  it('takes an adapter for a model, which then can be chosen as a model', async () => {
    const { page } = served;
    await show('Models');
    await page.getByLabel('Your own file (GGUF)').fill('/data/style.gguf');
    await page.getByLabel('It is', { exact: true }).selectOption({ value: 'llama-cpp/qwen2.5-coder-1.5b-instruct' });
    await page.getByRole('button', { name: 'Add file' }).click();
    const made = page.locator('[data-model="llama-cpp/qwen2.5-coder-1.5b-instruct+style"]');
    await made.getByText('the adapter /data/style.gguf').waitFor();
    expect(lastAsked('addAdapter')).toEqual(['/data/style.gguf', 'llama-cpp/qwen2.5-coder-1.5b-instruct']);
    await made.getByRole('button', { name: 'Use' }).click();
    await expect.poll(() => lastAsked('set')).toEqual(['local', 'llama-cpp/qwen2.5-coder-1.5b-instruct+style']);
    await made.getByRole('button', { name: 'Forget' }).click();
    await made.waitFor({ state: 'detached' });
  });

  it('probes a model and shows what it found', async () => {
    const { page } = served;
    await show('Models');
    const row = page.locator('[data-model$="1.5b-instruct"]');
    await row.getByRole('button', { name: 'Benchmark' }).click();
    await row.getByText('tool calls by grammar · edits exact passages · strategy: recipe').waitFor();
    await row.getByText('reads 42 and writes 15 tokens per second').waitFor();
    await row.getByRole('button', { name: 'Benchmark again' }).waitFor();
    expect(lastAsked('probe')).toEqual(['llama-cpp/qwen2.5-coder-1.5b-instruct']);
  });

  it('saves a setting, and changes theme and text size at once', async () => {
    const { page } = served;
    await show('Settings');
    await page.getByLabel('Steps', { exact: true }).fill('12');
    await page.getByLabel('Steps', { exact: true }).press('Enter');
    await expect.poll(() => lastAsked('set')).toEqual(['limits.maxSteps', 12]);
    await page.getByLabel('Theme', { exact: true }).selectOption('Dark');
    await page.getByLabel('Text size', { exact: true }).selectOption('Largest');
    const look = (): Promise<unknown> =>
      page.evaluate(() => Object.fromEntries(Object.entries(document.documentElement.dataset)));
    await expect.poll(look).toEqual({ theme: 'dark', textSize: 'largest', density: 'comfortable', motion: 'system' });
    await page.getByLabel('Theme', { exact: true }).selectOption('System');
    await page.getByLabel('Text size', { exact: true }).selectOption('Normal');
  });

  it('sets and forgets a key on the page, and shows the costs of all sessions', async () => {
    const { page } = served;
    await show('Settings');
    const form = page.getByRole('form', { name: 'Keys' });
    await form.getByLabel('Provider').fill('anthropic');
    await form.getByLabel('Key', { exact: true }).fill('secret-1234');
    await form.getByRole('button', { name: 'Save and test' }).click();
    await form.getByText('The key works.').waitFor();
    expect(lastAsked('key')).toEqual(['anthropic']);
    expect(await form.getByLabel('Key', { exact: true }).inputValue()).toBe('');
    await show('Costs');
    await page.getByRole('row', { name: '2026-11-16' }).getByText('$0.2130').waitFor();
    await page.getByText('From 10 days, 2026-11-15 to 2026-11-24.', { exact: false }).waitFor();
    await page.getByText('Hardware for $1500.00 is paid for').waitFor();
    await keepScreenshot(page, 'costs-month');
    expect(await violations(page)).toEqual([]);
  });

  /** Catches: a table that can only be read by knowing ids, and ids that cannot be shown at all. */
  it('names models by their labels in the costs, and by their ids on demand', async () => {
    const { page } = served;
    const [row] = core.costRows;
    if (row === undefined) throw new Error('no costs');
    const before = core.costRows;
    core.costRows = ['example/large-1', 'gone/other-2'].map((key) => ({ ...row, key }));
    await page.getByRole('main').getByRole('combobox').selectOption('Model');
    const names = async (): Promise<readonly string[]> =>
      (await page.getByRole('main').getByRole('rowheader').allInnerTexts()).map((text) =>
        text.replaceAll(/\s+/gu, ' ').trim(),
      );
    await expect.poll(names).toEqual(['Large 1', 'other-2']);
    await page.getByLabel('Show IDs').check();
    await expect.poll(names).toEqual(['Large 1 example/large-1', 'other-2 gone/other-2']);
    await keepScreenshot(page, 'costs-by-model');
    expect(await violations(page)).toEqual([]);
    core.costRows = before;
  });

  it('writes rules as a list or a text, checks each line, and tries them before they are saved', async () => {
    const { page } = served;
    await show('Settings');
    const rules = page.getByRole('region', { name: 'Rules' });
    const form = rules.getByRole('form', { name: 'New rule' });
    await form.getByLabel('Path pattern, as in .gitignore').fill('plans/a.md');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByLabel('Action').selectOption('Run in the cloud');
    await form.getByLabel('Path pattern, as in .gitignore').fill('plans/a.md');
    await form.getByRole('button', { name: 'Add' }).click();
    await rules.getByText('The cloud never gets these files').waitFor();
    await rules.getByRole('button', { name: 'Up: cloud path plans/a.md' }).click();
    await rules.getByLabel('File path').fill('plans/a.md');
    await rules.getByText('This file and anything built from it never leave this machine').waitFor();
    await rules.getByRole('button', { name: 'Text', exact: true }).click();
    const text = rules.getByLabel('Rules file');
    expect(await text.inputValue()).toBe('cloud path plans/a.md\nlocal-only path plans/a.md\n');
    await text.fill('local-only path plans/a.md\nlocal sometimes\n');
    await rules.getByText('Line 2: After "local" comes one of').waitFor();
    expect(await rules.getByRole('button', { name: 'Save rules' }).isDisabled()).toBe(true);
    expect(await violations(page)).toEqual([]);
    await text.fill('local-only path plans/a.md\n');
    await rules.getByRole('button', { name: 'Save rules' }).click();
    await rules.getByText('in force as written').waitFor();
    expect(lastAsked('rules')).toEqual(['local-only path plans/a.md\n']);
  });

  it('starts actions and opens sessions from the palette', async () => {
    const { page } = served;
    await (await openActions(page)).fill('nightly');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Make the nightly job idempotent' }).waitFor();
    await page.getByText('No container engine was found').waitFor();
    await page.keyboard.press('Control+N');
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
  });
});

it('the page asked for nothing that its policy forbids', () => {
  expect(served.complaints).toEqual([]);
});
