import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { noUsage } from '@shared/money/token-cost.ts';
import type { Tool } from '../../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../../src/main/tools/registry.ts';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';
import { createLimits, MAX_TURN_OUTPUT_BYTES } from '../../../../src/main/agent/turn/turn-limits.ts';

const numbers = { maxSteps: 40, maxMinutes: 10, maxTokens: 1000, maxUsd: null };
const read = { path: 'a.py' };
const edit = { path: 'a.py', old: 'one', new: 'two' };
const answered = { usage: noUsage, timings: { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 0 } };

describe('a pair of alternating calls', () => {
  it('is stopped when the first call shows the same each time', () => {
    const limits = createLimits(numbers);
    for (const output of ['one', 'refused', 'one']) {
      const isRead = output === 'one';
      limits.noteStep(answered);
      expect(limits.noteCall(isRead ? 'read_file' : 'edit_file', isRead ? read : edit, 0)).toBeNull();
      limits.noteResult(output);
    }
    limits.noteStep(answered);
    expect(limits.noteCall('edit_file', edit, 0)?.reason).toBe('alternating-calls');
  });

  it('goes on when the first call showed something new', () => {
    const limits = createLimits(numbers);
    const outputs = ['one', 'refused: it was changed', 'one and more'];
    for (const [index, output] of outputs.entries()) {
      const isRead = index % 2 === 0;
      limits.noteStep(answered);
      expect(limits.noteCall(isRead ? 'read_file' : 'edit_file', isRead ? read : edit, 0)).toBeNull();
      limits.noteResult(output);
    }
    expect(limits.noteCall('edit_file', edit, 0)).toBeNull();
  });
});

describe('the same call', () => {
  // Bug: a strong model that asked for one file in three spellings, in one answer, lost its turn.
  it('counts once in an answer, and again in the next', () => {
    const limits = createLimits(numbers);
    const inAnswer = (): readonly (string | undefined)[] => {
      limits.noteStep(answered);
      return [0, 1, 2].map(() => limits.noteCall('read_file', read, 0)?.reason);
    };
    expect([inAnswer(), inAnswer()].flat()).toEqual(Array.from({ length: 6 }));
    expect(limits.stuck(0)).toBe('same-call');
    expect(inAnswer()).toContain('repeated-call');
  });

  // Bug: a model that waited for its server was stopped at the third look at the server's output.
  it.each([[[]], [['sleep 5']]])('may look at what goes on by itself more often, with %j between', (commands) => {
    const limits = createLimits(numbers);
    const look = (): string | undefined => {
      limits.noteStep(answered);
      const stops = [
        limits.noteCall('services', { action: 'read', id: 'server-1' }, 0),
        ...commands.map((command) => limits.noteCall('run_command', { command }, 0)),
      ];
      limits.noteResult('still building');
      return stops.find((stop) => stop !== null)?.reason;
    };
    const looks = Array.from({ length: 10 }, look);
    expect(looks).toEqual([...Array.from({ length: 9 }), 'repeated-call']);
  });

  // Catches: a command that is repeated without end, because each look between is another one.
  it.each([
    ['looks', 'read', 12],
    ['calls that do something', 'stop', 3],
  ])('may repeat a command between %s only so often', (_, action, most) => {
    const limits = createLimits(numbers);
    const stopAt = Array.from({ length: 40 }, (_unused, at) => {
      limits.noteStep(answered);
      const stops = [
        limits.noteCall('services', { action, id: `server-${at}` }, 0),
        limits.noteCall('run_command', { command: 'make' }, 0),
      ];
      limits.noteResult('failed');
      return stops.some((stop) => stop !== null);
    }).indexOf(true);
    expect(stopAt + 1).toBe(most);
  });
});

