import { isOffered, promptFileName, skillFolders, skillsIn } from '@shared/safety/instruction-files.ts';
import { maxInstructionBytes } from '@shared/safety/instruction-files.ts';
import { readFileBelow } from '../lib/files/host-folder.ts';
import { pathsBelow, readSkillFiles } from './read-skill-files.ts';
import { filesInside, skillReview } from './skill-review.ts';

/** What a project brings that is used only after its bytes were approved: `bytes` null if it cannot be shown. */
export interface OfferedFile {
  readonly path: string;
  readonly bytes: Buffer | null;
}

/** Folders of prompt files, in which others may lie. */
const promptFolders: readonly string[] = ['.github/prompts', '.claude/commands', '.dewpoint/commands'];

const mostPromptFiles = 200;

/** The skills and prompt files of a project, as a person approves them. A skill has the path of its `SKILL.md`. */
export async function offeredFiles(projectPath: string): Promise<readonly OfferedFile[]> {
  const paths: string[] = [];
  for (const folder of [...skillFolders, ...promptFolders])
    paths.push(...(await pathsBelow(projectPath, folder.split('/'))));
  const found: OfferedFile[] = [];
  for (const { folder, paths: inside } of skillsIn(paths)) {
    const files = await readSkillFiles(projectPath, inside);
    found.push({ path: `${folder}/SKILL.md`, bytes: files === null ? null : skillReview(filesInside(files, folder)) });
  }
  const prompts = paths.filter((path) => isOffered(path) && promptFileName(path) !== null).slice(0, mostPromptFiles);
  for (const path of prompts) {
    found.push({ path, bytes: await readFileBelow(projectPath, path.split('/'), maxInstructionBytes) });
  }
  return found;
}

/** One of them; undefined: the path is none of theirs. */
export async function offeredFile(projectPath: string, path: string): Promise<OfferedFile | undefined> {
  if (!isOffered(path)) return undefined;
  return (await offeredFiles(projectPath)).find((one) => one.path === path);
}
