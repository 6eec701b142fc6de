import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { failure, success } from '../../../../src/shared/errors.ts';
import type { Approver } from '../../../../src/main/safety/approvals/approver.ts';
import { defineRecipe } from '../../../../src/main/recipes/define.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import type { MemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import type { Tool } from '../../../../src/main/tools/define.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const builtIn = builtInTools(discoverTools(), { now: () => 0 });
const done = call('task_complete', { summary: 'ok' });
const files = { 'a.py': 'x = 1\n', 'tests/test_a.py': 'def test_a():\n    assert True\n', 'package-lock.json': '{}' };

const says = (answer: 'allow' | 'deny' | 'nobody'): Approver => ({ ask: async () => answer });
const writeTest = [
  call('read_file', { path: 'tests/test_a.py' }),
  call('write_file', { path: 'tests/test_a.py', content: 'pass\n' }),
  done,
];
const toolEnd = (kit: AgentKit, tool: string): unknown =>
  ofType(kit.journal.events, 'tool-ended').find((event) => event.tool === tool);

describe('a question', () => {
  const write = call('write_file', { path: 'a.py', content: 'x = 2\n' });

  it('changes no file, and the model is told to answer it', async () => {
    const kit = createAgentKit({ replies: [write, { text: 'x is 1.' }], sandbox: { files, exec: () => ({}) } });
    const end = await kit.runner.send('Which value does x have?', { ...turnOptions, mode: 'ask', strategy: 'loop' });
    expect(end).toMatchObject({ reason: 'answered', text: 'x is 1.' });
    expect(kit.sandbox.text('a.py')).toBe(files['a.py']);
    expect(toolEnd(kit, 'write_file')).toMatchObject({
      status: 'refused',
      output: expect.stringContaining('Answer it'),
    });
  });

  it('becomes work once something is asked for beside it', async () => {
    const kit: AgentKit = createAgentKit({
      replies: [
        () => {
          void kit.runner.send('Then set it to 2.', turnOptions);
          return call('read_file', { path: 'a.py' });
        },
        write,
        done,
      ],
      sandbox: { files, exec: () => ({}) },
    });
    await kit.runner.send('Which value does x have?', { ...turnOptions, mode: 'auto', strategy: 'loop' });
    expect(kit.sandbox.text('a.py')).toBe('x = 2\n');
  });
});

describe('three answers in a row without a call that may run', () => {
  it.each([
    [
      'name paths outside the project',
      [
        call('list_files', { path: '..' }),
        call('read_file', { path: '/etc/hosts' }),
        call('read_file', { path: '../b.py' }),
      ],
      /outside the project.*\.\.\/b\.py/u,
    ],
    ['call tools that do not exist', [1, 2, 3].map((at) => call(`fly_${at}`, {})), /does not exist \(fly_3\)/u],
    ['leave arguments out', [1, 2, 3].map((at) => call('edit_file', { at })), /edit_file with wrong arguments/u],
  ] as const)('end the turn with what they were: they %s', async (_what, replies, text) => {
    const kit = createAgentKit({ replies: [...replies], sandbox: { files, exec: () => ({}) } });
    const end = await kit.runner.send('Do the work.', { ...turnOptions, strategy: 'loop' });
    expect(end).toMatchObject({ reason: 'gave-up', text: expect.stringMatching(text) });
    expect(end.text).not.toMatch(/understood/u);
    await expectReplay(kit);
  });
});

/** One answer with a command that writes a test file, and the end of the task; then the end alone. */
const commandKit = (text: string): AgentKit =>
  createAgentKit({
    replies: [
      {
        calls: [
          { name: 'run_command', input: { command: 'write' } },
          { name: 'task_complete', input: { summary: 'ok' } },
        ],
      },
      done,
    ],
    sandbox: {
      files,
      exec: ({ command }, sandbox) => {
        if (command === 'write') sandbox.put('tests/test_a.py', text);
        return {};
      },
    },
  });

