import { describe, expect, it } from 'vitest';
import { readShortenedResult } from '../../../../src/main/agent/prompt/read-shortened-result.ts';
import type { AgentKit } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';

const files = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`f${index}.py`, `line of f${index}\n`.repeat(120)]),
);
const done = call('task_complete', { summary: 'ok' });

function logOf(kit: AgentKit) {
  return { state: kit.journal.state(), read: () => kit.journal.read() };
}

/** What was shortened for the model of the last step. */
async function lastTrimmed(kit: AgentKit) {
  const last = ofType(kit.journal.events, 'model-call-started').at(-1);
  return readShortenedResult(logOf(kit), last?.callId ?? '');
}

describe('the hidden part of a result', () => {
  it('is empty when all of it fits', async () => {
    const kit = createAgentKit({ replies: [call('read_file', { path: 'f1.py' }), done], sandbox: { files } });
    await kit.runner.send('Read it.', turnOptions);
    expect(await lastTrimmed(kit)).toEqual([]);
  });

  it('is the middle of a long output, and later more of an older one', async () => {
    const long = 'x'.repeat(40_000);
    const reads = Array.from({ length: 12 }, (_, index) => call('read_file', { path: `f${index}.py` }));
    const kit = createAgentKit({
      replies: [call('run_command', { command: 'print-much' }), ...reads, done],
      sandbox: { files, exec: () => ({ exitCode: 0, stdout: long }) },
      model: { contextTokens: 8192 },
      countTokens: (request) => Math.ceil(JSON.stringify(request.messages).length / 3),
    });
    await kit.runner.send('Read everything.', { ...turnOptions, maxSteps: 60 });
    const trimmed = await lastTrimmed(kit);
    const room = trimmed.filter(({ why }) => why === 'room');
    expect(room.length).toBe(ofType(kit.journal.events, 'observation-trimmed').length);
    expect(room.length).toBeGreaterThan(0);
    const [, file] = room;
    expect(file?.parts).toEqual([
      { what: 'result', label: expect.stringContaining('f0.py'), ref: expect.any(String), bytes: expect.any(Number) },
    ]);
    expect(file?.parts[0]?.bytes).toBeGreaterThan(1500);
    expect(file?.afterBytes).toBeLessThan(500);
    const cut = trimmed.find(({ why }) => why === 'long');
    expect(cut?.parts[0]?.bytes).toBeGreaterThanOrEqual(long.length);
    expect(cut?.afterBytes).toBeLessThan(10_000);
  });

  it('is everything that a summary stands for', async () => {
    const kit = createAgentKit({
      replies: [
        ...[1, 2, 3].map((index) => call('read_file', { path: `f${index}.py` })),
        done,
        { text: 'Three files were read.' },
        call('read_file', { path: 'f4.py' }),
        call('read_file', { path: 'f5.py' }),
        done,
        { text: 'Five files were read.' },
        done,
      ],
      sandbox: { files },
    });
    await kit.runner.send('Read some.', turnOptions);
    await kit.runner.send('Now go on.', { ...turnOptions, compact: true });
    await kit.runner.send('And on.', { ...turnOptions, compact: true });
    const trimmed = await lastTrimmed(kit);
    expect(trimmed.map(({ why }) => why)).toEqual(['summary', 'summary']);
    const [first, second] = trimmed.map(({ parts }) => parts.map(({ what, label }) => `${what} ${label}`));
    expect(first?.[0]).toMatch(/^message Read some\./u);
    expect(first?.join('\n')).toMatch(/result .*f1\.py/u);
    expect(second?.[0]).toMatch(/^summary What happened so far, in short: Read some\./u);
    const [event] = ofType(kit.journal.events, 'context-compacted');
    expect(trimmed[0]?.afterBytes).toBe(Buffer.byteLength(event?.summary ?? ''));
    // The model of a step before the summaries got everything.
    const early = ofType(kit.journal.events, 'model-call-started')[1];
    expect(await readShortenedResult(logOf(kit), early?.callId ?? '')).toEqual([]);
  });
});
