import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { changes } from '../../../../../../src/main/hosts/cli/commands/sessions/changes.command.ts';
import { commandContext } from '../../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../../fakes/scripted-core.ts';
import type { ChangedFile, ChangeOutcome, HunkChoice } from '@shared/contract/sessions-contract.ts';

const projectPath = join(process.cwd(), 'calculator');

const file = (path: string, more: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  kind: 'modified',
  added: 1,
  removed: 1,
  diff: `--- a/${path}\n+++ b/${path}\n`,
  state: 'open',
  ...more,
});

/** A session with these changes. `asked` collects the paths to undo or take. */
function sessionWith(
  files: readonly ChangedFile[],
  outcome: ChangeOutcome = { done: [], refused: [] },
  untracked: readonly UntrackedPlace[] = [],
) {
  const core = createScriptedCore();
  const sessionId = core.createSession({ projectPath });
  const asked: (readonly string[])[] = [];
  const hunks: (HunkChoice | undefined)[] = [];
  const act = ({
    input,
  }: {
    readonly input: { readonly paths: readonly string[]; readonly hunks?: HunkChoice | undefined };
  }): ChangeOutcome => {
    asked.push(input.paths);
    hunks.push(input.hunks);
    return outcome;
  };
  core.replace({
    changes: {
      show: ({ input: { paths } }) =>
        files.filter(({ path }) => paths.length === 0 || paths.some((want) => `${path}/`.startsWith(`${want}/`))),
      untracked: () => untracked,
      take: act,
      undo: act,
    },
  });
  const { context, said } = commandContext(core);
  const call = (...words: string[]) => changes(context, sessionId, words, {});
  const callHunk = (hunk: string, ...words: string[]) => changes(context, sessionId, words, { hunk });
  return { said, asked, hunks, call, callHunk };
}

describe('the changes of a path', () => {
  it.each(['show', 'take', 'undo'])('are refused by %s when the session has none there', async (action) => {
    const { call, asked, said } = sessionWith([file('src/a.py')]);
    await expect(call(action, 'src/a.py', 'b.py')).rejects.toMatchObject({
      code: 'not-found',
      message: 'This session did not change b.py.',
    });
    expect({ asked, said }).toEqual({ asked: [], said: { out: '', err: '' } });
  });

  it('are found by a relative path and by a whole path', async () => {
    const { call, asked } = sessionWith([file('src/a.py')]);
    for (const path of ['src/a.py', './src', 'src/', 'calculator/src/a.py', join(projectPath, 'src'), projectPath])
      await call('undo', path);
    expect(asked).toEqual([['src/a.py'], ['src'], ['src'], ['src/a.py'], ['src'], ['.']]);
  });
});

describe('the list of changes', () => {
  it('calls a change that was brought back restored', async () => {
    const outcome = { done: ['a.py', 'b.py'], broughtBack: ['b.py'], refused: [] };
    const { call, said } = sessionWith([file('a.py'), file('b.py')], outcome);
    expect(await call('undo')).toBe(0);
    expect(said.out).toBe('undone a.py\nrestored b.py\n');
  });

  it('says that nothing can be undone because the changes were taken', async () => {
    const { call, said } = sessionWith([file('a.py', { state: 'taken' })]);
    expect(await call('undo')).toBe(0);
    expect(said.err).toBe('Nothing to undo: changes that you took stay. Use `show` to see them.\n');
  });

  it('shows a change of permissions, and why a file has no diff', async () => {
    const { call, said } = sessionWith([
      file('run.sh', { note: 'mode 644 to 755' }),
      file('big.bin', { diff: null, note: 'not kept: too-large' }),
    ]);
    await call();
    expect(said.out).toContain('modified run.sh  +1 -1\n  mode 644 to 755\n');
    expect(said.out).toContain('modified big.bin  +1 -1\n  not kept: too-large\n');
  });
});

it('the changes command says what may run later, also where no change is tracked', async () => {
  const place = { path: 'lib/dep/.git', why: 'git runs what it says', done: 'hooks taken away: pre-commit' };
  const { call, said } = sessionWith([file('Makefile')], { done: [], refused: [] }, [
    place,
    { path: 'node_modules\n  safe', why: 'programs run it', done: null },
  ]);
  await call('show');
  expect(said.err).toBe(
    [
      'May run on your machine later:',
      '  Makefile: runs when you build',
      '  lib/dep/.git: git runs what it says (hooks taken away: pre-commit)',
      '  node_modules<U+000A>  safe: programs run it',
      '',
    ].join('\n'),
  );
});

describe('the hunks of a file', () => {
  const inParts = file('src/a.py', {
    diff: '--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-@@ c\n+d\n',
    hunks: ['undone', 'open'],
    version: '7uo',
  });

  it('have numbers by which they can be undone', async () => {
    const { call, callHunk, said, hunks } = sessionWith([inParts, file('b.py')]);
    await call('show');
    expect(said.out).toContain('@@ -1 +1 @@  hunk 1 (undone)\n-a\n+b\n@@ -9 +9 @@  hunk 2\n-@@ c\n');
    await callHunk('2,1', 'undo', 'src/a.py');
    expect(hunks).toEqual([{ places: [1, 0], version: '7uo' }]);
  });

  it.each([
    ['3', 'src/a.py', 'src/a.py has hunks 1 to 2, not "3".'],
    ['one', 'src/a.py', 'src/a.py has hunks 1 to 2, not "one".'],
    ['1', 'src', 'Name one file with --hunk.'],
    ['1', 'b.py', 'The changes of b.py can only be decided on together.'],
  ])('reject %s of %s as a hunk, and nothing is undone', async (hunk, path, message) => {
    const { callHunk, asked } = sessionWith([inParts, file('b.py')]);
    await expect(callHunk(hunk, 'undo', path)).rejects.toMatchObject({ message });
    expect(asked).toEqual([]);
  });
});
