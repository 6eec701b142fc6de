import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complete, createProgram, type Program, tool } from './program.ts';

/** Every file and folder below a folder, and the folder itself, to which another user has any right. */
async function openIn(folder: string, name = '.'): Promise<readonly string[]> {
  const path = join(folder, name);
  const found = await lstat(path);
  const own = (found.mode & 0o077) === 0 ? [] : [`${name} ${(found.mode & 0o777).toString(8)}`];
  if (!found.isDirectory()) return own;
  const below = await Promise.all((await readdir(path)).map((inner) => openIn(folder, join(name, inner))));
  return [...own, ...below.flat()];
}

/** Works with a umask that grants all rights to everybody. */
const under = ['sh', '-c', 'umask 000; exec "$@"', 'sh'];

async function use(program: Program, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await program.run(args, { under });
  expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout.trim();
}

describe.skipIf(process.platform === 'win32')('a home under a umask of 000', () => {
  it('holds nothing that others may read, whatever was done in it', async () => {
    await using program = await createProgram({ 'notes.md': 'The answer is 42.\n' });
    const home = join(program.folder, 'new', 'home');
    const inNew: Program = {
      ...program,
      run: (args, options) => program.run(args, { ...options, env: { DEWPOINT_HOME: home } }),
    };
    const replies = [tool('read_file', { path: 'notes.md' }), complete('It is 42.')];
    await use(inNew, [
      'settings',
      'set',
      'providers.script',
      JSON.stringify({ kind: 'scripted', repeat: true, replies }),
    ]);
    await use(inNew, ['settings', 'set', 'local', 'script/script']);
    const ask = [
      'run',
      '--project',
      program.project,
      '--sandbox',
      'read-only',
      '--',
      'What is the answer in notes.md?',
    ];
    await use(inNew, ask);
    await use(inNew, ['sessions', 'search', 'answer']);
    const exported = join(program.folder, 'one.dewpoint');
    await use(inNew, ['sessions', 'export', 'last', exported]);
    const imported = await use(inNew, ['sessions', 'import', exported]);
    await use(inNew, ['sessions', 'fork', imported]);
    await use(inNew, ['sessions', 'delete', imported]);
    await use(inNew, ['models', 'list']);
    const bundle = join(program.folder, 'bundle.json');
    await program.run(['doctor', '--bundle', bundle], { under, env: { DEWPOINT_HOME: home } });
    const names = await readdir(home);
    expect(names).toEqual(expect.arrayContaining(['bin', 'search.sqlite', 'sessions', 'settings.json', 'workspaces']));
    expect(await openIn(home)).toEqual([]);
    for (const path of [exported, bundle]) expect((await stat(path)).mode & 0o077).toBe(0);
    // A home that was open, as such a shell would have created it.
    await chmod(program.home, 0o777);
    const { stderr } = await program.run(['sessions', 'list'], { under });
    expect(stderr).toContain('It is yours alone now.');
    expect((await stat(program.home)).mode & 0o077).toBe(0);
  });
});
