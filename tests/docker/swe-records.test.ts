import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/main/hosts/cli/commands/sessions/eval.command.ts';
import { commandContext } from '../fakes/command-context.ts';
import { eventsOf, openClientCore, type ClientCore } from '../fakes/core-client.ts';
import { isWithoutGit } from '../fakes/git-here.ts';
import { realRepository } from '../fakes/real-repository.ts';
import { isWithoutEngine } from './docker-kit.ts';

const task = 'examples/tasks/isodate-months';
const code = 'src/isodate/duration.py';
const judge = 'tests/test_hidden_check.py';
const asked = [`${judge}::test_datetime_keeps_its_time`, `${judge}::test_quotient_and_remainder_stay_in_range[-14]`];
const kept = ['tests/test_duration.py::test_repr', 'tests/test_duration.py::test_typeerror'];
const done = { toolCalls: [{ name: 'task_complete', input: { summary: 'Fixed.' } }] };
const write = (content: string) => ({ toolCalls: [{ name: 'write_file', input: { path: code, content } }] });
const run = (command: string) => ({ toolCalls: [{ name: 'run_command', input: { command } }] });
const read = { toolCalls: [{ name: 'read_file', input: { path: code } }] };
/** What a model would do that wants to see what judges it. */
const look = run('git log --all -p 2>&1; grep -rl fquotmod / --include=*.py 2>/dev/null');

let folder: string;
let core: ClientCore;
let records: string;

const open = (): Promise<ClientCore> =>
  openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-swe-'));
  await mkdir(join(folder, 'home'));
  await mkdir(join(folder, 'repos'));
  const source = join(folder, 'source');
  await cp(join(task, 'project'), source, { recursive: true });
  const repository = realRepository(source);
  const base = repository.commit('The package with a fault');
  await cp(join(task, 'hidden'), source, { recursive: true });
  repository.git('add', '--all');
  const patch = `${repository.git('diff', '--cached')}\n`;
  repository.commit('Its tests');
  await rename(join(source, '.git'), join(folder, 'repos', 'gweis__isodate.git'));
  const record = {
    instance_id: 'gweis__isodate-1',
    repo: 'gweis/isodate',
    base_commit: base,
    problem_statement: 'Subtracting a duration of several months from a date raises ValueError.',
    test_patch: patch,
    FAIL_TO_PASS: JSON.stringify(asked),
    PASS_TO_PASS: JSON.stringify(kept),
  };
  const missing = {
    ...record,
    instance_id: 'gweis__isodate-2',
    test_patch: `${patch}diff --git a/tests/test_tables.py b/tests/test_tables.py
new file mode 100644
--- /dev/null
+++ b/tests/test_tables.py
@@ -0,0 +1,5 @@
+import package_that_nobody_has
+
+
+def test_tables():
+    assert package_that_nobody_has
`,
    PASS_TO_PASS: JSON.stringify([...kept, 'tests/test_tables.py::test_tables']),
  };
  const lost = { ...record, instance_id: 'gweis__isodate-3', FAIL_TO_PASS: JSON.stringify([`${judge}::test_nobody`]) };
  records = join(folder, 'records.jsonl');
  await writeFile(records, [record, missing, lost].map((one) => `${JSON.stringify(one)}\n`).join(''));
  const right = await readFile(join(task, 'reference', code), 'utf8');
  const breaking = right.replace('%s.%s(%d, %d, %d, years', '%s/%s(%d, %d, %d, years');
  expect(breaking).not.toBe(right);
  core = await open();
  const models = {
    right: [look, read, write(right), done],
    breaking: [look, read, write(breaking), done],
    idle: [look, done],
  };
  for (const [name, replies] of Object.entries(models))
    await core.client.settings.set({ key: `providers.${name}`, value: { kind: 'scripted', replies, repeat: true } });
});

afterAll(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** Catches: tests that an agent can read, and a verdict that is that of the machine and not of the change. */
describe.skipIf(isWithoutEngine || isWithoutGit)('a record in the form of SWE-bench, in a real package', () => {
  const evaluateRecords = async (more: object): Promise<{ readonly code: number; readonly report: string }> => {
    const { context, said } = commandContext({ handlers: core.handlers });
    const report = join(folder, 'report.md');
    const code = await evaluate(context, records, {
      repos: join(folder, 'repos'),
      local: 'right/script,breaking/script,idle/script',
      strategy: 'loop',
      report: [report],
      ...more,
    });
    return { code, report: `${said.err}\n${await readFile(report, 'utf8')}` };
  };

  it('is solved by the true change alone, counts what broke, and shows no agent what judges it', async () => {
    const { code, report } = await evaluateRecords({ only: '*-1' });
    const [comparison] = await core.client.comparisons.list();
    const runs = comparison?.runs ?? [];
    expect(runs.map(({ check }) => check?.passed)).toEqual([true, false, false]);
    expect(runs.map(({ check }) => check?.named)).toEqual([
      { asked: { passed: 2, of: 2 }, kept: { passed: 2, of: 2 } },
      { asked: { passed: 2, of: 2 }, kept: { passed: 1, of: 2 } },
      { asked: { passed: 0, of: 2 }, kept: { passed: 2, of: 2 } },
    ]);
    expect(code).toBe(0);
    expect(report).toContain(
      'breaking/script,strategy=loop, 1: not solved, passes 2 of 2 that were asked for, broke 1 of 2',
    );
    expect(report).toMatch(/\| way \| solved \| 95 % \| broke tests \|/u);
    for (const { sessionId } of runs) {
      const events = JSON.stringify(await eventsOf(core.client, sessionId ?? ''));
      expect(events).toContain('duration.py');
      expect(events).not.toContain('test_hidden_check');
      expect(events).not.toContain('test_quotient_and_remainder');
    }
  }, 180_000);

  it('says that its environment is missing, and begins no run', async () => {
    const { code, report } = await evaluateRecords({ only: '*-2' });
    expect(code).toBe(1);
    expect(report).toContain('that should pass before any change do not pass here, so no run can be judged.');
    expect(report).toContain('package_that_nobody_has');
    const [comparison] = await core.client.comparisons.list();
    expect(comparison?.runs.map(({ state, sessionId }) => [state, sessionId])).toEqual(
      Array.from({ length: 3 }, () => ['skipped', null]),
    );
    const left = await readdir(join(folder, 'home', 'workspaces'));
    expect(left.filter((name) => name.endsWith('-tests'))).toEqual([]);
  }, 180_000);

  it('says that a test of it does not exist, which no change could make pass', async () => {
    const { code, report } = await evaluateRecords({ only: '*-3' });
    expect(code).toBe(1);
    expect(report).toMatch(/names a test that is not there, so no run can be judged: not found: .*test_nobody/u);
  }, 180_000);

  it('goes on in another process, and does no ended run again', async () => {
    const before = (await core.client.comparisons.list()).find(({ runs }) =>
      runs.every(({ state }) => state === 'ended'),
    );
    await core.dispose();
    core = await open();
    const { code } = await evaluateRecords({ only: '*-1' });
    expect(code).toBe(0);
    expect(await core.client.comparisons.show({ id: before?.id ?? '' })).toEqual(before);
  }, 180_000);
});
