import { seeded } from '../lib/seeded.ts';

export interface BoostOptions {
  readonly rounds: number;
  /** 1: stumps, so that the score is a sum of one part for each feature. */
  readonly depth: number;
  readonly rate: number;
  /** Least number of rows in a leaf. */
  readonly leaf: number;
  /** The share of rows that each tree sees. */
  readonly sample: number;
  readonly loss: 'logistic' | 'squared';
  readonly seed: number;
  /** What each row scores already, in the units of the score. Absent: the mean of all. */
  readonly offsets?: readonly number[];
  /** By feature: 1 if the score must not fall along it, -1 if it must not rise. */
  readonly monotone?: Readonly<Record<number, 1 | -1>>;
}

interface Split {
  readonly feature: number;
  /** Values at or below it go left. */
  readonly edge: number;
  readonly left: Split | number;
  readonly right: Split | number;
}

export interface Boosted {
  readonly base: number;
  readonly trees: readonly (Split | number)[];
  /** Log odds for the logistic loss, the value itself for the squared one. */
  readonly score: (row: readonly number[]) => number;
}

const BINS = 32;
/** Added to each leaf's weight, so that small leaves say little. */
const SHRINK = 5;

/** Gradient-boosted trees over binned features. The same seed gives the same trees. */
export function boost(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  options: BoostOptions,
): Boosted {
  const { edges, codes } = binned(rows);
  const size = rows.length;
  const mean = targets.reduce((sum, one) => sum + one, 0) / Math.max(1, size);
  const inside = Math.min(0.99, Math.max(0.01, mean));
  const { offsets } = options;
  const base = offsets !== undefined ? 0 : options.loss === 'logistic' ? Math.log(inside / (1 - inside)) : mean;
  const scores = Float64Array.from(rows, (_, at) => offsets?.[at] ?? base);
  const gradient = new Float64Array(size);
  const weight = new Float64Array(size);
  const random = seeded(options.seed);
  const trees: (Split | number)[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const among: number[] = [];
    for (let at = 0; at < size; at += 1) {
      const score = scores[at] ?? 0;
      const chance = options.loss === 'logistic' ? 1 / (1 + Math.exp(-score)) : score;
      gradient[at] = (targets[at] ?? 0) - chance;
      weight[at] = options.loss === 'logistic' ? chance * (1 - chance) : 1;
      if (options.sample >= 1 || random() < options.sample) among.push(at);
    }
    const tree = grow({ codes, edges, gradient, weight, options }, among, options.depth);
    trees.push(tree);
    for (let at = 0; at < size; at += 1) scores[at] = (scores[at] ?? 0) + valueOf(tree, rows[at] ?? []);
  }
  return { base, trees, score: (row) => trees.reduce<number>((sum, tree) => sum + valueOf(tree, row), base) };
}

function valueOf(tree: Split | number, row: readonly number[]): number {
  let node = tree;
  while (typeof node !== 'number') node = (row[node.feature] ?? 0) <= node.edge ? node.left : node.right;
  return node;
}

interface Growing {
  readonly codes: readonly Uint8Array[];
  readonly edges: readonly (readonly number[])[];
  readonly gradient: Float64Array;
  readonly weight: Float64Array;
  readonly options: BoostOptions;
}

function grow(from: Growing, among: readonly number[], depth: number): Split | number {
  const { gradient, weight, options } = from;
  let sumG = 0;
  let sumW = 0;
  for (const at of among) {
    sumG += gradient[at] ?? 0;
    sumW += weight[at] ?? 0;
  }
  const own = (options.rate * sumG) / (sumW + SHRINK);
  if (depth === 0 || among.length < 2 * options.leaf) return own;
  const best = bestSplit(from, among, { sumG, sumW });
  if (best === null) return own;
  const codes = from.codes[best.feature] ?? new Uint8Array();
  const left = among.filter((at) => (codes[at] ?? 0) <= best.bin);
  const right = among.filter((at) => (codes[at] ?? 0) > best.bin);
  return {
    feature: best.feature,
    edge: from.edges[best.feature]?.[best.bin] ?? 0,
    left: grow(from, left, depth - 1),
    right: grow(from, right, depth - 1),
  };
}

function bestSplit(
  { codes, gradient, weight, options }: Growing,
  among: readonly number[],
  { sumG, sumW }: { readonly sumG: number; readonly sumW: number },
): { readonly feature: number; readonly bin: number } | null {
  let best: { readonly feature: number; readonly bin: number } | null = null;
  let most = (sumG * sumG) / (sumW + SHRINK) + 1e-9;
  const binG = new Float64Array(BINS);
  const binW = new Float64Array(BINS);
  const binN = new Int32Array(BINS);
  for (const [feature, column] of codes.entries()) {
    binG.fill(0);
    binW.fill(0);
    binN.fill(0);
    for (const at of among) {
      const bin = column[at] ?? 0;
      binG[bin] = (binG[bin] ?? 0) + (gradient[at] ?? 0);
      binW[bin] = (binW[bin] ?? 0) + (weight[at] ?? 0);
      binN[bin] = (binN[bin] ?? 0) + 1;
    }
    let [leftG, leftW, leftN] = [0, 0, 0];
    for (let bin = 0; bin < BINS - 1; bin += 1) {
      leftG += binG[bin] ?? 0;
      leftW += binW[bin] ?? 0;
      leftN += binN[bin] ?? 0;
      if (leftN < options.leaf || among.length - leftN < options.leaf) continue;
      const [rightG, rightW] = [sumG - leftG, sumW - leftW];
      const rise = rightG / (rightW + SHRINK) - leftG / (leftW + SHRINK);
      if (rise * (options.monotone?.[feature] ?? 0) < 0) continue;
      const gain = (leftG * leftG) / (leftW + SHRINK) + (rightG * rightG) / (rightW + SHRINK);
      if (gain > most) {
        most = gain;
        best = { feature, bin };
      }
    }
  }
  return best;
}

function binned(rows: readonly (readonly number[])[]): {
  readonly edges: readonly (readonly number[])[];
  readonly codes: readonly Uint8Array[];
} {
  const width = rows[0]?.length ?? 0;
  const edges: number[][] = [];
  const codes: Uint8Array[] = [];
  for (let feature = 0; feature < width; feature += 1) {
    const values = Float64Array.from(rows, (row) => row[feature] ?? 0);
    const sorted = Float64Array.from(values).sort();
    const own: number[] = [];
    for (let bin = 1; bin < BINS; bin += 1) {
      const edge = sorted[Math.floor((bin * sorted.length) / BINS)] ?? 0;
      if (edge !== own.at(-1) && edge < (sorted.at(-1) ?? 0)) own.push(edge);
    }
    edges.push(own);
    codes.push(Uint8Array.from(values, (value) => placeOf(own, value)));
  }
  return { edges, codes };
}

/** The number of edges below the value. */
function placeOf(edges: readonly number[], value: number): number {
  let place = 0;
  while (place < edges.length && value > (edges[place] ?? 0)) place += 1;
  return place;
}
