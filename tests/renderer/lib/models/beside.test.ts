import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AppError, success } from '@shared/errors.ts';
import { asTalks } from '@shared/session/session-filter.ts';
import { askBeside, goOnWith } from '../../../../src/renderer/lib/models/beside.ts';
import { eventsOf, openClientCore } from '../../../fakes/core-client.ts';
import { createFakeHandlers, emptyHandlers } from '../../../fakes/fake-handlers.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

/** Catches: one failing model that takes the others along, a talk that is listed twice, and a choice that is lost. */
const folder = mkdtempSync(join(tmpdir(), 'dewpoint-beside-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const asked = (id: string) => ({
  pick: { policy: 'local' as const, local: `${id}/script` },
  options: { policy: 'local' as const, local: `${id}/script`, mode: 'ask' as const },
});
const question = (sessionId: string, ...ids: readonly string[]) => ({
  sessionId,
  text: 'Who are you?',
  attachments: [],
  mode: null,
  ways: ids.map(asked),
});

describe('a question to several models at once', () => {
  it('is answered by each in its own branch, while one fails, and one branch is gone on with', async () => {
    const core = await openClientCore({
      home: join(folder, 'home'),
      cache: join(folder, 'cache'),
      version: '0.0.0-test',
      onNotice: () => undefined,
      startSandbox: async () => success(createMemorySandbox({ files: {} })),
    });
    const { client } = core;
    const said = (...texts: readonly string[]) => ({
      kind: 'scripted',
      repeat: true,
      replies: texts.map((text) => ({ text })),
    });
    await client.settings.set({ key: 'providers.first', value: said('Said by the first.') });
    await client.settings.set({ key: 'providers.second', value: said('Said by the second.') });
    await client.settings.set({ key: 'providers.broken', value: said() });
    const { sessionId } = await client.sessions.create({ projectPath: null, title: 'Who are you?' });

    const beside = await askBeside(client, question(sessionId, 'first', 'second', 'broken'));
    const ids = beside.columns.map((column) => column.sessionId ?? '');
    const results = await Promise.all(ids.map((id) => client.sessions.result({ sessionId: id })));
    expect(results.map(({ text }) => text).slice(0, 2)).toEqual(['Said by the first.', 'Said by the second.']);
    const { state } = await client.sessions.show({ sessionId: ids[2] ?? '' });
    expect(state.turns[0]?.reason).not.toBe('answered');
    expect(state.turns[0]?.failure?.message ?? state.turns[0]?.text).toContain('no answer number');
    expect(await client.sessions.branches({ sessionId })).toHaveLength(3);

    const [, second = ''] = ids;
    await goOnWith(client, beside, { sessionId: second, chosen: { policy: 'local', local: 'second/script' } });
    const talks = asTalks(await client.sessions.list());
    expect(talks.map((talk) => [talk.sessionId, talk.branches?.length])).toEqual([[second, 3]]);
    expect((await eventsOf(client, second)).at(-1)?.type).toBe('options-chosen');
    for (const id of ids) expect((await client.sessions.replay({ sessionId: id })).firstDifference).toBeNull();
    await core.dispose();
  });

  it('goes on with those that could be asked, says why for each other one, and is not sent when none could', async () => {
    let forks = 0;
    const sent: string[] = [];
    const { client, replace } = createFakeHandlers(emptyHandlers, {
      sessions: {
        fork: () => {
          forks += 1;
          if (forks === 1) throw new AppError('disk-full', 'The disk is full.');
          return { sessionId: `branch-${forks}`, notRestored: [] };
        },
        send: ({ input }) => {
          if (input.options.local === 'second/script') throw new AppError('refused', 'A fence stopped it.');
          sent.push(input.sessionId);
          return { messageId: `message-${sent.length}`, queued: false };
        },
      },
    });
    const beside = await askBeside(client, question('talk', 'first', 'third', 'second', 'fourth'));
    expect(beside.columns.map(({ sessionId, messageId, problem }) => ({ sessionId, messageId, problem }))).toEqual([
      { sessionId: 'talk', messageId: 'message-1', problem: undefined },
      { sessionId: null, messageId: null, problem: 'The disk is full.' },
      { sessionId: 'branch-2', messageId: null, problem: 'A fence stopped it.' },
      { sessionId: 'branch-3', messageId: 'message-2', problem: undefined },
    ]);
    replace({
      sessions: {
        send: () => {
          throw new AppError('network', 'Nobody answers.');
        },
      },
    });
    await expect(askBeside(client, question('talk', 'first', 'third'))).rejects.toThrow('Nobody answers.');
  });

  it('stops those that still answer before one is gone on with, and writes the choice last', async () => {
    const calls: string[] = [];
    const { client } = createFakeHandlers(emptyHandlers, {
      sessions: {
        cancel: ({ input }) => void calls.push(`stop ${input.sessionId}`),
        organize: ({ input }) => {
          calls.push(`see ${input.sessionIds.join(' ')}`);
          return { done: input.sessionIds, refused: [] };
        },
        choose: ({ input }) => void calls.push(`choose ${input.sessionId} ${input.chosen.local ?? ''}`),
      },
    });
    const columns = ['a', 'b', 'c'].map((sessionId) => ({ sessionId, messageId: `of ${sessionId}` }));
    const beside = { text: 'Who?', columns: [...columns, { sessionId: null, messageId: null, problem: 'No disk.' }] };
    await goOnWith(client, beside, { sessionId: 'b', chosen: { local: 'second/script' } });
    expect(calls).toEqual(['stop a', 'stop c', 'see a c', 'choose b second/script']);
  });
});
