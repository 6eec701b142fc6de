export interface Citation {
  readonly path: string;
  readonly line: number | null;
}

/** "line" in the languages in which people ask most. */
const lineWord = 'lines?|zeilen?|lignes?|líneas?|linhas?|righ[ei]|riga|regels?|rad|linje|linia|satır|строк[аеиу]';
const proseBefore = new RegExp(
  `(?:(?<!\\p{L})(?:${lineWord}) |第 ?)(\\d{1,6})(?: ?行|-\\d{1,6})?(?: \\p{L}{1,8}){0,3}[ "'\`]{1,3}$`,
  'iu',
);
const longestProse = 60;

/** Places named as "line 14 of app.py", in any of these languages. */
function placesInProse(answer: string, paths: readonly string[]): readonly Citation[] {
  return paths.flatMap((path) => {
    const found: Citation[] = [];
    for (let at = answer.indexOf(path); at !== -1; at = answer.indexOf(path, at + path.length)) {
      const line = proseBefore.exec(answer.slice(Math.max(0, at - longestProse), at))?.[1];
      if (line !== undefined) found.push({ path, line: Number(line) });
    }
    return found;
  });
}

/** Places named in an answer as `path:line`, `path, line 3`, `line 3 of path`, `path:3-7` or `path` alone. */
export function findCitations(answer: string, paths: readonly string[]): readonly Citation[] {
  const found: Citation[] = [];
  for (const path of paths) {
    const escaped = path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    for (const match of answer.matchAll(
      new RegExp(`(?<![\\w/.-])${escaped}(?:[:#]L?|,? (?:at |on )?lines? )?(\\d+)?`, 'g'),
    )) {
      found.push({ path, line: match[1] === undefined ? null : Number(match[1]) });
    }
  }
  return [...found, ...placesInProse(answer, paths)].filter(
    (one, index, found) => found.findIndex((other) => other.path === one.path && other.line === one.line) === index,
  );
}

/** Lines that an answer cites of a file that it was not shown, as it wrote them, such as `manual.pdf:12`. */
export function unknownCitations(answer: string, paths: readonly string[]): readonly string[] {
  const words = answer.split(/[\s()[\]`"'“”,;]+/u);
  const places = words.flatMap((word) => /^[^:]*\.[a-z]\w{0,4}:L?\d+(?:-\d+)?/iu.exec(word)?.[0] ?? []);
  return [...new Set(places)].filter((place) => !paths.some((path) => place.replace(/^\.\//u, '').startsWith(path)));
}

/**
 * The line of a chunk that supports an answer most: the one that shares the most numbers and words with it. Lines are
 * 1-based.
 */
export function supportingLine(
  answer: string,
  chunk: { readonly startLine: number; readonly text: string },
): { readonly line: number; readonly score: number } {
  const tokens = (text: string) =>
    new Set(
      (
        text
          .toLowerCase()
          .replaceAll(/(?<=\d)_(?=\d)/g, '')
          .match(/[a-z]{3,}|\d+/g) ?? []
      ).flatMap((word) => [word]),
    );
  const wanted = tokens(answer.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' '));
  let best = { line: chunk.startLine, score: 0 };
  for (const [index, line] of chunk.text.split('\n').entries()) {
    let score = 0;
    for (const token of tokens(line.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])_|_(?=[A-Za-z])/g, ' ')))
      if (wanted.has(token)) score += /^\d/.test(token) ? 3 : 1;
    if (score > best.score) best = { line: chunk.startLine + index, score };
  }
  return best;
}

/** Lines of a file that the model was shown. */
interface ShownLines {
  readonly path: string;
  readonly startLine: number;
  readonly text: string;
}

interface NameElsewhere {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  /** The line that has it. */
  readonly right: number;
}

/**
 * Lines that an answer cites for a name of the code that is not there, but on another line that was shown. Names are
 * compared as they are written, so this holds in every language. A line inside what the name defines counts as its own.
 */
export function namesElsewhere(answer: string, shown: readonly ShownLines[]): readonly NameElsewhere[] {
  const paths = [...new Set(shown.map(({ path }) => path))];
  return sentencesOf(answer).flatMap((sentence) => {
    const places = findCitations(sentence, paths).filter(({ line }) => line !== null);
    const [place] = places;
    // With two places in a sentence, nobody knows which name is meant where.
    if (places.length !== 1 || place === undefined || place.line === null) return [];
    const { path, line } = place;
    const lines = new Map(shown.filter((one) => one.path === path).flatMap(numbered));
    const names = codeNames(sentence.replaceAll(path, ' '));
    const known = names.flatMap((name) => {
      const at = [...lines].flatMap(([number, text]) => (hasName(text, name) ? [number] : []));
      return at.length === 0 ? [] : [{ name, at }];
    });
    if (!lines.has(line) || known.some(({ name, at }) => isNamedAt(lines, { name, at, line }))) return [];
    const [first] = known;
    const defined = first?.at.find((number) => isDefinition(lines.get(number) ?? '', first.name));
    const right = defined ?? first?.at[0];
    return first === undefined || right === undefined ? [] : [{ path, line, name: first.name, right }];
  });
}

/** A point inside a name of a file or before a digit ends no sentence. */
const sentencesOf = (text: string): readonly string[] => text.split(/(?<=[.!?。])\s+|\n/u);

const numbered = ({ startLine, text }: ShownLines): readonly (readonly [number, string])[] =>
  text.split('\n').map((line, index) => [startLine + index, line] as const);

/** `name`, name(), snake_case and camelCase. */
function codeNames(sentence: string): readonly string[] {
  const marked = [...sentence.matchAll(/`([A-Za-z_$][\w$]{1,60})(?:\(\))?`/gu)].map(([, name = '']) => name);
  const words = sentence.match(/(?<![\w`./])[A-Za-z][\w$]{2,60}(?:\(\))?/gu) ?? [];
  const like = words.flatMap((word) => {
    const name = word.replace('()', '');
    return word.endsWith('()') || name.includes('_') || /^[a-z]+\d*[A-Z]/u.test(name) ? [name] : [];
  });
  return [...new Set([...marked, ...like])];
}

function hasName(text: string, name: string): boolean {
  return text.split(/[^\w$]+/u).includes(name);
}

function isDefinition(text: string, name: string): boolean {
  const words = text.split(/[^\w$]+/u);
  const at = words.indexOf(name);
  return (
    at > 0 &&
    /^(?:def|class|function|func|fn|const|let|var|struct|enum|interface|type|trait|sub|module)$/u.test(
      words[at - 1] ?? '',
    )
  );
}

/** On the line, beside it, or in the indented block of its definition. */
function isNamedAt(
  lines: ReadonlyMap<number, string>,
  { name, at, line }: { readonly name: string; readonly at: readonly number[]; readonly line: number },
): boolean {
  return at.some((number) => {
    if (Math.abs(number - line) <= 1) return true;
    const text = lines.get(number) ?? '';
    if (number > line || !isDefinition(text, name)) return false;
    for (let next = number + 1; next <= line; next += 1) {
      const inside = lines.get(next) ?? '';
      if (inside.trim() !== '' && indent(inside) <= indent(text)) return false;
    }
    return true;
  });
}

const indent = (text: string): number => text.length - text.trimStart().length;
