import type { ClientCore } from '../../../fakes/core-client.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClientCore } from '../../../fakes/core-client.ts';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import { createRedactor } from '../../../../src/main/sessions/log/redactor.ts';
import { createSessionStore } from '../../../../src/main/sessions/store/session-store.ts';

let folder: string;
let core: ClientCore;

const openCore = (): Promise<ClientCore> =>
  openClientCore({ home: folder, cache: join(folder, 'cache'), version: '0.0.0-test', onNotice: () => undefined });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dewpoint-organize-'));
  core = await openCore();
});

afterEach(async () => {
  await core.dispose();
  await rm(folder, { recursive: true, force: true });
});

async function started(...titles: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const title of titles) ids.push((await core.client.sessions.create({ projectPath: null, title })).sessionId);
  return ids;
}

/** A store of another process, whichever process has the session open. */
function otherStore() {
  return createSessionStore({
    folder: join(folder, 'sessions'),
    appVersion: 'test',
    blobs: createBlobs(join(folder, 'blobs')),
    redactor: createRedactor(),
    now: Date.now,
  });
}

const placeOf = async (id: string) => {
  const found = (await core.client.sessions.list()).find(({ sessionId }) => sessionId === id);
  return { isPinned: found?.isPinned, isArchived: found?.isArchived, tags: found?.tags };
};

describe('the order of sessions that a person gives', () => {
  it('is kept in their logs, outlives the summaries and can be replayed', async () => {
    const [one = '', two = ''] = await started('One', 'Two');
    const before = (await core.client.sessions.find({ id: one })).updatedAt;
    await core.client.sessions.organize({ sessionIds: [one, two], addTags: ['billing', 'old'], isPinned: true });
    await core.client.sessions.organize({ sessionIds: [one], removeTags: ['old'], isArchived: true });
    await core.dispose();
    for (const id of [one, two])
      for (const name of ['summary.json', 'snapshot.json'])
        await rm(join(folder, 'sessions', id, name), { force: true });
    core = await openCore();
    expect(await placeOf(one)).toEqual({ isPinned: true, isArchived: true, tags: ['billing'] });
    expect(await placeOf(two)).toEqual({ isPinned: true, isArchived: false, tags: ['billing', 'old'] });
    expect((await core.client.sessions.find({ id: one })).updatedAt).toBe(before);
    expect((await core.client.sessions.replay({ sessionId: one })).matched).toBe(true);
  });

  it('writes nothing when nothing changes, and names what it cannot change', async () => {
    const [one = ''] = await started('One');
    const pin = { sessionIds: [one, 'none-such'], isPinned: true };
    expect(await core.client.sessions.organize(pin)).toEqual({
      done: [one],
      refused: [{ sessionId: 'none-such', why: expect.stringContaining('not found') }],
    });
    const { seq } = (await core.client.sessions.show({ sessionId: one })).state;
    await core.client.sessions.organize({ sessionIds: [one], isPinned: true, removeTags: ['never'] });
    expect((await core.client.sessions.show({ sessionId: one })).state.seq).toBe(seq);
  });

  /**
   * Catches: a hundred archived sessions that stay locked, and a session that is closed while somebody else has opened
   * it.
   */
  it('closes a session that was opened only for it, and no other', async () => {
    const [one = '', two = ''] = await started('One', 'Two');
    await core.dispose();
    core = await openCore();
    const pin = (sessionId: string, isPinned: boolean) =>
      core.client.sessions.organize({ sessionIds: [sessionId], isPinned });
    await Promise.all([pin(one, true), pin(one, false), pin(one, true)]);
    const journal = await otherStore().open(one);
    await expect(pin(one, false)).resolves.toMatchObject({
      refused: [{ why: expect.stringContaining('open in another Dewpoint') }],
    });
    await journal.close();
    await expect(pin(one, false)).resolves.toMatchObject({ done: [one] });
    await Promise.all([pin(two, true), core.client.sessions.rename({ sessionId: two, title: 'Kept open' })]);
    await expect(otherStore().open(two)).rejects.toThrow('open in another Dewpoint');
    await Promise.all([pin(two, false), core.client.sessions.rename({ sessionId: two, title: 'Still open' })]);
    expect((await core.client.sessions.find({ id: two })).title).toBe('Still open');
  });

  it('refuses invalid tags and too many of them', async () => {
    const [one = ''] = await started('One');
    for (const tag of ['', 'a\nb', '-x', 'x'.repeat(41), '\u202Ebad'])
      await expect(core.client.sessions.organize({ sessionIds: [one], addTags: [tag] })).rejects.toThrow();
    const many = Array.from({ length: 21 }, (_, index) => `tag ${index}`);
    const { done, refused } = await core.client.sessions.organize({ sessionIds: [one], addTags: many });
    expect([done, refused[0]?.why]).toEqual([[], 'A session has at most 20 tags.']);
    expect((await placeOf(one)).tags).toEqual([]);
  });

  it('passes tags to a fork, but not to an imported session', async () => {
    const [one = ''] = await started('One');
    await core.client.sessions.organize({ sessionIds: [one], addTags: ['billing'], isPinned: true, isArchived: true });
    const { sessionId: fork } = await core.client.sessions.fork({ sessionId: one });
    expect(await placeOf(fork)).toEqual({ isPinned: false, isArchived: false, tags: ['billing'] });
    const path = join(folder, 'one.dewpoint');
    await core.client.sessions.export({ sessionId: one, path });
    const { sessionId: imported } = await core.client.sessions.import({ path });
    expect(await placeOf(imported)).toEqual({ isPinned: false, isArchived: false, tags: [] });
  });
});
