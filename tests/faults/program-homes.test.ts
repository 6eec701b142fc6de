import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import {
  type Answer,
  command,
  change,
  complete,
  createProgram,
  ofType,
  type Program,
  type Running,
  sessionOf,
  tool,
} from './program.ts';

const model = (replies: readonly Answer[], repeat = false) => ({ kind: 'scripted', replies, repeat });

async function ownerPid(program: Program): Promise<unknown> {
  const owner: unknown = JSON.parse(await readFile(join(program.home, 'owner.json'), 'utf8'));
  return typeof owner === 'object' && owner !== null && 'pid' in owner ? owner.pid : null;
}

/** A command that waits for the test's signal: one second is long for one machine and short for another. */
const whenTold = (line: string): Answer => command(`while [ ! -e go ]; do sleep 0.1; done; rm go; ${line}`);
const tell = (program: Program, name: string): Promise<void> => writeFile(join(program.folder, name, 'go'), '');

/** Starts a task in a separate project with a separate model. */
async function startOn(program: Program, name: string): Promise<Running> {
  const project = join(program.folder, name);
  await mkdir(project);
  return program.start(['run', '--project', project, '--local', `${name}/script`, '--json', '--', 'Do the work.']);
}

async function expectWhole(program: Program, running: Running): Promise<void> {
  const { events } = await running.ended;
  const log = await program.log(sessionOf(events));
  expect(log).toEqual(events);
  expect(log.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'done' });
}

describe.skipIf(isWithoutEngine)('processes on one home', () => {
  it('share one core, and the first waits for the second', async () => {
    await using program = await createProgram();
    await program.settings({
      providers: {
        first: model([whenTold('echo first > a.txt'), complete('The first is done.')]),
        second: model([whenTold('echo second > a.txt'), command('cat a.txt'), complete('The second is done.')]),
      },
    });
    const first = await startOn(program, 'first');
    await first.until('tool-started', ({ tool: name }) => name === 'run_command');
    const second = await startOn(program, 'second');
    await second.until('turn-started');
    expect(await ownerPid(program)).toBe(first.child.pid);
    await tell(program, 'first');
    await expect.poll(() => first.said()).toContain('Another Dewpoint process works through this one');
    await tell(program, 'second');
    const [firstEnd, secondEnd] = await Promise.all([first.ended, second.ended]);
    expect({ code: firstEnd.code, stderr: firstEnd.stderr }).toMatchObject({ code: 0 });
    expect({ code: secondEnd.code, stderr: secondEnd.stderr }).toMatchObject({ code: 0 });
    await expectWhole(program, first);
    await expectWhole(program, second);
    expect(ofType(firstEnd.events, 'file-changed')).toHaveLength(1);
    expect(await readFile(join(program.folder, 'second', 'a.txt'), 'utf8')).toBe('second\n');
    await expect(ownerPid(program)).rejects.toThrow('ENOENT');
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  }, 120_000);

  it('say so and end when the first one is killed, and the next one repairs', async () => {
    await using program = await createProgram();
    await program.settings({
      local: 'third/script',
      providers: {
        first: model([command('sleep 300'), complete()]),
        second: model([tool('write_file', { path: 'b.txt', content: 'b\n' }), command('sleep 300'), complete()]),
        third: model([change(), complete('The third is done.')]),
      },
    });
    const first = await startOn(program, 'first');
    await first.until('turn-started');
    const second = await startOn(program, 'second');
    await second.until('tool-started', ({ tool: name }) => name === 'run_command');
    first.child.kill('SIGKILL');
    const ended = await second.ended;
    expect(ended.signal).toBeNull();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/The Dewpoint process .* has ended/);
    const third = await program.startTask().ended;
    expect({ code: third.code, stderr: third.stderr }).toMatchObject({ code: 0 });
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
    const id = sessionOf(ended.events);
    expect((await program.run(['sessions', 'show', id])).stdout).toMatch(
      /Dewpoint ended in the middle of this turn.*\n\(failed\)/,
    );
    const undone = await program.run(['changes', id, 'undo']);
    expect(undone).toMatchObject({ code: 0, stdout: 'undone b.txt\n' });
    const log = await program.log(id);
    expect(log.slice(0, ended.events.length)).toEqual(ended.events);
    expect(ofType(log, 'tool-ended').find(({ tool: name }) => name === 'run_command')?.status).toBe('unknown');
    expect(ofType(log, 'turn-ended').map(({ reason }) => reason)).toEqual(['crashed']);
  }, 120_000);

  it('all do their work when five of them start at the same moment', async () => {
    await using program = await createProgram();
    const names = ['one', 'two', 'three', 'four', 'five'];
    const replies = [command('echo made > made.txt'), complete()];
    await program.settings({ providers: Object.fromEntries(names.map((name) => [name, model(replies)])) });
    const all = await Promise.all(names.map((name) => startOn(program, name)));
    const ends = await Promise.all(all.map((running) => running.ended));
    expect(ends.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0, 0, 0]);
    for (const running of all) await expectWhole(program, running);
    expect(await program.sessionIds()).toHaveLength(5);
    expect(await program.leftovers()).toEqual({ containers: [], volumes: [] });
  }, 120_000);

  it('create a home that does not exist yet', async () => {
    await using program = await createProgram();
    const end = await program.run(['sessions', 'list'], { env: { DEWPOINT_HOME: join(program.folder, 'not', 'yet') } });
    expect(end).toMatchObject({ code: 0, stdout: '' });
  });
});
