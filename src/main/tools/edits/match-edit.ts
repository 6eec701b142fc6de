import { placesOfLines } from './find-lines.ts';
import { withoutLineNumbers } from './strip-line-numbers.ts';

/**
 * Finds the one place in a file that a model means by "old text", and puts the new text there. An exact match comes
 * first, then a tolerant one if it is unambiguous: line endings, trailing space, quotes, indentation, line numbers.
 * Several places or none are refused, with what the model needs for a better try.
 */
export type EditOutcome =
  | {
      readonly type: 'applied';
      readonly text: string;
      readonly line: number;
      readonly how: readonly Forgiveness[];
      /** The number of replaced places, if there were several. */
      readonly places?: number;
    }
  | {
      readonly type: 'refused';
      readonly reason: 'empty' | 'same' | 'ambiguous' | 'not-found';
      readonly message: string;
    };

export type Forgiveness = 'line-endings' | 'trailing-space' | 'quotes' | 'indentation' | 'line-numbers';

interface Fold {
  readonly how: readonly Forgiveness[];
  readonly fold: (line: string) => string;
}

const trimEnd = (line: string): string => line.trimEnd();
const foldQuotes = (line: string): string => trimEnd(line).replace(/["'`\u2018\u2019\u201C\u201D]/gu, "'");

/** From the strictest to the most tolerant. The first that finds anything decides. */
const folds: readonly Fold[] = [
  { how: ['trailing-space'], fold: trimEnd },
  { how: ['quotes'], fold: foldQuotes },
  { how: ['indentation'], fold: (line) => line.trim() },
  { how: ['indentation', 'quotes'], fold: (line) => foldQuotes(line).trimStart() },
];

const maximumShown = 3;
const mostNamed = 8;

/** `everywhere`: replaces every exact match of the old text. */
export function applyEdit(text: string, oldText: string, newText: string, everywhere = false): EditOutcome {
  if (oldText === newText) return refused('same', 'The old and the new text are the same: nothing would change.');
  if (oldText.trim() === '') {
    if (text.trim() === '') return { type: 'applied', text: newText, line: 1, how: [] };
    return refused(
      'empty',
      'The old text is empty, which creates a file, and this one is there already. Give the lines to replace, as they stand in the file.',
    );
  }
  const acrossEnds = text.includes('\r\n') && oldText.includes('\n');
  const apartFromEnds = acrossEnds ? applyAcrossEnds(text, oldText, newText, everywhere) : null;
  if (apartFromEnds !== null) return apartFromEnds;
  const exact = places(text, oldText);
  const [only] = exact;
  if (only !== undefined && (exact.length === 1 || everywhere)) {
    // Old text of a single line does not show which line endings the file has.
    const isCrlf = !oldText.includes('\n') && dominantEol(text) === '\r\n';
    const fresh = isCrlf ? newText.replaceAll(/\r?\n/gu, '\r\n') : newText;
    const line = lineAt(text, only);
    if (exact.length > 1) {
      const pieces = text.split(oldText);
      return { type: 'applied', text: pieces.join(fresh), line, how: [], places: pieces.length - 1 };
    }
    const result = text.slice(0, only) + fresh + text.slice(only + oldText.length);
    return { type: 'applied', text: result, line, how: [] };
  }
  if (exact.length > 1) return inPlaces(text, oldText, exact);
  const outcome = applyByLines(text, oldText, newText);
  if (everywhere && outcome.type === 'refused' && outcome.reason === 'ambiguous') return inexact(outcome);
  return outcome.type === 'refused' ? (withoutNumbers(text, oldText, newText) ?? outcome) : outcome;
}

/**
 * For several lines of a file whose lines end in CRLF, some or all, which the model does not see. Lines that stay keep
 * their ends. Null: the old text is not there in this way either.
 */
function applyAcrossEnds(text: string, oldText: string, newText: string, everywhere: boolean): EditOutcome | null {
  const flat = withLineFeeds(text);
  const old = withLineFeeds(oldText);
  const fresh = withLineFeeds(newText);
  const found = places(flat, old);
  const [first] = found;
  if (first === undefined || old === fresh) return null;
  if (found.length > 1 && !everywhere) return inPlaces(flat, old, found);
  const ends = text.match(/\r?\n/gu) ?? [];
  const usual = dominantEol(text);
  let used = 0;
  const take = (part: string): readonly string[] => ends.slice(used, (used += part.split('\n').length - 1));
  const parts = flat.split(old).map((part, index) => {
    const replaced = index === 0 ? '' : withEnds(fresh, endsAfterEdit(old, fresh, take(old), usual));
    return replaced + withEnds(part, take(part));
  });
  const how: readonly Forgiveness[] = text.includes(oldText) ? [] : ['line-endings'];
  const count = parts.length - 1;
  const several = count > 1 ? { places: count } : {};
  return { type: 'applied', text: parts.join(''), line: lineAt(flat, first), how, ...several };
}

const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n');

function withEnds(text: string, ends: readonly string[]): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? line : (ends[index - 1] ?? '\n') + line))
    .join('');
}

