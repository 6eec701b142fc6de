/** Which files use which names, and which define them. Files and names are numbers from 0. */
export interface NameGraph {
  readonly files: number;
  readonly uses: NameUses;
  /** The files that define each name. */
  readonly definers: readonly (readonly number[])[];
}

/** One entry of each list for each name that a file uses. There may be a million, so they are no objects. */
export interface NameUses {
  readonly files: readonly number[];
  readonly names: readonly number[];
  readonly weights: readonly number[];
}

export interface Ranks {
  /** How important each file is. Sums up to 1. */
  readonly files: Float64Array;
  /** How much of the importance of the files that use a name comes to each file that defines it. */
  readonly names: Float64Array;
}

const damping = 0.85;
const mostRounds = 40;
const enough = 1e-7;

/**
 * The personalized PageRank of files: where a walk is found that goes from a file to a name that it uses, on to a file
 * that defines it, and now and then begins anew at a file chosen by `start`. The same input gives the same numbers.
 */
export function pageRank({ files, uses, definers }: NameGraph, start: readonly number[]): Ranks {
  const total = start.reduce((sum, weight) => sum + weight, 0);
  const begin = Float64Array.from({ length: files }, (_, file) => (total > 0 ? (start[file] ?? 0) / total : 1 / files));
  const fromFiles = Int32Array.from(uses.files);
  const toNames = Int32Array.from(uses.names);
  const out = new Float64Array(files);
  const weights = Float64Array.from(uses.weights);
  for (const [at, file] of fromFiles.entries()) out[file] = (out[file] ?? 0) + (weights[at] ?? 0);
  const names = new Float64Array(definers.length);
  let rank = Float64Array.from(begin);
  for (let round = 0; round < mostRounds; round += 1) {
    names.fill(0);
    for (let at = 0; at < weights.length; at += 1) {
      const name = toNames[at] ?? 0;
      const file = fromFiles[at] ?? 0;
      names[name] = (names[name] ?? 0) + ((rank[file] ?? 0) * (weights[at] ?? 0)) / (out[file] ?? 1);
    }
    const next = new Float64Array(files);
    for (const [name, places] of definers.entries()) {
      names[name] = (names[name] ?? 0) / Math.max(1, places.length);
      for (const file of places) next[file] = (next[file] ?? 0) + damping * (names[name] ?? 0);
    }
    let lost = 0;
    for (let file = 0; file < files; file += 1) if (out[file] === 0) lost += rank[file] ?? 0;
    let change = 0;
    for (let file = 0; file < files; file += 1) {
      const value = (next[file] ?? 0) + (damping * lost + 1 - damping) * (begin[file] ?? 0);
      change += Math.abs(value - (rank[file] ?? 0));
      next[file] = value;
    }
    rank = next;
    if (change < enough) break;
  }
  return { files: rank, names };
}
