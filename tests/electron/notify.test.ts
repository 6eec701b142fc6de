import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { command, complete, tool } from '../faults/program.ts';
import type { Launched, Place } from './launch.ts';
import { launch, openWork, preparePlace, testEnvironment } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** A task that asks before it changes a test. */
const guarded = 'tests/test_port.py';
const asking = [
  tool('read_file', { path: guarded }),
  tool('write_file', { path: guarded, content: 'def test_port(): pass\n' }),
  tool('write_file', { path: 'port.py', content: 'PORT = 8123\n' }),
  complete('Without the guarded file.'),
];

// The real app and a real container. Only the model is scripted, and the window is reported as not focused.
describe.skipIf(isWithoutEngine)('a person who looks at something else', () => {
  let place: Place;
  let launched: Launched;
  let endDisplay: () => void;

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    place = preparePlace([
      command('until test -e go; do sleep 0.1; done; rm go; echo made > made.txt'),
      complete('It has ended.'),
      ...asking,
      ...asking,
    ]);
    launched = await launch(place.home, { hasEngine: true });
    await launched.app.evaluate(({ BrowserWindow, Notification }) => {
      const shown: [string, string, () => void][] = [];
      Reflect.set(globalThis, 'shown', shown);
      // The app asks this at the end of each look at the list of sessions.
      BrowserWindow.getFocusedWindow = () => {
        Reflect.set(globalThis, 'looks', Number(Reflect.get(globalThis, 'looks') ?? 0) + 1);
        return Reflect.get(globalThis, 'isInFront') === true ? (BrowserWindow.getAllWindows()[0] ?? null) : null;
      };
      Notification.isSupported = () => true;
      Notification.prototype.show = function show(this: Electron.Notification) {
        shown.push([this.title, this.body, () => void this.emit('click', {})]);
      };
    });
  });

  afterAll(async () => {
    await launched?.app.close();
    place?.remove();
    endDisplay?.();
  });

  const heard = (): Promise<unknown> =>
    launched.app.evaluate(() => {
      const shown: unknown = Reflect.get(globalThis, 'shown');
      return Array.isArray(shown) ? shown.map((one) => [one[0], one[1]]) : [];
    });

  it('is told that a long task has ended, and a click shows it', async () => {
    const { app, page } = launched;
    const task = 'Make the file made.txt.';
    await page.getByRole('textbox', { name: 'Task' }).fill(task);
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await openWork(page);
    await page.locator('[id^=row-][aria-expanded]').getByText('running').waitFor({ timeout: 90_000 });
    // After the session was seen at work, a minute passes.
    const looks = (): Promise<number> => app.evaluate(() => Number(Reflect.get(globalThis, 'looks') ?? 0));
    const soFar = await looks();
    await expect.poll(looks).toBeGreaterThan(soFar + 1);
    await app.evaluate(() => {
      const steady = performance.now.bind(performance);
      Object.defineProperty(performance, 'now', { value: () => steady() + 60_000 });
    });
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    writeFileSync(join(place.project, 'go'), '');
    await expect.poll(heard).toEqual([[task, 'The task has ended.']]);
    await app.evaluate(() => {
      const shown: unknown = Reflect.get(globalThis, 'shown');
      if (Array.isArray(shown)) shown[0][2]();
    });
    await page.locator('[data-outcome="done"]').getByText('It has ended.').waitFor();
  });

  it('is told that a session waits unless it is in view, and a click puts the focus on its question', async () => {
    const { app, page } = launched;
    mkdirSync(join(place.project, 'tests'));
    writeFileSync(join(place.project, guarded), 'def test_port(): assert 8000 < 8123\n');
    const looks = (): Promise<number> => app.evaluate(() => Number(Reflect.get(globalThis, 'looks') ?? 0));
    const deny = page.getByRole('alertdialog', { name: 'Approval needed' }).getByRole('button', { name: 'Deny' });
    const start = async (task: string): Promise<void> => {
      await page.getByRole('button', { name: 'New task', exact: true }).click();
      await page.getByRole('textbox', { name: 'Task' }).fill(task);
      await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
      await page.getByRole('button', { name: 'Start', exact: true }).click();
    };
    const lookAt = (isInFront: boolean): Promise<void> =>
      app.evaluate((_electron, isTrue) => void Reflect.set(globalThis, 'isInFront', isTrue), isInFront);
    const before = await heard();
    await lookAt(true);
    await start('Make the tests quicker.');
    await expect.poll(() => deny.getAttribute('aria-disabled'), { timeout: 90_000 }).toBe('false');
    const soFar = await looks();
    await expect.poll(looks).toBeGreaterThan(soFar + 1);
    expect(await heard()).toEqual(before);
    await deny.click();
    await page.locator('[data-outcome=done]').getByText('Without the guarded file.').waitFor();
    await lookAt(false);
    await start('Make them quicker still.');
    await page.getByRole('log').waitFor();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await expect
      .poll(async () => JSON.stringify(await heard()), { timeout: 90_000 })
      .toContain(JSON.stringify(['Make them quicker still.', 'Dewpoint is waiting for your answer.']));
    await app.evaluate(() => {
      const shown: unknown = Reflect.get(globalThis, 'shown');
      if (Array.isArray(shown)) shown.at(-1)[2]();
    });
    await deny.waitFor();
    await expect.poll(() => deny.evaluate((button) => button === document.activeElement)).toBe(true);
    await expect.poll(() => deny.getAttribute('aria-disabled')).toBe('false');
    await deny.press('Enter');
    await deny.waitFor({ state: 'detached' });
  });

  it('is shown the session of a link that the system opens while the app runs', async () => {
    const { app, page } = launched;
    const sessionId = readdirSync(join(place.home, 'sessions')).find((id) =>
      readFileSync(join(place.home, 'sessions', id, 'events.jsonl'), 'utf8').includes('made.txt'),
    );
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('log').waitFor({ state: 'detached' });
    const { spawnfile, spawnargs } = app.process();
    const args = spawnargs.slice(1).filter((arg) => !/^--(?:inspect|remote-debugging)/u.test(arg));
    const second = spawn(spawnfile, [...args, `dewpoint://session/${sessionId}`], {
      env: testEnvironment(place.home),
      stdio: 'ignore',
    });
    expect(await new Promise((done) => second.once('exit', done))).toBe(0);
    await page.locator('[data-outcome="done"]').getByText('It has ended.').waitFor();
    expect(app.windows()).toHaveLength(1);
  });
});
