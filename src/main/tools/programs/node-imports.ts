/**
 * The part of the JavaScript client that knows where imports lead. It asks Node itself, because a package.json and its
 * conditions can send a name anywhere. Once a question was asked, it loads only what the question named.
 */
export const nodeImports = String.raw`/** Whether commands can write where a file lies. What is there may be what an earlier command put there. */
function isWritable(path) {
  try {
    fs.accessSync(path, fs.constants.W_OK);
    return true;
  } catch (error) {
    return error.code !== 'EROFS';
  }
}

/** The files that the question named. Null: nobody is asked, and every file may be loaded. */
let named = null;
const loaded = new Set();
const own = new Set([here, join(process.cwd(), '[eval]')]);
let lookedUp = null;

/** What a named file loads runs with the same yes. Everything else that commands can write has to be named. */
function resolve(name, context, next) {
  const found = next(name, context);
  if (lookedUp !== null) {
    lookedUp(found.url);
    throw new Error('it was only looked up');
  }
  const path = fileAt(found.url);
  if (named === null || path === null || !isWritable(path)) return found;
  const from = fileAt(context.parentURL ?? '');
  if (!named.has(path) && (own.has(from) || !loaded.has(from)))
    throw new Error(relative(process.cwd(), path) + ' was not named in the question, so it is not loaded. Import it by its name in the text of the program.');
  loaded.add(path);
  return found;
}

function fileAt(url) {
  return /^file:/i.test(url) ? fileURLToPath(url) : null;
}

/** Where an import leads, by all that decides it. Null: to nothing. */
async function placeOf({ name, isRequire }) {
  if (isRequire)
    try {
      return pathToFileURL(near.resolve(name)).href;
    } catch {
      return null;
    }
  let place = null;
  lookedUp = (url) => void (place = url);
  await import(name).catch(() => undefined);
  lookedUp = null;
  return place;
}

/** What the texts import, by its node, without Node's own and kept modules. */
async function importsIn(texts, modules) {
  const found = [];
  for (const text of texts) {
    const { tree } = treeOf(text);
    for (const node of tree === null ? [] : nodesIn(tree)) {
      const one = importedBy(node);
      if (one === null || isBuiltin(one.name) || Object.hasOwn(modules, one.name)) continue;
      const place = await placeOf(one);
      found.push({ text, line: node.loc.start.line, name: one.name, place, path: fileAt(place ?? '') });
    }
  }
  return found.sort((one, other) => one.line - other.line);
}
`;
