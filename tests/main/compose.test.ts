import type { ClientCore } from '../fakes/core-client.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, success } from '../../src/shared/errors.ts';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import type { ComposeConfig } from '../../src/main/compose.ts';
import { openClientCore } from '../fakes/core-client.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';

const neverAborted = new AbortController().signal;
let home: string;
let core: ClientCore;

const calc = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_calc.py': 'from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n',
};

function openCore(replaced: Partial<ComposeConfig> = {}): Promise<ClientCore> {
  return openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () =>
      success(
        createMemorySandbox({
          files: calc,
          exec: (_request, sandbox) =>
            sandbox.text('calc.py')?.includes('a + b') === true
              ? { exitCode: 0, stdout: '1 passed' }
              : { exitCode: 1, stdout: '1 failed' },
        }),
      ),
    ...replaced,
  });
}

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'dewpoint-compose-'));
  core = await openCore();
  await core.client.settings.set({
    key: 'providers.script',
    value: {
      kind: 'scripted',
      replies: [
        { text: 'Looking.', toolCalls: [{ name: 'read_file', input: { path: 'calc.py' } }] },
        { toolCalls: [{ name: 'edit_file', input: { path: 'calc.py', old: 'a - b', new: 'a + b' } }] },
        { toolCalls: [{ name: 'run_command', input: { command: 'pytest -q' } }] },
        { toolCalls: [{ name: 'task_complete', input: { summary: 'It adds now.' } }] },
      ],
    },
  });
});

afterEach(async () => {
  await core.dispose();
  await rm(home, { recursive: true, force: true });
});

const options = runOptionsSchema.parse({ local: 'script/script', strategy: 'loop' });

describe('the assembled core', () => {
  it('runs a scripted session, keeps it, and replays it to the same hash in another process', async () => {
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
    await core.client.sessions.send({ sessionId: id, text: 'Fix the bug in add().', options });
    const result = await core.client.sessions.result({ sessionId: id });
    expect(result).toMatchObject({
      status: 'done',
      text: 'It adds now.',
      steps: 4,
      check: { command: 'python3 -m pytest -q', before: false, after: true },
      changes: [{ path: 'calc.py', added: 1, removed: 1 }],
      costUsd: 0,
    });
    await core.dispose();
    core = await openCore();
    const report = await core.client.sessions.replay({ sessionId: id }, { signal: neverAborted });
    expect(report).toMatchObject({ matched: true, firstDifference: null });
    expect(report.stateHash).toBe(report.recordedHash);
  });

  it('shows the licenses of what it contains, or their names in a checkout', async () => {
    const notice = await readFile('NOTICE', 'utf8');
    expect(await core.client.home.licenses()).toEqual({ folder: null, text: notice });
  });

  it('says what is missing when the model is absent', async () => {
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
    await core.client.sessions.send({
      sessionId: id,
      text: 'Fix the bug.',
      options: runOptionsSchema.parse({ local: 'script/other' }),
    });
    expect(await core.client.sessions.result({ sessionId: id })).toMatchObject({
      status: 'missing',
      reason: expect.stringContaining('script/other'),
    });
  });

  it('says that a model must be fetched only if it can be fetched', async () => {
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
    const reasonFor = async (local: string): Promise<string> => {
      await core.client.sessions.send({
        sessionId: id,
        text: 'Fix the bug.',
        options: runOptionsSchema.parse({ local }),
      });
      return (await core.client.sessions.result({ sessionId: id })).reason;
    };
    const known = 'llama-cpp/qwen2.5-coder-1.5b-instruct';
    expect(await reasonFor(known)).toContain(`\`dewpoint models pull ${known}\``);
    expect(await reasonFor('script/other')).not.toContain('models pull');
    for (const local of ['llama-cpp/none', 'none'])
      await expect(reasonFor(local)).rejects.toMatchObject({ data: { code: 'missing-model' } });
    const hint = expect.stringContaining('A model is named PROVIDER/MODEL.');
    await expect(core.client.models.show({ id: 'none', fit: false }, { signal: neverAborted })).rejects.toMatchObject({
      data: {
        code: 'not-found',
        hint,
      },
    });
  });

  it('refuses an empty task before anything is written', async () => {
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
    await expect(core.client.sessions.send({ sessionId: id, text: '  \n', options })).rejects.toMatchObject({
      data: { code: 'bad-input' },
    });
    const { state } = await core.client.sessions.show({ sessionId: id });
    expect(state.messages).toEqual([]);
  });

  it('refuses a project that is a file', async () => {
    const path = join(home, 'file.txt');
    await writeFile(path, 'x');
    await expect(core.client.sessions.create({ projectPath: path })).rejects.toMatchObject({
      data: { code: 'bad-input' },
    });
    expect(await readFile(path, 'utf8')).toBe('x');
  });

  it('can be cancelled while its sandbox is being made', async () => {
    await core.dispose();
    core = await openCore({
      startSandbox: (_request, signal) =>
        new Promise((resolve) => {
          const stop = (): void => resolve(failure('cancelled', 'It was cancelled.'));
          if (signal.aborted) stop();
          signal.addEventListener('abort', stop, { once: true });
        }),
    });
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
    const sent = core.client.sessions.send({ sessionId: id, text: 'Fix the bug.', options });
    await expect.poll(() => core.runningTurns()).toBe(1);
    await core.client.sessions.cancel({ sessionId: id });
    await expect(sent).rejects.toMatchObject({ data: { code: 'cancelled' } });
    expect(core.runningTurns()).toBe(0);
  });

  it('ends work without a container engine with the reason, and still answers questions', async () => {
    await core.dispose();
    const readOnly = createMemorySandbox({ files: calc });
    core = await openCore({
      startSandbox: async ({ needsExecute, because }) => {
        if (needsExecute) return failure('missing-sandbox', 'This user may not use the engine.', 'Join its group.');
        const missing = because === undefined ? {} : { missing: because };
        return success({ ...readOnly, tier: 'read-only', description: { ...readOnly.description, ...missing } });
      },
    });
    await core.client.settings.set({
      key: 'providers.answers',
      value: { kind: 'scripted', replies: [{ text: 'In calc.py.' }] },
    });
    const asks = { ...options, local: 'answers/script' };
    const { sessionId: id } = await core.client.sessions.create({ projectPath: null });
    await core.client.sessions.send({ sessionId: id, text: 'Fix the bug.', options: asks });
    expect(await core.client.sessions.result({ sessionId: id })).toMatchObject({
      status: 'missing',
      steps: 0,
      text: expect.stringMatching(/^This user may not use the engine\. Nothing can be changed/),
    });
    await core.client.sessions.send({ sessionId: id, text: 'Where is add()?', options: asks });
    expect(await core.client.sessions.result({ sessionId: id })).toMatchObject({ status: 'done', text: 'In calc.py.' });
  });
});
