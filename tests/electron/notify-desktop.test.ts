import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import type { PrivateBus } from '../fakes/private-bus.ts';
import { startBus } from '../fakes/private-bus.ts';
import { complete, tool } from '../faults/program.ts';
import type { Launched, Place } from './launch.ts';
import { launch, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** A notification program for small desktops on its own bus. Nothing between the app and the user is faked. */
const desktop = 'org.freedesktop.Notifications';
const desktopPath = '/org/freedesktop/Notifications';
const guarded = 'tests/test_port.py';
const task = 'Make the tests quicker.';

describe.skipIf(isWithoutEngine)('a notification on a desktop', () => {
  let bus: PrivateBus;
  let dunst: ChildProcess;
  let place: Place;
  let launched: Launched;
  let endDisplay: () => void;

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    bus = await startBus();
    dunst = spawn('dunst', { env: { ...bus.env, DISPLAY: process.env.DISPLAY }, stdio: 'ignore' });
    await bus.hasName(desktop);
    place = preparePlace([
      tool('read_file', { path: guarded }),
      tool('write_file', { path: guarded, content: 'def test_port(): pass\n' }),
      complete('Without it.'),
    ]);
    mkdirSync(join(place.project, 'tests'));
    writeFileSync(join(place.project, guarded), 'def test_port(): assert 8000 < 8123\n');
    const { DBUS_SESSION_BUS_ADDRESS = '' } = bus.env;
    launched = await launch(place.home, { hasEngine: true, env: { DBUS_SESSION_BUS_ADDRESS } });
  });

  afterAll(async () => {
    await launched?.app.close();
    dunst?.kill('SIGKILL');
    bus?.stop();
    place?.remove();
    endDisplay?.();
  });

  const dunstDoes = (method: string, ...args: readonly string[]): string =>
    bus.call(desktop, [desktopPath, `org.dunstproject.cmd0.${method}`, ...args]);
  const shown = (): string =>
    bus.call(desktop, [
      desktopPath,
      'org.freedesktop.DBus.Properties.Get',
      'string:org.dunstproject.cmd0',
      'string:displayedLength',
    ]);

  it('says which session waits, and a click puts the focus on its question', async () => {
    const { page } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill(task);
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('log').waitFor();
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await expect.poll(shown, { timeout: 90_000 }).toMatch(/uint32 1\b/u);
    // Reports a click on the notification.
    dunstDoes('NotificationAction', 'uint32:0');
    const deny = page.getByRole('alertdialog', { name: 'Approval needed' }).getByRole('button', { name: 'Deny' });
    await deny.waitFor();
    await expect.poll(() => deny.evaluate((button) => button === document.activeElement)).toBe(true);
    dunstDoes('NotificationCloseAll');
    const history = dunstDoes('NotificationListHistory');
    expect(history).toContain(`"${task}"`);
    expect(history).toContain('Dewpoint is waiting for your answer.');
  });
});
