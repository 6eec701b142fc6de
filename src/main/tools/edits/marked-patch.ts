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
  /** A line above the chunk, such as the head of a function; empty: none. */
  readonly under: string;
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

function chunksOf(body: readonly string[]): readonly Chunk[] {
  const chunks: { under: string; before: string[]; after: string[] }[] = [];
  for (const line of body) {
    const head = /^@@ ?(.*)$/u.exec(line);
    if (head !== null) {
      chunks.push({ under: (head[1] ?? '').trim(), before: [], after: [] });
      continue;
    }
    if (line.startsWith('*** End of File')) continue;
    if (chunks.length === 0) chunks.push({ under: '', before: [], after: [] });
    const chunk = chunks.at(-1);
    const text = line.slice(1);
    if (!line.startsWith('+')) chunk?.before.push(text);
    if (!line.startsWith('-')) chunk?.after.push(text);
  }
  return chunks.map(withoutLastBlank).filter(({ before, after }) => before.length + after.length > 0);
}

/** An empty line before the next section is no line of the file. */
function withoutLastBlank({ under, before, after }: Chunk): Chunk {
  const isBlank = before.at(-1) === '' && after.at(-1) === '';
  return isBlank ? { under, before: before.slice(0, -1), after: after.slice(0, -1) } : { under, before, after };
}

/** The text with its chunks replaced, in order. Null: a chunk does not stand there. */
export function applyChunks(text: string, chunks: readonly Chunk[]): string | null {
  const endsLine = text === '' || text.endsWith('\n');
  const lines = (endsLine ? text.slice(0, -1) : text).split('\n');
  if (text === '') lines.pop();
  let from = 0;
  for (const { under, before, after } of chunks) {
    const head = under === '' ? -1 : lines.findIndex((line, at) => at >= from && line.trim() === under);
    const start = head === -1 ? from : head + 1;
    const at = before.length === 0 ? (head === -1 ? lines.length : start) : placeOf(lines, before, start);
    if (at === -1) return null;
    lines.splice(at, before.length, ...after);
    from = at + after.length;
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}${endsLine ? '\n' : ''}`;
}

/** Exactly first, then without white space at the ends of lines. */
function placeOf(lines: readonly string[], wanted: readonly string[], from: number): number {
  for (const plain of [(line: string) => line, (line: string) => line.trimEnd()]) {
    const at = lines.findIndex(
      (_line, index) => index >= from && wanted.every((want, offset) => isSame(lines[index + offset], want, plain)),
    );
    if (at !== -1) return at;
  }
  return -1;
}

function isSame(line: string | undefined, want: string, plain: (line: string) => string): boolean {
  return line !== undefined && plain(line) === plain(want);
}
