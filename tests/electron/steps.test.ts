import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventOf, EventType, SessionEvent } from '../../src/shared/events/events.ts';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { change, command, complete, tool } from '../faults/program.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, openWork, preparePlace } from './launch.ts';
import { ensureShellAndDisplay } from './setup.ts';

/** A command that waits until the test creates the file, and then removes it. */
const held = (file: string) => command(`until test -e ${file}; do sleep 0.1; done; rm ${file}`);
const price = { input: 1, output: 1, source: 'test', date: '2026-11-21' };

/** The answers of the local model, one after the other. */
const replies = [
  // A message arrives while this command runs.
  held('go'),
  change('first.txt'),
  complete('With the note.'),
  // This command is stopped in the middle.
  held('never'),
  // The second local model has its own answers.
  tool('read_file', { path: 'main.py' }),
  change('second.txt'),
  complete('Done here.'),
];
const cloudReplies = [change('cloud.txt'), complete('Done in the cloud.')];
const otherReplies = [change('other.txt'), complete('Done by the other model.')];

// The real app, core and containers. Only the models are scripted.
describe.skipIf(isWithoutEngine)('a person who steers a task', () => {
  let place: Place;
  let launched: Launched;
  let endDisplay: () => void;
  let page: Page;

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    place = preparePlace([]);
    const scripted = { kind: 'scripted', strategies: ['loop'] };
    const paid = { ...scripted, where: 'cloud', price, replies: cloudReplies };
    const other = { ...scripted, replies: otherReplies };
    place.script(replies, { cloud: 'paid/script', providers: { paid, other } });
    launched = await launch(place.home, { hasEngine: true });
    ({ page } = launched);
  });

  afterAll(async () => {
    await launched?.app.close();
    place?.remove();
    endDisplay?.();
  });

  const outcome = (reason: string) => page.locator(`[data-outcome="${reason}"]`);
  const message = () => page.getByRole('textbox', { name: 'Message' });
  const running = () => page.locator('[id^=row-][aria-expanded]').getByText('running').first();

  async function start(task: string): Promise<void> {
    await page.getByRole('button', { name: 'New task', exact: true }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill(task);
    await page.getByRole('combobox', { name: 'Project folder' }).fill(place.project);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await openWork(page);
  }

  /** The events of one type in the log of the session with this title, as stored on disk. */
  function logged<Type extends EventType>(title: string, type: Type): readonly EventOf<Type>[] {
    const folder = join(place.home, 'sessions');
    const logs = readdirSync(folder).map((id) =>
      readFileSync(join(folder, id, 'events.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): SessionEvent => JSON.parse(line)),
    );
    // A fork begins with the events of its original, including its title.
    const titleOf = (events: readonly SessionEvent[]) =>
      events.findLast((event) => event.type === 'session-created' || event.type === 'session-renamed')?.title;
    const own = logs.find((events) => titleOf(events) === title);
    return (own ?? []).filter((event): event is EventOf<Type> => event.type === type);
  }

  it('sends a message during the work, which waits in view and arrives with the next step', async () => {
    await start('Make the file first.txt.');
    await running().waitFor({ timeout: 90_000 });
    await message().fill('And mention the changelog.');
    await message().press('Enter');
    const waiting = page.getByRole('article', { name: 'You · waiting for the next step' });
    await waiting.getByText('And mention the changelog.').waitFor();
    await keepScreenshot(page, 'steps-waiting');
    writeFileSync(join(place.project, 'go'), '');
    await outcome('done').getByText('With the note.').waitFor();
    await waiting.waitFor({ state: 'detached' });
    await page.getByRole('article', { name: 'You' }).getByText('And mention the changelog.').waitFor();
    expect(logged('Make the file first.txt.', 'message-delivered')).toHaveLength(1);
    expect(existsSync(join(place.project, 'first.txt'))).toBe(true);
  });

  it('stops a command in the middle by keyboard, and can resume the session', async () => {
    await start('Wait for the file never.');
    await running().waitFor();
    await page.keyboard.press('Control+.');
    await outcome('cancelled').getByText('Stopped by you').waitFor();
    await running().waitFor({ state: 'detached' });
    expect(logged('Wait for the file never.', 'tool-ended').map(({ status }) => status)).toContain('cancelled');
    await message().fill('Then make the file second.txt.');
    await message().press('Enter');
    await outcome('done').getByText('Done here.').waitFor();
    await keepScreenshot(page, 'steps-stopped');
  });

  it('redoes a step differently in a fork, and leaves the original unchanged', async () => {
    await page.keyboard.press('Control+1');
    const route = page.getByRole('tabpanel', { name: 'Route' });
    // Later steps have changed a file, so the fork works in a copy.
    const choose = route.getByRole('combobox', { name: 'Step', exact: true });
    const before = await choose.locator('option', { hasText: 'write second.txt' }).getAttribute('value');
    await choose.selectOption(before);
    await route.getByRole('button', { name: 'Retry in cloud' }).waitFor();
    await keepScreenshot(page, 'steps-route');
    await route.getByRole('button', { name: 'Retry in cloud' }).click();
    const title = 'Wait for the file never. (fork)';
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await outcome('done').getByText('Done in the cloud.').waitFor();
    // The end opens on what is to be looked at, so the route is a click away.
    await page.getByRole('tab', { name: 'Route' }).click();
    await route.getByText('Ran in the cloud').waitFor();
    await keepScreenshot(page, 'steps-other-way');
    const models = logged(title, 'model-call-started').map(({ model }) => model);
    expect(models.slice(-2)).toEqual(['paid/script', 'paid/script']);
    expect(existsSync(join(place.project, 'cloud.txt'))).toBe(false);
    await page
      .locator('[data-session]', { hasText: /^Wait for the file never\.(?! \(fork\))/u })
      .first()
      .click();
    await outcome('done').getByText('Done here.').waitFor();
    expect(logged('Wait for the file never.', 'model-call-started').map(({ model }) => model)).not.toContain(
      'paid/script',
    );
  });

  it('tries a step again on another local model', async () => {
    await openWork(page);
    await page.locator('[id^=row-][aria-expanded]', { hasText: 'read main.py' }).click();
    await page.getByRole('combobox', { name: 'Model for the retry' }).selectOption('other/script');
    await page.getByRole('button', { name: 'Retry from here' }).click();
    await outcome('done').getByText('Done by the other model.').waitFor();
    const called = page.getByRole('region', { name: 'Status' }).getByTitle('other/script', { exact: true });
    await called.waitFor();
    expect(existsSync(join(place.project, 'other.txt'))).toBe(false);
    await keepScreenshot(page, 'steps-again');
  });
});
