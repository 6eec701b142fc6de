import { describe, expect, it } from 'vitest';
import { createLimits, MAX_TURN_OUTPUT_BYTES } from '../../../src/main/agent/limits.ts';

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
