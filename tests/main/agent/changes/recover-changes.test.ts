import { mkdir, mkdtemp, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createBaselineFile } from '../../../../src/main/agent/changes/baseline-file.ts';
import { createFileBaseline } from '../../../../src/main/agent/changes/file-baseline.ts';
import { recoverChanges } from '../../../../src/main/agent/changes/recover-changes.ts';
import { createReadOnlySandbox } from '../../../../src/main/sandbox/read-only/read-only-sandbox.ts';
import { createBlobs } from '../../../../src/main/sessions/blobs/blob-store.ts';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';
import { emptySession } from '../../../../src/shared/session/session-state.ts';

const none = new AbortController().signal;

describe('changes of a command that outlived Dewpoint', () => {
  let base: string;
  let work: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'dewpoint-recover-')));
    work = join(base, 'work');
    await mkdir(work);
  });
  afterEach(() => rm(base, { recursive: true }));

  // Catches: after an undo, the folder was there twice, and the changes did not tell.
  it('include the files of a renamed folder under both names', async () => {
    const old = new Date('2020-01-01');
    await mkdir(join(work, 'docs/deep'), { recursive: true });
    for (const [path, text] of [
      ['docs/a.txt', 'a'],
      ['docs/deep/b.txt', 'b'],
      ['kept.txt', 'k'],
    ] as const) {
      await writeFile(join(work, path), text);
      await utimes(join(work, path), old, old);
    }
    await wait(100);
    const file = createBaselineFile(join(base, 'before'));
    onTestFinished(() => file.remove());
    const baseline = createFileBaseline(createReadOnlySandbox({ workspacePath: work, because: null }).files, file);
    await baseline.refresh(none);
    const mark = {
      seq: 1,
      at: Date.now(),
      turnId: 't1',
      toolCallId: 'c1',
      by: 'model',
      paths: null,
      isLeft: false,
    } as const;
    await baseline.keep(mark);
    await rename(join(work, 'docs'), join(work, 'texts'));
    const events = await recoverChanges(
      {
        blobs: createBlobs(join(base, 'blobs')),
        homePath: join(base, 'home'),
        settings: () => settingsSchema.parse({}).sandbox,
        masks: () => Promise.resolve([]),
      },
      {
        baselinePath: join(base, 'before'),
        state: { ...emptySession, workspace: { mode: 'in-place', path: work } },
        hasOpenCall: true,
        read: async function* () {},
      },
    );
    const changes = events.map((event) => (event.type === 'file-changed' ? [event.path, event.before === null] : []));
    expect(changes).toEqual([
      ['docs/a.txt', false],
      ['docs/deep/b.txt', false],
      ['texts/a.txt', true],
      ['texts/deep/b.txt', true],
    ]);
  });
});
