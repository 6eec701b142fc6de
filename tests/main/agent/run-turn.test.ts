import { describe, expect, it } from 'vitest';
import { call, createAgentKit, ofType, turnOptions, types } from '../../fakes/agent-kit.ts';

const brokenCalc = {
  'calc.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_calc.py': 'from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n',
};

describe('a turn in the loop', () => {
  it('reads, edits, tests and is believed when the criterion holds', async () => {
    const kit = createAgentKit({
      replies: [
        call('read_file', { path: 'calc.py' }),
        call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
        call('task_complete', { summary: 'add() subtracted; it adds now.' }),
      ],
      sandbox: {
        files: brokenCalc,
        exec: (_request, sandbox) =>
          sandbox.text('calc.py')?.includes('a + b') === true
            ? { exitCode: 0, stdout: '1 passed' }
            : { exitCode: 1, stdout: '1 failed' },
      },
    });
    const end = await kit.runner.send('A test fails. Find the bug and fix it.', turnOptions);
    expect(end).toEqual({
      reason: 'done',
      text: 'add() subtracted; it adds now.',
      confidence: 'high',
      failure: null,
    });
    expect(kit.sandbox.text('calc.py')).toBe('def add(a, b):\n    return a + b\n');
    expect(types(kit.journal.events)).toEqual([
      'user-message-added',
      'tool-started',
      'tool-ended',
      'turn-started',
      'tool-started',
      'tool-ended',
      'criterion-checked',
      'rung-chosen',
      'route-decided',
      'model-call-started',
      'model-call-ended',
      'tool-call-requested',
      'tool-started',
      'tool-ended',
      'route-decided',
      'model-call-started',
      'model-call-ended',
      'tool-call-requested',
      'tool-started',
      'file-changed',
      'tool-ended',
      'route-decided',
      'model-call-started',
      'model-call-ended',
      'tool-call-requested',
      'tool-started',
      'tool-ended',
      'tool-started',
      'tool-ended',
      'criterion-checked',
      'turn-ended',
    ]);
    expect(ofType(kit.journal.events, 'file-changed')[0]).toMatchObject({ path: 'calc.py', added: 1, removed: 1 });
  });

  it('returns a completion once when the criterion is unmet, with the evidence', async () => {
    const kit = createAgentKit({
      replies: [
        call('task_complete', { summary: 'done' }),
        call('read_file', { path: 'calc.py' }),
        call('edit_file', { path: 'calc.py', old: 'a - b', new: 'a + b' }),
        call('task_complete', { summary: 'done now' }),
      ],
      sandbox: {
        files: brokenCalc,
        exec: (_request, sandbox) =>
          sandbox.text('calc.py')?.includes('a + b') === true
            ? { exitCode: 0 }
            : { exitCode: 1, stdout: 'E assert -1 == 3' },
      },
    });
    const end = await kit.runner.send('Fix the bug.', turnOptions);
    expect(end.reason).toBe('done');
    const second = JSON.stringify(kit.requests[1]?.messages.at(-1));
    expect(second).toContain('assert -1 == 3');
    expect(ofType(kit.journal.events, 'criterion-checked').map((event) => event.passed)).toEqual([false, false, true]);
  });
});
