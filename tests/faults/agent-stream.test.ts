import { describe, expect, it } from 'vitest';
import type { StreamPart } from '../../src/main/models/providers/define.ts';
import { call, createAgentKit, ended, ofType, turnOptions } from '../fakes/agent-kit.ts';

const cut: StreamPart = {
  ...ended('error', 10),
  error: { code: 'cut', message: 'The answer stopped without an end.', retryable: false },
};

const local = { tools: false, grammar: false, prefill: true, infill: false, countTokens: true };

describe('an answer that is cut', () => {
  const whole = 'I change it.\nTOOL_CALL\n{"tool": "write_file", "input": {"path": "b.py", "content": "y = 2\\n"}}\n';

  it('runs no tool from half a call, wherever the text ends', async () => {
    const brace = whole.lastIndexOf('}');
    for (let at = 0; at <= whole.length; at += 1) {
      const text = whole.slice(0, at);
      for (const end of [ended('length', 10), ended('stop', 10)]) {
        const kit = createAgentKit({
          model: { capabilities: local },
          replies: [{ stream: [{ type: 'text-delta', text }, end] }, call('task_complete', {})],
        });
        await kit.runner.send('Do the work.', { ...turnOptions, maxSteps: 1 });
        const wrote = kit.sandbox.text('b.py');
        // A call is complete with its last brace, even if a mark behind it is missing.
        expect({ at, wrote }).toEqual({ at, wrote: at > brace ? 'y = 2\n' : null });
      }
    }
  });

  it('runs no tool from an answer that ended with an error, though its calls were whole', async () => {
    const part: StreamPart = {
      type: 'tool-call',
      call: { type: 'tool-call', id: 'x', name: 'write_file', input: { path: 'b.py', content: 'y' } },
    };
    const kit = createAgentKit({ replies: [{ stream: [part, cut] }] });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('error');
    expect(kit.sandbox.text('b.py')).toBeNull();
    expect(ofType(kit.journal.events, 'tool-call-requested')).toEqual([]);
  });

  it('is an error, and is tried again, when the stream throws or has no end', async () => {
    const kit = createAgentKit({
      replies: [
        { stream: [{ type: 'text-delta', text: 'half' }] },
        { calls: [{ name: 'task_complete', input: { summary: 'ok' } }] },
      ],
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end).toMatchObject({ reason: 'answered', text: 'ok' });
    expect(ofType(kit.journal.events, 'model-call-ended')[0]).toMatchObject({
      error: { code: 'cut', retryable: true },
    });
    expect(ofType(kit.journal.events, 'notice-added')[0]?.code).toBe('model-call-retried');
  });
});

describe('an answer that repeats itself without end', () => {
  it('is stopped, and the loop gives up after a few of them', async () => {
    let yielded = 0;
    const endless = function* endless(): Generator<StreamPart> {
      for (;;) {
        yielded += 1;
        yield { type: 'text-delta', text: 'I will fix it. ' };
      }
    };
    const kit = createAgentKit({
      model: { parametersB: 1.5 },
      replies: Array.from({ length: 5 }, () => () => ({
        stream: { [Symbol.iterator]: endless },
      })),
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end).toMatchObject({
      reason: 'gave-up',
      text: 'The answers of the model repeated themselves without end.',
    });
    expect(ofType(kit.journal.events, 'model-call-ended').map(({ stopReason }) => stopReason)).toEqual(
      Array(3).fill('repetition'),
    );
    expect(yielded).toBeLessThan(2000);
    expect(ofType(kit.journal.events, 'notice-added').some((event) => event.code === 'repetition-stopped')).toBe(true);
  });

  it('is told apart from a table or a ruler', async () => {
    const text = `${'='.repeat(900)}\n${'| a | b |\n'.repeat(60)}`;
    const kit = createAgentKit({ replies: [{ text }] });
    const end = await kit.runner.send('What does it say?', turnOptions);
    expect(end).toMatchObject({ reason: 'answered', text: text.trim() });
  });
});

describe('empty answers', () => {
  it('are asked about again, and end the stage when they continue', async () => {
    const kit = createAgentKit({ replies: [{}, {}, {}, {}] });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end).toMatchObject({ reason: 'gave-up', text: 'The model gave empty answers.' });
    expect(kit.requests).toHaveLength(3);
    expect(JSON.stringify(kit.requests[1]?.messages.at(-1))).toContain('Your answer was empty');
  });
});

describe('an engine that fails', () => {
  it('costs one step when it is lost', async () => {
    const lost = { error: { code: 'engine-lost', message: 'gone', retryable: true } } as const;
    const kit = createAgentKit({ replies: [lost, call('task_complete', { summary: 'ok' })] });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end.reason).toBe('answered');
    expect(ofType(kit.journal.events, 'model-call-started').map((event) => event.step)).toEqual([1, 2]);
  });

  it('is waited for as long as it asks, and given up after three tries', async () => {
    const waits: number[] = [];
    const limited = {
      error: { code: 'rate-limit', message: 'slow down', retryable: true, retryAfterMs: 7000 },
    } as const;
    const kit = createAgentKit({
      replies: [limited, limited, limited],
      dependencies: { machine: { delay: async (milliseconds) => void waits.push(milliseconds) } },
    });
    const end = await kit.runner.send('Do the work.', turnOptions);
    expect(end).toMatchObject({ reason: 'error', failure: { code: 'network' } });
    expect(waits).toHaveLength(2);
    // A little longer than asked, so that clients with the same answer do not return all at once. Never shorter.
    for (const wait of waits) expect(wait >= 7000 && wait <= 7700, String(wait)).toBe(true);
    expect(kit.requests).toHaveLength(3);
  });
});
