import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, openWork, preparePlace, reload } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

const answer = 'The port is 8123, see main.py line 1. <b>Text stays text.</b>';

let place: Place;
let launched: Launched;
let endDisplay: () => void;

beforeAll(async () => {
  endDisplay = await ensureShellAndDisplay();
  place = preparePlace([
    { toolCalls: [{ name: 'read_file', input: { path: 'main.py' } }] },
    { text: answer },
    { text: 'A second answer.', delayMs: 300 },
  ]);
  launched = await launch(place.home);
});

afterAll(async () => {
  await launched?.app.close();
  place?.remove();
  endDisplay?.();
});

/** Runs code as the page does. Code that the test driver evaluates directly is not held to the page's policy. */
async function asPage(source: () => Promise<unknown>): Promise<unknown> {
  return launched.page.evaluate(
    ([text]) =>
      new Promise((resolve, reject) => {
        // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- allowed to the test tool, not to what it starts
        const run = new Function(`return (${text})()`);
        setTimeout(() => Promise.resolve(run()).then(resolve, reject), 0);
      }),
    [source.toString()],
  );
}

describe('the window', () => {
  it('shows a scripted session through contract, port and preload', async () => {
    const { page, errors } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill('Which port does main.py use?');
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.locator('[data-outcome="planned"]').getByText('The port is 8123').waitFor();
    await openWork(page);
    const rows = await page.locator('[id^=row-][aria-expanded]').allInnerTexts();
    expect(rows.map((row) => row.replaceAll(/\s+/gu, ' '))).toEqual([
      expect.stringMatching(/^local .*main\.py .* in, .* out .* s$/u),
      expect.stringMatching(/^local .* in, .* out .* s$/u),
    ]);
    await page.locator('[id^=row-][aria-expanded]').first().click();
    await page.locator('[id$=-body]').getByText('PORT = 8123').waitFor();
    const bar = page.getByRole('region', { name: 'Status' });
    await bar.getByTitle('script/script', { exact: true }).getByText('Scripted answers', { exact: true }).waitFor();
    await bar.getByText('Read-only').waitFor();
    const strip = page.getByRole('list', { name: 'Where each step ran' });
    expect(await strip.locator('[data-where=local]').count()).toBe(2);
    await page.locator('[data-session]', { hasText: 'Which port does main.py use?' }).getByText('2 steps').waitFor();
    expect(errors()).not.toContain('rror:');
    await keepScreenshot(page, 'session');
  });

  it('shows every output of a model as plain text', async () => {
    const { page } = launched;
    const outcome = page.locator('[data-outcome="planned"]');
    expect(await outcome.innerText()).toContain('<b>Text stays text.</b>');
    expect(await outcome.locator('b').count()).toBe(0);
  });

  it('keeps the session and a draft when the page is loaded again', async () => {
    const { page } = launched;
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('And now?');
    await reload(page);
    await page.locator('[data-outcome]').getByText('The port is 8123').waitFor();
    expect(await message.inputValue()).toBe('And now?');
    await message.press('Enter');
    await page.locator('[data-outcome]').getByText('A second answer.').waitFor();
    expect(await page.getByRole('article', { name: 'You' }).count()).toBe(2);
    expect(await message.inputValue()).toBe('');
  });

  it('says what is wrong with a project that is not there', async () => {
    const { page } = launched;
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('x');
    await page.getByRole('combobox', { name: 'Project folder' }).fill(join(place.project, 'missing'));
    await page.getByRole('button', { name: 'Start' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('missing');
    await page.locator('[data-session]').first().click();
    await page.locator('[data-outcome]').getByText('The port is 8123').waitFor();
  });

  it('stays usable when it is narrow', async () => {
    const { app, page } = launched;
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(380, 700));
    await page.getByRole('button', { name: 'Open session list' }).click();
    await page.locator('[data-session]').first().click();
    await page.locator('[data-outcome]').getByText('The port is 8123').waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(1280, 820));
  });
});

