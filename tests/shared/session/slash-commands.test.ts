import { describe, expect, it } from 'vitest';
import { editedSteps, planMessage, planSteps, planText } from '../../../src/shared/session/plan-steps.ts';
import { matchingCommands, parseSlash } from '../../../src/shared/session/slash-commands.ts';

describe('slash commands', () => {
  it('are offered until the name is complete, also by other names', () => {
    expect(matchingCommands('/com', 'window').map(({ name }) => name)).toEqual(['compact', 'compare']);
    expect(matchingCommands('/ch', 'window').map(({ name }) => name)).toEqual(['diff']);
    expect(matchingCommands('/qu', 'window')).toEqual([]);
    expect(matchingCommands('/plan it', 'terminal')).toEqual([]);
  });

  it('are read with their text, under one name', () => {
    expect(parseSlash('/undo  a b.py ', 'window')).toEqual({ type: 'command', name: 'undo', rest: 'a b.py' });
    expect(parseSlash('/changes', 'terminal')).toEqual({ type: 'command', name: 'diff', rest: '' });
    expect(parseSlash('/exit', 'terminal')).toMatchObject({ name: 'quit' });
  });

  it('that do not exist get the nearest name, while a path is a message', () => {
    expect(parseSlash('/comapre x', 'window')).toEqual({ type: 'unknown', typed: 'comapre', nearest: 'compare' });
    expect(parseSlash('/quit', 'window')).toMatchObject({ type: 'unknown' });
    expect(parseSlash('/zzzzzzzz', 'window')).toMatchObject({ nearest: null });
    expect(parseSlash('/etc/hosts is wrong', 'window')).toBeNull();
    expect(parseSlash('plan /x', 'window')).toBeNull();
  });
});

describe('a plan', () => {
  const text = [
    'Here is what I will do:',
    '',
    '1. **Read** dates.py',
    '   - its tests, too',
    '2) Change `week()`:',
    '   ```',
    '   return day',
    '   ```',
    '',
    '   and nothing else',
    '3. Run the tests',
    '',
    'Then we are done.',
  ].join('\n');

  it('is read from a list, each step with the text below it', () => {
    expect(planSteps(text)).toEqual([
      '**Read** dates.py\n- its tests, too',
      'Change `week()`:\n```\nreturn day\n```\nand nothing else',
      'Run the tests',
    ]);
    expect(planSteps('Just do it.')).toEqual(['Just do it.']);
    expect(planSteps('  ')).toEqual([]);
  });

  it('is read again after a person edited it', () => {
    const steps = planSteps(text);
    expect(editedSteps(planText(steps))).toEqual(steps);
    expect(editedSteps('# note\n3. c\n1. a\n')).toEqual(['c', 'a']);
  });

  it('is given to the model as numbered steps', () => {
    expect(planMessage(['a', 'b\nc'])).toBe('Carry out this plan, step by step:\n\n1. a\n2. b\n   c');
  });
});
