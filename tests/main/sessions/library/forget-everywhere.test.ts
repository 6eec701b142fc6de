import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewEvent, SessionEvent } from '../../../../src/shared/events/events.ts';
import { isForgetMark, type MemoryLine } from '../../../../src/shared/projects/memory-line.ts';
import { runReplayTurn } from '../../../../src/main/agent/replay/replay-turn.ts';
import { createForgetEverywhere } from '../../../../src/main/sessions/library/forget-everywhere.ts';
import { createTextFilter, filterText } from '../../../../src/main/sessions/library/forget-text.ts';
import { replaySession } from '../../../../src/main/sessions/replay/replay-session.ts';
import { call, createAgentKit, turnOptions } from '../../../fakes/agent-kit.ts';
import { type Home, makeHome, scratchSession } from '../session-fixtures.ts';

const secret = 'Make check runs tests of "Größe" first.';
const line: MemoryLine = { id: 'a', text: secret, date: null, sessionId: null, isAfterOutside: false, of: 'project' };
const never = new AbortController().signal;

/** A session in which the line was told in a prompt, proposed by a model in other white space, and answered with. */
async function sessionWithLine(home: Home) {
  const journal = await home.store.create(scratchSession);
  const done = call('task_complete', { summary: `Done, as noted: ${secret}` });
  const kit = createAgentKit({
    replies: [call('propose_memory', { line: secret.replace(' runs ', '\n runs ') }), done, done],
    cloud: { parametersB: null, contextTokens: 200_000 },
    dependencies: {
      journal,
      project: {
        memory: {
          lines: async () => [line],
          takesProposals: () => true,
          hasReadOutside: async () => false,
          noteUse: async () => undefined,
          keep: async () => undefined,
        },
      },
    },
  });
  const inCloud = { ...turnOptions, policy: 'cloud', cloud: 'sky/model' } as const;
  await kit.runner.send('What do the notes say?', inCloud);
  await kit.runner.send('And what else?', inCloud);
  await journal.close();
  return { sessionId: journal.sessionId, dependencies: kit.dependencies };
}

const forgetIn = (home: Home, dropIndex: () => Promise<void> = async () => undefined) =>
  createForgetEverywhere({
    home: home.path,
    stores: [home.store],
    sessions: { openJournal: () => null, close: async () => undefined },
    blobs: home.blobs,
    dropIndex,
    now: () => 5,
  });

/** The files of the home that hold the line in any form. */
async function holders(home: Home): Promise<readonly string[]> {
  const eraser = createTextFilter([secret]);
  const found: string[] = [];
  for (const entry of await readdir(home.path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name), 'latin1');
    if (eraser.erase(bytes) !== bytes) found.push(entry.name);
  }
  return found;
}

