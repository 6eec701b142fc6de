import { secretShapes } from '../../../src/main/lib/secrets/secret-patterns.ts';
import { boundedPatterns } from './bounded-patterns.ts';
import { findPatterns } from './found-patterns.ts';
import type { PatternUse } from './found-patterns.ts';
import { findScanners } from './found-scanners.ts';
import { isTooSteep, measureGrowth } from './growth.ts';
import type { Growth, Run } from './growth.ts';
import { attacksOn, attacksWith, canRepeat, pumpsOf, usualPumps } from './pattern-attacks.ts';
import { callsOf, notMeasured } from './scanner-calls.ts';

/** One pattern or one function, measured with texts that should be slow for it. */
export interface GrowthRow {
  /** `src/shared/rules/parse-rules.ts:54`, `src/shared/rules/parse-rules.ts#parseRules`. */
  readonly place: string;
  /** The source of the pattern, or the name of the function. */
  readonly what: string;
  /** Null: no text of 1 MB took a measurable time. */
  readonly growth: Growth | null;
}

/** One line for each row that would block the program. */
export const steepRows = (rows: readonly GrowthRow[]): string =>
  rows
    .flatMap(({ place, growth }) =>
      growth !== null && isTooSteep(growth) ? [`${place} ${JSON.stringify(growth).slice(0, 200)}`] : [],
    )
    .join('\n');

/** Measures every pattern of the sources once, except those that only read short texts. Takes half a minute. */
export function measurePatterns(root: string): readonly GrowthRow[] {
  const bounded = new Set(boundedPatterns.map(({ file, written }) => `${file} ${written}`));
  const known = new Set<string>();
  return allPatterns(root).flatMap(({ place, file, written, source, flags, use }) => {
    const key = `${source}/${flags} ${use}`;
    if (bounded.has(`${file} ${written}`) || known.has(key)) return [];
    known.add(key);
    const attacks = canRepeat(source, flags) ? attacksOn(source, flags) : [];
    return [
      { place, what: written, growth: measureGrowth(runOf(source, flags, use), attacks, { from: 16, to: 4000 }) },
    ];
  });
}

function allPatterns(root: string) {
  const written = findPatterns(root).map((one) => ({ ...one, place: `${one.file}:${one.line}` }));
  // These patterns are built at run time.
  const file = 'src/main/lib/secrets/secret-patterns.ts';
  const built = secretShapes.map(({ kind, pattern: { source, flags } }) => {
    return { place: `${file}#${kind}`, file, written: `/${source}/${flags}`, source, flags, use: 'all' as const };
  });
  return [...written, ...built];
}

function runOf(source: string, flags: string, use: PatternUse): Run {
  if (use === 'once') {
    const once = new RegExp(source, flags);
    return (text) => once.test(text);
  }
  if (use === 'all') {
    const all = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
    return (text) => text.replaceAll(all, '');
  }
  const each = new RegExp(source, flags);
  return (text) => {
    for (let at = 0; at < text.length; at = Math.max(at + 1, each.lastIndex)) {
      each.lastIndex = at;
      each.test(text);
    }
  };
}

const modules = import.meta.glob<Readonly<Record<string, unknown>>>([
  '../../../src/shared/**/*.ts',
  '../../../src/renderer/lib/**/*.ts',
  '../../../src/main/{agent,hosts/cli,hosts/text,lib,models,money,projects,recipes,routing,safety,sandbox,sessions,settings,tools}/**/*.ts',
]);

/**
 * Measures every exported function that reads a text, with texts that are slow for the patterns and words of its file.
 */
export async function measureScanners(root: string): Promise<readonly GrowthRow[]> {
  const pumps = new Map<string, Set<string>>();
  for (const { file, source, flags } of findPatterns(root)) {
    const ofFile = pumps.get(file) ?? new Set<string>();
    for (const pump of pumpsOf(source, flags).slice(-2)) ofFile.add(pump);
    pumps.set(file, ofFile);
  }
  const rows: GrowthRow[] = [];
  for (const { file, name, words } of findScanners(root)) {
    const place = `${file}#${name}`;
    if (place in notMeasured) continue;
    const own = [...(pumps.get(file) ?? [])].slice(0, mostOwnPumps);
    const attacks = attacksWith([...new Set([...own, ...words, ...usualPumps])]).filter(
      ({ tail }) => tail !== '\u0000',
    );
    rows.push({
      place,
      what: name,
      growth: measureGrowth(await scannerOf(file, name), attacks, { from: 2000, to: 2000 }),
    });
  }
  return rows;
}

const mostOwnPumps = 16;

async function scannerOf(file: string, name: string): Promise<Run> {
  const place = `${file}#${name}`;
  const module = await modules[`../../../${file}`]?.();
  const scanner = module?.[name];
  if (typeof scanner !== 'function') throw new Error(`${place} cannot be measured: it is not there.`);
  const argumentsOf = callsOf[place] ?? ((text: string) => [text]);
  return (text) => {
    try {
      const result: unknown = Reflect.apply(scanner, undefined, argumentsOf(text));
      // A generator does nothing until it is iterated.
      if (typeof result === 'object' && result !== null && Symbol.iterator in result) Array.from(toIterable(result));
    } catch (error) {
      // A function may reject a text, but must not run out of stack.
      if (error instanceof RangeError) throw error;
    }
  };
}

function* toIterable(value: object): Generator<unknown> {
  const iterate: unknown = Reflect.get(value, Symbol.iterator);
  if (typeof iterate === 'function') yield* Reflect.apply(iterate, value, []);
}
