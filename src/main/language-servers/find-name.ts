import type { Position } from './server-answers.ts';

const around = String.raw`[\p{L}\p{N}_$]`;

/** A pattern for the name as a whole word. */
export function namePattern(name: string): string {
  return `(?<!${around})${name.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)}(?!${around})`;
}

/** A line that defines something, in the languages of the table. */
const defines =
  /\b(?:def|class|function|const|let|var|fn|func|type|interface|struct|enum|trait|impl|public|private|protected|static|void|int)\b/u;
/** The model counted the lines badly. */
const nearLines = 3;

/**
 * Where a name stands in a text. With a line, from 1, in that line or near it. Without one, where it seems to be defined,
 * else at its first place. A text is why it is not found.
 */
export function findName(text: string, name: string, line: number | null): Position | string {
  const lines = text.split('\n');
  const pattern = new RegExp(namePattern(name), 'u');
  const found = lines.flatMap((content, index) => {
    const match = pattern.exec(content);
    return match === null ? [] : [{ line: index, character: match.index, isDefined: defines.test(content) }];
  });
  const [first] = found;
  if (first === undefined) return `The name ${name} does not stand in the file.`;
  if (line === null) {
    const { isDefined: _isDefined, ...position } = found.find(({ isDefined }) => isDefined) ?? first;
    return position;
  }
  const far = (at: number): number => Math.abs(at - (line - 1));
  const [nearest = first] = [...found].sort((left, right) => far(left.line) - far(right.line));
  if (far(nearest.line) > nearLines) {
    const numbers = found.slice(0, 10).map((one) => one.line + 1);
    return `${name} does not stand in line ${line}. It stands in line ${numbers.join(', ')}.`;
  }
  return { line: nearest.line, character: nearest.character };
}