describe('a line that is forgotten everywhere', () => {
  it('is gone from every file, and the log is whole and replays', async () => {
    await using home = await makeHome();
    const { sessionId, dependencies } = await sessionWithLine(home);
    const before = await holders(home);
    // The log, and a blob for each prompt.
    expect(before).toContain('events.jsonl');
    expect(before.length).toBeGreaterThan(2);
    const first = await replaySession(await home.again().view(sessionId, 'whole'), home.blobs, (turn) =>
      runReplayTurn(turn, dependencies),
    );
    expect(first.firstDifference).toBeNull();
    const forget = forgetIn(home);
    await forget.begin(line);
    expect(await forget.run(never)).toEqual({ sessions: 1, busy: [], isTooShort: false });
    expect(await holders(home)).toEqual([]);
    const view = await home.again().view(sessionId, 'whole');
    expect(view.problems).toEqual([]);
    expect(view.state.notices.map(({ code }) => code)).toContain('line-forgotten');
    const report = await replaySession(view, home.blobs, (turn) => runReplayTurn(turn, dependencies));
    expect(report.firstDifference).toBeNull();
    expect(report.stateHash).toBe(report.recordedHash);
  });

  it('is named by no answer any more that used it', async () => {
    await using home = await makeHome();
    const { sessionId } = await sessionWithLine(home);
    const used = async () => (await home.again().view(sessionId, 'whole')).state.turns.map(({ memory = [] }) => memory);
    expect(await used()).toEqual([[secret], [secret]]);
    const forget = forgetIn(home);
    await forget.begin(line);
    await forget.run(never);
    const marks = (await used()).flat();
    expect(marks).toHaveLength(2);
    expect(marks.filter((mark) => !isForgetMark(mark))).toEqual([]);
    expect(isForgetMark(secret)).toBe(false);
  });

  it('is finished by a second run, wherever the first one was killed', async () => {
    await using home = await makeHome();
    const { sessionId } = await sessionWithLine(home);
    await forgetIn(home).begin(line);
    // Killed after the note, and while the new log was being written.
    await writeFile(join(home.store.folderOf(sessionId), 'events.jsonl.forget.tmp'), 'half a rec');
    const second = forgetIn(home);
    expect(await second.isBegun(line.id)).toBe(true);
    await second.run(never);
    expect(await holders(home)).toEqual([]);
    expect(await second.isBegun(line.id)).toBe(false);
    expect((await home.again().view(sessionId, 'whole')).problems).toEqual([]);
  });

  it('stays in the log of a session that works, and is forgotten by the next run', async () => {
    await using home = await makeHome();
    const { sessionId } = await sessionWithLine(home);
    const open = await home.store.open(sessionId);
    const forget = forgetIn(home);
    await forget.begin(line);
    expect(await forget.run(never)).toEqual({ sessions: 0, busy: [sessionId], isTooShort: false });
    await open.close();
    expect(await forget.isBegun(line.id)).toBe(true);
    expect((await forget.run(never)).sessions).toBe(1);
    expect(await holders(home)).toEqual([]);
  });

  // Catches: a run that writes the notes as it read them, or removes all of them, and so loses what came meanwhile.
  it('is forgotten, too, when it is begun while another one is being forgotten', async () => {
    await using home = await makeHome();
    await sessionWithLine(home);
    const other = 'Nothing holds this line yet.';
    const paused = Promise.withResolvers<undefined>();
    const reached = Promise.withResolvers<undefined>();
    const forget = forgetIn(home, async () => {
      reached.resolve(undefined);
      await paused.promise;
    });
    await forget.begin({ id: 'b', text: other });
    const first = forget.run(never);
    await reached.promise;
    const begun = forget.begin(line);
    const second = forget.run(never);
    paused.resolve(undefined);
    await Promise.all([begun, first]);
    expect(await second).toMatchObject({ sessions: 1, busy: [] });
    expect(await holders(home)).toEqual([]);
    expect([await forget.isBegun('b'), await forget.isBegun(line.id)]).toEqual([false, false]);
  });

  it('keeps a note that another process wrote during a run', async () => {
    await using home = await makeHome();
    await sessionWithLine(home);
    const elsewhere = forgetIn(home);
    const forget = forgetIn(home, () => elsewhere.begin({ id: 'b', text: 'Nothing holds this line yet.' }));
    await forget.begin(line);
    await forget.run(never);
    expect([await forget.isBegun('b'), await forget.isBegun(line.id)]).toEqual([true, false]);
  });

  // Catches: marks in fields that undo, take and a replay go by.
  it('stays in paths and commands, and goes out of what is said beside them', async () => {
    await using home = await makeHome();
    const journal = await home.store.create(scratchSession);
    const image = { kept: true, blob: await journal.putBlob(Buffer.from('x')), mode: 0o644 } as const;
    const [turnId, toolCallId, tool] = ['t', 'c', 'run'];
    const command = 'npm test && cat src/main/a.ts';
    const said = 'I read src/main, then `npm test`. Not npm test:unit.';
    const changed = (path: string): NewEvent => ({
      type: 'file-changed',
      turnId,
      path,
      before: null,
      after: image,
      by: 'model',
      toolCallId,
      added: 1,
      removed: 0,
      undoes: [],
    });
    const events: readonly NewEvent[] = [
      { type: 'tool-started', turnId, toolCallId, tool, by: 'model', input: { command }, label: command },
      changed('src/main'),
      changed('src/main/a.ts'),
      { type: 'check-ended', turnId, phase: 'after', command: 'npm test', exitCode: 0, passed: true, summary: said },
      { type: 'changes-taken', paths: ['src/main'], target: '/src/main' },
      { type: 'notice-added', level: 'info', code: 'npm test', text: said },
    ];
    for (const event of events) await journal.append(event);
    await journal.close();
    const forget = forgetIn(home);
    await forget.begin({ id: 'a', text: 'npm test' });
    await forget.begin({ id: 'b', text: 'src/main' });
    expect((await forget.run(never)).sessions).toBe(1);
    const view = await home.again().view(journal.sessionId, 'whole');
    expect(view.problems).toEqual([]);
    const left: SessionEvent[] = [];
    for await (const event of view.read(2)) left.push(event);
    const marked = 'I read ........, then `........`. Not npm test:unit.';
    const expected = events.map((event) =>
      event.type === 'check-ended'
        ? { ...event, summary: marked }
        : event.type === 'notice-added'
          ? { ...event, text: marked }
          : event,
    );
    expect(left.slice(0, -1)).toMatchObject(expected);
    expect(left.at(-1)).toMatchObject({ code: 'line-forgotten' });
  });

  // Catches: a mark longer than what it replaces, so that a blob no longer has its size and is lost.
  it.each([
    '12345678',
    '123456789',
    'cargo test',
    'cargo tests',
    'cargo tests!',
    'Größe ü',
    'éèéèé',
    'ünïcödé ß',
    '漢字漢字漢字漢字',
  ])('is replaced by as many bytes: %s', (text) => {
    const long = text.padEnd(8, 'x');
    const eraser = createTextFilter([long]);
    for (const written of [long, JSON.stringify({ a: `\n${long}\n` }), JSON.stringify(JSON.stringify([long]))]) {
      const bytes = Buffer.from(`- ${written} `).toString('latin1');
      const erased = eraser.erase(bytes);
      expect(erased).not.toBe(bytes);
      expect(erased).toHaveLength(bytes.length);
      expect(filterText(written, eraser)).not.toContain(long);
    }
  });

  it('is found beside signs, escapes and colors, and not inside of other words', () => {
    const eraser = createTextFilter(['cargo test']);
    const isFound = (text: string): boolean => filterText(text, eraser) !== text;
    const beside = ['cargo test', '“cargo test”', '\u001b[32mcargo test\u001b[0m', 'cargo test.', '語cargo test語'];
    expect(beside.filter((text) => !isFound(text))).toEqual([]);
    expect(isFound(JSON.stringify({ a: 'x\ncargo test\n\u001b[1mcargo test' }))).toBe(true);
    const inside = ['cargo tests', 'mycargo test', 'écargo test', 'cargo testé', 'cargo test-all', 'bin/cargo test'];
    expect(inside.filter(isFound)).toEqual([]);
  });

  it('is replaced by a mark of its own length, in every form, and leaves other words alone', () => {
    const eraser = createTextFilter(['Always use "ü" here', 'short']);
    const nested = JSON.stringify(JSON.stringify({ a: 'Always use "ü"\n here' }));
    const erased = filterText(nested, eraser);
    expect(erased).toContain('[forgotten');
    expect(Buffer.byteLength(erased)).toBe(Buffer.byteLength(nested));
    expect(filterText('Always use "u" here, in short.', eraser)).toBe('Always use "u" here, in short.');
  });
});
