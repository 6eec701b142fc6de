import type { CalibrationTask, TaskFile } from '@shared/calibration/calibration.ts';
import { valueOf } from '@shared/errors.ts';
import { utf8Text } from '../../lib/utf8-text.ts';
import type { TestRunner } from '../../projects/facts/project-facts.ts';
import type { RankedSymbol } from '../../symbols/process/symbol-protocol.ts';
import { tagLanguageOf, tagLanguageParts } from '../../symbols/tags/tag-languages.ts';
import { faultsIn, withFault, type FaultOperator, type PlantedFault } from './plant-faults.ts';
import { requestOfFault } from './task-request.ts';
import { seededNumbers } from './seeded-order.ts';
import type { TrialPlace } from './trial-place.ts';

export interface FaultSource {
  readonly place: TrialPlace;
  readonly test: { readonly command: string; readonly runner: TestRunner };
  /** What fails without a fault. */
  readonly failing: ReadonlySet<string>;
  /** The command with which a task is checked: the whole suite, or the tests near a file. */
  readonly checkFor: (path: string) => string;
  readonly seed: number;
}

export type TaskOrReason =
  | { readonly task: Omit<CalibrationTask, 'id'> }
  /** Why there is no task, in a few words. */
  | { readonly why: string };

interface FaultWish {
  readonly symbol: RankedSymbol;
  /** How often each operator made a task so far. */
  readonly used: ReadonlyMap<FaultOperator, number>;
  readonly at: number;
  /** The faulty files of the tasks that there are. */
  readonly known: readonly TaskFile[];
}

/** Plants one fault in a function, and makes a task of it if tests notice it, twice, and are green without it, twice. */
export async function faultIn(
  source: FaultSource,
  { symbol, used, at, known }: FaultWish,
  signal: AbortSignal,
): Promise<TaskOrReason> {
  const { place, test, failing, checkFor, seed } = source;
  const { path } = symbol;
  const language = tagLanguageOf(path);
  if (language === null) return { why: 'the language has no grammar here' };
  const read = valueOf(await place.sandbox.files.read(path, { maxBytes: 1_000_000 }, signal));
  const text = utf8Text(read.bytes);
  if (text === null) return { why: 'the file is not UTF-8' };
  const faults = await faultsIn(tagLanguageParts(language).grammar, text, symbol);
  const fault = chosen(faults ?? [], used, seed + at);
  if (fault === null) return { why: 'nothing in the function can be made wrong' };
  const check = checkFor(path);
  const files = [{ path, text: withFault(text, fault) }];
  const solution = [{ path, text }];
  if (known.some((one) => one.path === path && one.text === files[0]?.text))
    return { why: 'the fault is planted already' };
  await place.put(files);
  try {
    const first = await place.report({ ...test, command: check }, signal);
    if (first.passed === true) return { why: 'no test noticed the fault' };
    if (first.passed === null) return { why: 'the tests did not end with the fault' };
    const noticed = first.report.failures.filter(({ id }) => !failing.has(id));
    const request = requestOfFault(noticed, { command: check, seed: seed + at });
    if (request === null) return { why: 'the tests did not say which of them noticed the fault' };
    if ((await place.run(check, signal)).passed !== false) return { why: 'the tests are flaky' };
    await place.put(solution);
    for (let count = 0; count < 2; count += 1)
      if ((await place.run(check, signal)).passed !== true)
        return { why: 'the tests are flaky or red without a fault' };
    return {
      task: {
        kind: 'fault',
        size: sizeOf(symbol.endLine - symbol.line + 1),
        language,
        title: `${fault.operator} in ${path}:${fault.line}`,
        request,
        check,
        commit: null,
        files,
        solution,
        tests: [],
        answer: null,
        verified: { failedBefore: 2, passedAfter: 2 },
      },
    };
  } finally {
    await place.put(solution);
  }
}

/** By the lines that have to be understood. */
export const sizeOf = (lines: number): CalibrationTask['size'] =>
  lines <= 12 ? 'small' : lines <= 40 ? 'medium' : 'large';

/** One of the kind that was used least so far. */
function chosen(
  faults: readonly PlantedFault[],
  used: ReadonlyMap<FaultOperator, number>,
  seed: number,
): PlantedFault | null {
  const count = ({ operator }: PlantedFault): number => used.get(operator) ?? 0;
  const least = Math.min(...faults.map(count));
  const rare = faults.filter((fault) => count(fault) === least);
  return rare[Math.floor(seededNumbers(seed)() * rare.length)] ?? null;
}
