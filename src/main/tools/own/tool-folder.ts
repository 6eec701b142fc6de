import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@shared/errors.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import type { HostFolder } from '../../lib/files/host-folder.ts';
import { openFolderBelow, readStart } from '../../lib/files/host-folder.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { ReadTool, SyntaxLoader } from './read-declaration.ts';
import type { ToolProblem } from './read-exported.ts';
import { looksLikeTool, readDeclaration } from './read-declaration.ts';
import { utf8Text } from '../../lib/utf8-text.ts';

/** A file in a folder of tools, as it is now. */
export interface ToolFile {
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly sha256: string;
  readonly read: ReadTool | ToolProblem;
}

export interface ToolFolder {
  readonly files: readonly ToolFile[];
  readonly problems: readonly string[];
}

/** A folder of tools: `names` below `root`. None of them may be a link. */
export interface FolderPlace {
  readonly root: string;
  readonly names: readonly string[];
}

const mostFileBytes = 256 * 1024;
const mostFiles = 100;
/** The name becomes part of a command and is shown in lists. */
export const usableName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/;
/** By extension only, so that unreadable tool files are reported, too. */
const toolEnds = /\.(?:py|[cm]?[jt]s|sh)$/i;

export function folderPath({ root, names }: FolderPlace): string {
  return join(root, ...names);
}

/** All tool files of a folder. Empty if the folder does not exist. Never rejects. */
export async function readToolFolder(place: FolderPlace, loadSyntax: SyntaxLoader): Promise<ToolFolder> {
  const folder = await openFolderBelow(place.root, place.names);
  if (folder === null) return { files: [], problems: await whyNotOpen(place) };
  try {
    const names = (await readdir(folder.place)).filter((name) => !name.startsWith('.')).sort();
    const files: ToolFile[] = [];
    for (const file of names) {
      if (files.length >= mostFiles) break;
      const found = await readOne(folder, { file, path: join(folderPath(place), file) }, loadSyntax);
      if (found !== null) files.push(found);
    }
    const isCut = files.length >= mostFiles && names.length > mostFiles;
    const text = `${folderPath(place)} holds more than ${mostFiles} tools. The first ${mostFiles} by name are used.`;
    return { files, problems: isCut ? [text] : [] };
  } catch (error) {
    return { files: [], problems: [`${folderPath(place)} could not be read: ${messageOf(error)}`] };
  } finally {
    await folder.close();
  }
}

/** Reads one file again for a call. Null: it is gone, or no longer a tool. */
export async function readToolFile(
  place: FolderPlace,
  file: string,
  loadSyntax: SyntaxLoader,
): Promise<ToolFile | null> {
  const folder = await openFolderBelow(place.root, place.names);
  if (folder === null) return null;
  try {
    return await readOne(folder, { file, path: join(folderPath(place), file) }, loadSyntax);
  } finally {
    await folder.close();
  }
}

async function whyNotOpen({ root, names }: FolderPlace): Promise<readonly string[]> {
  for (const [at] of names.entries()) {
    const path = join(root, ...names.slice(0, at + 1));
    // A missing folder is not a problem: most projects have none.
    const found = await lstat(path).catch(() => null);
    if (found === null) return [];
    if (found.isSymbolicLink()) return [`${path} is a link, so its tools are not read. Put a folder in its place.`];
    if (!found.isDirectory()) return [`${path} is no folder, so it has no tools.`];
  }
  return [`${join(root, ...names)} could not be read.`];
}

async function readOne(
  folder: HostFolder,
  { file, path }: Pick<ToolFile, 'file' | 'path'>,
  loadSyntax: SyntaxLoader,
): Promise<ToolFile | null> {
  const broken = (problem: string, text = ''): ToolFile | null =>
    toolEnds.test(file) ? { file, path, text, sha256: sha256Of(text), read: { problem } } : null;
  let bytes: Buffer | null;
  try {
    // One byte more than allowed, to notice files that are too large.
    bytes = await readStart(folder, file, mostFileBytes + 1);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') return broken('It is a link. Put the file itself into the folder.');
    return broken(`It could not be read (${code ?? messageOf(error)}).`);
  }
  // Null for a folder: tool servers keep folders here.
  if (bytes === null) return null;
  if (bytes.length > mostFileBytes) return broken(`It is larger than ${mostFileBytes / 1024} KB.`);
  const text = utf8Text(bytes);
  if (text === null) return broken('It is not valid text (UTF-8).');
  if (!looksLikeTool(file, text)) return null;
  if (!usableName.test(file))
    return broken('Its file name has characters other than letters, digits, dots, hyphens and underscores.', text);
  return { file, path, text, sha256: sha256Of(text), read: await declarationOf(file, text, loadSyntax) };
}

/** Like `readDeclaration`, but never rejects. */
export async function declarationOf(file: string, text: string, loadSyntax: SyntaxLoader): Promise<ToolFile['read']> {
  try {
    return await readDeclaration(file, text, loadSyntax);
  } catch (error) {
    // One broken file must not affect the others.
    return { problem: `It could not be read: ${messageOf(error)}` };
  }
}
