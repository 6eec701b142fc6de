import { rename } from 'node:fs/promises';
import { allOrNone, nothingToUndo, type WayBack } from '../../lib/async/all-or-none.ts';
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
 * the tools there stays. A secret that the key store does not give stays under its old name, and so does a folder that
 * cannot be moved.
 */
export function moveOwnTools({ record, tools, folderOf, secrets }: MoveToolsOptions): MoveProject {
  const moveSecret: MoveOne = async (from, to) => {
    const [value, there] = [await secrets.read(from), await secrets.read(to)];
    if (value === null || there !== null) return false;
    await secrets.set(to, value);
    await secrets.remove(from);
    return true;
  };
  const moveFolder: MoveOne = async (from, to) => {
    if (!(await mayBeThere(from)) || (await mayBeThere(to))) return false;
    await rename(from, to);
    return true;
  };
  return (from, to) => {
    const along = async (): Promise<WayBack> => {
      const own = (await tools.list(to)).tools.filter(({ source }) => source === 'project');
      const moves = own.flatMap(({ file, tool }) => {
        if (tool === null) return [];
        const { name, declaration } = tool;
        const key = (variable: string) => (project: string) => secretKey(file, variable, project);
        const folder = (project: string): string => folderOf(apartName(name, project));
        return [
          ...(declaration.secrets ?? []).map((variable) => ({ move: moveSecret, place: key(variable) })),
          { move: moveFolder, place: folder },
        ];
      });
      return allOrNone(
        moves.map(({ move, place }) => async () => {
          const [old, next] = [place(from), place(to)];
          const isMoved = await move(old, next).catch(orNoted('A secret or folder of a tool was not moved', false));
          return isMoved ? () => move(next, old) : nothingToUndo;
        }),
      );
    };
    return allOrNone([() => moveFiles(record, from, to), along]);
  };
}

/** False: there is nothing to move, or something at the new place. */
type MoveOne = (from: string, to: string) => Promise<boolean>;