describe('a limit of tool calls', () => {
  const look = (path: string) => ({ name: 'read_file', input: { path } });
  const kitOf = (...last: readonly Reply[]) =>
    createAgentKit({
      replies: [{ calls: [look('a.py'), look('b.py'), look('c.py')] }, ...last],
      sandbox: { files: { 'a.py': '1', 'b.py': '2', 'c.py': '3' } },
    });
  const limited = { ...turnOptions, strategy: 'loop', maxCalls: 2 } as const;

  // Bug: the turn ended before an answer that needed no call.
  it('refuses the next call, and the model answers with what it has', async () => {
    const kit = kitOf({ text: 'a has 1, b has 2; c is left.' });
    const end = await kit.runner.send('What do the files have?', limited);
    expect(end).toMatchObject({ reason: 'answered', text: 'a has 1, b has 2; c is left.' });
    expect(JSON.stringify(kit.requests.at(-1)?.messages)).toContain(
      'The limit of 2 tool calls was reached. Answer now',
    );
    await expectReplay(kit);
  });

  it('ends the turn if the model calls again, but still allows the end of the task', async () => {
    const kit = kitOf({ calls: [look('c.py')] });
    const end = await kit.runner.send('Look at the files.', limited);
    expect(end).toMatchObject({ reason: 'step-limit', text: 'The limit of 2 tool calls was reached.' });
    expect(kit.requests).toHaveLength(2);
    const limits = createLimits({ ...numbers, maxCalls: 1 });
    expect(limits.noteCall('read_file', read, 0)).toBeNull();
    expect(limits.noteCall('task_complete', {}, 0)).toBeNull();
  });
});

describe('the limit of tool calls in a program', () => {
  /** Reads the file so often by calls of a program, and says how each ended. */
  const reader = (times: number): Tool => ({
    name: 'reader',
    description: 'Reads.',
    access: 'execute',
    isProgram: true,
    isLong: true,
    input: z.object({}),
    label: () => 'reader',
    run: async (_input, { programDoor, signal }) => {
      const tool = programDoor?.tools.find(({ name }) => name === 'read_file');
      const said: string[] = [];
      for (let at = 0; at < times && tool !== undefined; at += 1) {
        const result = await programDoor?.call({ tool, input: { path: 'a.py' }, hosts: [] }, signal);
        said.push(result?.status === 'refused' ? result.text : (result?.status ?? ''));
      }
      return { status: 'ok', output: said.join('; '), data: { program: { calls: [{ made: times }] } } };
    },
  });
  const kitOf = (times: number) =>
    createAgentKit({
      tools: [reader(times), ...builtInTools(discoverTools(), { now: () => 0 })],
      replies: [call('reader', {}), call('reader', {}), call('task_complete', { summary: 'ok' })],
      dependencies: { tools: { programs: () => 'on' } },
    });
  const outputs = ({ journal }: AgentKit) =>
    ofType(journal.events, 'tool-ended').flatMap(({ tool, output }) => (tool === 'reader' ? [output] : []));

  it('counts the calls that a program makes, and refuses further ones', async () => {
    const kit = kitOf(4);
    const end = await kit.runner.send('Set x to 2.', { ...turnOptions, strategy: 'loop', maxCalls: 4 });
    expect(outputs(kit)[0]).toBe('ok; ok; ok; The limit of 4 tool calls was reached.');
    expect(outputs(kit)[1]).toContain('Not run.');
    expect(end.text).toBe('ok');
    await expectReplay(kit);
  });

  it('does not take equal calls of programs for going in circles', async () => {
    const kit = kitOf(5);
    await kit.runner.send('Set x to 2.', { ...turnOptions, strategy: 'loop', maxCalls: 40 });
    expect(outputs(kit)).toEqual(Array(2).fill(Array(5).fill('ok').join('; ')));
    await expectReplay(kit);
  });
});

describe('the output of all tools in a turn', () => {
  it('ends the turn at the limit, whichever call reached it', () => {
    const limits = createLimits(numbers);
    limits.start(0);
    limits.noteOutput(MAX_TURN_OUTPUT_BYTES - 1);
    expect(limits.exceeded(1)).toBeNull();
    limits.noteOutput(1);
    expect(limits.exceeded(1)?.reason).toBe('output-limit');
  });
});
