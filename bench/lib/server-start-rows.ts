import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { BenchRow } from './rows.ts';

/** `line`: what the README of the server says, a command line or JSON. `<folder>` is a folder with a git repository. */
const serversSchema = z.array(z.object({ name: z.string(), line: z.string() }));

const startMs = 400_000;

/**
 * Adds servers as their READMEs say, with the built command line, and approves them. One that does not start gets the
 * one change that Dewpoint names. Needs the network, npx and uvx.
 */
export function serverStartRows(file: string): readonly BenchRow[] {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-servers-'));
  const folder = join(home, 'repository');
  spawnSync('git', ['init', '-q', folder]);
  writeFileSync(join(folder, 'notes.md'), '# Notes\n');
  try {
    const servers = serversSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const ends = servers.map(({ name, line }) => {
      const begun = performance.now();
      const end = endOf(join(home, 'home'), line.replace('<folder>', folder));
      // All of them take many minutes, so whoever stops this has what was found until then.
      process.stderr.write(`${name}: ${end}, ${Math.round((performance.now() - begun) / 1000)} s\n`);
      return { name, end };
    });
    const at = (end: End): readonly string[] => ends.filter((one) => one.end === end).map(({ name }) => name);
    const named = (end: End): string => (at(end).length === 0 ? 'none' : at(end).join(', '));
    return [
      {
        figure: 'well-known servers added as their READMEs say that start at once',
        value: at('at once').length,
        unit: '',
        target: null,
        note: `of ${ends.length}: ${named('at once')}`,
      },
      {
        figure: 'the same, or after the one change that Dewpoint names',
        value: at('at once').length + at('one change').length,
        unit: '',
        target: { atLeast: ends.length },
        note: `after one change: ${named('one change')}; not started: ${named('not')}`,
      },
    ];
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

type End = 'at once' | 'one change' | 'not';

function endOf(home: string, line: string): End {
  const added = dewpoint(home, ['add', line, '--yes']);
  if (added.ok) return 'at once';
  const [, words] = /dewpoint tools (edit \S+ (?:--on-host|--reach \S+))/u.exec(added.said) ?? [];
  if (words === undefined) return 'not';
  const [, name = ''] = words.split(' ');
  dewpoint(home, [...words.split(' '), '--yes']);
  return dewpoint(home, ['approve', name, '--yes']).ok ? 'one change' : 'not';
}

function dewpoint(home: string, args: readonly string[]): { readonly ok: boolean; readonly said: string } {
  const env = { ...process.env, DEWPOINT_HOME: home };
  const given = [resolve('out/main/cli.cjs'), 'tools', ...args];
  const { status, stderr } = spawnSync(process.execPath, given, { env, encoding: 'utf8', timeout: startMs });
  return { ok: status === 0, said: stderr };
}
