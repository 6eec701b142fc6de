import { expect, it } from 'vitest';
import type { NewEvent } from '@shared/events/events.ts';
import { reduceSession } from '@shared/session/reducers/reduce-session.ts';
import { emptySession } from '@shared/session/session-state.ts';

const started = (toolCallId: string, parent?: string): NewEvent => ({
  type: 'tool-started',
  toolCallId,
  tool: parent === undefined ? 'run_program' : 'read_file',
  by: 'model',
  input: {},
  label: toolCallId,
  ...(parent === undefined ? {} : { parent }),
});
const ended = (toolCallId: string, parent: string): NewEvent => ({
  type: 'tool-ended',
  toolCallId,
  tool: 'read_file',
  parent,
  status: 'ok',
  output: 'x',
  full: null,
  exitCode: null,
  durationMs: 3,
  data: null,
  dataBlob: null,
});

// Catches: calls of programs that push out the model's own calls, and a running call that is forgotten.
it('the calls of a program are listed under it, and are none of the model', () => {
  const many = Array.from({ length: 200 }, (_, at) => [started(`c${at}`, 'p'), ended(`c${at}`, 'p')]).flat();
  const events: NewEvent[] = [started('p'), started('slow', 'p'), ...many];
  const state = events.reduce(
    (now, event, at) => reduceSession(now, { ...event, v: 2, seq: at + 1, at }),
    emptySession,
  );
  expect(state.toolCalls).toHaveLength(1);
  const [program] = state.toolCalls;
  expect(program?.innerCalls).toBe(201);
  expect(program?.inner).toHaveLength(60);
  expect(program?.inner?.[0]).toMatchObject({ toolCallId: 'slow', status: null });
  expect(program?.inner?.at(-1)).toMatchObject({ toolCallId: 'c199', status: 'ok', durationMs: 3 });
});
