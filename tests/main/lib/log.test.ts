import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/main/lib/log.ts';

describe('diagnostics', () => {
  it('writes one line a message from the chosen level on', () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', now: () => 0, write: (line) => lines.push(line) });
    log.info('not this');
    log.error('two\nlines');
    expect(lines).toEqual(['1970-01-01T00:00:00.000Z error two\\nlines']);
  });
});
