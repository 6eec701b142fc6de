import { describe, expect, it } from 'vitest';
import { createFileBaseline } from '../../../../src/main/agent/changes/file-baseline.ts';
import { createFileChanges } from '../../../../src/main/agent/changes/file-changes.ts';
import { createTurnLog } from '../../../../src/main/agent/turn/turn-log.ts';
import { sha256Of } from '../../../../src/main/lib/sha256.ts';
import { createHiddenValues } from '../../../../src/main/safety/hidden-values.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';

/** A file of 30 lines, some of which are others. */
const file = (others: Readonly<Record<number, string>>): string =>
  Array.from({ length: 30 }, (_, at) => `${others[at] ?? `line ${at}`}\n`).join('');

function changesOf(text: string) {
  const { signal } = new AbortController();
  const sandbox = createMemorySandbox({ files: { 'a.txt': text } });
  const journal = createMemoryJournal();
  const changes = createFileChanges({
    sandbox,
    journal,
    log: createTurnLog(journal, 't1', signal, () => undefined),
    baseline: createFileBaseline(sandbox.files, null),
    signal,
    turnId: 't1',
    hidden: createHiddenValues(),
  });
  const write = (to: string) => {
    const bytes = Buffer.from(to);
    const expect = sha256Of(Buffer.from(sandbox.text('a.txt') ?? ''));
    return changes.write({ path: 'a.txt', bytes, expect }, { by: 'model', toolCallId: 'call' });
  };
  const revert = () => changes.revert(changes.recorded(), 'back');
  return { sandbox, journal, write, revert };
}

/** Catches: lines of a person that go away when a turn, a check or a recipe takes its own changes back. */
describe('changes that the agent itself takes back', () => {
  it('leave what somebody else wrote between them', async () => {
    const { sandbox, journal, write, revert } = changesOf(file({}));
    await write(file({ 2: 'agent' }));
    sandbox.put('a.txt', file({ 2: 'agent', 15: 'mine' }));
    await write(file({ 2: 'agent', 15: 'mine', 25: 'agent' }));
    expect(await revert()).toEqual({ back: ['a.txt'], kept: [] });
    expect(sandbox.text('a.txt')).toBe(file({ 15: 'mine' }));
    // They are gone, and a further change can be taken back like the first.
    await write(file({ 15: 'mine', 20: 'agent' }));
    expect(await revert()).toEqual({ back: ['a.txt'], kept: [] });
    expect(sandbox.text('a.txt')).toBe(file({ 15: 'mine' }));
    expect(journal.state().changes.map(({ added, removed }) => [added, removed])).toEqual([[0, 0]]);
  });

  it('stay where both changed the same lines', async () => {
    const { sandbox, write, revert } = changesOf(file({}));
    await write(file({ 2: 'agent' }));
    sandbox.put('a.txt', file({ 2: 'mine' }));
    await write(file({ 2: 'mine', 25: 'agent' }));
    expect(await revert()).toEqual({ back: [], kept: ['a.txt'] });
    expect(sandbox.text('a.txt')).toBe(file({ 2: 'mine', 25: 'agent' }));
  });
});