describe('the page', () => {
  it('has neither Node nor Electron', async () => {
    expect(
      await asPage(async () => ['require', 'process', 'module', 'electron', 'Buffer'].map((name) => name in window)),
    ).toEqual([false, false, false, false, false]);
  });

  it('cannot run inline scripts, make HTML from text, or reach another machine', async () => {
    const tried = await asPage(async () => {
      const attempt = (work: () => unknown): string => {
        try {
          work();
          return 'done';
        } catch (error) {
          return error instanceof Error ? error.name : 'thrown';
        }
      };
      const script = document.createElement('script');
      const inline = attempt(() => {
        script.append('window.wasRun = true');
        document.body.append(script);
      });
      const wasRun = 'wasRun' in window;
      const styled = document.createElement('p');
      styled.setAttribute('style', 'color: red');
      // The remaining probes leave nothing behind whether they work or not.
      const fetched = await fetch('https://dewpoint.invalid/').then(
        () => 'done',
        () => 'refused',
      );
      return {
        inline: inline === 'done' && wasRun ? 'run' : 'refused',
        // oxlint-disable-next-line no-eval -- the probe
        evaluated: attempt(() => (0, eval)('1')),
        html: attempt(() => {
          document.createElement('div').innerHTML = '<b>x</b>';
        }),
        style: styled.style.color,
        fetched,
      };
    });
    expect(tried).toEqual({
      inline: 'refused',
      evaluated: 'EvalError',
      html: 'TypeError',
      style: '',
      fetched: 'refused',
    });
  });

  it('cannot go elsewhere, open a window, or ask for a permission', async () => {
    const { app, page } = launched;
    const before = page.url();
    const tried = await asPage(async () => {
      const opened = window.open('https://dewpoint.invalid/') === null ? 'refused' : 'opened';
      const link = document.createElement('a');
      link.href = 'https://dewpoint.invalid/';
      document.body.append(link);
      link.click();
      link.remove();
      window.location.href = 'file:///etc/hostname';
      const permission = await Notification.requestPermission();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { opened, permission };
    });
    expect(tried).toEqual({ opened: 'refused', permission: 'denied' });
    expect(page.url()).toBe(before);
    expect(await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  it('gets none of the permissions that a page can ask for', async () => {
    const denied = await asPage(async () => {
      const names = ['camera', 'microphone', 'geolocation', 'notifications', 'midi'] as const;
      const states = names.map(async (name) => [name, (await navigator.permissions.query({ name })).state]);
      const refusal = (work: Promise<unknown>): Promise<string> =>
        work.then(
          () => 'granted',
          (error: unknown) => (error instanceof Error ? error.name : String(error)),
        );
      const place = new Promise((resolve, reject) => {
        navigator.geolocation.getCurrentPosition(resolve, () => reject(new DOMException('', 'NotAllowedError')));
      });
      return {
        ...Object.fromEntries(await Promise.all(states)),
        sound: await refusal(navigator.mediaDevices.getUserMedia({ audio: true })),
        clipboard: await refusal(navigator.clipboard.readText()),
        place: await refusal(place),
      };
    });
    expect(denied).toEqual({
      camera: 'denied',
      microphone: 'denied',
      geolocation: 'denied',
      notifications: 'denied',
      midi: 'denied',
      sound: expect.stringMatching(/^Not(?:Allowed|Found)Error$/u),
      clipboard: 'NotAllowedError',
      place: 'NotAllowedError',
    });
  });

  it('is the only one whose port is answered, not a frame in it or another page', async () => {
    const { app } = launched;
    // Sends a message as Electron reports it to main. Only the sender differs each time.
    const closed = await app.evaluate(async ({ BrowserWindow, MessageChannelMain, ipcMain }) => {
      const [window] = BrowserWindow.getAllWindows();
      if (window === undefined) return ['no window'];
      const url = window.webContents.getURL();
      const senders = [
        { parent: null, url: 'https://dewpoint.invalid/' },
        { parent: null, url: url.replace('app://dewpoint/', 'app://dewpoint.invalid/') },
        { parent: null, url: 'file:///index.html' },
        { parent: window.webContents.mainFrame, url },
        null,
      ];
      const answers = senders.map(async (senderFrame) => {
        const { port1, port2 } = new MessageChannelMain();
        const gone = new Promise<string>((resolve) => port1.once('close', () => resolve('closed')));
        const heard = new Promise<string>((resolve) => port1.once('message', () => resolve('answered')));
        port1.start();
        port1.postMessage(JSON.stringify({ i: '1', p: { u: '/home/info', b: {} } }));
        ipcMain.emit('dewpoint:port', { ports: [port2], sender: window.webContents, senderFrame });
        return Promise.race([gone, heard]);
      });
      return Promise.all(answers);
    });
    expect(closed).toEqual(['closed', 'closed', 'closed', 'closed', 'closed']);
  });

  it('gets one port for each load', async () => {
    const reply = await asPage(
      () =>
        new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve('answered');
          window.postMessage('dewpoint:port', window.location.origin, [port2]);
          port1.postMessage(JSON.stringify({ i: '1', p: { u: '/home/info', b: {} } }));
          setTimeout(() => resolve('ignored'), 500);
        }),
    );
    expect(reply).toBe('ignored');
  });

  it('gets only its own files from its scheme', async () => {
    const statuses = await asPage(async () => {
      const urls = [
        'app://dewpoint/',
        '/../../package.json',
        '/%2e%2e/%2e%2e/package.json',
        '/assets/../../main/index.cjs',
      ];
      return Promise.all(
        urls.map((url) =>
          fetch(url).then(
            (response) => response.status,
            () => 0,
          ),
        ),
      );
    });
    expect(statuses).toEqual([200, 404, 404, 404]);
  });
});

describe('the app', () => {
  it('runs only once for each home', async () => {
    const { app } = launched;
    const { spawnfile: executable, spawnargs } = app.process();
    const args = spawnargs.slice(1);
    const appArgs = args.filter((arg) => !arg.startsWith('--inspect') && !arg.startsWith('--remote-debugging'));
    const env = { ...process.env, DEWPOINT_HOME: place.home, DEWPOINT_TEST: '1' };
    const second = spawn(executable, appArgs, { env, stdio: 'ignore' });
    expect(await new Promise((resolve) => second.once('exit', resolve))).toBe(0);
    expect(app.windows()).toHaveLength(1);
  });

  // Catches: an error of writing to stderr that is reported on stderr again and again, by an app that should have
  // ended.
  it('goes on when nobody reads its messages any more', async () => {
    const { app, page } = launched;
    const messages = app.process().stderr;
    messages?.destroy();
    await expect.poll(() => messages?.closed).toBe(true);
    const failed = await app.evaluate(
      () => new Promise((resolve) => process.stderr.write('.', (error) => resolve(Reflect.get(Object(error), 'code')))),
    );
    expect(failed).toBe('EPIPE');
    expect(await app.evaluate(({ app: own }) => own.isReady())).toBe(true);
    expect(app.windows()).toEqual([page]);
  });

  it('releases its home when it ends', async () => {
    const { app } = launched;
    expect(existsSync(join(place.home, 'owner.json'))).toBe(true);
    const ended = new Promise((resolve) => app.process().once('exit', resolve));
    await app.close();
    expect(await ended).toBe(0);
    expect(existsSync(join(place.home, 'owner.json'))).toBe(false);
  });
});
