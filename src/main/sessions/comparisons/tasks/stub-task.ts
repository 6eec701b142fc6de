import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { readFileBelow } from '../../../lib/files/host-folder.ts';
import { shellQuote } from '../../../lib/programs/shell-quote.ts';
import { placeOfTask, type ReadTask, type TaskReading } from './task-files.ts';

const names = z.array(z.string().regex(/^(?!\/)(?!.*\.\.)[^\0\\]{1,500}$/u)).max(200);
const configSchema = z.object({
  files: z.object({
    solution: names.min(1),
    test: names.min(1),
    example: names.default([]),
    exemplar: names.default([]),
  }),
});

const mostTextBytes = 4 * 1024 * 1024;

/** How the tests of an exercise are run, by the ending of its first test. */
const commands: Readonly<Record<string, (tests: readonly string[]) => string>> = {
  py: (tests) => `python3 -m pytest -q ${tests.map(shellQuote).join(' ')}`,
  go: () => 'go test ./...',
  rs: () => 'cargo test --offline -- --include-ignored',
  rb: (tests) => tests.map((test) => `ruby ${shellQuote(test)}`).join(' && '),
  js: (tests) => `node --test ${tests.map(shellQuote).join(' ')}`,
  mjs: (tests) => `node --test ${tests.map(shellQuote).join(' ')}`,
};

/**
 * An exercise: the stub is the project, its tests judge, and neither tests nor the example solution are ever in the
 * project. The project is made anew each time, from the folder of the exercise.
 */
export async function readStub(folder: string, reading: TaskReading): Promise<ReadTask> {
  const id = basename(folder);
  const config = configSchema.safeParse(JSON.parse(await textBelow(folder, ['.meta', 'config.json'])));
  if (!config.success) return { id, why: 'its .meta/config.json names no stub or no tests' };
  const { solution, test } = config.data.files;
  const ending = test[0]?.split('.').at(-1) ?? '';
  const command = commands[ending]?.(test);
  if (command === undefined) return { id, why: `nobody knows how to run tests that end in .${ending}` };
  const place = placeOfTask(reading, folder, id);
  await rm(place, { recursive: true, force: true });
  const [projectPath, hidden] = [join(place, 'project'), join(place, 'hidden')];
  for (const path of await filesBelow(folder)) {
    if (path.startsWith('.meta/') || path.startsWith('.docs/')) continue;
    const target = join(test.includes(path) ? hidden : projectPath, path);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(folder, path), target);
  }
  await mkdir(projectPath, { recursive: true });
  const prompt = `${await instructionsOf(folder)}\n\nWrite it in ${solution.join(', ')}. Keep the names that are there: the tests use them.`;
  return { id, kind: `polyglot ${ending}`, prompt, projectPath, check: null, hidden: { command, projectPath: hidden } };
}

async function instructionsOf(folder: string): Promise<string> {
  const texts = ['introduction.md', 'instructions.md', 'instructions.append.md'].map((name) =>
    textBelow(folder, ['.docs', name]),
  );
  return (await Promise.all(texts)).filter((text) => text !== '').join('\n\n');
}

/** Follows no link. Empty if there is none, because most exercises have only some of the texts. */
async function textBelow(folder: string, names: readonly string[]): Promise<string> {
  return (await readFileBelow(folder, names, mostTextBytes))?.toString('utf8') ?? '';
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
