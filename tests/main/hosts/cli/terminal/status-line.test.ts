import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStatusLine } from '../../../../../src/main/hosts/cli/terminal/status-line.ts';
import { safeWriting } from '../../../../../src/main/hosts/text/terminal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the last line of a terminal', () => {
  it('counts tokens, and gives their speed without the waiting time', () => {
    const written: string[] = [];
    const status = createStatusLine(
      {
        ...safeWriting({ out: () => undefined, err: (text) => void written.push(text) }, false),
        isLive: true,
        isInteractive: true,
        columns: 200,
      },
      () => Date.now(),
    );
    status.begin('c', 'step 1');
    status.take({ type: 'call-progress', callId: 'c', phase: 'prefill', done: 1, total: 4 });
    vi.advanceTimersByTime(10_000);
    expect(written.at(-1)).toContain('step 1 reading 25 %');
    status.take({ type: 'text-delta', callId: 'c', text: 'One' });
    vi.advanceTimersByTime(1_000);
    status.take({ type: 'text-delta', callId: 'c', text: ' two three', pieces: 20 });
    vi.advanceTimersByTime(80);
    expect(written.at(-1)).toMatch(/writing 21 tok (19\.\d|20\.0) tok\/s 11 s/u);
    status.end();
  });

  // Catches: a log that says nothing for two minutes while a check sleeps.
  it('is written to a log as lines with the time and limit, ever more seldom', () => {
    const written: string[] = [];
    const writing = safeWriting({ out: () => undefined, err: (text) => void written.push(text) }, false);
    const status = createStatusLine({ ...writing, isLive: false, isInteractive: false, columns: 80 }, () => Date.now());
    status.begin('quick', 'read a.py');
    vi.advanceTimersByTime(4_000);
    status.end();
    status.begin('slow', 'check: sleep 1000', 120_000);
    vi.advanceTimersByTime(5_000);
    expect(written).toEqual(['    still running: check: sleep 1000, 5.0 s of at most 2 min\n']);
    vi.advanceTimersByTime(175_000);
    const times = written.map((line) => /, ([^,]+) of at most/u.exec(line)?.[1]);
    expect(times).toEqual(['5.0 s', '15 s', '30 s', '1 min', '2 min', '3 min']);
    status.end();
    vi.advanceTimersByTime(600_000);
    expect(written).toHaveLength(6);
  });
});
