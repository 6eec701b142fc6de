import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { MemoryLine } from '@shared/projects/memory-line.ts';
import { longestMemoryLine, mostMemoryLines } from '@shared/projects/memory-line.ts';
import { nothingToUndo, type WayBack } from '../lib/async/all-or-none.ts';
import { isMissing, makeFolder, writeFileAtomic } from '../lib/files/json-file.ts';
import { projectKey } from '../lib/files/project-key.ts';
import { createLineUseFile, type LineUse } from './line-uses.ts';
import { sha256Of } from '../lib/sha256.ts';

export interface MemoryFiles {
  /** The lines of the user, then those of the project; null: only those of the user. */
  readonly list: (projectPath: string | null) => Promise<readonly MemoryLine[]>;
  /** The paths of the files, whether they exist or not. */
  readonly paths: (projectPath: string | null) => Promise<MemoryPaths>;
  /** Adds a line to the project's file; with null, to that of the user. Does nothing if it is there already. */
  readonly add: (projectPath: string | null, line: NewLine) => Promise<void>;
  /** Removes every line with this id. Rejects with `not-found`. */
  readonly forget: (projectPath: string | null, id: string) => Promise<void>;
  /** Moves the lines of a project to another one. Killed in between, both have them. */
  readonly moveTo: (from: string, to: string) => Promise<WayBack>;
  /** Notes that these lines were of use in a session, which moves them forward. */
  readonly noteUse: (ids: readonly string[], use: LineUse) => Promise<void>;
}

interface MemoryPaths {
  readonly you: string;
  readonly project: string | null;
}

interface NewLine {
  readonly text: string;
  readonly date: string;
  readonly sessionId: string | null;
  readonly isAfterOutside: boolean;
}

/** `folder`: `memory/` of the home. The files are read each time, because the user may edit them. */
export function createMemoryFiles(folder: string): MemoryFiles {
  const paths = async (projectPath: string | null): Promise<MemoryPaths> => {
    const you = join(folder, 'you.md');
    if (projectPath === null) return { you, project: null };
    const key = await projectKey(projectPath);
    const name = basename(key).replaceAll(/[^\p{L}\p{N}_-]+/gu, '-');
    return { you, project: join(folder, 'projects', `${name}-${sha256Of(key).slice(0, 12)}.md`) };
  };
  const uses = createLineUseFile(folder);
  return {
    paths,
    noteUse: uses.note,
    list: async (projectPath) => {
      const { you, project } = await paths(projectPath);
      const own = project === null ? [] : linesIn(await textOf(project), 'project');
      const found = [...linesIn(await textOf(you), 'you'), ...own];
      const known = found.length === 0 ? {} : await uses.read();
      return found.map((line) => {
        const ofLine = known[line.id];
        return ofLine === undefined ? line : { ...line, uses: ofLine };
      });
    },
    add: async (projectPath, line) => {
      const { you, project } = await paths(projectPath);
      const file = project ?? you;
      const text = await textOf(file);
      const known = linesIn(text, 'project');
      if (known.some(({ id }) => id === idOf(line.text))) return;
      if (known.length >= mostMemoryLines) {
        const hint = 'Forget one that is not needed any more.';
        throw new AppError('too-large', `There are ${mostMemoryLines} lines already.`, { hint });
      }
      const head = text.trim() === '' ? `# ${project === null ? 'For every project' : (projectPath ?? '')}\n` : text;
      const from = [
        line.date,
        ...(line.sessionId === null ? [] : [`session ${line.sessionId}`]),
        ...(line.isAfterOutside ? [outsideWords] : []),
      ].join(', ');
      await makeFolder(dirname(file));
      await writeFileAtomic(file, `${head.trimEnd()}\n- ${line.text} (${from})\n`);
    },
    moveTo: async (from, to) => {
      const [{ project: old }, { project: file }] = [await paths(from), await paths(to)];
      return old === null || file === null || old === file ? nothingToUndo : moveLines(old, file, to);
    },
    forget: async (projectPath, id) => {
      const { you, project } = await paths(projectPath);
      let isFound = false;
      for (const file of [you, ...(project === null ? [] : [project])]) {
        const text = await textOf(file);
        const lines = text.split('\n');
        const left = lines.filter((line) => lineOf(line, 'you')?.id !== id);
        if (left.length === lines.length) continue;
        isFound = true;
        await writeFileAtomic(file, left.join('\n'));
      }
      if (isFound) return uses.drop(id);
      throw new AppError('not-found', `No line of the memory has the id "${id}".`, {
        hint: 'Run `dewpoint memory list` to see them.',
      });
    },
  };
}

const outsideWords = 'after text from outside';

function linesIn(text: string, of: MemoryLine['of']): readonly MemoryLine[] {
  return text
    .split('\n')
    .flatMap((line) => lineOf(line, of) ?? [])
    .slice(0, mostMemoryLines);
}

/** Null: it is no line of the list. */
function lineOf(line: string, of: MemoryLine['of']): MemoryLine | null {
  const words = /^[-*] (.*)$/u.exec(line.trimEnd())?.[1]?.trim() ?? '';
  if (words === '') return null;
  const end = /\((\d{4}-\d{2}-\d{2})(?:, session ([\w-]{1,100}))?(, after text from outside)?\)$/u.exec(words);
  const text = (end === null ? words : words.slice(0, end.index).trim()).slice(0, longestMemoryLine);
  return {
    id: idOf(text),
    text,
    date: end?.[1] ?? null,
    sessionId: end?.[2] ?? null,
    isAfterOutside: end?.[3] !== undefined,
    of,
  };
}

const idOf = (text: string): string => sha256Of(text).slice(0, 8);

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

/** Between two files. */
async function moveLines(old: string, file: string, to: string): Promise<WayBack> {
  const before = await textOf(old);
  const lines = before.split('\n').filter((line) => lineOf(line, 'project') !== null);
  if (lines.length === 0) return nothingToUndo;
  const text = await textOf(file);
  const known = new Set(linesIn(text, 'project').map(({ id }) => id));
  const more = lines.filter((line) => !known.has(lineOf(line, 'project')?.id ?? ''));
  const head = text.trim() === '' ? `# ${to}` : text.trimEnd();
  await makeFolder(dirname(file));
  await writeFileAtomic(file, `${[head, ...more].join('\n')}\n`);
  await rm(old, { force: true });
  return async () => {
    const left = (await textOf(file)).split('\n').filter((line) => !more.includes(line));
    await writeFileAtomic(old, before);
    await (text === '' && left.join('\n').trim() === head
      ? rm(file, { force: true })
      : writeFileAtomic(file, left.join('\n')));
  };
}
