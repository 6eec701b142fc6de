import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventOf, SessionEvent } from '../../src/shared/events/events.ts';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import type { FakeComposio } from '../fakes/composio-server.ts';
import { startFakeComposio } from '../fakes/composio-server.ts';
import { multiTool, searchTool } from '../fakes/composio-tools.ts';
import type { Answer, Ended, Program } from '../faults/program.ts';
import { command, complete, createProgram, ofType, sessionOf, tool } from '../faults/program.ts';
import type { Ring } from './ring.ts';
import { filesWith, startRing } from './ring.ts';

/**
 * The whole program with a real key store, a real container and a scripted model, connected to a fake of Composio.
 * Catches: a key that gets into a file, parts that work alone but not together, and what is lost when Composio becomes
 * unreachable.
 */
const link = 'https://github.example.org/ada/calculator/issues/1';
const calculator = 'def add(left, right):\n    return left + right\n';
const tests = `import unittest
from calculator import add


class Adding(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(2, 3), 5)
`;
const work = [
  tool('write_file', { path: 'calculator.py', content: calculator }),
  tool('write_file', { path: 'test_calculator.py', content: tests }),
  command('python3 -m unittest'),
];
const search = tool(`work__${searchTool.slug}`, { queries: [{ use_case: 'create an issue' }] });
const issue = (title: string): Answer => {
  const inner = { tool_slug: 'GITHUB_CREATE_AN_ISSUE', arguments: { owner: 'ada', repo: 'calculator', title } };
  return tool(`work__${multiTool.slug}`, { tools: [inner], sync_response_to_workbench: false });
};
const task = 'Write a calculator, test it, and create an issue for it.';

