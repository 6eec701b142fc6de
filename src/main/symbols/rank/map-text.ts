import type { RankedDefinition } from './rank-definitions.ts';

/** A map of a project: its most important definitions, by file and line, in as many tokens as it may have. */
export interface MapText {
  /** Empty: there is nothing to show. */
  readonly text: string;
  readonly files: number;
  readonly definitions: number;
}

/** Code has 3 to 4 bytes for each token. */
const bytesPerToken = 3;
const indent = '  ';

/** The best definitions that fit. Files are sorted by path, so that a small change changes little of the text. */
export function mapText(ranked: readonly RankedDefinition[], tokens: number): MapText {
  const most = tokens * bytesPerToken;
  const chosen: RankedDefinition[] = [];
  const isLocal = localDefinitions(ranked);
  const paths = new Set<string>();
  let bytes = 0;
  for (const one of ranked) {
    if (one.score <= 0) break;
    if (isLocal(one)) continue;
    const heading = paths.has(one.path) ? 0 : Buffer.byteLength(one.path) + 1;
    const added = heading + Buffer.byteLength(lineOf(one, false)) + indent.length + 1;
    // A shorter one further down does not come before a better one.
    if (bytes + added > most) break;
    bytes += added;
    paths.add(one.path);
    chosen.push(one);
  }
  const blocks = [...paths].sort().map((path) => {
    const own = chosen.filter((one) => one.path === path);
    const names = new Set(own.map(({ definition }) => definition.name));
    const lines = own
      .toSorted((left, right) => left.definition.line - right.definition.line)
      .map((one) => lineOf(one, names.has(one.definition.container ?? '')));
    return [path, ...lines].join('\n');
  });
  return { text: blocks.join('\n'), files: paths.size, definitions: chosen.length };
}

/** Whether a definition is inside a function: nothing else can use it, and reading the function shows it. */
function localDefinitions(ranked: readonly RankedDefinition[]): (one: RankedDefinition) => boolean {
  const functions = new Map<string, RankedDefinition[]>();
  for (const one of ranked) {
    if (!calledKinds.has(one.definition.what)) continue;
    const known = functions.get(one.path);
    if (known === undefined) functions.set(one.path, [one]);
    else known.push(one);
  }
  return ({ path, definition: { name, line, endLine, container, what } }) =>
    container !== null &&
    what !== 'method' &&
    (functions.get(path) ?? []).some(
      ({ definition: around }) =>
        around.name === container &&
        around.line <= line &&
        around.endLine >= endLine &&
        (around.name !== name || around.line < line),
    );
}

const calledKinds = new Set(['function', 'method']);

/** `isInside`: the line of the definition around it is shown as well. */
function lineOf({ definition }: RankedDefinition, isInside: boolean): string {
  const { line, signature, name, container } = definition;
  const around = container === null ? '' : isInside ? indent : `${container}: `;
  return `${indent}${line} ${around}${signature === '' ? name : signature}`;
}