describe('a guarded file', () => {
  it.each([
    ['nobody is there to ask', says('nobody'), 'ask', ['refused', 'nobody']],
    ['a person says no', says('deny'), 'ask', ['refused', 'person']],
    ['a person says yes', says('allow'), 'ask', ['ok', 'person']],
    ['the user said yes before', says('nobody'), 'allow', ['ok', 'policy']],
    ['the user said no before', says('allow'), 'deny', ['refused', 'policy']],
  ] as const)('is asked about: %s', async (_how, approver, approve, [status, by]) => {
    const kit = createAgentKit({
      replies: writeTest,
      sandbox: { files, exec: () => ({}) },
      dependencies: { approver },
    });
    const end = await kit.runner.send('Do the work.', { ...turnOptions, approve });
    expect(end.reason).toBe(status === 'ok' ? 'done' : 'answered');
    expect(toolEnd(kit, 'write_file')).toMatchObject({ status });
    expect(ofType(kit.journal.events, 'approval-answered')).toMatchObject([{ by }]);
    expect(kit.sandbox.text('tests/test_a.py')).toBe(status === 'ok' ? 'pass\n' : files['tests/test_a.py']);
  });

  it.each([
    [
      'a change',
      call('write_file', { path: 'tests/test_a.py', content: 'pass\n' }),
      ['--- a/tests/test_a.py', '+++ b/tests/test_a.py', '-assert 1\n', '+pass\n'],
    ],
    ['a deletion', call('delete_file', { path: 'tests/test_a.py' }), ['+++ /dev/null', '-assert 1\n']],
  ] as const)('is shown in the question with what it would be: %s', async (_what, first, parts) => {
    const kit = createAgentKit({
      replies: [call('read_file', { path: 'tests/test_a.py' }), first, done],
      sandbox: { files: { 'tests/test_a.py': 'assert 1\n' }, exec: () => ({}) },
      dependencies: { approver: says('deny') },
    });
    await kit.runner.send('Do the work.', turnOptions);
    const [asked] = ofType(kit.journal.events, 'approval-requested');
    for (const part of parts) expect(asked?.text).toContain(part);
    expect(asked?.reason).toContain('It is guarded');
  });

  // Bug: a model that only needed an import gave up, or asked.
  it.each([
    ['Add the rounding mode.', 'new tests at its end, and new import lines'],
    ['Fix the failing test.', 'a new test file beside it'],
  ])('says what may be done to it without asking: %s', async (task, allowed) => {
    const kit = createAgentKit({ replies: writeTest, sandbox: { files, exec: () => ({}) } });
    await kit.runner.send(task, { ...turnOptions, strategy: 'loop' });
    expect(toolEnd(kit, 'write_file')).toMatchObject({ output: expect.stringContaining(allowed) });
  });

  it('shows a file that is nearly all different as it would be', async () => {
    const [before, after] = ['old', 'new'].map((word) =>
      Array.from({ length: 1_500 }, (_, at) => `${word} ${at}\n`).join(''),
    );
    const kit = createAgentKit({
      replies: [call('write_file', { path: 'tests/test_a.py', content: after }), done],
      sandbox: { files: { 'tests/test_a.py': before ?? '' }, exec: () => ({}) },
      dependencies: { approver: says('deny') },
    });
    await kit.runner.send('Do the work.', turnOptions);
    const text = ofType(kit.journal.events, 'approval-requested')[0]?.text;
    expect(text).toBe(`--- a/tests/test_a.py\n+++ b/tests/test_a.py\n${after}`);
  });

  it('is refused without a question after three refusals', async () => {
    let asked = 0;
    const approver: Approver = {
      ask: async () => {
        asked += 1;
        return 'deny';
      },
    };
    const replies = Array.from({ length: 6 }, (_, at) =>
      call('write_file', { path: `tests/test_${at}.py`, content: 'x' }),
    );
    const many = Object.fromEntries(replies.map((_reply, at) => [`tests/test_${at}.py`, 'y']));
    const kit = createAgentKit({ replies, sandbox: { files: many, exec: () => ({}) }, dependencies: { approver } });
    await kit.runner.send('Tidy up.', { ...turnOptions, strategy: 'loop', maxSteps: 6 });
    expect(asked).toBe(3);
    const said = ofType(kit.journal.events, 'approval-answered').map(({ answer, by }) => `${answer} ${by}`);
    expect(said).toEqual([...Array(3).fill('deny person'), ...Array(3).fill('deny policy')]);
  });

  it('is open to changes when the task is about it', async () => {
    const kit = createAgentKit({ replies: writeTest, sandbox: { files, exec: () => ({}) } });
    await kit.runner.send('Update the tests.', turnOptions);
    expect(kit.sandbox.text('tests/test_a.py')).toBe('pass\n');
    expect(ofType(kit.journal.events, 'approval-requested')).toEqual([]);
  });

  it('is put back when a command changed it, and the model is told', async () => {
    const kit = createAgentKit({
      replies: [call('run_command', { command: 'sed' }), done],
      sandbox: {
        files,
        exec: ({ command }, sandbox) => {
          if (command === 'sed') {
            sandbox.put('tests/test_a.py', 'pass\n');
            sandbox.put('a.py', 'x = 2\n');
          }
          return {};
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.sandbox.text('tests/test_a.py')).toBe(files['tests/test_a.py']);
    expect(kit.sandbox.text('a.py')).toBe('x = 2\n');
    expect(ofType(kit.journal.events, 'file-changed').map(({ path, by }) => [path, by])).toEqual([
      ['a.py', 'model'],
      ['tests/test_a.py', 'model'],
      ['tests/test_a.py', 'undo'],
    ]);
    expect(JSON.stringify(kit.requests[1]?.messages.at(-1))).toContain('was put back');
  });

  // Bug: the test that a command wrote was put back, and the task ended as done in the same answer, with nobody told.
  it('that a command changed and that was put back leaves out what comes after it', async () => {
    const kit = commandKit('def test_a():\n    pass\n');
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.sandbox.text('tests/test_a.py')).toBe(files['tests/test_a.py']);
    const said = JSON.stringify(kit.requests[1]?.messages);
    expect(said).toContain('was put back. If the task needs the change, make it with an edit tool');
    expect(said).toContain('Skipped: before it in the same answer, this failed: run');
    await expectReplay(kit);
  });

  // Bug: what somebody else had changed meanwhile, and so was not put back, was named among what was.
  it('that could not be put back is not named among what was', async () => {
    const kit = commandKit('def test_a():\n    pass\n');
    kit.sandbox.files.write = async () => failure('refused', 'No.');
    await kit.runner.send('Do the work.', turnOptions);
    const ended = ofType(kit.journal.events, 'tool-ended').find(({ tool }) => tool === 'run_command');
    expect(ended?.output).toContain('could not');
    expect(JSON.stringify(ended?.data ?? null)).not.toContain('putBack');
  });

  // Bug: an edit could add a test at the end, and a command that did the same was taken back.
  it('may gain tests at its end by a command, as by an edit', async () => {
    const longer = `${files['tests/test_a.py']}\n\ndef test_b():\n    assert True\n`;
    const kit = commandKit(longer);
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.sandbox.text('tests/test_a.py')).toBe(longer);
    expect(kit.requests).toHaveLength(1);
  });

  it('is guarded by every name, and a link to it is not written through', async () => {
    const link = 'notes.py';
    const kit = createAgentKit({
      replies: [call('read_file', { path: link }), call('write_file', { path: link, content: 'pass\n' }), done],
      sandbox: { files: { ...files, [link]: files['tests/test_a.py'] }, exec: () => ({}) },
    });
    kit.sandbox.files.realPath = async (path) => success(path === link ? 'tests/test_a.py' : path);
    await kit.runner.send('Do the work.', turnOptions);
    expect(toolEnd(kit, 'write_file')).toMatchObject({ status: 'refused' });
    expect(ofType(kit.journal.events, 'approval-requested')).toMatchObject([{ subject: 'tests/test_a.py' }]);
    expect(ofType(kit.journal.events, 'file-changed')).toEqual([]);
  });

  it.each([
    ['only its mode was changed', (sandbox: MemorySandbox) => sandbox.put('tests/run.sh', 'exit 1\n', 0o777)],
    ['it was made to be read-only, too', (sandbox: MemorySandbox) => sandbox.put('tests/run.sh', 'exit 0\n', 0o444)],
    ['it was removed', (sandbox: MemorySandbox) => sandbox.remove('tests/run.sh')],
  ])('gets its mode back when a command changed it: %s', async (_how, change) => {
    const kit = createAgentKit({
      replies: [call('run_command', { command: 'chmod' }), done],
      sandbox: {
        files,
        exec: ({ command }, sandbox) => {
          if (command === 'chmod') change(sandbox);
          return {};
        },
      },
    });
    kit.sandbox.put('tests/run.sh', 'exit 1\n', 0o750);
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.sandbox.text('tests/run.sh')).toBe('exit 1\n');
    expect(kit.sandbox.contents.get('tests/run.sh')?.mode).toBe(0o750);
    const taken = ofType(kit.journal.events, 'file-changed').filter(({ by }) => by === 'undo');
    expect(taken).toMatchObject([{ path: 'tests/run.sh', after: { mode: 0o750 } }]);
    expect(JSON.stringify(kit.requests[1]?.messages.at(-1))).toContain('was put back');
  });

  it('is put back even when it is as long as lock files are', async () => {
    const lock = `{${'"a": 1, '.repeat(200_000)}"b": 1}`;
    const kit = createAgentKit({
      replies: [call('run_command', { command: 'npm' }), done],
      sandbox: {
        files: { ...files, 'package-lock.json': lock },
        exec: ({ command }, sandbox) => {
          if (command === 'npm') sandbox.put('package-lock.json', lock.replaceAll('1', '2'));
          return {};
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.sandbox.text('package-lock.json') === lock).toBe(true);
  });

  it('becomes readable again when a command took that away', async () => {
    const kit = createAgentKit({
      replies: [call('run_command', { command: 'chmod 000' }), done],
      sandbox: {
        files,
        exec: ({ command }, sandbox) => {
          if (command === 'chmod 000') sandbox.put('tests/test_a.py', 'pass\n', 0);
          return {};
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.sandbox.text('tests/test_a.py')).toBe(files['tests/test_a.py']);
    expect(kit.sandbox.contents.get('tests/test_a.py')?.mode).toBe(0o644);
  });
});

describe('a patch of several files', () => {
  const hunk = (path: string, from: string, to: string): string =>
    `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
  const run = async (patch: string, work?: (sandbox: MemorySandbox) => void): Promise<AgentKit> => {
    const kit = createAgentKit({
      replies: [call('apply_patch', { patch }), done],
      sandbox: { files, exec: () => ({}) },
    });
    work?.(kit.sandbox);
    await kit.runner.send('Do the work.', turnOptions);
    return kit;
  };
  const lock = hunk('package-lock.json', '{}', '{"a": 1}').replace(/\n(?=\+\{)/u, '\n\\ No newline at end of file\n');

  it('changes nothing when one of them is guarded', async () => {
    const kit = await run(`${hunk('a.py', 'x = 1', 'x = 2')}${lock}`);
    expect(toolEnd(kit, 'apply_patch')).toMatchObject({ status: 'refused' });
    expect(kit.sandbox.text('a.py')).toBe('x = 1\n');
    expect(ofType(kit.journal.events, 'file-changed')).toEqual([]);
  });

  it('restores what was written when a later file cannot be', async () => {
    const patch = `${hunk('a.py', 'x = 1', 'x = 2')}${hunk('b.py', 'y = 1', 'y = 2')}`;
    const kit = await run(patch, (sandbox) => sandbox.put('b.py', 'y = 1\n', 0o444));
    expect(toolEnd(kit, 'apply_patch')).toMatchObject({ status: 'refused' });
    expect([kit.sandbox.text('a.py'), kit.sandbox.text('b.py')]).toEqual(['x = 1\n', 'y = 1\n']);
    expect(ofType(kit.journal.events, 'file-changed').map(({ path, by }) => [path, by])).toEqual([
      ['a.py', 'model'],
      ['a.py', 'undo'],
    ]);
  });

  it('changes all of them when nothing is in the way', async () => {
    const kit = await run(`${hunk('a.py', 'x = 1', 'x = 2')}--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+z = 1\n`);
    expect(toolEnd(kit, 'apply_patch')).toMatchObject({ status: 'ok', output: 'Patched a.py.\nPatched c.py.' });
    expect([kit.sandbox.text('a.py'), kit.sandbox.text('c.py')]).toEqual(['x = 2\n', 'z = 1\n']);
  });
});

describe('a command with an unknown end', () => {
  it('is unknown, never ended, and the model is told what has changed', async () => {
    const kit = createAgentKit({
      replies: [call('run_command', { command: 'make' }), done],
      sandbox: {
        files,
        exec: ({ command }, sandbox) => {
          if (command !== 'make') return {};
          sandbox.put('a.py', 'x = 2\n');
          return { outcome: 'lost', exitCode: null };
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(toolEnd(kit, 'run_command')).toMatchObject({
      status: 'unknown',
      exitCode: null,
      output: expect.stringContaining('Different from before it: a.py.'),
    });
    expect(ofType(kit.journal.events, 'file-changed')).toMatchObject([{ path: 'a.py', by: 'model' }]);
  });
});

describe('an effect outside the sandbox', () => {
  const fetch: Tool = {
    name: 'fetch',
    description: 'Fetch.',
    access: 'network',
    input: z.object({ url: z.string() }),
    label: () => 'fetch example',
    run: async () => ({ status: 'ok', output: 'page' }),
  };
  const tools = [...builtIn, fetch];
  const replies = [call('fetch', { url: 'x' }), done];

  it('ends the turn when nobody can be asked', async () => {
    const kit = createAgentKit({ tools, replies });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('needs-approval');
  });

  it('is refused with --approve deny, and the turn goes on', async () => {
    const kit = createAgentKit({ tools, replies });
    const end = await kit.runner.send('Do the work.', { ...turnOptions, approve: 'deny' });
    expect(end.reason).toBe('answered');
    expect(toolEnd(kit, 'fetch')).toMatchObject({ status: 'refused' });
  });
});

describe('misunderstood calls', () => {
  it('are asked for again differently, and never run with invented arguments', async () => {
    const kit = createAgentKit({ replies: [call('write_file', { path: 'b.py' }), call('write_file', {}), done] });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('answered');
    expect(kit.sandbox.text('b.py')).toBeNull();
    expect(JSON.stringify(kit.requests[1]?.messages.at(-1))).toContain('This call was not run.');
    expect(kit.requests.map((request) => request.temperature)).toEqual([0, 0.4, 0.4]);
  });

  /** Catches: a reason that stands apart from its call, and a good result shown as that of the bad call before it. */
  it('have their reason in their own result, beside the results of other calls', async () => {
    const three = {
      calls: [
        { name: 'read_file', input: { from: 1 } },
        { name: 'read_file', input: { path: 'a.py' } },
        { name: 'no_such_tool', input: {} },
      ],
    };
    const kit = createAgentKit({ replies: [three, done], sandbox: { files, exec: () => ({}) } });
    await kit.runner.send('Do the work.', turnOptions);
    const results = (kit.requests[1]?.messages ?? []).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' ? [part] : [])),
    );
    expect(results).toMatchObject([
      { name: 'read_file', isError: true, text: expect.stringMatching(/^This call was not run\..*"path"/u) },
      { name: 'read_file', isError: false, text: expect.stringContaining('x = 1') },
      { name: 'no_such_tool', isError: true, text: expect.stringContaining('There is no tool "no_such_tool"') },
    ]);
  });

  /** Catches: a request that is lost because a number is out of range. */
  it('run with the nearest allowed number, and their result says so', async () => {
    const far = call('search', { pattern: 'x', context: 75, limit: 2.5 });
    const kit = createAgentKit({ replies: [far, done], sandbox: { files, exec: () => ({}) } });
    await kit.runner.send('Do the work.', turnOptions);
    expect(toolEnd(kit, 'search')).toMatchObject({
      status: 'ok',
      output: expect.stringMatching(
        /x = 1[^]*\["context" was 75; 20 was used, the most\]\n\["limit" was 2\.5; 2 was used, a whole number\]$/u,
      ),
    });
  });

  it('end the stage after three such answers in a row', async () => {
    const kit = createAgentKit({ replies: Array.from({ length: 4 }, () => call('no_such_tool', {})) });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('gave-up');
    expect(kit.requests).toHaveLength(3);
  });

  it('prevent an end in the same answer from being believed', async () => {
    const both = {
      calls: [
        { name: 'edit_file', input: {} },
        { name: 'task_complete', input: { summary: 'ok' } },
      ],
    };
    const kit = createAgentKit({ replies: [both, done] });
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.requests).toHaveLength(2);
  });
});

describe('changes of files', () => {
  it('are recorded before and after, for tools and commands alike', async () => {
    const kit = createAgentKit({
      replies: [call('write_file', { path: 'new.py', content: 'n\n' }), call('run_command', { command: 'mv' }), done],
      sandbox: {
        files: { 'a.py': 'x = 1\n' },
        exec: (_request, sandbox) => {
          sandbox.remove('a.py');
          sandbox.put('b.py', 'x = 1\n');
          return {};
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    const text = async (image: unknown): Promise<string | null> => {
      if (typeof image !== 'object' || image === null || !('blob' in image)) return null;
      const { blob } = z.object({ blob: z.object({ sha256: z.string() }) }).parse(image);
      return Buffer.from(kit.journal.blobs.get(blob.sha256) ?? []).toString('utf8');
    };
    const changes = await Promise.all(
      ofType(kit.journal.events, 'file-changed').map(async (event) => [
        event.path,
        await text(event.before),
        await text(event.after),
      ]),
    );
    expect(changes).toEqual([
      ['new.py', null, 'n\n'],
      ['a.py', 'x = 1\n', null],
      ['b.py', null, 'x = 1\n'],
    ]);
  });

  it('are reported even for a file too large to keep', async () => {
    const kit = createAgentKit({
      replies: [call('run_command', { command: 'gen' }), done],
      sandbox: {
        files: { 'a.py': 'x' },
        exec: (_request, sandbox) => {
          sandbox.put('big.bin', 'b'.repeat(600 * 1024));
          return {};
        },
      },
    });
    await kit.runner.send('Do the work.', turnOptions);
    expect(ofType(kit.journal.events, 'file-changed')[0]).toMatchObject({
      path: 'big.bin',
      after: { kept: false, why: 'too-large' },
      added: null,
    });
  });

  it('are refused in a file that the model has not read', async () => {
    const kit = createAgentKit({ replies: [call('write_file', { path: 'a.py', content: 'gone' }), done] });
    await kit.runner.send('Do the work.', turnOptions);
    expect(kit.sandbox.text('a.py')).toBe('x = 1\n');
    expect(JSON.stringify(kit.requests[1]?.messages.at(-1))).toContain('Read it first');
  });

  it('are refused during planning', async () => {
    const kit = createAgentKit({
      replies: [call('write_file', { path: 'b.py', content: 'b' }), { text: '1. Write b.py' }],
    });
    const end = await kit.runner.send('Do the work.', { ...turnOptions, mode: 'plan' });
    expect(end).toMatchObject({ reason: 'planned', text: '1. Write b.py' });
    expect(kit.sandbox.text('b.py')).toBeNull();
  });
});

// Bug: a model that wrote another reason each time was never told that it goes in circles.
it('a command with another reason or with added spaces is the same call', async () => {
  const again = (why: string, command = 'ls') => call('run_command', { command, why });
  const kit = createAgentKit({
    replies: [again('to look'), again('to look once more', ' ls\n'), again('to be sure', 'ls '), done],
    sandbox: { files, exec: () => ({ stdout: 'a.py' }) },
  });
  const end = await kit.runner.send('Do the work.', turnOptions);
  expect(ofType(kit.journal.events, 'notice-added').map(({ code }) => code)).toContain('same-call');
  expect(end.reason).toBe('repeated-call');
});

// Bug: a strong model that ran passing tests once more was replaced by a recipe for small models, which edited a file.
it.each([
  {
    who: 'a strong model',
    parametersB: 30,
    strategies: ['loop'],
    text: 'The same run_command call was made three times.',
  },
  { who: 'a small model', parametersB: 1.5, strategies: ['loop', 'recipe'], text: 'by the recipe' },
])('$who that repeats a passing command is told so, and then ends correctly', async (row) => {
  const replies = Array.from({ length: 3 }, () => call('run_command', { command: 'pytest' }));
  const edit = defineRecipe({
    id: 'edit',
    label: 'edit',
    fits: () => ({ score: 1, reason: 'always' }),
    run: async () => ({ type: 'answered', text: 'by the recipe' }),
  });
  const kit = createAgentKit({
    replies,
    model: { parametersB: row.parametersB, strategies: ['loop', 'recipe'] },
    recipes: [edit],
    sandbox: { files, exec: () => ({ stdout: '1 passed' }) },
  });
  const end = await kit.runner.send('Do the work.', turnOptions);
  expect(ofType(kit.journal.events, 'stage-chosen').map(({ stage }) => stage.strategy)).toEqual(row.strategies);
  expect(end.text).toBe(row.text);
  const told = ofType(kit.journal.events, 'notice-added').find(({ code }) => code === 'same-call');
  expect(told?.text).toMatch(/pytest.*It passed.*If the task is done, say so now/u);
  await expectReplay(kit);
});
