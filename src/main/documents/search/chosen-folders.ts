import { failure, success } from '@shared/errors.ts';
import { noteFailure } from '../../lib/log.ts';
import type { FileContent, SandboxFiles, ScannedFile, ScannedFiles } from '../../sandbox/sandbox.ts';

/** A folder outside a project that the person chose to be searched with it, for reading only. */
export interface ChosenFolder {
  /** The name of the folder. Its files are `NAME/…` for models, for fences and in citations. */
  readonly name: string;
  /** Without what is hidden from models there. */
  readonly files: Pick<SandboxFiles, 'scan' | 'read' | 'readMany'>;
  /** Each of its texts is a document, whatever its name: the person chose them one by one. Absent: no. */
  readonly takesEveryText?: true;
  /** Whether a file is not searched with the project, because a rule of the folder or of a project around it is stricter. */
  readonly isLeftOut: (path: string) => boolean;
}

/** Opens the chosen folders of a project. Of one that is gone, or cannot be read safely, nothing can be read. */
export type OpenChosenFolders = (signal: AbortSignal) => Promise<readonly ChosenFolder[]>;

/** One that is gone, or a link that leads elsewhere by now. `text` says another reason. */
export function goneFolder(name: string, text = 'The folder is not there.'): ChosenFolder {
  const gone = async () => failure('not-found', text);
  return { name, files: { scan: gone, read: gone, readMany: gone }, isLeftOut: () => false };
}

/**
 * A project's files with those of chosen folders beside them, as far as a search needs. What the project has wins. A
 * folder that cannot be read is told to `onUnread`, and stops nothing.
 */
export function besideChosen(
  own: Pick<SandboxFiles, 'scan' | 'read' | 'readMany'>,
  folders: readonly ChosenFolder[],
  onUnread: (name: string) => void = () => undefined,
): Pick<SandboxFiles, 'scan' | 'read' | 'readMany'> {
  if (folders.length === 0) return own;
  return {
    scan: async (signal) => {
      const scanned = await own.scan(signal);
      if (!scanned.ok) return scanned;
      const files = new Map(scanned.value.files);
      let { isCut } = scanned.value;
      for (const folder of folders) {
        const found = await filesOf(folder, onUnread, signal);
        isCut ??= found.isCut;
        for (const [path, file] of found.files) if (!files.has(path)) files.set(path, file);
      }
      return success({ ...scanned.value, files, ...(isCut === undefined ? {} : { isCut }) });
    },
    read: async (path, options, signal) => {
      const found = await own.read(path, options, signal);
      const place = found.ok || found.error.code !== 'not-found' ? null : placeOf(folders, path);
      return place === null ? found : place.folder.files.read(place.path, options, signal);
    },
    readMany: async (paths, options, signal) => {
      const found = await own.readMany(paths, options, signal);
      if (!found.ok) return found;
      const all = new Map<string, FileContent>(found.value);
      for (const folder of folders) {
        const missing = paths.filter((path) => !all.has(path) && placeOf([folder], path) !== null);
        if (missing.length === 0) continue;
        const read = await folder.files.readMany(
          missing.map((path) => below(folder, path)),
          options,
          signal,
        );
        signal.throwIfAborted();
        if (!read.ok) {
          noteFailure(`The chosen folder ${folder.name} was not read`, new Error(read.error.message));
          onUnread(folder.name);
          continue;
        }
        for (const path of missing) {
          const content = read.value.get(below(folder, path));
          if (content !== undefined) all.set(path, content);
        }
      }
      return success(all);
    },
  };
}

/** Whether a path is one of a chosen folder. */
export function isChosenPath(folders: readonly Pick<ChosenFolder, 'name'>[], path: string): boolean {
  return folders.some(({ name }) => path.startsWith(`${name}/`));
}

const below = ({ name }: ChosenFolder, path: string): string => path.slice(name.length + 1);

function placeOf(folders: readonly ChosenFolder[], path: string) {
  const folder = folders.find(({ name }) => path.startsWith(`${name}/`));
  if (folder === undefined || folder.isLeftOut(below(folder, path))) return null;
  return { folder, path: below(folder, path) };
}

/** Empty if it cannot be read: the project is searched all the same. */
async function filesOf(
  folder: ChosenFolder,
  onUnread: (name: string) => void,
  signal: AbortSignal,
): Promise<{ readonly files: readonly (readonly [string, ScannedFile])[] } & Pick<ScannedFiles, 'isCut'>> {
  const scanned = await folder.files.scan(signal);
  signal.throwIfAborted();
  if (!scanned.ok) {
    noteFailure(`The chosen folder ${folder.name} was not searched`, new Error(scanned.error.message));
    onUnread(folder.name);
    return { files: [] };
  }
  const { isCut } = scanned.value;
  const files = [...scanned.value.files].flatMap(([path, file]) =>
    folder.isLeftOut(path) ? [] : [[`${folder.name}/${path}`, file] as const],
  );
  return { files, ...(isCut === undefined ? {} : { isCut }) };
}
