import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../../src/main/sessions/log/redactor.ts';
import type { JournalPush } from '../../../../src/main/sessions/journal/journal-subscriber.ts';
import { makeHome, scratchSession, turnEvents } from '../session-fixtures.ts';

describe('the live journal', () => {
  it('numbers events without a gap, also for parallel appends', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const events = await Promise.all(turnEvents('turn-1').map((event) => journal.append(event)));
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 2));
    await journal.close();
  });

  it('removes secrets before anything is kept or published', async () => {
    const redactor = createRedactor([{ kind: 'openai', value: 'correct horse battery' }]);
    await using home = await makeHome(redactor);
    const journal = await home.store.create(scratchSession);
    const text = 'use correct horse battery and ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const event = await journal.append({ type: 'user-message-added', messageId: 'm', text, queued: true });
    const clean = 'use [redacted:openai] and [redacted:github-token]';
    expect(event).toMatchObject({ text: clean });
    expect(journal.state().queued).toMatchObject([{ text: clean }]);
    const sink = journal.openBlob();
    for (const part of ['correct ho', 'rse battery\nsecond']) sink.write(Buffer.from(part));
    const ref = await sink.end();
    expect(Buffer.from((await journal.getBlob(ref)) ?? []).toString()).toBe('[redacted:openai]\nsecond');
    const exact = await journal.putBlob(Buffer.from(text));
    expect(Buffer.from((await journal.getBlob(exact)) ?? []).toString()).toBe(text);
    const request = await journal.putText([JSON.stringify({ text: `first\n${text}` })]);
    expect(JSON.parse(Buffer.from((await journal.getBlob(request)) ?? []).toString())).toEqual({
      text: `first\n${clean}`,
    });
    await journal.close();
  });

  it('holds in memory exactly what it holds on disk', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const data = {
      none: undefined,
      nan: Number.NaN,
      when: new Date(0),
      list: [undefined, () => 1],
      deep: { text: 'a\u2028b\ud800' },
      big: 10n,
    };
    const appended = await journal.append({ type: 'recipe-progressed', recipe: 'r', phase: 'p', text: 't', data });
    const read = [];
    for await (const event of journal.read(2)) read.push(event);
    expect(read).toStrictEqual([appended]);
    await journal.close();
  });

  it('gives a subscriber a snapshot and all that follows, in order', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const seen: JournalPush[] = [];
    journal.subscribe(null, (push) => void seen.push(push));
    await journal.append({ type: 'notice-added', level: 'info', code: 'a', text: 'a' });
    journal.push({ type: 'text-delta', callId: 'c', text: 'x' });
    await journal.append({ type: 'notice-added', level: 'info', code: 'b', text: 'b' });
    await journal.close();
    expect(seen.map((push) => (push.type === 'event' ? push.event.seq : push.type))).toEqual([
      'snapshot',
      2,
      'transient',
      3,
    ]);
  });

  it('lets a subscriber continue from a known place without a gap or a repetition', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    for (const event of turnEvents('turn-1')) await journal.append(event);
    const seen: number[] = [];
    journal.subscribe(5, async (push) => {
      await Promise.resolve();
      if (push.type === 'event') seen.push(push.event.seq);
    });
    for (const event of turnEvents('turn-2')) await journal.append(event);
    await journal.close();
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index + 5));
  });

  it('gives a late subscriber the unfinished text and output', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const first = { type: 'text-delta', callId: 'c', text: 'One ' } as const;
    journal.push(first);
    journal.push({ ...first, text: 'two or three ', pieces: 3 });
    journal.push({ type: 'output-chunk', toolCallId: 't', stream: 'stdout', text: 'printed' });
    const seen: JournalPush[] = [];
    const stop = journal.subscribe(2, (push) => void seen.push(push));
    journal.push({ ...first, text: 'three' });
    await expect
      .poll(() => seen.flatMap((push) => (push.type === 'transient' ? [push.transient] : [])))
      .toEqual([
        { type: 'text-delta', callId: 'c', text: 'One two or three ', pieces: 4 },
        { type: 'output-chunk', toolCallId: 't', stream: 'stdout', text: 'printed' },
        { type: 'text-delta', callId: 'c', text: 'three' },
      ]);
    stop();
    for (const event of turnEvents('turn-1')) await journal.append(event);
    const later: JournalPush[] = [];
    journal.subscribe(null, (push) => void later.push(push));
    await expect.poll(() => later.map((push) => push.type)).toEqual(['snapshot']);
    await journal.close();
  });

  it('is not harmed by a subscriber that throws or never returns', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const seen: string[] = [];
    journal.subscribe(null, () => {
      throw new Error('broken listener');
    });
    journal.subscribe(null, () => new Promise<void>(() => undefined));
    journal.subscribe(null, (push) => void seen.push(push.type));
    for (const event of turnEvents('turn-1')) await journal.append(event);
    await journal.close();
    expect(seen).toHaveLength(15);
  });

  it('gives one snapshot to a subscriber that fell far behind', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const seen: JournalPush[] = [];
    let free = (): void => undefined;
    const gate = new Promise<void>((resolve) => (free = resolve));
    journal.subscribe(null, async (push) => {
      await gate;
      seen.push(push);
    });
    for (let index = 0; index < 12_000; index += 1)
      await journal.append({ type: 'notice-added', level: 'info', code: 'n', text: 'n' });
    free();
    await journal.close();
    expect(seen.length).toBeLessThan(11_000);
    const last = seen.findLastIndex((push) => push.type === 'snapshot');
    const after = seen.slice(last + 1).map((push) => (push.type === 'event' ? push.event.seq : 0));
    const from = seen[last]?.type === 'snapshot' ? seen[last].state.seq : 0;
    expect(after).toEqual(after.map((_, index) => from + 1 + index));
    expect(after.at(-1)).toBe(12_001);
  });
});
