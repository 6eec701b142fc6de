import { placesOfLines } from './find-lines.ts';

/**
 * Reads a patch of the form "*** Begin Patch", which GPT models write: sections of files with changed lines and their
 * neighbors, without line numbers.
 */
export interface MarkedFile {
  readonly path: string;
  readonly change:
    | { readonly type: 'add'; readonly text: string }
    | { readonly type: 'delete' }
    | { readonly type: 'update'; readonly movedTo: string | null; readonly chunks: readonly Chunk[] };
}

/** Lines of a file that stand beside each other, and what they become. */
interface Chunk {
  /** Lines above the chunk in this order, such as the heads of a class and its function. */
  readonly under: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export function isMarkedPatch(patch: string): boolean {
  return /^\s*\*{3} Begin Patch/u.test(patch);
}

/** A text says what cannot be read. */
export function readMarkedPatch(patch: string): readonly MarkedFile[] | string {
  const files: MarkedFile[] = [];
  const lines = patch.replaceAll('\r\n', '\n').split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, kind, path = ''] = /^\*{3} (Add|Update|Delete) File: (.{1,1024})$/u.exec(line) ?? [];
    if (kind === undefined) {
      if (line.trim() === '' || /^\*{3} (?:Begin|End) Patch\s*$/u.test(line)) continue;
      return `Line ${at + 1} of the patch belongs to no file: ${line.slice(0, 200)}`;
    }
    const body = sectionAfter(lines, at);
    at += body.length;
    const [, movedTo = null] = /^\*{3} Move to: (.{1,1024})$/u.exec(body[0] ?? '') ?? [];
    if (kind === 'Delete') files.push({ path: path.trim(), change: { type: 'delete' } });
    else if (kind === 'Add') files.push({ path: path.trim(), change: { type: 'add', text: addedText(body) } });
    else {
      const chunks = chunksOf(movedTo === null ? body : body.slice(1));
      if (typeof chunks === 'string') return chunks;
      files.push({ path: path.trim(), change: { type: 'update', movedTo: movedTo?.trim() ?? null, chunks } });
    }
  }
  return files;
}

function sectionAfter(lines: readonly string[], at: number): readonly string[] {
  const end = lines.findIndex((line, index) => index > at && /^\*{3} (?!Move to: |End of File)/u.test(line));
  return lines.slice(at + 1, end === -1 ? lines.length : end);
}

function addedText(body: readonly string[]): string {
  const added = body.filter((line) => line.startsWith('+')).map((line) => `${line.slice(1)}\n`);
  return added.join('');
}

/** A text says what cannot be read. */
function chunksOf(body: readonly string[]): readonly Chunk[] | string {
  const chunks: { under: string[]; before: string[]; after: string[] }[] = [];
  for (const line of body) {
    const head = /^@@ ?(?:-\d+(?:,\d+)? \+\d+(?:,\d+)? @@)?(.*)$/u.exec(line);
    const last = chunks.at(-1);
    if (head !== null) {
      const under = [head[1] ?? ''].map((text) => text.trim()).filter((text) => text !== '');
      if (last !== undefined && isEmpty(last)) last.under.push(...under);
      else chunks.push({ under, before: [], after: [] });
      continue;
    }
    if (line.startsWith('*** End of File') || line.startsWith('\\ ')) continue;
    if (!/^(?:[ +-]|\r?$)/u.test(line))
      return `A line of the patch has no sign: ${line.slice(0, 200)}\nBegin each with "+", "-" or, where it stays, a space.`;
    const chunk = last ?? { under: [], before: [], after: [] };
    if (last === undefined) chunks.push(chunk);
    const text = line.slice(1);
    if (!line.startsWith('+')) chunk.before.push(text);
    if (!line.startsWith('-')) chunk.after.push(text);
  }
  return chunks.map(withoutLastBlank).filter((chunk) => !isEmpty(chunk));
}

function isEmpty({ before, after }: Pick<Chunk, 'before' | 'after'>): boolean {
  return before.length + after.length === 0;
}

/** An empty line before the next section is no line of the file. */
function withoutLastBlank({ under, before, after }: Chunk): Chunk {
  const isBlank = before.at(-1) === '' && after.at(-1) === '';
  return isBlank ? { under, before: before.slice(0, -1), after: after.slice(0, -1) } : { under, before, after };
}

export type ApplyResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

/** The text with its chunks replaced, in order, or why a chunk has no place, or more than one. */
export function applyChunks(text: string, chunks: readonly Chunk[]): ApplyResult {
  const endsLine = text === '' || text.endsWith('\n');
  const lines = (endsLine ? text.slice(0, -1) : text).split('\n');
  if (text === '') lines.pop();
  let from = 0;
  for (const chunk of chunks) {
    const at = placeOf(lines, chunk, from);
    if (typeof at === 'string') return { ok: false, problem: at };
    lines.splice(at, chunk.before.length, ...chunk.after);
    from = at + chunk.after.length;
  }
  return { ok: true, text: lines.length === 0 ? '' : `${lines.join('\n')}${endsLine ? '\n' : ''}` };
}

/** Where a chunk begins. A text says why that is not known. */
function placeOf(lines: readonly string[], { under, before }: Chunk, from: number): number | string {
  let start = from;
  let missing: string | null = null;
  for (const head of under) {
    const at = lines.findIndex((line, index) => index >= start && line.trim() === head);
    if (at === -1) missing ??= head;
    else start = at + 1;
  }
  const isUnder = under.length > 0 && missing === null;
  const none = `the line after "@@" does not stand there: ${missing?.slice(0, 200)}`;
  if (before.length === 0) return isUnder ? start : missing === null ? lines.length : none;
  const places = placesOf(lines, before, start);
  const [first] = places;
  if (first === undefined) return 'its lines do not stand there';
  if (places.length === 1 || isUnder) return first;
  if (missing !== null) return none;
  const named = places.slice(0, 5).map((place) => place + 1);
  return `its lines stand in ${places.length} places (line ${named.join(', ')}). Take more lines around them, or name one above them after "@@"`;
}

/** Exactly first, then without white space at the ends of lines. */
function placesOf(lines: readonly string[], wanted: readonly string[], from: number): readonly number[] {
  for (const plain of [(line: string) => line, (line: string) => line.trimEnd()]) {
    const places = placesOfLines(lines.slice(from).map(plain), wanted.map(plain));
    if (places.length > 0) return places.map((place) => place + from);
  }
  return [];
}
