import { describe, expect, it } from 'vitest';
import { createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { createLimits, MAX_TURN_OUTPUT_BYTES } from '../../../../src/main/agent/turn/turn-limits.ts';

const numbers = { maxSteps: 40, maxMinutes: 10, maxTokens: 1000, maxUsd: null };
const read = { path: 'a.py' };
const edit = { path: 'a.py', old: 'one', new: 'two' };

describe('two calls that take turns', () => {
  it('are stopped when the first shows the same each time', () => {
    const limits = createLimits(numbers);
    for (const output of ['one', 'refused', 'one']) {
      const isRead = output === 'one';
      expect(limits.noteCall(isRead ? 'read_file' : 'edit_file', isRead ? read : edit, 0)).toBeNull();
      limits.noteResult(output);
    }
    expect(limits.noteCall('edit_file', edit, 0)?.reason).toBe('alternating-calls');
  });

  it('go on when the first showed something new: a file that a person changed is read again, and edited', () => {
    const limits = createLimits(numbers);
    const outputs = ['one', 'refused: it was changed', 'one and more'];
    for (const [index, output] of outputs.entries()) {
      const isRead = index % 2 === 0;
      expect(limits.noteCall(isRead ? 'read_file' : 'edit_file', isRead ? read : edit, 0)).toBeNull();
      limits.noteResult(output);
    }
    expect(limits.noteCall('edit_file', edit, 0)).toBeNull();
  });
});

describe('a limit of tool calls', () => {
  it('ends the turn with its sentence, whichever answer the call is in, and lets the task be ended', async () => {
    const look = (path: string) => ({ name: 'read_file', input: { path } });
    const kit = createAgentKit({
      replies: [{ calls: [look('a.py'), look('b.py'), look('c.py')] }],
      sandbox: { files: { 'a.py': '1', 'b.py': '2', 'c.py': '3' } },
    });
    const end = await kit.runner.send('Look at the files.', { ...turnOptions, strategy: 'loop', maxCalls: 2 });
    expect(end).toMatchObject({ reason: 'step-limit', text: 'The limit of 2 tool calls was reached.' });
    expect(kit.requests).toHaveLength(1);
    const limits = createLimits({ ...numbers, maxCalls: 1 });
    expect(limits.noteCall('read_file', read, 0)).toBeNull();
    expect(limits.noteCall('task_complete', {}, 0)).toBeNull();
  });
});

describe('what the tools of a turn print', () => {
  it('ends it together, whichever call was the last drop', () => {
    const limits = createLimits(numbers);
    limits.start(0);
    limits.noteOutput(MAX_TURN_OUTPUT_BYTES - 1);
    expect(limits.exceeded(1)).toBeNull();
    limits.noteOutput(1);
    expect(limits.exceeded(1)?.reason).toBe('output-limit');
  });
});
