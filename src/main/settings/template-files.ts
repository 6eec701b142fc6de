import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { mostTemplateCharacters, templateNamePattern } from '@shared/session/prompt-templates.ts';
import { parseSlash } from '@shared/session/slash-commands.ts';
import { isMissing, makeFolder, writeFileAtomic } from '../lib/files/json-file.ts';
import type { Handlers } from '../server/handlers.ts';

/** The most templates that are read; more would be no list to choose from. */
const mostTemplates = 500;

/**
 * The commands for the user's prompt templates: Markdown files, which may also be written by hand. `others`: those of
 * skills and of a project, which stand behind the user's own.
 */
export function createTemplateCommands(
  home: string,
  others: (projectPath: string | null) => Promise<readonly PromptTemplate[]>,
): Handlers['templates'] {
  const folder = join(home, 'prompts');
  const fileOf = (name: string): string => join(folder, `${name}.md`);
  return {
    list: async ({ input }) => {
      const names = (await filesIn(folder)).sort().slice(0, mostTemplates);
      const read = await Promise.all(names.map((name) => readTemplate(fileOf(name), name)));
      const own = read.filter((template) => template !== null);
      const more = (await others(input?.projectPath ?? null)).filter(
        ({ name }, at, all) => !isCommand(name) && all.findIndex((one) => one.name === name) === at,
      );
      const added = more.filter(({ name }) => !own.some((one) => one.name === name));
      return { folder, templates: [...own, ...added] };
    },
    save: async ({ input: { name, text } }) => {
      if (isCommand(name)) {
        throw new AppError('conflict', `/${name} is a command.`, { hint: 'Choose another name for the template.' });
      }
      await makeFolder(folder);
      await writeFileAtomic(fileOf(name), `${text}\n`);
    },
    remove: ({ input: { name } }) => rm(fileOf(name), { force: true }),
  };
}

const isCommand = (name: string): boolean => parseSlash(`/${name}`, 'terminal')?.type === 'command';

async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder);
    return entries
      .filter((entry) => entry.endsWith('.md'))
      .map((entry) => entry.slice(0, -'.md'.length))
      .filter((name) => templateNamePattern.test(name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Null: it is not a file, is gone, or is too long for a template. */
async function readTemplate(path: string, name: string): Promise<PromptTemplate | null> {
  try {
    const { size } = await stat(path);
    if (size > mostTemplateCharacters * 4) return null;
    const text = (await readFile(path, 'utf8')).trim();
    return text === '' || text.length > mostTemplateCharacters ? null : { name, text };
  } catch {
    return null;
  }
}
