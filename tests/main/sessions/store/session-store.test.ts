import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '@shared/events/events.ts';
import { stateHash } from '../../../../src/main/sessions/replay/state-hash.ts';
import { makeHome, scratchSession, turnEvents } from '../session-fixtures.ts';

describe('the store of sessions', () => {
  it('returns what was appended after it was closed and opened again', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    for (const event of turnEvents('turn-1')) await journal.append(event);
    const hash = stateHash(journal.state(), journal.money());
    await journal.close();

    const again = await home.again().open(journal.sessionId);
    expect(stateHash(again.state(), again.money())).toBe(hash);
    const types = [];
    for await (const event of again.read()) types.push(event.type);
    expect(types).toEqual(['session-created', ...turnEvents('turn-1').map((event) => event.type)]);
    await again.close();
  });

  it('reaches the same state from the log alone as from its snapshot', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    for (const event of [...turnEvents('turn-1'), ...turnEvents('turn-2')]) await journal.append(event);
    await journal.close();
    const folder = home.store.folderOf(journal.sessionId);
    const withSnapshot = await home.store.view(journal.sessionId);
    await rm(join(folder, 'snapshot.json'));
    const cold = await home.store.view(journal.sessionId);
    expect(cold.state).toEqual(withSnapshot.state);
    expect(cold.money).toEqual(withSnapshot.money);
  });

  it('ignores a snapshot that is damaged or of another session', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    for (const event of turnEvents('turn-1')) await journal.append(event);
    await journal.close();
    const other = await home.store.create({ ...scratchSession, title: 'Another' });
    await other.close();
    const snapshot = join(home.store.folderOf(journal.sessionId), 'snapshot.json');
    const good = await readFile(snapshot);
    const expected = (await home.store.view(journal.sessionId)).state;

    const flipped = Buffer.from(good);
    flipped[40] = (flipped[40] ?? 0) ^ 1;
    const foreign = await readFile(join(home.store.folderOf(other.sessionId), 'snapshot.json'));
    for (const bad of [flipped, foreign, Buffer.alloc(0), Buffer.from('{}\n'), good.subarray(0, 100)]) {
      await writeFile(snapshot, bad);
      expect((await home.store.view(journal.sessionId)).state).toEqual(expected);
    }
  });

  it('refuses a second writer until the first has closed', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    await expect(home.again().open(journal.sessionId)).rejects.toMatchObject({ code: 'conflict' });
    await journal.close();
    const second = await home.again().open(journal.sessionId);
    await second.close();
    expect(await readdir(home.store.folderOf(journal.sessionId))).toEqual([
      'events.jsonl',
      'snapshot.json',
      'summary.json',
    ]);
  });

  it('takes over the lock of a process that is gone', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    await journal.close();
    await writeFile(join(home.store.folderOf(journal.sessionId), 'lock'), '{"pid":999999999,"born":"1","token":"x"}\n');
    const second = await home.again().open(journal.sessionId);
    await second.close();
  });

  it("lets exactly one of many processes take over a dead process's lock", async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    await journal.close();
    await writeFile(join(home.store.folderOf(journal.sessionId), 'lock'), '{"pid":999999999,"born":"1","token":"x"}\n');
    const tries = await Promise.allSettled(Array.from({ length: 12 }, () => home.again().open(journal.sessionId)));
    const opened = tries.filter((result) => result.status === 'fulfilled');
    expect(opened).toHaveLength(1);
    for (const result of opened) await result.value.close();
  });

  it('ends a turn that a crash cut off, and runs nothing again', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const events = turnEvents('turn-1');
    // Events up to the start of the second tool call, and then a second model call that never ends either.
    for (const event of events.slice(0, 10)) await journal.append(event);
    const started = events[11];
    if (started) await journal.append(started);
    await journal.close();

    const again = await home.again().open(journal.sessionId);
    const tail = [];
    for await (const event of again.read(13)) tail.push(event);
    expect(tail).toMatchObject([
      { type: 'tool-ended', toolCallId: 'tool-turn-1-b', status: 'unknown' },
      { type: 'model-call-ended', callId: 'call-turn-1-2', error: { code: 'crashed' } },
      { type: 'turn-ended', turnId: 'turn-1', reason: 'crashed' },
    ]);
    await again.close();
    const third = await home.again().open(journal.sessionId);
    expect(third.state().seq).toBe(15);
    await third.close();
  });

  it('reports which files changed since a call without a known end began', async () => {
    await using home = await makeHome(undefined, Date.now);
    const workspace = join(home.path, 'workspace');
    await mkdir(workspace);
    await writeFile(join(workspace, 'before.txt'), 'before');
    await new Promise((resolve) => setTimeout(resolve, 120));
    const journal = await home.store.create({ ...scratchSession, workspace: { mode: 'in-place', path: workspace } });
    for (const event of turnEvents('turn-1').slice(0, 10)) await journal.append(event);
    const started = turnEvents('turn-1')[11];
    if (started) await journal.append(started);
    await writeFile(join(workspace, 'half.txt'), 'half');
    await journal.close();
    const again = await home.again().open(journal.sessionId);
    const ended = [];
    for await (const event of again.read()) if (event.type === 'tool-ended') ended.push(event);
    expect(ended.at(-1)).toMatchObject({
      status: 'unknown',
      output: expect.stringContaining('half.txt: new'),
      data: { touched: { files: [{ path: 'half.txt', what: 'new' }], isWhole: true } },
    });
    await again.close();
  });

  it('marks each message that no turn took once, so that it can be sent again', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    for (const event of turnEvents('turn-1')) await journal.append(event);
    const added = (messageId: string, queued: boolean): NewEvent => ({
      type: 'user-message-added',
      messageId,
      text: `text of ${messageId}`,
      queued,
    });
    for (const event of [added('waits', true), added('is next', false)]) await journal.append(event);
    const { seq } = journal.state();
    await journal.close();
    const again = await home.again().open(journal.sessionId);
    const tail = [];
    for await (const event of again.read(seq + 1)) tail.push(event);
    expect(tail).toMatchObject([
      { type: 'message-dropped', messageId: 'waits' },
      { type: 'notice-added', level: 'warning', text: expect.stringContaining('text of waits') },
      { type: 'message-dropped', messageId: 'is next' },
      { type: 'notice-added', level: 'warning', text: expect.stringContaining('text of is next') },
    ]);
    expect(again.state()).toMatchObject({ queued: [], pending: [] });
    await again.close();
    const third = await home.again().open(journal.sessionId);
    expect(third.state().seq).toBe(seq + 4);
    await third.close();
  });

  it('lists the latest session first, and rebuilds missing or damaged summaries', async () => {
    await using home = await makeHome();
    const ids = [];
    for (const title of ['One', 'Two', 'Three']) {
      const journal = await home.store.create({ ...scratchSession, title });
      for (const event of turnEvents('turn-1')) await journal.append(event);
      await journal.close();
      ids.push(journal.sessionId);
    }
    const before = await home.store.list();
    expect(before.map((summary) => [summary.title, summary.status, summary.steps, summary.costUsd])).toEqual([
      ['Three', 'done', 2, 0],
      ['Two', 'done', 2, 0],
      ['One', 'done', 2, 0],
    ]);
    const [one, two] = ids;
    await rm(join(home.store.folderOf(one ?? ''), 'summary.json'));
    await rm(join(home.store.folderOf(one ?? ''), 'snapshot.json'));
    await writeFile(join(home.store.folderOf(two ?? ''), 'summary.json'), 'not json');
    expect(await home.store.list()).toEqual(before);
    expect(await readFile(join(home.store.folderOf(one ?? ''), 'summary.json'), 'utf8')).toContain('"One"');
  });

  it('finds a session by its id, by a unique part of it, or as the last one', async () => {
    await using home = await makeHome();
    const first = await home.store.create({ ...scratchSession, id: '20250101-000000-aaaaaa' });
    const second = await home.store.create({ ...scratchSession, id: '20250101-000000-bbbbbb' });
    await first.close();
    await second.close();
    expect(await home.store.find('20250101-000000-a')).toBe(first.sessionId);
    expect(await home.store.find('bbbbbb')).toBe(second.sessionId);
    expect(await home.store.find('last')).toBe(second.sessionId);
    await expect(home.store.find('2025')).rejects.toMatchObject({ code: 'bad-input' });
    await expect(home.store.find('')).rejects.toMatchObject({ code: 'not-found' });
    await expect(home.store.open('../../etc')).rejects.toMatchObject({ code: 'not-found' });
  });

  /** Catches: after a run with agents, `dewpoint changes last` and `costs --steps last` were those of an agent. */
  it('finds the last session that a person began, not that of an agent', async () => {
    await using home = await makeHome();
    const own = await home.store.create({ ...scratchSession, id: '20250101-000000-aaaaaa' });
    const by = { sessionId: own.sessionId, toolCallId: 'c', name: 'agent-1' };
    const tree = { rootId: own.sessionId, depth: 1, by };
    const child = await home.store.create({ ...scratchSession, id: '20250102-000000-bbbbbb', tree });
    await own.close();
    await child.close();
    expect(await home.store.find('last')).toBe(own.sessionId);
    expect(await home.store.find('bbbbbb')).toBe(child.sessionId);
  });

  it('gives ids that sort by time, also within one second', async () => {
    const second = Date.UTC(2025, 0, 1, 9, 45, 2);
    let now = second;
    await using home = await makeHome(undefined, () => now);
    const ids = [0, 1, 35, 36, 99, 100, 998, 999, 1000].map((milliseconds) => {
      now = second + milliseconds;
      return home.store.newSessionId();
    });
    expect(ids.toSorted()).toEqual(ids);
    expect(ids[0]).toMatch(/^20250101-094502-00[0-9a-z]{6}$/);
  });

  it('does not count a start that was killed before its first event as a session', async () => {
    await using home = await makeHome();
    await expect(home.store.find('last')).rejects.toMatchObject({ message: 'No sessions yet.' });
    const begun = await home.store.create({ ...scratchSession, id: '20250101-000000-aaaaaa' });
    await begun.close();
    for (const [id, log] of [
      ['20250102-000000-bbbbbb', null],
      ['20250103-000000-cccccc', ''],
    ] as const) {
      await mkdir(home.store.folderOf(id), { recursive: true });
      if (log !== null) await writeFile(join(home.store.folderOf(id), 'events.jsonl'), log);
      await expect(home.store.view(id)).rejects.toMatchObject({ code: 'not-found' });
      await expect(home.store.open(id)).rejects.toMatchObject({ code: 'not-found' });
      await expect(home.store.find(id.slice(-6))).rejects.toMatchObject({ code: 'not-found' });
    }
    expect(await home.store.find('last')).toBe(begun.sessionId);
    expect((await home.store.list()).map(({ id }) => id)).toEqual([begun.sessionId]);
  });

  /** Catches: a turn that looks at every log, and a place in a tree that is freed because a log is damaged. */
  it("reads a session's place in its tree once, and notices new and deleted sessions", async () => {
    await using home = await makeHome();
    const by = { sessionId: 'root', toolCallId: 't', name: 'agent-1' };
    const tree = { rootId: 'root', depth: 1, by };
    const first = await home.store.create({ ...scratchSession, tree });
    const second = await home.store.create(scratchSession);
    const placesOf = async () => (await home.store.members()).toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const two = [
      { id: first.sessionId, parentId: null, tree },
      { id: second.sessionId, parentId: null, tree: null },
    ].toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect(await placesOf()).toEqual(two);
    await Promise.all([first.close(), second.close()]);
    for (const { id } of two) {
      await rm(join(home.store.folderOf(id), 'summary.json'), { force: true });
      await writeFile(join(home.store.folderOf(id), 'events.jsonl'), 'not a log any more\n');
    }
    expect(await placesOf()).toEqual(two);
    const third = await home.store.create({ ...scratchSession, parentId: first.sessionId });
    await third.close();
    await rm(home.store.folderOf(second.sessionId), { recursive: true });
    expect((await placesOf()).map(({ id }) => id).toSorted()).toEqual([first.sessionId, third.sessionId].toSorted());
  });
});