/** The ends of the new lines. Lines at both edges that stay keep theirs, and a line that replaces another takes its end. */
function endsAfterEdit(old: string, fresh: string, ends: readonly string[], usual: string): readonly string[] {
  const before = old.split('\n');
  const after = fresh.split('\n');
  let same = 0;
  while (same < Math.min(before.length, after.length) && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return after.slice(1).map((_line, index) => {
    const left = after.length - 1 - index;
    return (left <= same ? ends[ends.length - left] : ends[index]) ?? usual;
  });
}

/** Tries again without the line numbers of `read_file`. Null: there are none, or the text is still not found. */
function withoutNumbers(text: string, oldText: string, newText: string): EditOutcome | null {
  const old = withoutLineNumbers(oldText);
  if (old === null) return null;
  const outcome = applyEdit(text, old, withoutLineNumbers(newText) ?? newText);
  return outcome.type === 'applied' ? { ...outcome, how: ['line-numbers', ...outcome.how] } : null;
}

function applyByLines(text: string, oldText: string, newText: string): EditOutcome {
  const eol = dominantEol(text);
  const fileLines = text.split(/\r?\n/u);
  const oldLines = withoutBlankEdges(oldText.split(/\r?\n/u));
  for (const { how, fold } of folds) {
    const found = windows(fileLines, oldLines, fold);
    if (found.length > 1) return ambiguous(found.map((start) => start + 1));
    const [start] = found;
    if (start === undefined) continue;
    const matched = fileLines.slice(start, start + oldLines.length);
    const fresh = fit(withoutBlankEdges(newText.split(/\r?\n/u)), matched, oldLines, fold);
    const wasExactButForEol = matched.every((line, index) => line === oldLines[index]);
    const result = withLines(text, { start, count: oldLines.length }, fresh.join(eol));
    const forgiven: readonly Forgiveness[] = wasExactButForEol ? ['line-endings'] : how;
    return { type: 'applied', text: result, line: start + 1, how: forgiven };
  }
  return notFound(fileLines, oldLines);
}

/** Replaces some lines by another text. All other lines keep their endings. Empty text: the lines are removed. */
function withLines(
  text: string,
  { start, count }: { readonly start: number; readonly count: number },
  fresh: string,
): string {
  // Lines and line endings alternate.
  const pieces = text.split(/(\r?\n)/u);
  const last = (start + count) * 2 - 1;
  const after = fresh === '' ? pieces.slice(last + 1) : pieces.slice(last);
  return [...pieces.slice(0, start * 2), fresh, ...after].join('');
}

/** The new lines as they go into the file: with its indentation, and with its own spelling of unchanged lines. */
function fit(
  newLines: readonly string[],
  matched: readonly string[],
  oldLines: readonly string[],
  fold: (line: string) => string,
): readonly string[] {
  const kept = new Map(matched.map((line) => [fold(line), line]));
  const shift = indentationShift(matched, oldLines);
  return newLines.map((line) => {
    if (line.trim() === '') return '';
    return kept.get(fold(line)) ?? shift(line);
  });
}

function indentationShift(matched: readonly string[], oldLines: readonly string[]): (line: string) => string {
  const index = oldLines.findIndex((line) => line.trim() !== '');
  const have = indentOf(matched[index] ?? '');
  const given = indentOf(oldLines[index] ?? '');
  if (have === given) return (line) => line;
  if (have.startsWith(given)) return (line) => have.slice(given.length) + line;
  const surplus = given.slice(have.length);
  return (line) => (line.startsWith(have + surplus) ? have + line.slice(given.length) : have + line.trimStart());
}

function indentOf(line: string): string {
  return /^[ \t]*/u.exec(line)?.[0] ?? '';
}

function windows(
  lines: readonly string[],
  wanted: readonly string[],
  fold: (line: string) => string,
): readonly number[] {
  return placesOfLines(lines.map(fold), wanted.map(fold));
}

/** The first places, as many as a refusal names and one more. */
function places(text: string, part: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1 && found.length <= mostNamed; at = text.indexOf(part, at + 1))
    found.push(at);
  return found;
}

