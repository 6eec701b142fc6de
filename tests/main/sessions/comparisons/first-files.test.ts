import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaySession } from '../../../../src/main/hosts/cli/commands/sessions/sessions.command.ts';
import { recordedEvents } from '../../../../src/main/hosts/connection/recorded-events.ts';
import { readFirstMessage } from '../../../../src/main/sessions/log/whole-texts.ts';
import { clockNow } from '../../../../src/main/lib/async/clock.ts';
import { comparisonInputSchema, type Comparison } from '../../../../src/shared/comparisons/comparison.ts';
import { commandContext } from '../../../fakes/command-context.ts';
import { type ClientCore, itemsOf } from '../../../fakes/core-client.ts';
import { makeCapsuleWorld, type CapsuleWorld } from '../../../fakes/made-capsules.ts';

/** Catches: a task that is done again on files in which it is already done, and a project that such a run changes. */
const task = 'Fix the bug in add().';
let world: CapsuleWorld;
let core: ClientCore;
let project: string;
let sessionId: string;

beforeEach(async () => {
  world = await makeCapsuleWorld();
  core = await world.home('home');
  project = await world.project('project', {
    'calc.py': 'def add(a, b):\n    return a - b\n',
    'notes.md': 'Notes.\n',
  });
  const past = new Date(Date.now() - 86_400_000);
  for (const name of ['calc.py', 'notes.md']) await utimes(join(project, name), past, past);
  sessionId = await world.work(core, project, task);
  expect(await readFile(join(project, 'calc.py'), 'utf8')).toContain('a + b');
});
afterEach(() => world.end());

const workspaces = () => readdir(join(world.folder, 'home', 'workspaces')).catch(() => []);

async function compared(orNow: boolean, projectPath = project): Promise<Comparison> {
  const input = comparisonInputSchema.parse({
    projectPath,
    tasks: [{ name: 'Again', text: task, check: 'pytest -q', from: { sessionId, orNow } }],
    ways: [{ policy: 'local', local: 'script/script', strategy: 'loop' }],
  });
  const { id } = await core.client.comparisons.create(input);
  await core.client.comparisons.start({ id });
  await itemsOf(core.client.comparisons.watch({ id }));
  return core.client.comparisons.show({ id });
}

/** A file in the copy of the only run. What its sandbox changed is not on the disk. */
async function inRun({ runs }: Comparison, name: string): Promise<string | null> {
  const { state } = await core.client.sessions.show({ sessionId: runs[0]?.sessionId ?? '' });
  return readFile(join(state.workspace?.path ?? '', name), 'utf8').catch(() => null);
}

describe('a task that is taken from a session', () => {
  it('is done again on the files as they were before it, and the project stays as it is', async () => {
    const done = await compared(false);
    expect(done.runs).toMatchObject([{ state: 'ended', check: { command: 'pytest -q', passed: true } }]);
    expect(await inRun(done, 'calc.py')).toContain('a - b');
    expect(await inRun(done, 'made.txt')).toBeNull();
    expect(await inRun(done, 'notes.md')).toBe('Notes.\n');
    expect(done.input.tasks[0]?.note).toBeUndefined();
    expect(await readFile(join(project, 'calc.py'), 'utf8')).toContain('a + b');
    // Only the copy of the run stays.
    expect(await workspaces()).toHaveLength(1);
  });

  it('is the first message of each session that is chosen, with its check and its files', async () => {
    const other = await world.work(core, project, 'Say hello.');
    const found = await core.client.comparisons.sessionTasks({ sessionIds: [sessionId, other, other], orNow: true });
    expect(found.projectPath).toBe(project);
    expect(found.tasks.map(({ text, from }) => [text, from])).toEqual([
      [task, { sessionId, orNow: true }],
      ['Say hello.', { sessionId: other, orNow: true }],
    ]);
    const { sessionId: empty } = await core.client.sessions.create({ projectPath: project });
    const refused = core.client.comparisons.sessionTasks({ sessionIds: [empty], orNow: true });
    await expect(refused).rejects.toThrow(/has no message/u);
  });

  it('names what something else changed since', async () => {
    await writeFile(join(project, 'notes.md'), 'Other notes.\n');
    // The clock of this process may be ahead of the files: tests before this one moved the time.
    const later = new Date(clockNow() + 1_000);
    await utimes(join(project, 'notes.md'), later, later);
    const done = await compared(false);
    expect(done.input.tasks[0]?.note).toMatch(/are as they are now \(1\): notes\.md\./u);
    expect(await inRun(done, 'notes.md')).toBe('Other notes.\n');
  });

  it('starts from the project as it is and says so, or not at all, where its first files are gone', async () => {
    await rm(join(world.folder, 'home', 'blobs'), { recursive: true });
    await expect(compared(false)).rejects.toThrow(/cannot be set back/u);
    expect(await workspaces()).toEqual([]);
    const done = await compared(true);
    expect(done.input.tasks[0]).toMatchObject({ note: expect.stringContaining('start from the project as it is') });
    expect(await inRun(done, 'calc.py')).toContain('a + b');
  });

  it('does not bring the files of one project under the rules of another', async () => {
    const other = await world.project('other', { 'calc.py': 'Other.\n' });
    await expect(compared(false, other)).rejects.toThrow(/of another project/u);
    expect(await workspaces()).toEqual([]);
  });

  it('has the whole text of a long first message, and the whole text of a long answer', async () => {
    const long = `Fix the bug in add(). ${'Mind the tests. '.repeat(400)}Keep the name. ${'Mind the style. '.repeat(400)}`;
    const files = { 'calc.py': 'def add(a, b):\n    return a - b\n' };
    const id = await world.work(core, await world.project('long', files), long);
    const { context, said } = commandContext({ handlers: core.handlers });
    expect(await replaySession(context, [id], { on: 'script/script', run: true, json: true })).toBe(0);
    const { input, runs } = JSON.parse(said.out);
    expect(input.tasks[0].text).toBe(long);
    const again = await readFirstMessage(recordedEvents(core.client, runs[0].sessionId, context.signal));
    expect(again?.message.text).toBe(long);
    const lines = Array.from({ length: 300 }, (_, at) => `Line ${at} of ${at * 7} adds ${at * 13}.`);
    const answer = `It adds.\n${lines.join('\n')}`;
    const replies = [{ text: answer }];
    await core.client.settings.set({ key: 'providers.script', value: { kind: 'scripted', replies, repeat: true } });
    const talk = await world.work(core, await world.project('talk', files), 'How does add() work?');
    expect((await core.client.sessions.result({ sessionId: talk })).text).toBe(answer);
  });

  it('is done anew by the model that `replay --run` names', async () => {
    const { context, said } = commandContext({ handlers: core.handlers });
    const args = { on: 'script/script', run: true, json: true };
    expect(await replaySession(context, [sessionId], args)).toBe(0);
    const { input, runs } = JSON.parse(said.out);
    expect(input).toMatchObject({
      projectPath: project,
      tasks: [{ text: task, from: { sessionId, orNow: false } }],
      ways: [{ policy: 'local', local: 'script/script' }],
    });
    expect(runs).toMatchObject([{ state: 'ended' }]);
    expect(await readFile(join(project, 'calc.py'), 'utf8')).toContain('a + b');
    await expect(replaySession(context, [sessionId, sessionId], args)).rejects.toMatchObject({ code: 'usage' });
    await expect(replaySession(context, [sessionId], { run: true })).rejects.toMatchObject({ code: 'usage' });
  });
});
