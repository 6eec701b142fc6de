import type { Repository } from './repository.ts';
import { gitFolder, type RepositoryFiles } from './repository-files.ts';

const packs = `${gitFolder}/objects/pack`;
const looseObject = /^(\/git\/objects\/[0-9a-f]{2})\/([0-9a-f]{38})$/u;

/**
 * The same repository, for reading thousands of objects in a row. For each, the library looks for `.git`, for a file of
 * its own and for the packs. Here it hears what was seen the first time. So an object that another program moves
 * meanwhile is only in the repository as it was given.
 */
export function withManyReads(repository: Repository): Repository {
  const { files } = repository;
  let facts: ReturnType<RepositoryFiles['stat']> | null = null;
  const lists = new Map<string, Promise<string[]>>();
  const list = (path: string): Promise<string[]> => {
    const listed = lists.get(path) ?? files.readdir(path);
    lists.set(path, listed);
    return listed;
  };
  const promises: RepositoryFiles = {
    ...files,
    stat: (path) => (path === gitFolder ? (facts ??= files.stat(path)) : files.stat(path)),
    readdir: (path) => (path === packs ? list(path) : files.readdir(path)),
    readFile: async (path, options) => {
      const [, folder, name] = looseObject.exec(path) ?? [];
      if (folder === undefined || name === undefined) return files.readFile(path, options);
      const names = await list(folder).catch((): string[] => []);
      if (names.includes(name)) return files.readFile(path, options);
      throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    },
  };
  return { ...repository, git: { ...repository.git, fs: { promises } } };
}
