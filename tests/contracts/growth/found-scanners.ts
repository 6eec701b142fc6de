import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import type { ParamPattern } from 'oxc-parser';

/** An exported function that reads a text. */
export interface FoundScanner {
  /** A path such as `src/shared/rules/parse-rules.ts`. */
  readonly file: string;
  readonly name: string;
  /** Whether the text is its only required argument. */
  readonly isAlone: boolean;
  /** The short texts in its file, which it may search for. */
  readonly words: readonly string[];
}

/** Parameter names of texts that are names, not content to read, and of places that are opened. */
const names = new Set(
  'address,baseUrl,cacheDir,connect,dir,folder,hint,home,homePath,id,key,keys,kind,model,name,path,place,realHomePath,root,session,sessionId,type,uri,version,workspace'.split(
    ',',
  ),
);

/** Only folders whose functions touch nothing but their text. Others use the window, programs or places of the host. */
const folders =
  /^src\/(?:shared|renderer\/lib|main\/(?:agent|hosts\/(?:cli|text)|lib|models|recipes|routing|safety|sandbox|sessions|settings|tools))\//u;

/** Every exported function below `root` whose first argument is a text, except React hooks. */
export function findScanners(root: string): readonly FoundScanner[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && folders.test(path))
    .sort()
    .flatMap((file) => scannersOf(file, readFileSync(join(root, file), 'utf8')));
}

function scannersOf(file: string, text: string): readonly FoundScanner[] {
  const { program } = parseSync(file, text);
  const words = new Set<string>();
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string' && value !== '' && value.length <= 30) words.add(value);
    },
    ImportDeclaration: ({ source }) => void words.delete(source.value),
  }).visit(program);
  return program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration?.type !== 'FunctionDeclaration') return [];
    const { id, params, async: isAsync } = statement.declaration;
    const [first, ...rest] = params;
    // A React hook fails outside of the page, with long messages.
    if (id === null || /^use[A-Z]/u.test(id.name)) return [];
    if (first === undefined || isAsync || !isText(first)) return [];
    return [{ file, name: id.name, isAlone: rest.every(isOptional), words: [...words].slice(0, mostWords) }];
  });
}

const mostWords = 12;

function isText(param: ParamPattern): boolean {
  return (
    param.type === 'Identifier' &&
    param.typeAnnotation?.typeAnnotation.type === 'TSStringKeyword' &&
    !names.has(param.name)
  );
}

function isOptional(param: ParamPattern): boolean {
  return param.type === 'AssignmentPattern' || (param.type === 'Identifier' && Boolean(param.optional));
}
