import type { CountedKind, TaskOutcome } from '@shared/routing/outcomes.ts';
import { countedKinds } from '@shared/routing/outcomes.ts';
import type { Calibration, Correction } from '@shared/routing/routing.ts';
import { isSameVersion } from './count-outcomes.ts';

/** The general fit counts as much as so many tasks of one model and kind. */
const GENERAL = 20;
/** No correction at all counts as much as so many tasks of the home. */
const PLAIN = 10;

export const noCorrection: Correction = { shift: 0, slope: 1 };

/** A chance to fail, as this machine found it. */
export function correctedFails(fails: number, { shift, slope }: Correction): number {
  if (shift === 0 && slope === 1) return fails;
  const inside = Math.min(0.98, Math.max(0.02, 1 - fails));
  return 1 / (1 + Math.exp(shift + slope * Math.log(inside / (1 - inside))));
}

interface Point {
  readonly x: number;
  readonly solved: number;
}

/**
 * How far the stated chances of a model are off, by kind of work (J. Platt 1999): a line over the log odds. With few
 * tasks it is drawn to the line of the whole home, and that one to no correction.
 */
export function fitCalibration(
  outcomes: readonly TaskOutcome[],
  { models, versionOf }: { readonly models: readonly string[]; readonly versionOf: (model: string) => string },
): Calibration {
  const known = outcomes.filter(({ fails, solved }) => fails !== null && solved !== null);
  const all = fitLine(known.map(pointOf), noCorrection, PLAIN);
  const entries = models.flatMap((model) => {
    const own = known.filter(({ first }) => first.model === model && isSameVersion(first.version, versionOf(model)));
    if (own.length === 0) return [];
    const lines = countedKinds.flatMap((kind): readonly (readonly [CountedKind, Correction])[] => {
      const points = own.filter((one) => one.kind === kind).map(pointOf);
      return points.length === 0 ? [] : [[kind, fitLine(points, all, GENERAL)]];
    });
    return [[model, Object.fromEntries(lines)] as const];
  });
  return Object.fromEntries(entries);
}

/** A task that the cloud took over and solved was not solved by the model that began it. */
function pointOf({ fails, solved, hasCloudTried, first }: TaskOutcome): Point {
  const inside = Math.min(0.98, Math.max(0.02, 1 - (fails ?? 0.5)));
  const isOwn = solved === true && !(hasCloudTried && first.where === 'local');
  return { x: Math.log(inside / (1 - inside)), solved: isOwn ? 1 : 0 };
}

/** Newton's steps of a logistic line that is drawn to another one, as strongly as so many tasks. */
function fitLine(points: readonly Point[], to: Correction, strength: number): Correction {
  // A task at even odds has the curvature 1/4.
  const pull = strength / 4;
  const lossOf = (line: Correction): number =>
    (pull / 2) * ((line.shift - to.shift) ** 2 + (line.slope - to.slope) ** 2) +
    points.reduce((sum, { x, solved }) => sum + Math.log1p(Math.exp((solved === 1 ? -1 : 1) * at(line, x))), 0);
  let line = to;
  let loss = lossOf(line);
  for (let round = 0; round < 25; round += 1) {
    const { shift, slope } = stepOf(points, line, { to, pull });
    let next = line;
    let share = 1;
    // A full step can go too far where all chances are extreme.
    for (; share > 1e-3; share /= 2) {
      next = { shift: line.shift + shift * share, slope: line.slope + slope * share };
      if (lossOf(next) <= loss) break;
    }
    if (share <= 1e-3) break;
    const before = loss;
    [line, loss] = [next, lossOf(next)];
    if (before - loss < 1e-9) break;
  }
  const short = (value: number): number => Math.round(value * 1e4) / 1e4;
  return { shift: short(line.shift), slope: short(Math.min(3, Math.max(0.2, line.slope))) };
}

function at({ shift, slope }: Correction, x: number): number {
  return Math.min(30, Math.max(-30, shift + slope * x));
}

interface Drawn {
  readonly to: Correction;
  readonly pull: number;
}

function stepOf(points: readonly Point[], line: Correction, { to, pull }: Drawn): Correction {
  let [a, b] = [pull * (to.shift - line.shift), pull * (to.slope - line.slope)];
  let [aa, ab, bb] = [pull, 0, pull];
  for (const { x, solved } of points) {
    const p = 1 / (1 + Math.exp(-at(line, x)));
    const w = p * (1 - p);
    a += solved - p;
    b += (solved - p) * x;
    aa += w;
    ab += w * x;
    bb += w * x * x;
  }
  const det = aa * bb - ab * ab;
  return { shift: (bb * a - ab * b) / det, slope: (aa * b - ab * a) / det };
}
