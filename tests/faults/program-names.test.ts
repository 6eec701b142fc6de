import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isWithoutEngine } from '../docker/docker-kit.ts';
import { command, complete, createProgram, ofType, type Program } from './program.ts';

/** Names that are normal here, but cause trouble on another platform, in a shell or in a terminal. */
const odd = [
  'a\\b.txt',
  '..\\up',
  'C:\\x',
  'C:y',
  'x:stream',
  'dot.',
  'blank ',
  'CON',
  'nul.txt',
  'PROGRA~1',
  '-rf',
  '%2e%2e',
  '$HOME',
  'nl\nx',
  'esc\u001B]0;x\u0007',
  'rtl\u202Egpj.exe',
];
const changed = ['CON', 'a\\b.txt', 'nl\nx'];
const noText = Buffer.from([0x66, 0xff, 0x6f]);

const quoted = (name: string): string => `'${name.replaceAll("'", "'\\''")}'`;
const script = `for name in ${odd.map(quoted).join(' ')}; do printf 'new\\n' > "./$name"; done; rm ./gone.; printf more >> "$(printf 'f\\377o')"; printf made > "$(printf 'g\\376o')"`;

async function fill(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of [...changed, 'gone.']) await writeFile(join(folder, name), 'old\n');
  await writeFile(Buffer.concat([Buffer.from(`${folder}/`), noText]), 'old\n');
}

/** Maps names to contents. A name that is not text is written in hexadecimal digits. */
async function contents(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    const text = Buffer.from(name.toString()).equals(name) ? name.toString() : name.toString('hex');
    found[text] = await readFile(Buffer.concat([Buffer.from(`${folder}/`), name]), 'utf8');
  }
  return found;
}

async function changesOf(program: Program, ...words: readonly string[]) {
  const { stdout, stderr, code } = await program.run(['changes', 'last', ...words]);
  return { code, lines: stdout.split('\n').toSorted(), stderr };
}

describe.skipIf(isWithoutEngine || process.platform !== 'linux')(
  'files with names that are odd elsewhere, or no text',
  () => {
    it.each(['in-place', 'copy'])(
      'are shown, accepted and undone whole with --workspace %s, and exceptions are reported',
      async (mode) => {
        await using program = await createProgram();
        await fill(program.project);
        const before = await contents(program.project);
        await program.script([command(script), complete()]);
        const end = await program.startTask('Rename nothing, make the files.', ['--workspace', mode]).ended;
        expect(new Set(ofType(end.events, 'file-changed').map(({ path }) => path))).toEqual(
          new Set([...odd, 'gone.', 'f\uFFFDo', 'g\uFFFDo']),
        );
        const shown = await changesOf(program, 'show');
        // One line for each, whatever the name contains, and nothing that a terminal obeys.
        for (const line of [
          'modified nl<U+000A>x  +1 -1',
          'added esc<U+001B>]0;x<U+0007>  +1 -0',
          'added rtl<U+202E>gpj.exe  +1 -0',
        ])
          expect(shown.lines).toContain(line);
        const refused =
          'not changed f\uFFFDo: its name is not UTF-8 text\nnot changed g\uFFFDo: its name is not UTF-8 text\n';
        const after: Record<string, string> = { ...before, ...Object.fromEntries(odd.map((name) => [name, 'new\n'])) };
        delete after['gone.'];
        if (mode === 'copy') {
          expect(await contents(program.project)).toEqual(before);
          expect(await changesOf(program, 'take')).toMatchObject({ code: 1, stderr: refused });
          expect(await contents(program.project)).toEqual(after);
          expect(await changesOf(program, 'undo', '--', ...odd, 'gone.')).toMatchObject({ code: 0, stderr: '' });
          expect(await contents(program.project)).toEqual(before);
          return;
        }
        expect(await contents(program.project)).toEqual({ ...after, '66ff6f': 'old\nmore', '67fe6f': 'made' });
        expect(await changesOf(program, 'undo')).toMatchObject({ code: 1, stderr: refused });
        expect(await contents(program.project)).toEqual({ ...before, '66ff6f': 'old\nmore', '67fe6f': 'made' });
      },
      180_000,
    );
  },
);
