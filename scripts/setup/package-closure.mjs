/**
 * Returns packages of a lock file with all their dependencies, as paths like `node_modules/zod`, each once.
 * @template {{dependencies?: object, optionalDependencies?: object}} Entry
 * @param {{packages: Record<string, Entry>}} lock
 * @param {readonly string[]} names as the root package finds them
 * @returns {string[]}
 */
export function packageClosure(lock, names) {
  const waiting = names.map((name) => find(lock, '', name));
  /** @type {Set<string>} */
  const seen = new Set();
  while (waiting.length > 0) {
    const path = waiting.pop();
    if (path === undefined || seen.has(path)) continue;
    seen.add(path);
    const { dependencies, optionalDependencies } = lock.packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) waiting.push(find(lock, path, name));
  }
  return [...seen];
}

/**
 * Finds a package as Node does: in the package's own node_modules, then in those above. Undefined: an optional peer.
 * @param {{packages: Record<string, object>}} lock @param {string} from @param {string} name
 * @returns {string | undefined}
 */
function find(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (path in lock.packages) return path;
    if (folder === '') return undefined;
  }
}
