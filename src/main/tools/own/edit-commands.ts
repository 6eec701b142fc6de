import { randomBytes } from 'node:crypto';
import { lstat, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import { issuesText } from '@shared/text/issue-text.ts';
import type { ownToolExamples, OwnToolFile, ownToolLanguages, OwnToolSource } from '@shared/tools/own-tool.ts';
import { ownToolDeclarationSchema, ownToolNameSchema } from '@shared/tools/own-tool.ts';
import { z } from 'zod';
import type { HostFolder } from '../../lib/files/host-folder.ts';
import { openChildFolder, openHostFolder } from '../../lib/files/host-folder.ts';
import { errorCodeOf, makeFolder, writeProblem } from '../../lib/files/json-file.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { Named, OwnToolCommandsOptions } from './own-tool-report.ts';
import { keepApproval, mustFit, reportOf } from './own-tool-report.ts';
import { placeOf } from './own-tools.ts';
import { looksLikeTool } from './read-declaration.ts';
import type { FolderPlace } from './tool-folder.ts';
import { declarationOf, folderPath, readToolFile, usableName } from './tool-folder.ts';
import { writeDeclaration } from './write-declaration.ts';

type EditCommands = Pick<Handlers['ownTools'], 'template' | 'read' | 'draft' | 'testText' | 'save'>;

/** Tools that are written and tried before they are files. What is saved is the text that a person could write by hand. */
export function createEditCommands(options: OwnToolCommandsOptions): EditCommands {
  const { tools, loadSyntax } = options;
  return {
    template: async ({ input }) => templateFor(options, input),
    read: async ({ input: { file, projectPath } }) => {
      const place = placeFor(options, projectPath);
      const found = await readToolFile(place, file, loadSyntax);
      const path = join(folderPath(place), file);
      if (found === null) throw new AppError('not-found', `${path} is not there any more.`);
      const { text, sha256, read } = found;
      if (text !== '') return { file, text, sha256 };
      throw new AppError('bad-input', `${path} cannot be edited here. ${'problem' in read ? read.problem : ''}`);
    },
    draft: async ({ input: { file, text, say } }) => {
      if (say !== undefined) {
        const wanted = wantedSchema.safeParse(say);
        if (!wanted.success)
          return { text, declaration: null, problem: `${issuesText(wanted.error.issues, 'The declaration')}.` };
        const written = await writeDeclaration(file, text, wanted.data, loadSyntax);
        if (typeof written !== 'string') return { text, declaration: null, problem: written.problem };
        return { text: written, declaration: wanted.data, problem: null };
      }
      const read = await declarationOf(file, text, loadSyntax);
      if ('problem' in read) return { text, declaration: null, problem: read.problem };
      return { text, declaration: { ...read.declaration, name: read.name }, problem: null };
    },
    testText: async ({ input: { file, text, projectPath, input }, signal }) => {
      const read = await declarationOf(file, text, loadSyntax);
      if ('problem' in read) throw new AppError('bad-input', `${file} is broken: ${read.problem} It was not run.`);
      const place = placeFor(options, projectPath);
      mustFit(read, input);
      const tool = { ...read, file, text };
      const one = { tool, source: sourceOf(projectPath), path: join(folderPath(place), file) };
      let printed = '';
      const onProgress = (text: string): void => void (printed = (printed + text).slice(-mostPrinted));
      const how = { projectPath: projectPath ?? null, signal, onProgress };
      const { status, output } = await tools.run(one, input, how);
      return { status, text: output, printed };
    },
    save: async ({ input: { file, text, projectPath, replaces } }) => {
      const place = placeFor(options, projectPath);
      const path = join(folderPath(place), file);
      if (!usableName.test(file) || !looksLikeTool(file, text))
        throw new AppError('bad-input', `${file} would be no file of a tool. Nothing was written.`);
      const now = await readToolFile(place, file, loadSyntax);
      if (now?.sha256 !== replaces)
        throw new AppError('conflict', `${path} is not as it was when you opened it. Nothing was written.`, {
          hint: 'Copy what you wrote, and open it again.',
        });
      const was = (await tools.list(projectPath ?? null)).tools.find((one) => one.path === path);
      await saveFile(place, { file, text, isNew: replaces === undefined });
      // It was new and is the person's own work, or had their yes to each byte before.
      const hadYes = was === undefined || (was.state === 'ready' && was.sha256 === replaces);
      if (projectPath !== undefined && hadYes)
        await keepApproval(options.record, { path, sha256: sha256Of(text), text });
      const { tools: all, notes } = await tools.list(projectPath ?? null);
      const one = all.find((other) => other.path === path);
      if (one === undefined) throw new AppError('conflict', `${path} was written, and is gone again.`);
      return reportOf(one, notes);
    },
  };
}

const mostPrinted = 4_000;

const wantedSchema = z.strictObject({ ...ownToolDeclarationSchema.shape, name: ownToolNameSchema });

const sourceOf = (projectPath: string | undefined): OwnToolSource => (projectPath === undefined ? 'home' : 'project');

function placeFor(options: Pick<OwnToolCommandsOptions, 'home'>, projectPath: string | undefined): FolderPlace {
  const place = placeOf(options, sourceOf(projectPath), projectPath ?? null);
  if (place === null) throw new AppError('bad-input', 'Name the project.');
  return place;
}

export interface NewTool extends Named {
  readonly language: (typeof ownToolLanguages)[number];
  readonly example?: (typeof ownToolExamples)[number] | undefined;
}

const templates = { python: 'template.py', js: 'template.js', sh: 'template.sh' } as const;
const examples = { create_issue: 'create_issue.py', chat_message: 'chat_message.js' } as const;

export async function templateFor(
  options: Pick<OwnToolCommandsOptions, 'templates'>,
  { name, language, example }: Omit<NewTool, 'projectPath'>,
): Promise<OwnToolFile> {
  const from = example === undefined ? templates[language] : examples[example];
  const text = (await readFile(join(options.templates, from), 'utf8')).replaceAll('TOOL_NAME', name);
  return { file: `${name}${from.slice(from.lastIndexOf('.'))}`, text };
}

interface Written extends OwnToolFile {
  /** No file is written over. */
  readonly isNew: boolean;
}

/** No link is followed, and nobody sees half a file in the place of a whole one. */
export async function saveFile(place: FolderPlace, { file, text, isNew }: Written): Promise<void> {
  const isHome = place.names.length === 1;
  const path = join(folderPath(place), file);
  let folder: HostFolder | null = null;
  try {
    if (isHome) await makeFolder(place.root);
    folder = await openHostFolder(place.root);
    for (const name of place.names) {
      // In a project it is like any other of its folders.
      await makeFolder(folder.at(name), isHome ? 0o700 : 0o777);
      const next: HostFolder = await openChildFolder(folder, name);
      await folder.close();
      folder = next;
    }
    if (isNew) return await writeAt(folder.at(file), text, isHome ? 0o600 : 0o666);
    const temporary = folder.at(`.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await writeAt(temporary, text, (await lstat(folder.at(file))).mode & 0o777);
      await rename(temporary, folder.at(file));
    } finally {
      await rm(temporary, { force: true });
    }
  } catch (error) {
    const isLink = ['ELOOP', 'ENOTDIR'].includes(errorCodeOf(error) ?? '');
    const why = isLink ? 'its folder is a link or no folder' : writeProblem(error);
    throw new AppError('refused', `${path} was not written: ${why}.`);
  } finally {
    await folder?.close();
  }
}

async function writeAt(path: string, text: string, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
