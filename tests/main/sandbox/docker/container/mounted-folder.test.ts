import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MountedFolder } from '../../../../../src/main/sandbox/docker/container/mounted-folder.ts';

// Bug: a project that was deleted in the middle of a task cost three more calls, and the task ended as done.
it('the mounted project folder reports once that it is gone, and once that it was made anew', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-mounted-'));
  const workspacePath = join(folder, 'project');
  await mkdir(workspacePath);
  const losses: boolean[] = [];
  const mounted = await MountedFolder.of({ workspacePath, onLost: ({ recreated }) => void losses.push(recreated) });
  try {
    expect(await mounted.check()).toMatchObject({ ok: true });
    await rename(workspacePath, join(folder, 'moved'));
    const replies = [await mounted.check(), await mounted.check()];
    expect(replies).toMatchObject([{ error: { code: 'conflict' } }, { error: { code: 'conflict' } }]);
    await mkdir(workspacePath);
    expect(await mounted.check()).toMatchObject({ error: { code: 'conflict' } });
    expect(losses).toEqual([false]);
    await rm(workspacePath, { recursive: true });
    await rename(join(folder, 'moved'), workspacePath);
    expect(await mounted.check()).toMatchObject({ ok: true });
    expect(losses).toEqual([false, true]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
