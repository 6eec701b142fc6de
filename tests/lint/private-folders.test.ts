import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { expect, it } from 'vitest';

/** Catches: a folder or file in the home that other users can read because the shell's default rights allow it. */
const source = resolve(import.meta.dirname, '../../src/main');

/** The files that create folders and files outside of the home, with the rights of their surroundings. */
const elsewhere: Readonly<Record<string, string>> = {
  'git/clone/clone-into.ts': 'in a clone, whose folder has the rights of its surroundings in the end',
  'git/clone/write-checkout.ts': 'in a clone',
  'git/past/check-out.ts': 'in a folder that only its user may read',
  'git/remote/place-files.ts': 'in a checkout, and in its repository',
  'lib/files/file-calls.ts': 'where its caller writes: in a checkout or a clone',
  'git/repository-files.ts': 'in the repository of a project',
  'sandbox/packages/mount-points.ts': 'in the workspace',
  'sandbox/docker/protection/protected-mounts.ts': 'in the workspace',
  'sandbox/images/project-images.ts': 'in a folder of its own among the temporary files',
  'sessions/comparisons/tasks/stub-task.ts': 'in the project of a task, below a folder that only its user may read',
  'sessions/comparisons/tasks/task-records.ts': 'in the project of a task, below a folder that only its user may read',
  'sessions/changes/safe-folder.ts': 'in the workspace',
  'models/engine/engine-variants.ts': 'in the cache; others may use what was fetched',
};

/** The calls that create a folder or a file, with how each sets its rights. */
const makers: readonly { readonly call: RegExp; readonly told: RegExp }[] = [
  { call: /\bmkdir(?:Sync)?\(/u, told: /mode: 0o7|\bmkdir\(path, mode\)/u },
  { call: /\bwriteFile(?:Sync)?\((?!\))/u, told: /mode: 0o|\b(?:file|handle|to)\.writeFile/u },
  { call: /\b(?:createWriteStream|openSync)\(/u, told: /0o600|mode: 0o|'r'|'a'\)|folderFlags|readFlags|namingFlags/u },
  { call: /new (?:sqlite\.)?Database(?:Sync)?\(/u, told: /never/u },
];

it('code that makes something in the home always says who may read it', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const found = files.flatMap((path) => {
    const name = path.split(sep).join('/');
    const text = readFileSync(join(source, path), 'utf8');
    // A sandbox has methods with the same names.
    const lines = /from 'node:(?:fs|sqlite)|createRequire/u.test(text) ? text.split('\n') : [];
    const bare = lines.filter((line) => makers.some(({ call, told }) => call.test(line) && !told.test(line)));
    return bare.map((line) => `${name}: ${line.trim()}`);
  });
  const left = found.filter((line) => elsewhere[line.slice(0, line.indexOf(':'))] === undefined).sort();
  expect(left).toEqual([
    // Writes into a pipe or a terminal that the user named.
    'hosts/cli/terminal/output-file.ts: else await writeFile(path, text);',
    // Makes the file with its mode first.
    'lib/index-file.ts: const db = new Database(file.path, { timeout: file.waitMs ?? 10_000 });',
  ]);
  const used = new Set(found.map((line) => line.slice(0, line.indexOf(':'))));
  expect(Object.keys(elsewhere).filter((name) => !used.has(name))).toEqual([]);
});
