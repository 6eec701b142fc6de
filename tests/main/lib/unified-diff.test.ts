import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPatch, parsePatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { workspacePath } from '../../../src/main/agent/changes/tool-files.ts';
import { createLookAtFiles } from '../../../src/main/safety/file-look.ts';
import { diffFiles } from '../../../src/main/sessions/changes/file-diff.ts';
import type { FenceSources } from '../../../src/shared/safety/fences.ts';
import { compileFences } from '../../../src/shared/safety/fences.ts';
import { mentionOf, mentionsIn } from '../../../src/shared/attachments/file-mentions.ts';
import { rankFiles } from '../../../src/shared/attachments/rank-file-names.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Names that git writes in quotes, some of them by the numbers of their bytes. */
const readable = ['été/naïve.txt', 'файл.md', '名前.txt', 'say "hi".txt', String.raw`a\b.txt`, "it's mine.txt", '"x"'];
const broken = ['tab\there.txt', 'line\nbreak.txt', 'end\r.txt', 'é\n"\\.txt', 'bell\u0007.txt'];

/** Catches: `"b/\303\251.txt"` in place of `b/é.txt`, and a name that breaks the lines of its diff. */
describe('a diff', () => {
  it.each(readable)('shows the name %s unchanged', (name) => {
    const { text } = diffFiles(name, bytes('a\n'), bytes('b\n'));
    expect(text?.split('\n').slice(0, 2)).toEqual([`--- a/${name}`, `+++ b/${name}`]);
  });

  it.each([...readable, ...broken])('of %j can be read back and applied', (name) => {
    for (const [before, after] of [
      ['a\n', 'b\n'],
      ['', 'b\n'],
    ] as const) {
      const { text, added } = diffFiles(name, bytes(before), bytes(after));
      const [file, ...more] = parsePatch(text ?? '');
      expect([file?.oldFileName, file?.newFileName, more.length, added]).toEqual([`a/${name}`, `b/${name}`, 0, 1]);
      expect(applyPatch(before, text ?? '')).toBe(after);
    }
  });
});

/** Catches: `a\b.txt`, which becomes another file in another folder. */
describe('a backslash in a file name', () => {
  const name = String.raw`a\b.txt`;

  it('stays in the written name, and separates folders on Windows', () => {
    expect(workspacePath(`./src/${name}`, '/work', '/')).toBe(String.raw`src/a\b.txt`);
    expect(workspacePath(`/work/${name}`, '/work', '/')).toBe(name);
    expect(workspacePath(name, '/work', '\\')).toBe('a/b.txt');
  });

  it('is found as typed', () => {
    const recent = { recent: [], limit: 3 };
    expect(rankFiles([name, 'a/b.txt'], name, recent)[0]).toBe(name);
    expect(rankFiles(['a/b.txt'], name, recent)).toEqual(['a/b.txt']);
  });

  it.each([name, 'say "hi".txt', String.raw`a "\" b.txt`, 'q"'])('stays in the mention of %s, as do quotes', (path) => {
    expect(mentionsIn(`See ${mentionOf(path)} there`).map((mention) => mention.path)).toEqual([path]);
  });

  /** Catches: a link that nobody follows to the secret behind it, because its name has a backslash. */
  it.skipIf(process.platform === 'win32')('stays in the name of a link that is followed', async () => {
    const root = await mkdtemp(join(tmpdir(), 'dewpoint-names-'));
    try {
      await writeFile(join(root, 'secret.txt'), 'x');
      await symlink('secret.txt', join(root, name));
      const looks = await createLookAtFiles(root)([name]);
      expect(looks.map(({ path, real }) => [path, real])).toEqual([[name, 'secret.txt']]);
    } finally {
      await rm(root, { recursive: true });
    }
  });

  /** Catches: a file in a fenced folder whose name looks like a way out of it. */
  it('leads out of no fence', () => {
    const settings: FenceSources = {
      rules: [
        { paths: ['public/**'], verdict: 'allow' },
        { paths: ['secrets/**'], verdict: 'local-only' },
      ],
      secrets: 'redact',
    };
    const fences = compileFences({ settings, projectPath: null, isSecretFile: () => false });
    for (const path of [
      String.raw`secrets/..\..\x.txt`,
      String.raw`secrets/..\public\x.txt`,
      String.raw`secrets\x.txt`,
    ])
      expect(fences.ofPath(path)?.verdict).toBe('local-only');
    expect(fences.ofPath(String.raw`public\x.txt`)).toBeNull();
    expect(fences.ofPath(name)).toBeNull();
  });
});
