import { mkdirSync, mkdtempSync, readFileSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fileCalls } from '../../../../src/main/lib/files/file-calls.ts';
import { openHostFolder } from '../../../../src/main/lib/files/host-folder.ts';

/** Catches: a way that is quick, and lets through what the other one refuses. */
describe.each(process.platform === 'linux' ? (['waiting', 'at-once'] as const) : (['waiting'] as const))(
  'calls on files made %s',
  (mode) => {
    const calls = fileCalls(mode);
    const scene = async () => {
      const folder = mkdtempSync(join(tmpdir(), 'dewpoint-calls-'));
      writeFileSync(join(folder, 'a'), 'one');
      symlinkSync('a', join(folder, 'to-a'));
      const opened = await openHostFolder(folder, mode);
      onTestFinished(() => opened.close());
      return { folder, at: (name: string) => join(folder, name), opened };
    };
    const usual = { mode: 0o666, isSynced: true };

    it('write no file that is there, nor through a link', async () => {
      const { at } = await scene();
      await expect(calls.writeNew(at('a'), Buffer.from('x'), usual)).rejects.toMatchObject({ code: 'EEXIST' });
      await expect(calls.writeNew(at('to-a'), Buffer.from('x'), usual)).rejects.toMatchObject({ code: 'EEXIST' });
      await calls.writeNew(at('b'), Buffer.from('two'), usual);
      expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8')]).toEqual(['one', 'two']);
    });

    it('read a file to its end, and no link', async () => {
      const { opened } = await scene();
      const file = await calls.open(opened, 'a');
      const piece = Buffer.alloc(2);
      const counts = [await file.read(piece), await file.read(piece), await file.read(piece)];
      await file.close();
      expect([file.sizeBytes, counts]).toEqual([3, [2, 1, 0]]);
      await expect(calls.open(opened, 'to-a')).rejects.toMatchObject({ code: 'ELOOP' });
      await expect(calls.open(opened, '../a')).rejects.toMatchObject({ code: 'EINVAL' });
    });

    it('take no name that is taken', async () => {
      const { at } = await scene();
      writeFileSync(at('b'), 'two');
      await expect(calls.link(at('a'), at('b'))).rejects.toMatchObject({ code: 'EEXIST' });
      await expect(calls.mkdir(at('a'))).rejects.toMatchObject({ code: 'EEXIST' });
      await calls.link(at('a'), at('c'));
      await calls.rename(at('c'), at('d'));
      await calls.unlink(at('a'));
      expect([readFileSync(at('d'), 'utf8'), existsSync(at('a')), existsSync(at('c'))]).toEqual(['one', false, false]);
    });

    it('look at a link itself, and remove a folder without what a link in it leads to', async () => {
      const { at } = await scene();
      expect((await calls.lstat(at('to-a'))).isSymbolicLink()).toBe(true);
      expect((await calls.readlink(at('to-a'))).toString()).toBe('a');
      mkdirSync(at('deep'));
      symlinkSync('../a', at('deep/out'));
      await calls.removeFolder(at('deep'));
      expect([existsSync(at('deep')), existsSync(at('a'))]).toEqual([false, true]);
    });
  },
);
