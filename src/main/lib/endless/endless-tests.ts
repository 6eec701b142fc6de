/** A test, or another part of a command, that was stopped because it did not end. */
export interface EndlessTest {
  readonly name: string;
  readonly seconds: number;
  /** Where it stood, in whole sentences; empty if that is unknown. */
  readonly where: string;
}

const said = /^\[dewpoint: (.{1,400}?) does not end\. It was stopped after (\d{1,9}) s\.(?: (.{1,600}))?\]$/gmu;

const most = 300;
const mostTold = 5;

/** What `watchedCommand` printed about tests that do not end, each once. */
export function endlessTests(output: string): readonly EndlessTest[] {
  const found = new Map<string, EndlessTest>();
  const stack = crashStack(output);
  for (const [, name = '', seconds, where = ''] of output.matchAll(said)) {
    const known = found.get(name);
    if (known !== undefined && known.where !== '') continue;
    // The tests themselves can write such a line.
    const seen = { name: name.slice(0, most), seconds: Number(seconds), where: where.slice(0, most) };
    found.set(name, where === '' ? { ...seen, ...inStack(stack) } : seen);
  }
  return [...found.values()];
}

/** For whoever reads a result: one sentence for each. Empty: every test ended. */
export function endlessText(tests: readonly EndlessTest[]): string {
  return tests
    .slice(0, mostTold)
    .map(({ name, seconds, where }) => `${name} does not end. It was stopped after ${seconds} s. ${where}`.trim())
    .join('\n');
}

interface Frame {
  readonly file: string;
  readonly line: string;
  readonly name: string;
}

/** Python that hangs in code of another language is ended, and then prints where it stood, innermost first. */
function crashStack(output: string): readonly Frame[] {
  const lines = output.split('\n');
  const start = lines.findIndex((line) => line.startsWith('Current thread ') && line.endsWith('call first):')) + 1;
  if (start === 0) return [];
  const frames: Frame[] = [];
  for (const text of lines.slice(start)) {
    const [, path = '', line, name = ''] = /^ {2}File "([^"]{1,500})", line (\d{1,9}) in (.{1,200})$/u.exec(text) ?? [];
    if (line === undefined) break;
    const inside = /^\/(?:workspace|scratch\/(?:trial|once))\/(.+)$/u.exec(path)?.[1];
    const isForeign = path.startsWith('<') || path.includes('/site-packages/') || path.includes('/lib/python');
    if (!isForeign) frames.push({ file: inside ?? path.split('/').slice(-2).join('/'), line, name });
  }
  return frames;
}

function inStack(frames: readonly Frame[]): Partial<EndlessTest> {
  const [inner] = frames;
  if (inner === undefined) return {};
  const test = frames.findLast(({ name }) => name.startsWith('test'));
  const where = `It stands in ${inner.file}, line ${inner.line}, in ${inner.name}, in code that is not Python.`;
  return { where, ...(test === undefined ? {} : { name: `${test.file}::${test.name}` }) };
}