/** A refusal for text that is there several times. */
function inPlaces(text: string, part: string, found: readonly number[]): EditOutcome {
  const count = Math.max(found.length, text.split(part).length - 1);
  return ambiguous(
    found.map((offset) => lineAt(text, offset)),
    count,
  );
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function dominantEol(text: string): '\n' | '\r\n' {
  const windowsEnds = text.split('\r\n').length - 1;
  return windowsEnds > (text.split('\n').length - 1) / 2 ? '\r\n' : '\n';
}

function withoutBlankEdges(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return [];
  let last = lines.length;
  while ((lines[last - 1] ?? '').trim() === '') last -= 1;
  return lines.slice(first, last);
}

function refused(reason: 'empty' | 'same', message: string): EditOutcome {
  return { type: 'refused', reason, message };
}

function ambiguous(lines: readonly number[], count = lines.length): EditOutcome {
  const shown = lines.slice(0, mostNamed).join(', ');
  return {
    type: 'refused',
    reason: 'ambiguous',
    message: `The old text stands in ${count} places (lines ${shown}). Give more of the lines around the one you mean, or replaceAll.`,
  };
}

function inexact(outcome: Extract<EditOutcome, { type: 'refused' }>): EditOutcome {
  const message = `${outcome.message.replace(', or replaceAll', '')} replaceAll only finds text that is exactly the same, with its spaces.`;
  return { ...outcome, message };
}

function notFound(fileLines: readonly string[], oldLines: readonly string[]): EditOutcome {
  const nearest = nearestWindows(fileLines, oldLines)
    .map(({ start, lines }) => lines.map((line, index) => `${start + index + 1}: ${line}`).join('\n'))
    .join('\n---\n');
  const help = nearest === '' ? '' : ` The nearest lines are:\n${nearest}`;
  return { type: 'refused', reason: 'not-found', message: `The old text does not stand in the file.${help}` };
}

function nearestWindows(
  fileLines: readonly string[],
  oldLines: readonly string[],
): readonly { start: number; lines: readonly string[] }[] {
  const size = Math.max(1, Math.min(oldLines.length, 12));
  const wanted = new Set(oldLines.flatMap(words));
  const scored: { start: number; score: number }[] = [];
  for (let start = 0; start < fileLines.length; start += 1) {
    const have = new Set(fileLines.slice(start, start + size).flatMap(words));
    const common = [...have].filter((word) => wanted.has(word)).length;
    const score = have.size + wanted.size === 0 ? 0 : (2 * common) / (have.size + wanted.size);
    if (score > 0.3) scored.push({ start, score });
  }
  scored.sort((left, right) => right.score - left.score || left.start - right.start);
  const chosen: number[] = [];
  for (const { start } of scored) {
    if (chosen.length < maximumShown && chosen.every((other) => Math.abs(other - start) >= size)) chosen.push(start);
  }
  return chosen.map((start) => ({ start, lines: fileLines.slice(start, start + size) }));
}

function words(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+/gu) ?? [];
}