describe.skipIf(isWithoutEngine)('a task through Composio', () => {
  let ring: Ring;
  let fake: FakeComposio;
  let program: Program;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    ring = await startRing();
    fake = await startFakeComposio();
    program = await createProgram();
    env = { DBUS_SESSION_BUS_ADDRESS: ring.env.DBUS_SESSION_BUS_ADDRESS ?? '' };
    await program.script([]);
  });
  afterAll(async () => {
    await program?.[Symbol.asyncDispose]();
    await fake?.close();
    ring?.stop();
  });

  const run = async (args: readonly string[], stdin?: string): Promise<Ended> => {
    const ended = await program.run(args, { env, ...(stdin === undefined ? {} : { stdin }) });
    expect(ended.code, ended.stderr).toBe(0);
    return ended;
  };
  /** Sets the model's next answers. The other settings stay. */
  const script = async (replies: readonly Answer[]): Promise<void> => {
    const path = join(program.home, 'settings.json');
    const settings: Record<string, unknown> = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...settings, providers: { script: { kind: 'scripted', replies } } }));
  };
  beforeEach(async () => {
    for (const name of ['calculator.py', 'test_calculator.py']) await rm(join(program.project, name), { force: true });
  });
  const startTask = () => program.startTask(task, ['--approve', 'allow', '--strategy', 'loop'], { env });
  const resultsOf = (events: readonly SessionEvent[]): readonly EventOf<'tool-ended'>[] =>
    ofType(events, 'tool-ended').filter((one) => one.tool.startsWith('work__'));
  /** Replays the events without the servers and checks that nothing is requested. */
  const replays = async (events: readonly SessionEvent[]): Promise<void> => {
    const before = fake.requests.length;
    expect((await run(['replay', sessionOf(events)])).stdout).toContain('replay to the same state');
    expect(fake.requests).toHaveLength(before);
  };

  it('begins with a key in the key store, two yeses and an account', async () => {
    await run(['tools', 'composio', 'work', '--user', 'ada', '--toolkit', 'github', '--address', fake.url]);
    await run(['tools', 'secret', 'work', 'x-api-key'], `${fake.key}\n`);
    expect(fake.requests).toEqual([]);
    await run(['tools', 'approve', 'work', '--yes']);
    expect((await run(['tools', 'connect', 'work'])).stdout).toMatch(/github\s+not connected/);
    const connecting = program.start(['tools', 'connect', 'work', 'github'], { env });
    await expect.poll(connecting.said).toContain('Open this link');
    await expect.poll(() => fake.accounts.length).toBe(1);
    fake.signIn('github');
    const { code, stdout, stderr } = await connecting.ended;
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'https://connect.example.org/link/lk_ca_1\n' });
    expect(stderr).toContain('github is connected.');
    expect(filesWith(program.home, fake.key)).toEqual([]);
  });

  it('is done, returns the link, and replays without Composio', async () => {
    await script([...work, search, issue('A calculator with tests'), complete(`The issue is ${link}`)]);
    const { code, events, stderr } = await startTask().ended;
    expect(code, stderr).toBe(0);
    const [tested] = ofType(events, 'tool-ended').filter((one) => one.tool === 'run_command');
    expect(tested?.output).toContain('Ran 1 test');
    expect(resultsOf(events).map(({ status }) => status)).toEqual(['ok', 'ok']);
    expect(resultsOf(events)[1]?.output).toContain(link);
    expect(fake.issues).toEqual([{ title: 'A calculator with tests', user: 'ada' }]);
    expect(ofType(events, 'turn-ended')[0]?.text).toContain(link);
    const told = ofType(events, 'tool-ended').find((one) => one.tool === 'gather_facts');
    expect(told?.output).toContain('work, for the user "ada": connected are github.');
    await replays(events);
    const shown = await run(['sessions', 'show', sessionOf(events)]);
    expect(shown.stdout + shown.stderr).toContain('GITHUB_CREATE_AN_ISSUE');
    expect(filesWith(program.home, fake.key)).toEqual([]);
  });

  it('names a refused account, a limit or a dead server, and loses nothing', async () => {
    fake.issues.splice(0);
    fake.accounts.splice(0);
    const limit = { status: 429, body: { message: 'Rate limit exceeded' }, headers: { 'retry-after': '1' } };
    await script([...work, issue('one'), issue('two'), issue('three'), complete('The issue could not be made.')]);
    fake.troubles.push({ step: 'toolkits', trouble: { status: 503, body: { message: 'Down for a moment' } } });
    // The first call finds no account, the second hits a limit, and the third loses its server before the answer.
    fake.executions.push('works', limit, 'breaks');
    const { code, events, stderr } = await startTask().ended;
    expect(code, stderr).toBe(0);
    const [refused, limited, gone] = resultsOf(events);
    expect(refused).toMatchObject({
      status: 'error',
      output: expect.stringContaining('No connected account was found'),
    });
    expect(limited).toMatchObject({
      status: 'error',
      output: expect.stringContaining('Rate limit exceeded It can be'),
    });
    expect(gone).toMatchObject({ status: 'unknown', output: expect.stringContaining('may have done some of it') });
    const told = ofType(events, 'tool-ended').find((one) => one.tool === 'gather_facts');
    expect(told?.output).toContain('what is connected is not known');
    expect(await program.text('calculator.py')).toBe(calculator);
    await replays(events);
  });

  it('opens after a kill in the middle of a call, and does not repeat the call', async () => {
    fake.connect('ada', 'github');
    fake.executions.push('hangs');
    await script([...work, issue('four'), complete()]);
    const running = startTask();
    await running.until('tool-started', (event) => event.tool === `work__${multiTool.slug}`);
    running.child.kill('SIGKILL');
    const { events } = await running.ended;
    const id = sessionOf(events);
    const before = fake.requests.length;
    await run(['sessions', 'show', id]);
    const log = await program.log(id);
    expect(resultsOf(log).map(({ status }) => status)).toEqual(['unknown']);
    expect(fake.requests).toHaveLength(before);
    expect(await program.text('calculator.py')).toBe(calculator);
    await fake.close();
    await replays(log);
  });
});
