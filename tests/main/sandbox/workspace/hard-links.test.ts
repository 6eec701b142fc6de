import { chmod, link, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { breakHardLinks, findHardLinks } from '../../../../src/main/sandbox/workspace/hard-links.ts';
import { createProjectLinks } from '../../../../src/main/sandbox/docker/protection/project-links.ts';

const none = new AbortController().signal;

describe('hard links of a project', () => {
  let base: string;
  let work: string;
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'dewpoint-links-'));
    work = join(base, 'work');
    await mkdir(work);
  });
  afterEach(() => rm(base, { recursive: true }));

  /** Creates a file outside the project and a hard link to it inside. */
  async function linked(path: string, content = 'outside'): Promise<string> {
    const outside = join(base, `store-${path.replaceAll('/', '-')}`);
    await writeFile(outside, content);
    await mkdir(dirname(join(work, path)), { recursive: true });
    await link(outside, join(work, path));
    return outside;
  }
  const find = (isLeftOut: (path: string) => boolean = () => false, budgetMs: number | null = null) =>
    findHardLinks({ workspacePath: work, isLeftOut, budgetMs }, none);

  it('are found everywhere, except those whose every name lies in the project', async () => {
    for (const path of ['a.txt', 'src/b.txt', 'node_modules/c/d.js', '.git/objects/e', 'held/f']) await linked(path);
    await writeFile(join(work, 'one'), '1');
    await link(join(work, 'one'), join(work, 'src/two'));
    await mkdir(join(base, 'elsewhere'));
    await symlink(join(base, 'elsewhere'), join(work, 'way-out'));
    await link(join(base, 'store-a.txt'), join(base, 'elsewhere', 'third'));
    const found = await find((path) => path === 'held');
    expect(found).toEqual({
      files: ['.git/objects/e', 'a.txt', 'node_modules/c/d.js', 'src/b.txt'].map((path) => ({ path, sizeBytes: 7 })),
      isCut: false,
    });
    expect(await find(undefined, -1)).toEqual({ files: [], isCut: true });
  });

  it('are replaced by copies with bytes, mode and times kept, and the file outside is unchanged', async () => {
    const outside = await linked('bin/run.sh', '#!/bin/sh\n');
    await chmod(outside, 0o555);
    await utimes(outside, 1_000_000, 1_000_000);
    const before = await stat(outside);
    const { files } = await find();
    expect(await breakHardLinks(work, files, none)).toEqual({ broken: 1, left: [] });
    const own = await stat(join(work, 'bin/run.sh'));
    expect([own.mode, own.mtimeMs, own.uid, own.nlink]).toEqual([before.mode, before.mtimeMs, before.uid, 1]);
    await chmod(join(work, 'bin/run.sh'), 0o755);
    await writeFile(join(work, 'bin/run.sh'), 'changed');
    expect([await readFile(outside, 'utf8'), (await stat(outside)).mode]).toEqual(['#!/bin/sh\n', before.mode]);
    expect([await readdir(join(work, 'bin')), (await find()).files]).toEqual([['run.sh'], []]);
  });

  it('that were replaced meanwhile are left alone', async () => {
    const outside = await linked('dir/a');
    const { files } = await find();
    await rm(join(work, 'dir'), { recursive: true });
    await mkdir(join(base, 'other'));
    await writeFile(join(base, 'other', 'a'), 'other');
    await symlink(join(base, 'other'), join(work, 'dir'));
    const paths = [...files, { path: '../store-dir-a', sizeBytes: 7 }, { path: 'gone', sizeBytes: 1 }];
    const { broken, left } = await breakHardLinks(work, paths, none);
    expect([broken, left.map(({ path }) => path).sort()]).toEqual([0, ['../store-dir-a', 'dir/a', 'gone']]);
    expect([await readFile(outside, 'utf8'), await readdir(join(base, 'other'))]).toEqual(['outside', ['a']]);
  });

  it('are listed by folder where tools made them, one line each whatever their names', async () => {
    await linked('src/a\ntogether 9 MB');
    for (let index = 0; index < 4; index += 1) await linked(`web/node_modules/p/${index}.js`);
    await linked('held/b');
    const links = createProjectLinks({ workspacePath: work, held: ['held'] }, await find());
    expect(links.found()).toEqual({
      subject: '5 files of this project are also files elsewhere on the disk (hard links)',
      text: 'src/a\\ntogether 9 MB\nweb/node_modules/ (4 files, less than 1 MB)\ntogether less than 1 MB',
      count: 5,
    });
    expect(links.warning()).toContain('5 files');
    expect(await links.break(none)).toEqual({ broken: 5, left: [] });
    expect([links.found(), links.warning()]).toEqual([null, null]);
  });
});
