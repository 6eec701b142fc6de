import type { Span } from '../code/code-spans.ts';
import { importsOf } from './import-closure.ts';
import type { SourceFile } from './project-reader.ts';

/** Where a walk begins: the names that a piece of code uses, and its file. */
export interface WalkStart {
  readonly path: string;
  readonly names: ReadonlySet<string>;
}

/** How likely a walk goes on from a definition to one that it names, instead of beginning anew. */
const goesOn = 0.5;
const rounds = 15;
/** A name more likely means what is near: in the same class, the same file, a file that is imported, any other. */
const nearness = { container: 4, file: 3, imported: 2, other: 0.5 };
/** What the use of a class reaches: surely what makes an object, perhaps each other method. */
const ofClass = { made: 1, other: 0.2 };
const makesObject = /^(?:__init__|__new__|__post_init__|__call__|constructor)$/;

/**
 * Where a walk is found that goes from some code along the names that it uses: to their definitions, on to what those
 * use, and now and then back. By the id of each span, 1 for the most visited; a span that no way leads to is missing.
 */
export function walkNames(files: readonly SourceFile[], start: WalkStart): ReadonlyMap<string, number> {
  const graph = graphOf(files);
  const begin = graph.waysFrom(start.names, { path: start.path, container: null }, null);
  let visits = begin;
  for (let round = 0; round < rounds; round += 1) {
    const next = new Map([...begin].map(([span, share]) => [span, (1 - goesOn) * share]));
    for (const [span, share] of visits) {
      for (const [to, part] of graph.waysOf(span)) next.set(to, (next.get(to) ?? 0) + goesOn * share * part);
    }
    visits = next;
  }
  const most = [...visits.values()].reduce((one, share) => Math.max(one, share), 0);
  return new Map([...visits].map(([{ id }, share]) => [id, share / most]));
}

/** From a span to others, with the part that goes to each. All parts add up to 1. */
type Ways = ReadonlyMap<Span, number>;

interface NameGraph {
  readonly waysOf: (span: Span) => Ways;
  /** `self`: the span itself is no way. */
  readonly waysFrom: (names: Iterable<string>, at: Pick<Span, 'path' | 'container'>, self: Span | null) => Ways;
}

function graphOf(files: readonly SourceFile[]): NameGraph {
  const spans = files.flatMap((file) => file.spans);
  const byName = Map.groupBy(spans, calledName);
  const byClass = Map.groupBy(spans, ({ path, container }) => `${path}:${container ?? ''}`);
  const paths = new Set(files.map(({ path }) => path));
  const imports = new Map(files.map(({ path, text }) => [path, new Set(importsOf(path, text, paths))]));
  const weigh = (from: Pick<Span, 'path' | 'container'>, to: Span): number => {
    if (from.path === to.path)
      return from.container !== null && from.container === to.container ? nearness.container : nearness.file;
    // A test's own file may be none of the files.
    return imports.get(from.path)?.has(to.path) === true ? nearness.imported : nearness.other;
  };
  const waysFrom: NameGraph['waysFrom'] = (names, at, self) => {
    const ways = new Map<Span, number>();
    for (const name of names) {
      const targets = (byName.get(name) ?? []).filter((one) => one !== self);
      const weights = targets.map((one) => weigh(at, one));
      const all = weights.reduce((sum, weight) => sum + weight, 0);
      // A name that many define says less.
      for (const [index, target] of targets.entries()) {
        const part = (weights[index] ?? 0) / all / Math.sqrt(targets.length);
        ways.set(target, (ways.get(target) ?? 0) + part);
      }
    }
    return shared(ways);
  };
  const known = new Map<Span, Ways>();
  const waysOf = (span: Span): Ways => {
    const ways = known.get(span) ?? (span.kind === 'class' ? classWays(span) : waysFrom(span.names, span, span));
    known.set(span, ways);
    return ways;
  };
  const classWays = (span: Span): Ways => {
    const own = byClass.get(`${span.path}:${span.shortName}`) ?? [];
    return shared(new Map(own.map((one) => [one, makesObject.test(one.shortName) ? ofClass.made : ofClass.other])));
  };
  return { waysOf, waysFrom };
}

function shared(ways: ReadonlyMap<Span, number>): Ways {
  const all = [...ways.values()].reduce((sum, part) => sum + part, 0);
  return new Map([...ways].map(([span, part]) => [span, part / all]));
}

/** The name that others use: what a file of JavaScript exports without a name is usually called like the file. */
function calledName({ shortName, path }: Span): string {
  if (shortName !== 'module.exports' && shortName !== 'default') return shortName;
  const file = path.replace(/\/index\.\w+$/, '');
  const stem = file.slice(file.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  return stem.replaceAll(/[-_.](\w)/g, (_, letter: string) => letter.toUpperCase());
}
