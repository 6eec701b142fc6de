import { lstat, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { PromptTemplate } from '@shared/session/prompt-templates.ts';
import { mostTemplateCharacters, templateNamePattern } from '@shared/session/prompt-templates.ts';
import { parseSlash } from '@shared/session/slash-commands.ts';
import { isMissing, makeFolder, writeFileAtomic } from '../lib/files/json-file.ts';
import type { Handlers } from '../server/handlers.ts';

/** The most templates that are read; more would be no list to choose from. */
const mostTemplates = 500;

/** Where the user keeps templates for one project, by its key. */
export interface ProjectPrompts {
  /** Null: nothing was said about the project yet. */
  readonly folder: (key: string) => string | null;
  /** The same, with a record from now on. Rejects with `not-found`. */
  readonly ensure: (key: string) => Promise<string>;
}

/**
 * The commands for the user's prompt templates: Markdown files, which may also be written by hand. Those for the project
 * stand before those for everywhere. `others`: those of skills and of the project's files, which stand behind both.
 */
export function createTemplateCommands(
  home: string,
  others: (projectPath: string | null) => Promise<readonly PromptTemplate[]>,
  projects: ProjectPrompts,
): Handlers['templates'] {
  const folder = join(home, 'prompts');
  const ofKey = (key: string | null | undefined): string | null =>
    key === null || key === undefined ? folder : projects.folder(key);
  return {
    list: async ({ input }) => {
      const key = input?.projectPath ?? null;
      const projectFolder = key === null ? null : projects.folder(key);
      const here = projectFolder === null ? [] : await templatesIn(projectFolder);
      const all = [
        ...here.map((template): PromptTemplate => ({ ...template, isOfProject: true })),
        ...(await templatesIn(folder)),
        ...(await others(key)).filter(({ name }) => !isCommand(name)),
      ];
      const templates = all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
      return { folder, projectFolder, templates };
    },
    save: async ({ input: { name, text, projectPath = null, before } }) => {
      if (isCommand(name)) {
        throw new AppError('conflict', `/${name} is a command.`, { hint: 'Choose another name for the prompt.' });
      }
      const place = ofKey(projectPath) ?? (await projects.ensure(projectPath ?? ''));
      const file = fileIn(place, name);
      const placeBefore = before === undefined ? null : ofKey(before.projectPath);
      const fileBefore = before === undefined || placeBefore === null ? null : fileIn(placeBefore, before.name);
      if (file !== fileBefore && (await isTaken(file))) {
        const owner = projectPath === null ? 'You have a general prompt' : 'This project has a prompt';
        throw new AppError('conflict', `${owner} /${name} already.`, {
          hint: 'Nothing was changed. Choose another name.',
        });
      }
      await makeFolder(place);
      await writeFileAtomic(file, `${text}\n`);
      if (fileBefore !== null && fileBefore !== file) await rm(fileBefore, { force: true });
    },
    remove: async ({ input: { name, projectPath } }) => {
      const place = ofKey(projectPath);
      if (place !== null) await rm(fileIn(place, name), { force: true });
    },
  };
}

const fileIn = (folder: string, name: string): string => join(folder, `${name}.md`);

/** Also one that is no template, such as a text that is too long. */
async function isTaken(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** The templates of a folder, sorted by name. */
export async function templatesIn(folder: string): Promise<readonly PromptTemplate[]> {
  const names = (await filesIn(folder)).sort().slice(0, mostTemplates);
  const read = await Promise.all(names.map((name) => readTemplate(fileIn(folder, name), name)));
  return read.filter((template) => template !== null);
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
