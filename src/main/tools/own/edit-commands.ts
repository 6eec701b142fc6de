import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@shared/errors.ts';
import type { ownToolExamples, ownToolLanguages } from '@shared/tools/own-tool-choices.ts';
import type { OwnToolFile, OwnToolSource } from '@shared/tools/own-tool.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { Handlers } from '../../server/handlers.ts';
import type { ToolName, OwnToolCommandsOptions } from './own-tool-report.ts';
import { isProgram, keepVersion, nextVersion } from './kept-programs.ts';
import type { OwnToolNotes } from './own-tool-record.ts';
import { keepApproval } from './own-tool-record.ts';
import { mustFit, reportOf } from './own-tool-report.ts';
import type { ListedTool } from './own-tools.ts';
import { noPlace, placeOf } from './own-tools.ts';
import { looksLikeTool } from './read-declaration.ts';
import type { FolderPlace } from './tool-folder.ts';
import { declarationOf, folderPath, readToolFile, usableName } from './tool-folder.ts';
import { withHeader } from './tool-header.ts';
import { writeToolFile } from './write-tool-file.ts';

type EditCommands = Pick<Handlers['ownTools'], 'template' | 'read' | 'check' | 'testText' | 'save'>;

/** Handlers to write and try a tool before it is saved. The saved text is one that the user could write by hand. */
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
    check: async ({ input: { file, text } }) => {
      const read = await declarationOf(file, text, loadSyntax);
      if ('problem' in read) return { declaration: null, problem: read.problem };
      return { declaration: { ...read.declaration, name: read.name }, problem: null };
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
      const { tools: before, notes: known } = await tools.list(projectPath ?? null);
      const was = before.find((one) => one.path === path);
      if (was?.source === 'project' && isProgram(was)) await saveProgram(options, place, { was, known, text });
      else {
        await writeToolFile(place, { file, text, isNew: replaces === undefined });
        // Approved: the file is new and the user's own, or the user had approved each byte of it before.
        const hadYes = was === undefined || (was.state === 'ready' && was.sha256 === replaces);
        if (projectPath !== undefined && hadYes)
          await keepApproval(options.record, { path, sha256: sha256Of(text), text });
      }
      const { tools: all, notes } = await tools.list(projectPath ?? null);
      const one = all.find((other) => other.path === path);
      if (one === undefined) throw new AppError('conflict', `${path} was written, and is gone again.`);
      return reportOf(options, { one, notes });
    },
  };
}

interface ChangedProgram {
  readonly was: ListedTool;
  readonly known: OwnToolNotes;
  readonly text: string;
}

/**
 * Saves a kept program that was changed by hand as its next version. This version has run in no session, so it is off
 * until the user has seen the change and approved it.
 */
async function saveProgram(
  { loadSyntax, record, now }: OwnToolCommandsOptions,
  place: FolderPlace,
  { was, known, text: given }: ChangedProgram,
): Promise<void> {
  const { file, path } = was;
  if (given === was.text) return;
  const read = await declarationOf(file, given, loadSyntax);
  if ('problem' in read) return writeToolFile(place, { file, text: given, isNew: false });
  const version = nextVersion(known, was);
  const text = withHeader(given, { ...read.declaration, name: read.name, version });
  await writeToolFile(place, { file, text, isNew: false });
  const kept = { version, sha256: sha256Of(text), text, keptAt: now(), sessionId: '', writer: null };
  await keepVersion(record, path, kept);
}

const mostPrinted = 4_000;

const sourceOf = (projectPath: string | undefined): OwnToolSource => (projectPath === undefined ? 'home' : 'project');

function placeFor(options: Pick<OwnToolCommandsOptions, 'home'>, projectPath: string | undefined): FolderPlace {
  const place = placeOf(options, sourceOf(projectPath), projectPath ?? null);
  if (place === null) throw noPlace(projectPath ?? null);
  return place;
}

export interface NewTool extends ToolName {
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
