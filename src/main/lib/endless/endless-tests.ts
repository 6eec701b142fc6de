/** A test, or another part of a command, that was stopped because it did not end. */
export interface EndlessTest {
  readonly name: string;
  readonly seconds: number;
  /** Where it stood, in whole sentences; empty if that is unknown. */
  readonly where: string;
}

const said = /^\[dewpoint: (.{1,400}?) does not end\. It was stopped after (\d{1,9}) s\.(?: (.{1,600}))?\]$/gmu;
const frame = /^[#\s]*at (?:(.*?) \()?(?:file:\/\/)?(\/[^()\n]*?):(\d+):\d+\)?$/u;

const most = 300;
const mostTold = 5;

/** What `watchedCommand` printed about tests that do not end, each once. */
export function endlessTests(output: string): readonly EndlessTest[] {
  const found = new Map<string, EndlessTest>();
  const stacks = interruptedStacks(output);
  for (const [, name = '', seconds, where = ''] of output.matchAll(said)) {
    const known = found.get(name);
    if (known !== undefined && known.where !== '') continue;
    const place = where === '' ? placeIn(stacks, name) : where;
    // The tests themselves can write such a line.
    found.set(name, { name: name.slice(0, most), seconds: Number(seconds), where: place.slice(0, most) });
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

/** Node prints where it was interrupted, innermost first. */
function interruptedStacks(output: string): readonly (readonly string[])[] {
  const parts = output.split(/^.*KEYBOARD_INTERRUPT: .*$/mu).slice(1);
  return parts.map((part) => {
    const lines = part.split('\n').slice(1);
    const end = lines.findIndex((line) => !/^[#\s]*at /u.test(line));
    return lines.slice(0, end < 0 ? undefined : end);
  });
}

function placeIn(stacks: readonly (readonly string[])[], name: string): string {
  const own = stacks.find((lines) => lines.some((line) => line.includes(name)));
  for (const line of own ?? []) {
    const [, where, path = '', number] = frame.exec(line) ?? [];
    if (number === undefined || path.includes('/node_modules/')) continue;
    const inside = /^\/(?:workspace|scratch\/(?:trial|once))\/(.+)$/u.exec(path)?.[1];
    const file = inside ?? path.split('/').slice(-2).join('/');
    return `It stands in ${file}, line ${number}${where === undefined ? '' : `, in ${where}`}.`;
  }
  return own === undefined && stacks.length > 0 ? 'It waits for something that does not come.' : '';
}
