import { describe, expect, it } from 'vitest';
import { parsePlanInput } from '../../../../../../src/main/hosts/cli/commands/models/memory-plan.command.ts';

describe('the arguments of models plan', () => {
  it('are the defaults of the engine when nothing is given', () => {
    expect(parsePlanInput('qwen3-14b', {})).toEqual({
      model: 'qwen3-14b',
      keys: null,
      context: null,
      kv: null,
      flash: true,
      ubatch: 512,
      slots: 1,
      unified: false,
      engine: 'node-llama-cpp',
      cards: null,
    });
  });

  // Bug: "The model add a history was not found" was said to somebody who wanted a plan of a task.
  it('are no task: that is planned by another command', () => {
    const hint = 'To plan a task: dewpoint run --plan "add a history"';
    expect(() => parsePlanInput('add a history', {})).toThrow(expect.objectContaining({ hint }));
    expect(parsePlanInput('my models/a b.gguf', {}).model).toContain('a b.gguf');
  });

  it('take cards by their bytes and what is free of them', () => {
    const { cards, flash, kv, engine } = parsePlanInput('m', {
      card: ['25769803776,20000000000', '8GiB', '24 GB'],
      flash: 'off',
      kv: 'q8_0',
      engine: 'llama-server',
    });
    expect({ cards, flash, kv, engine }).toEqual({
      cards: [
        { totalBytes: 25769803776, freeBytes: 20000000000 },
        { totalBytes: 8 * 1024 ** 3, freeBytes: 8 * 1024 ** 3 },
        { totalBytes: 24e9, freeBytes: 24e9 },
      ],
      flash: false,
      kv: 'q8_0',
      engine: 'llama-server',
    });
  });

  it.each([
    [{ context: '-5' }, /--context takes a whole number/],
    [{ context: '0' }, /--context takes a whole number/],
    [{ context: '4e3' }, /--context takes a whole number/],
    [{ card: ['0'] }, /0 bytes/],
    [{ card: ['-1'] }, /--card takes/],
    [{ card: ['10,20'] }, /free part is larger/],
    [{ card: ['1,2,3'] }, /--card takes/],
    [{ card: ['8 elephants'] }, /--card takes/],
    [{ kv: 'q2' }, /--kv takes f16, q8_0, q4_0/],
    [{ flash: 'yes' }, /--flash takes/],
    [{ engine: 'vllm' }, /--engine takes/],
    [{ slots: '0' }, /--slots takes/],
  ])('refuse %j', (args, message) => {
    expect(() => parsePlanInput('m', args)).toThrow(message);
  });
});
