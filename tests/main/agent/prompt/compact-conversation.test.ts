import { describe, expect, it } from 'vitest';
import type { AgentKit, Reply } from '../../../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../../../fakes/agent-kit.ts';
import { expectReplay } from '../../../fakes/replay-kit.ts';

const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [`f${index}.py`, `line of f${index}\n`.repeat(120)]),
);

async function longSession(replies: readonly Reply[], contextTokens = 8192): Promise<AgentKit> {
  const kit = createAgentKit({
    replies,
    sandbox: { files },
    model: { contextTokens },
    countTokens: (request) => Math.ceil(JSON.stringify(request.messages).length / 3),
  });
  await kit.runner.send('Read everything about the moon.', { ...turnOptions, maxSteps: 60 });
  return kit;
}

const reads = Array.from({ length: 30 }, (_, index) => call('read_file', { path: `f${index}.py` }));
/** A long thought without repetition. The agent would stop a model that repeats itself. */
const thought = Array.from({ length: 300 }, (_, index) => `w${index * index}`).join(' ');
let asked = 0;
const another = (): string => `m${(asked += 1)}`;
const isSummary = (kit: AgentKit, index: number): boolean =>
  JSON.stringify(kit.requests[index]?.messages[0]).includes('Summarize the work');

describe('a conversation that outgrows the window', () => {
  it('shortens older results first, as events, and every prompt fits', async () => {
    const kit = await longSession([...reads, call('task_complete', { summary: 'ok' })]);
    const trimmed = ofType(kit.journal.events, 'observation-trimmed');
    expect(trimmed.length).toBeGreaterThan(3);
    for (const event of trimmed) expect(event.afterTokens).toBeLessThan(event.beforeTokens);
    for (const started of ofType(kit.journal.events, 'model-call-started')) {
      expect(started.promptTokens).toBeLessThan(8192);
    }
    expect(kit.journal.events.at(-1)).toMatchObject({ type: 'turn-ended', reason: 'answered' });
  });

  it('is summed up by the model when that is not enough, and keeps the task in its own words', async () => {
    const conversation: Reply = (request) =>
      JSON.stringify(request.messages[0]).includes('Summarize the work')
        ? { text: 'Read f1 to f9; nothing about the moon.' }
        : { text: thought, calls: [{ name: 'search', input: { pattern: another() } }] };
    const kit = await longSession(Array.from({ length: 60 }, () => conversation));
    const compacted = ofType(kit.journal.events, 'context-compacted')[0];
    expect(compacted?.summary).toContain('nothing about the moon');
    expect(compacted?.summary).toContain('Read everything about the moon.');
    const after = kit.requests.findIndex((_, index) => index > 0 && isSummary(kit, index - 1));
    expect(JSON.stringify(kit.requests[after]?.messages)).toContain('nothing about the moon');
    expect(ofType(kit.journal.events, 'model-call-started').some((event) => event.purpose === 'summarize')).toBe(true);
  });

  it('is summed up early when a person asks for it, and replays', async () => {
    const done = call('task_complete', { summary: 'ok' });
    const kit = createAgentKit({
      replies: [...reads.slice(0, 4), done, { text: 'Four files were read.' }, done],
      sandbox: { files },
    });
    await kit.runner.send('Read some.', turnOptions);
    await kit.runner.send('Now go on.', { ...turnOptions, compact: true });
    expect(ofType(kit.journal.events, 'context-compacted').map(({ summary }) => summary)).toEqual([
      expect.stringContaining('Four files were read.'),
    ]);
    const last = kit.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(last)).toContain('Now go on.');
    await expectReplay(kit);
  });

  it('is summed up without a model when the model cannot', async () => {
    const conversation: Reply = (request) =>
      JSON.stringify(request.messages[0]).includes('Summarize the work')
        ? { error: { code: 'bad-request', message: 'no', retryable: false } }
        : { text: thought, calls: [{ name: 'search', input: { pattern: another() } }] };
    const kit = await longSession(Array.from({ length: 60 }, () => conversation));
    expect(ofType(kit.journal.events, 'context-compacted')[0]?.summary).toMatch(/search .* -> /u);
  });

  it('ends with the message that the task does not fit when nothing is left to remove', async () => {
    const kit = createAgentKit({ model: { contextTokens: 2048 }, replies: [] });
    const end = await kit.runner.send(`Translate this: ${'word '.repeat(20_000)}`, turnOptions);
    expect(end).toMatchObject({ reason: 'error', failure: { code: 'too-large' } });
    expect(kit.requests).toEqual([]);
  });
});
