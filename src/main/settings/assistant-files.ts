import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { Assistant, BrokenAssistant } from '@shared/session/assistants.ts';
import { assistantNamePattern, mostAssistantCharacters, parseAssistant } from '@shared/session/assistants.ts';
import { isMissing, makeFolder, writeFileAtomic } from '../lib/files/json-file.ts';
import type { Handlers } from '../server/handlers.ts';

/** The most assistants that are read; more would be no list to choose from. */
const mostAssistants = 200;

/** The user's assistants: Markdown files, which may also be written by hand. */
export interface AssistantFiles {
  /** Rejects with `not-found` or `bad-input`, and says what to do. */
  readonly read: (name: string) => Promise<Assistant>;
  readonly handlers: Handlers['assistants'];
}

export function createAssistantFiles(home: string): AssistantFiles {
  const folder = join(home, 'assistants');
  const fileOf = (name: string): string => join(folder, `${name}.md`);
  const textOf = async (name: string): Promise<string> => {
    if (!assistantNamePattern.test(name)) throw await unknown(name, folder);
    return textOfFile(fileOf(name), () => unknown(name, folder));
  };
  return {
    read: async (name) => checked(name, await textOf(name)),
    handlers: {
      list: async () => {
        const names = (await filesIn(folder)).sort().slice(0, mostAssistants);
        const assistants: Assistant[] = [];
        const broken: BrokenAssistant[] = [];
        for (const name of names) {
          const read = await textOf(name).then(
            (text) => parseAssistant(name, text),
            (error: unknown) => ({ ok: false, why: error instanceof Error ? error.message : 'unreadable' }) as const,
          );
          if (read.ok) assistants.push(read.value);
          else broken.push({ name, why: read.why });
        }
        return { folder, assistants, broken };
      },
      show: async ({ input: { name } }) => ({ text: await textOf(name) }),
      save: async ({ input: { name, text, replace } }) => {
        const assistant = checked(name, text);
        if (!replace && (await filesIn(folder)).includes(name)) {
          throw new AppError('conflict', `There is an assistant "${name}" already.`, { hint: 'Choose another name.' });
        }
        await makeFolder(folder);
        await writeFileAtomic(fileOf(name), `${text.trimEnd()}\n`);
        return assistant;
      },
      remove: ({ input: { name } }) => rm(fileOf(name), { force: true }),
    },
  };
}

function checked(name: string, file: string): Assistant {
  const read = parseAssistant(name, file);
  if (read.ok) return read.value;
  throw new AppError('bad-input', `The assistant "${name}" cannot be used. ${read.why}`, {
    hint: 'Known lines: about, model, mode, tools, temperature, top-p, max-tokens. Change the file and try again.',
  });
}

/** A longer list of names does not help. */
const shownNames = 20;

async function unknown(name: string, folder: string): Promise<AppError> {
  const names = (await filesIn(folder)).filter((one) => assistantNamePattern.test(one)).sort();
  const more = names.length > shownNames ? ', …' : '';
  return new AppError('not-found', `The assistant "${name}" was not found.`, {
    hint:
      names.length === 0
        ? 'You have none yet. Each is a Markdown file in assistants/ of the home.'
        : `Yours: ${names.slice(0, shownNames).join(', ')}${more}`,
  });
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder);
    return entries.filter((entry) => entry.endsWith('.md')).map((entry) => entry.slice(0, -'.md'.length));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function textOfFile(path: string, missing: () => Promise<AppError>): Promise<string> {
  const name = basename(path, '.md');
  try {
    const { size } = await stat(path);
    if (size > mostAssistantCharacters * 5) {
      throw new AppError('too-large', `The assistant "${name}" has ${size} bytes. That is more than one may have.`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) throw await missing();
    throw error;
  }
}
