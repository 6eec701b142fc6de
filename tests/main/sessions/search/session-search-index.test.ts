import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSearchIndex, type SearchIndex } from '../../../../src/main/sessions/search/session-search-index.ts';
import { type Home, makeHome, scratchSession, turnEvents } from '../session-fixtures.ts';

const never = new AbortController().signal;

function indexOf(home: Home, budgetMs = Number.POSITIVE_INFINITY): SearchIndex {
  let clock = 0;
  return createSearchIndex({
    path: join(home.path, 'search.sqlite'),
    logs: () => home.store.logFiles(),
    budgetMs,
    now: () => (clock += 1),
  });
}

async function addSession(home: Home, title: string, messages: readonly string[]): Promise<string> {
  const journal = await home.store.create({ ...scratchSession, title });
  for (const [index, text] of messages.entries()) {
    await journal.append({ type: 'user-message-added', messageId: `message-${index}`, text, queued: false });
  }
  await journal.close();
  return journal.sessionId;
}

const found = async (index: SearchIndex, text: string): Promise<readonly string[]> =>
  (await index.search(text, 50, never)).hits.map(
    ({ kind, ref, snippet }) => `${kind} ${ref ?? ''}: ${snippet.before}[${snippet.match}]${snippet.after}`,
  );

describe('the search over all sessions', () => {
  it('finds parts of words, whatever their case and accents, and every word of several', async () => {
    await using home = await makeHome();
    await addSession(home, 'Dates', ['The Café test in parse_date.py fails', 'Größe of a file: 10 kB']);
    const index = indexOf(home);
    expect(await found(index, 'ARSE_DA')).toEqual(['message message-0: The Café test in p[arse_da]te.py fails']);
    expect(await found(index, 'cafe fails')).toEqual(['message message-0: The [Café] test in parse_date.py fails']);
    expect(await found(index, 'cafe missing')).toEqual([]);
    expect(await found(index, '"test in"')).toEqual(['message message-0: The Café [test in] parse_date.py fails']);
    expect(await found(index, '"test parse"')).toEqual([]);
    await index.close();
  });

  it('finds an answer once, even if the model also thought it or said it in a call', async () => {
    await using home = await makeHome();
    const journal = await home.store.create({ ...scratchSession, title: 'Talk' });
    const summary = 'The capital of France is Paris.';
    const usage = { freshInput: 1, cacheRead: 0, cacheWrite: 0, output: 1, reasoning: 1, estimated: false };
    const timings = { queuedMs: 0, prefillMs: null, decodeMs: null, totalMs: 1 };
    const end = (turnId: string) =>
      journal.append({ type: 'turn-ended', turnId, reason: 'done', text: summary, confidence: null, failure: null });
    await journal.append({
      type: 'model-call-ended',
      callId: 'call-1',
      parts: [
        { type: 'reasoning', text: 'They ask for the capital, which I know.' },
        { type: 'text', text: summary },
      ],
      stopReason: 'stop',
      usage,
      evaluatedTokens: null,
      timings,
      price: null,
      costUsd: 0,
      error: null,
    });
    await end('turn-1');
    const call = { tool: 'task_complete', by: 'model', input: { summary }, label: 'complete' } as const;
    await journal.append({ type: 'tool-started', toolCallId: 'tool-1', ...call });
    await end('turn-2');
    await journal.close();
    const index = indexOf(home);
    expect(await found(index, 'capital of')).toEqual(['answer turn-2: The [capital] of France is Paris.']);
    await index.close();
  });

  it.skipIf(process.platform === 'win32')(
    'is stored for this user alone, also in a file that was open to others',
    async () => {
      await using home = await makeHome();
      await addSession(home, 'Dates', ['Fix parse_date.']);
      const path = join(home.path, 'search.sqlite');
      const before = process.umask(0);
      try {
        for (const isOld of [false, true]) {
          if (isOld) await chmod(path, 0o666);
          const index = indexOf(home);
          await addSession(home, 'More', ['Another one.']);
          await index.search('parse', 1, never);
          const modes = await Promise.all(
            ['', '-wal', '-shm'].map(async (end) => (await stat(path + end)).mode & 0o777),
          );
          expect(modes).toEqual([0o600, 0o600, 0o600]);
          await index.close();
        }
      } finally {
        process.umask(before);
      }
    },
  );

  it('finds short words, and takes signs of its query language literally', async () => {
    await using home = await makeHome();
    await addSession(home, 'Dates', ['kB or KiB', '100 % of a_b', 'say "AND" NOT (x*']);
    const index = indexOf(home);
    expect(await found(index, 'kb')).toEqual(['message message-0: [kB] or KiB']);
    expect(await found(index, '%')).toEqual(['message message-1: 100 [%] of a_b']);
    expect(await found(index, 'a_')).toEqual(['message message-1: 100 % of [a_]b']);
    expect(await found(index, 'AND NOT (x*')).toEqual(['message message-2: say "[AND]" NOT (x*']);
    expect(await found(index, ' "" ')).toEqual([]);
    await index.close();
  });

  it('finds titles, answers, calls and outputs, each with its row', async () => {
    await using home = await makeHome();
    const journal = await home.store.create({ ...scratchSession, title: 'Needle in a title' });
    for (const event of turnEvents('turn-1')) await journal.append(event);
    await journal.append({ type: 'session-renamed', title: 'Another name' });
    await journal.append({
      type: 'tool-started',
      toolCallId: 'tool-9',
      tool: 'run_command',
      by: 'recipe',
      input: { command: 'pytest -k needle' },
      label: 'run',
    });
    await journal.append({
      type: 'tool-ended',
      toolCallId: 'tool-9',
      tool: 'run_command',
      status: 'ok',
      output: `${'x'.repeat(9000)} a needle at the end`,
      full: null,
      exitCode: 0,
      durationMs: 1,
      data: null,
      dataBlob: null,
    });
    await journal.close();
    const index = indexOf(home);
    expect((await found(index, 'needle')).map((line) => line.slice(0, 15))).toEqual([
      'output tool-9: ',
      'call tool-9: ru',
      'title : [Needle',
    ]);
    expect(await found(index, 'another name')).toEqual(['title : [Another] name']);
    await index.close();
  });

  it('indexes only what is new, and forgets what is gone', async () => {
    await using home = await makeHome();
    const first = await addSession(home, 'One', ['an early apple']);
    const index = indexOf(home);
    expect(await found(index, 'apple')).toHaveLength(1);
    const journal = await home.store.open(first);
    await journal.append({ type: 'user-message-added', messageId: 'message-9', text: 'a late apple', queued: false });
    expect((await found(index, 'apple')).map((line) => line.slice(0, 17))).toEqual([
      'message message-9',
      'message message-0',
    ]);
    await journal.close();
    await index.close();
    // Another log under the same name: the index of the old one is no longer valid.
    const path = home.store.folderOf(first);
    const other = await addSession(home, 'Two', ['a pear']);
    await writeFile(join(path, 'new'), await readFile(join(home.store.folderOf(other), 'events.jsonl')));
    const { rename, rm } = await import('node:fs/promises');
    await rename(join(path, 'new'), join(path, 'events.jsonl'));
    await rm(home.store.folderOf(other), { recursive: true });
    const again = indexOf(home);
    expect(await found(again, 'apple')).toEqual([]);
    expect(await found(again, 'pear')).toEqual(['message message-0: a [pear]']);
    await again.close();
  });

  it('rebuilds a damaged index file from the logs', async () => {
    await using home = await makeHome();
    await addSession(home, 'One', ['an apple']);
    const index = indexOf(home);
    await found(index, 'apple');
    await index.close();
    await writeFile(
      join(home.path, 'search.sqlite'),
      'this is no database, and it is long enough to be looked at '.repeat(40),
    );
    const again = indexOf(home);
    expect(await found(again, 'apple')).toHaveLength(1);
    await again.close();
  });

  it('says when it is incomplete, and goes on when it is asked again', async () => {
    await using home = await makeHome();
    for (const name of ['a', 'b', 'c']) await addSession(home, name, ['an apple']);
    const index = indexOf(home, 1);
    const first = await index.search('apple', 50, never);
    expect(first.isComplete).toBe(false);
    let last = first;
    for (let asked = 0; !last.isComplete && asked < 10; asked += 1) last = await index.search('apple', 50, never);
    expect(last).toMatchObject({ isComplete: true, hits: [{}, {}, {}] });
    await index.close();
  });

  it('still works after a search that was cancelled', async () => {
    await using home = await makeHome();
    await addSession(home, 'One', ['an apple']);
    const index = indexOf(home);
    await expect(index.search('apple', 50, AbortSignal.abort())).rejects.toThrow();
    expect(await found(index, 'apple')).toHaveLength(1);
    await index.close();
  });
});
