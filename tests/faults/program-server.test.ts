import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/shared/events/events.ts';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import type { Behavior, ChatServer } from '../fakes/chat-server.ts';
import { startChatServer } from '../fakes/chat-server.ts';
import { streamOf } from './held-model.ts';
import { change, complete, createProgram, ofType, type Program } from './program.ts';

const whole = (body: string): Behavior => ({ type: 'stream', body, after: 'end' });
const write = streamOf({ text: 'I begin. ', ...change() });
const done = whole(streamOf(complete()));

const notices = (events: readonly SessionEvent[]): readonly string[] =>
  ofType(events, 'notice-added')
    .filter(({ code }) => code === 'model-call-retried')
    .map(({ text }) => text);

describe.skipIf(isWithoutEngine)('a model behind a server that fails', () => {
  let server: ChatServer;
  let program: Program;
  beforeEach(async () => {
    server = await startChatServer();
    program = await createProgram();
    const provider = {
      kind: 'openai-compatible',
      baseUrl: server.baseUrl,
      where: 'local',
      models: { m: { strategies: ['loop'] } },
    };
    await program.settings({ local: 'remote/m', providers: { remote: provider } });
  });
  afterEach(async () => {
    await program[Symbol.asyncDispose]();
    await server.close();
  });

  it.each([
    ['429 with a time to wait', [{ type: 'status', status: 429, headers: { 'retry-after': '1' } }]],
    [
      '500 twice',
      [
        { type: 'status', status: 500 },
        { type: 'status', status: 503 },
      ],
    ],
    ['a stream that is cut', [{ type: 'stream', body: write.slice(0, write.length / 2), after: 'cut' }]],
  ] satisfies readonly (readonly [string, readonly Behavior[]])[])(
    'is asked again, visibly, and the run goes on to its end: %s',
    async (_what, failures) => {
      const [first, ...others] = [...failures, whole(write), done];
      if (first !== undefined) server.behave(first, ...others);
      const end = await program.startTask().ended;
      expect({ code: end.code, stderr: end.stderr }).toMatchObject({ code: 0 });
      expect(notices(end.events)).toHaveLength(failures.length);
      expect(end.stderr).toContain('Trying again');
      expect(server.requests).toHaveLength(failures.length + 2);
      const calls = ofType(end.events, 'model-call-ended');
      expect(calls.map(({ error }) => error === null)).toEqual([...failures.map(() => false), true, true]);
      expect(ofType(end.events, 'tool-ended').filter((event) => event.tool === 'write_file')).toHaveLength(1);
      expect(await program.text('made.txt')).toBe('made\n');
      expect((await program.run(['replay', 'last'])).code).toBe(0);
    },
  );

  it('runs no tool from half a call, and ends the run with the fault when every stream is cut', async () => {
    server.behave({ type: 'stream', body: write.slice(0, write.indexOf('made') + 2), after: 'cut' });
    const end = await program.startTask().ended;
    expect(end.code).toBe(1);
    expect(server.requests).toHaveLength(3);
    expect(notices(end.events)).toHaveLength(2);
    expect(ofType(end.events, 'tool-call-requested')).toEqual([]);
    expect(ofType(end.events, 'turn-ended').map(({ reason }) => reason)).toEqual(['error']);
    expect(end.stderr).toMatch(/connection|closed|cut/i);
    expect(await program.text('made.txt')).toBeNull();
  });

  it('ends at the time limit when a stream stalls in a call, and runs no tool', async () => {
    server.behave({ type: 'stream', body: write.slice(0, write.length - 120), after: 'hang' });
    const end = await program.startTask(undefined, ['--max-minutes', '0.1']).ended;
    expect(end.code).toBe(1);
    expect(ofType(end.events, 'turn-ended').map(({ reason }) => reason)).toEqual(['time-limit']);
    expect(ofType(end.events, 'tool-call-requested')).toEqual([]);
    expect(await program.text('made.txt')).toBeNull();
  });

  it('ends the run with what is missing when it is not there or wants a key', async () => {
    server.behave({ type: 'status', status: 401, body: JSON.stringify({ error: { message: 'no key' } }) });
    const refused = await program.startTask().ended;
    expect(refused.code).toBe(5);
    expect(server.requests).toHaveLength(1);
    expect(refused.stderr).toContain('no key');
    await server.close();
    const gone = await program.startTask().ended;
    expect(gone.code).toBe(1);
    expect(ofType(gone.events, 'turn-ended').map(({ reason }) => reason)).toEqual(['error']);
    server = await startChatServer();
  });
});
