import { describe, expect, it } from 'vitest';
import { success } from '../../../../src/shared/errors.ts';
import { runReplayTurn } from '../../../../src/main/agent/replay/replay-turn.ts';
import { createMemorySandbox } from '../../../fakes/sandbox/memory-sandbox.ts';
import { replaySession } from '../../../../src/main/sessions/replay/replay-session.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { createMemoryJournal } from '../../../fakes/memory-journal.ts';

/** A sandbox with the commands `close` and `open`. While it is closed, `src/lib` cannot be read. */
function closingSandbox() {
  let isClosed = false;
  const memory = createMemorySandbox({
    files: { 'src/lib/a.py': 'x = 1\n', 'src/b.py': 'y = 1\n' },
    exec: ({ command }, sandbox) => {
      isClosed = command === 'close';
      if (command === 'close') sandbox.put('src/b.py', 'y = 2\n');
      if (command === 'open') sandbox.put('src/lib/a.py', 'x = 2\n');
      return {};
    },
  });
  const scan = memory.files.scan.bind(memory.files);
  Object.assign(memory.files, {
    scan: async (signal: AbortSignal) => {
      const scanned = await scan(signal);
      if (!scanned.ok || !isClosed) return scanned;
      const files = [...scanned.value.files].filter(([path]) => !path.startsWith('src/lib/'));
      return success({ files: new Map(files), unseen: ['src/lib'] });
    },
  });
  return memory;
}

describe('a folder closed by a command', () => {
  it('is reported once, and its changes are seen when it is open again', async () => {
    const journal = createMemoryJournal();
    const command = (text: string) => call('run_command', { command: text });
    const kit = createAgentKit({
      replies: [command('close'), command('close'), command('open'), call('task_complete', { summary: 'ok' })],
      dependencies: { journal, sandbox: closingSandbox() },
    });
    await kit.runner.send('Close the folder.', { ...turnOptions, strategy: 'loop' });
    expect(ofType(journal.events, 'file-changed').map(({ path, after }) => [path, after !== null])).toEqual([
      ['src/b.py', true],
      ['src/lib/a.py', true],
    ]);
    const notices = ofType(journal.events, 'notice-added').filter(({ code }) => code === 'changes-not-seen');
    expect(notices.map(({ level, text }) => [level, text])).toEqual([
      ['warning', expect.stringContaining('too deep: src/lib.')],
    ]);
    const recorded = { sessionId: journal.sessionId, problems: [], read: () => journal.read() };
    const blobs = { get: journal.getBlob.bind(journal) };
    const report = await replaySession(recorded, blobs, (turn) => runReplayTurn(turn, kit.dependencies));
    expect([report.firstDifference, report.stateHash]).toEqual([null, report.recordedHash]);
  });
});
