import type { LineRange } from '@shared/attachments/attachment.ts';

/** The files that `definitionPattern` works for: the languages that a map of a project knows, and Kotlin. */
export const codeFiles =
  '*.{py,pyi,js,mjs,cjs,jsx,ts,mts,cts,tsx,go,rs,java,kt,cs,rb,rake,php,c,h,cc,cpp,cxx,hh,hpp,hxx}';

const before =
  '(?:(?:export|default|declare|abstract|async|public|private|protected|internal|static|final|sealed|partial|data|const|unsafe|pub(?:\\([^)]*\\))?)\\s+)*';
/** A keyword before the name; in Go also the receiver. */
const byKeyword = (name: string): string =>
  `${before}(?:def|class|module|function\\*?|func|fun|fn|struct|union|namespace|interface|trait|enum|record|type)\\s+(?:\\([^)]*\\)\\s*|self\\.)?(${name})\\b`;
/** A constant that holds a function. */
const byArrow = (name: string): string =>
  `${before}(?:const|let|var)\\s+(${name})\\s*(?::[^=]+)?=\\s*(?:async\\s*)?(?:function\\b|\\w+\\s*=>|\\((?:.*=>|[^)]*$))`;
/** A method whose body begins on its line; in C++ also the class before it. */
const byBody = (name: string): string =>
  `(?:[\\w<>\\[\\],.?:]+\\s+)*[*&]*(?:\\w+::)*(${name})\\s*\\(.*\\)[^;=()]*\\{\\s*$`;
/** A method whose body or parameters are on the next lines. */
const byAccess = (name: string): string => `(?:public|private|protected|internal)\\s[^=;(]*?\\b(${name})\\s*\\([^;]*$`;

/** A pattern for lines that define a name containing these letters. JavaScript and ripgrep read it the same way. */
export function definitionPattern(letters: string): string {
  const name = `\\w*${letters}\\w*`;
  return `^\\s*(?:${[byKeyword, byArrow, byBody, byAccess].map((form) => form(name)).join('|')})`;
}

/** Words before brackets that define nothing. */
const noName = /^(?:if|for|foreach|while|switch|catch|with|return|function|using|lock|super|match)$/u;

/** The most characters of a line that are read. Longer lines are generated code. */
const MAX_LINE = 500;

/**
 * The name containing these letters that a line defines; null when it defines none. `letters` holds identifier
 * characters only.
 */
export function definedName(line: string, letters: string): string | null {
  const code = line.slice(0, MAX_LINE);
  const match = new RegExp(definitionPattern(letters), 'iu').exec(code);
  const name = match?.slice(1).find((group) => group !== undefined) ?? null;
  if (name === null || noName.test(name)) return null;
  // A call that takes a function, or an object of an anonymous class.
  const isCall = match?.[3] !== undefined && /=>\s*\{\s*$|\bfunction\b|\b(?:new|return|await|else)\s/u.test(code);
  return isCall ? null : name;
}

/** The most lines that a mention of one definition brings. */
const MAX_LINES = 400;

/** The lines of the definition that begins at `from` (1-based): all indented lines, and the line that closes it. */
export function linesOfDefinition(lines: readonly string[], from: number): LineRange {
  const depthOf = (line: string): number => line.length - line.trimStart().length;
  const own = depthOf(lines[from - 1] ?? '');
  let to = from;
  for (let at = from; at < Math.min(lines.length, from - 1 + MAX_LINES); at += 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    const isClosing = depthOf(line) === own && /^(?:[)\]}{]|end\b)/u.test(line.trimStart());
    if (depthOf(line) <= own && !isClosing) break;
    to = at + 1;
    // A line that closes the parameters may open the body, too.
    if (isClosing && !/[{:([]\s*$/u.test(line)) break;
  }
  return { from, to };
}
