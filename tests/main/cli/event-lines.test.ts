import picocolors from 'picocolors';
import { expect, it } from 'vitest';
import type { EventOf } from '@shared/events.ts';
import { createEventLines } from '../../../src/main/cli/event-lines.ts';

const changed = (by: EventOf<'file-changed'>['by'], toolCallId: string | null): EventOf<'file-changed'> => ({
  v: 1,
  seq: 9,
  at: 0,
  type: 'file-changed',
  path: 'a.py',
  before: null,
  after: { kept: false, why: 'too-large' },
  by,
  toolCallId,
  added: 1,
  removed: 0,
  undoes: [],
});

it('what a person took and took back does not look like the work of the agent', () => {
  const lines = createEventLines({
    out: () => undefined,
    err: () => undefined,
    isLive: false,
    isInteractive: false,
    columns: 80,
    colors: picocolors.createColors(false),
  });
  const shown = [changed('model', 't1'), changed('take', null), changed('undo', null), changed('undo', 't2')];
  expect(shown.flatMap(lines)).toEqual([
    '    new a.py  +1 -0',
    '    new a.py  +1 -0  (taken by you)',
    '    new a.py  +1 -0  (undo by you)',
    '    new a.py  +1 -0',
  ]);
});
