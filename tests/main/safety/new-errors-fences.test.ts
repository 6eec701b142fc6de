import { expect, it } from 'vitest';
import type { NewEvent } from '../../../src/shared/events/events.ts';
import type { FenceHit } from '../../../src/shared/safety/fences.ts';
import { compileFences } from '../../../src/shared/safety/fences.ts';
import { createFenceTaint, newErrorsMark } from '../../../src/main/safety/taint.ts';

const settings = { rules: [{ paths: ['plans.py'], verdict: 'local-only' as const }], secrets: 'off' as const };
const hit: FenceHit = { rule: 'plans.py', verdict: 'local-only', path: 'plans.py', how: 'content' };

/** The fences that apply to a conversation after an edit of another file had this result. */
function rulesAfter(output: string): readonly string[] {
  const taint = createFenceTaint(compileFences({ settings, projectPath: null, isSecretFile: () => false }));
  taint.addFile(hit, 'launch_day_that_nobody_may_know = "the first of May"\n');
  const tool = { toolCallId: 't', tool: 'edit_file' } as const;
  const measured = { full: null, exitCode: null, durationMs: 0, data: null, dataBlob: null };
  const events: readonly NewEvent[] = [
    { type: 'tool-started', ...tool, by: 'model', input: { path: 'shop.py' }, label: '' },
    { type: 'tool-ended', ...tool, status: 'ok', output, ...measured },
  ];
  events.forEach((event, index) => taint.add({ ...event, v: 2, seq: index + 1, at: index }));
  return taint.inScope('conversation').map(({ rule }) => rule);
}

/** Catches: a part of a folder outside the project that a rule keeps here, on its way to a cloud. */
it('what a search finds in a chosen folder gets the fence of its path there', () => {
  const rules = [{ paths: ['manuals/private/**'], verdict: 'local-only' as const }];
  const fences = compileFences({ settings: { rules, secrets: 'off' }, projectPath: '/app', isSecretFile: () => false });
  const after = (path: string): readonly string[] => {
    const taint = createFenceTaint(fences);
    const tool = { toolCallId: 't', tool: 'search_documents' } as const;
    const measured = { full: null, exitCode: null, durationMs: 0, dataBlob: null };
    const events: readonly NewEvent[] = [
      { type: 'tool-started', ...tool, by: 'model', input: { words: 'pump' }, label: '' },
      {
        type: 'tool-ended',
        ...tool,
        status: 'ok',
        output: 'It costs 4711.',
        data: { matches: [{ path }] },
        ...measured,
      },
    ];
    events.forEach((event, index) => taint.add({ ...event, v: 2, seq: index + 1, at: index }));
    return taint.inScope('conversation').map(({ verdict }) => verdict);
  };
  expect(after('manuals/pump.pdf')).toEqual([]);
  expect(after('manuals/private/prices.md')).toEqual(['local-only']);
});

/** Catches: the type of a value of a fenced file, in an error of another file, on its way to a cloud. */
it('the errors after an edit get the fences of every file, because an error names what other files have', () => {
  expect(rulesAfter('Edited shop.py at line 1.')).toEqual([]);
  expect(rulesAfter(`Edited shop.py at line 1.\n${newErrorsMark} pyright:\nshop.py:1: wrong\n]`)).toEqual(['plans.py']);
});
