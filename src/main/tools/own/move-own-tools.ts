import { rename } from 'node:fs/promises';
import { orNoted } from '../../lib/log.ts';
import { mayBeThere } from '../../lib/files/host-folder.ts';
import type { MoveProject } from '../../projects/project-store.ts';
import type { HomeKeys } from '../../safety/keys/home-keys.ts';
import { moveFiles, type OwnToolRecord } from './own-tool-record.ts';
import { apartName, secretKey, type OwnTools } from './own-tools.ts';

export interface MoveToolsOptions {
  readonly record: OwnToolRecord;
  readonly tools: Pick<OwnTools, 'list'>;
  /** The folder that a tool keeps, by the name of what runs apart. */
  readonly folderOf: (name: string) => string;
  readonly secrets: Pick<HomeKeys['own'], 'read' | 'set' | 'remove'>;
}

/**
 * Takes the approvals, secrets and kept folders of a project's tools along to where its folder lies now. What is kept for
 * the tools there stays. A secret that the key store does not give stays under its old name.
 */
export function moveOwnTools({ record, tools, folderOf, secrets }: MoveToolsOptions): MoveProject {
  const moveSecret = async (from: string, to: string): Promise<void> => {
    const [value, there] = [await secrets.read(from), await secrets.read(to)];
    if (value === null || there !== null) return;
    await secrets.set(to, value);
    await secrets.remove(from);
  };
  const moveFolder = async (from: string, to: string): Promise<void> => {
    if ((await mayBeThere(from)) && !(await mayBeThere(to))) await rename(from, to);
  };
  return async (from, to) => {
    await moveFiles(record, from, to);
    const own = (await tools.list(to)).tools.filter(({ source }) => source === 'project');
    const names = own.flatMap(({ file, tool }) =>
      (tool?.declaration.secrets ?? []).map((variable) => ({ file, variable })),
    );
    const change = async (old: string, next: string): Promise<void> => {
      for (const { file, variable } of names)
        await moveSecret(secretKey(file, variable, old), secretKey(file, variable, next)).catch(
          orNoted('A secret of a tool was not moved', undefined),
        );
      for (const { tool } of own)
        if (tool !== null) await moveFolder(folderOf(apartName(tool.name, old)), folderOf(apartName(tool.name, next)));
    };
    await change(from, to);
    return async () => {
      await change(to, from);
      await moveFiles(record, to, from);
    };
  };
}
