import { posix } from 'node:path';
import type { CodeLanguage } from '../../code/code-syntax.ts';
import type { TestReport } from '../../../lib/test-output/test-report.ts';
import type { SourceFile } from '../../facts/project-reader.ts';
import { addImports } from '../../code/splice-code.ts';

/** Names that Python code often imports from the standard library. */
const fromStandard: Readonly<Record<string, readonly string[]>> = {
  collections: ['Counter', 'OrderedDict', 'defaultdict', 'deque', 'namedtuple'],
  contextlib: ['contextmanager', 'suppress'],
  copy: ['deepcopy'],
  dataclasses: ['asdict', 'dataclass', 'field', 'replace'],
  datetime: ['date', 'datetime', 'timedelta', 'timezone'],
  decimal: ['Decimal', 'ROUND_HALF_EVEN', 'ROUND_HALF_UP'],
  enum: ['Enum'],
  fractions: ['Fraction'],
  functools: ['cmp_to_key', 'lru_cache', 'partial', 'reduce', 'wraps'],
  itertools: ['chain', 'combinations', 'count', 'groupby', 'islice', 'permutations', 'product', 'zip_longest'],
  pathlib: ['Path'],
  typing: ['Any', 'Callable', 'Dict', 'Iterable', 'List', 'Optional', 'Tuple', 'Union'],
  'urllib.parse': ['quote', 'unquote', 'urlencode', 'urljoin', 'urlparse'],
  'xml.sax.saxutils': ['escape', 'quoteattr', 'unescape'],
};
const standardModules =
  /^(base64|bisect|calendar|collections|copy|csv|functools|hashlib|heapq|html|inspect|io|itertools|json|logging|math|operator|os|random|re|shutil|statistics|string|sys|textwrap|threading|time|unicodedata|urllib|uuid|warnings)$/;

/**
 * The file with the import that its error asks for; null if no file defines the name, or the error is a different one.
 */
export function withMissingImport(file: SourceFile, report: TestReport, files: readonly SourceFile[]): string | null {
  for (const { message } of report.failures) {
    const name = /\bname '(\w+)' is not defined|^(?:ReferenceError: )?(\w+) is not defined/m.exec(message);
    const line = name === null ? null : importOf(name[1] ?? name[2] ?? '', file, files);
    if (line !== null) return addImports(file.text, [line], file.language);
  }
  return null;
}

function importOf(name: string, file: SourceFile, files: readonly SourceFile[]): string | null {
  const owner = files.find(
    (one) =>
      one.path !== file.path &&
      (one.language === 'python') === (file.language === 'python') &&
      one.spans.some((span) => span.shortName === name && span.container === null),
  );
  if (owner !== undefined) return ownImport(name, file, owner.path);
  if (file.language !== 'python') return null;
  if (standardModules.test(name)) return `import ${name}`;
  const module = Object.entries(fromStandard).find(([, names]) => names.includes(name))?.[0];
  return module === undefined ? null : `from ${module} import ${name}`;
}

function ownImport(name: string, { path, language, text }: SourceFile, owner: string): string {
  if (language === 'python') {
    const [folder, ownerFolder] = [path, owner].map((one) => one.split('/').slice(0, -1).join('/'));
    const stem = (owner.split('/').pop() ?? '').replace(/\.py$/, '');
    const isRelative = folder === ownerFolder && /^from \.\w/m.test(text);
    return `from ${isRelative ? `.${stem}` : owner.replace(/\.py$/, '').replaceAll('/', '.')} import ${name}`;
  }
  const from = relativePath(path, owner);
  return isModule(language, text)
    ? `import { ${name} } from '${from}';`
    : `const { ${name} } = require('${from.replace(/\.c?js$/, '')}');`;
}

const isModule = (language: CodeLanguage, text: string): boolean =>
  language === 'typescript' || language === 'tsx' || /^(?:import|export)\b/m.test(text);

function relativePath(path: string, to: string): string {
  const between = posix.relative(posix.dirname(path), to);
  return between.startsWith('.') ? between : `./${between}`;
}
