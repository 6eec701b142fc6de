import { messageOf } from '@shared/errors.ts';
import { bandwidthOf, writtenPerSecond } from '../../../src/main/models/suggest/expected-speed.ts';
import type { CardAnswer, CardBed, CardFile, CardWish } from './card-bed.ts';
import type { BareSpeed } from './llama-bench.ts';

/** One check. It keeps everything that was seen, so that it can be understood on another machine. */
export interface CardStep {
  readonly step: string;
  readonly model: string;
  readonly isOk: boolean;
  /** What is wrong, or what was left out; null if nothing. */
  readonly why: string | null;
  readonly figures: Readonly<Record<string, number | string | null>>;
}

interface StepsInput {
  readonly bed: CardBed;
  /** Smallest first, because later files are judged by the speed of earlier ones. */
  readonly files: readonly CardFile[];
  /** Gets all steps so far, so that an interrupted run keeps its findings. */
  readonly onStep: (step: CardStep, sofar: readonly CardStep[]) => Promise<void>;
  /** Measures llama.cpp alone, to know what the app adds; null where it is not available. */
  readonly bare: ((file: CardFile, ask: typeof plain) => Promise<BareSpeed>) | null;
  /** Waits a moment, because a card gives memory back only after a process has ended. */
  readonly settle: () => Promise<void>;
}

const mebi = 1024 * 1024;
/** The slack of `tests/gpu`: 2 %, or what a driver uses for a process on top of the engine's own figure. */
const slackBytes = 300 * mebi;
const plain = { promptTokens: 512, outputTokens: 96 } as const;

/** Runs all checks, in an order in which a failed one spoils none of the others. */
export async function runCardSteps({ bed, files, bare, onStep, settle }: StepsInput): Promise<readonly CardStep[]> {
  const steps: CardStep[] = [];
  let bandwidth: number | null = null;
  const [smallest] = files;
  const add = async (
    step: string,
    file: CardFile,
    work: () => Promise<Omit<CardStep, 'step' | 'model'>>,
  ): Promise<void> => {
    const found = await work().catch((error: unknown) => ({ isOk: false, why: messageOf(error), figures: {} }));
    const whole = { step, model: file.name, ...found };
    steps.push(whole);
    await onStep(whole, steps);
    await bed.release();
    await settle();
  };
  for (const file of files) {
    let own: Spoken | null = null;
    await add('as planned', file, async () => {
      const found = await asPlanned(bed, file, bandwidth);
      // The largest dense model best shows the memory bandwidth of the card.
      if (found.isOnCard && file.activeBytes === file.bytes && found.writtenPerSecond !== null)
        bandwidth = bandwidthOf(file.bytes, found.writtenPerSecond, true);
      own = found.isOnCard ? found : null;
      return found.step;
    });
    if (bare !== null && own !== null) {
      const of = own;
      await add('against llama-bench', file, async () => besideBare(of, await bare(file, plain)));
    }
    await add('largest context', file, () => largestContext(bed, file, settle));
    await add('spill', file, () => spill(bed, file));
  }
  if (smallest === undefined) return steps;
  await add('two models', smallest, () => twoModels(bed, smallest, files.at(1) ?? smallest));
  const largest = files.at(-1) ?? smallest;
  await add('out of memory', largest, () => outOfMemory(bed, largest, settle));
  await add('abort', smallest, () => endEarly(bed, smallest, 'abort', settle));
  await add('kill', smallest, () => endEarly(bed, smallest, 'kill', settle));
  return steps;
}

type Found = Omit<CardStep, 'step' | 'model'>;

interface Spoken {
  readonly readPerSecond: number | null;
  readonly writtenPerSecond: number | null;
}

/**
 * Both run the same library on the same file. Reading is reported but not judged, because an app reads a prompt in
 * pieces.
 */
function besideBare(own: Spoken, bare: BareSpeed): Found {
  const share = (mine: number | null, its: number): number | null =>
    mine === null || its === 0 ? null : Math.round((mine / its) * 1_000) / 10;
  const written = share(own.writtenPerSecond, bare.writtenPerSecond);
  const figures = {
    'llama-bench read tokens/s': Math.round(bare.readPerSecond),
    'llama-bench written tokens/s': Math.round(bare.writtenPerSecond * 10) / 10,
    'read, % of it': share(own.readPerSecond, bare.readPerSecond),
    'written, % of it': written,
  };
  return found(written === null || written < 80 ? ['the app writes at less than 80 % of it'] : [], figures);
}

async function asPlanned(
  bed: CardBed,
  file: CardFile,
  bandwidth: number | null,
): Promise<Spoken & { readonly step: Found; readonly isOnCard: boolean }> {
  const wish = { contextTokens: Math.min(8_192, file.trainedTokens) };
  const planned = await bed.plan(file, wish);
  const before = await bed.usedBytes();
  // The first call after a load prepares what later ones use: with Vulkan it read at a tenth of the speed.
  await bed.answer(file, wish, { promptTokens: 64, outputTokens: 8 });
  const answer = await bed.answer(file, wish, plain);
  const after = await bed.usedBytes();
  const counted = before === null || after === null ? null : after - before;
  const expected =
    bandwidth === null || file.activeBytes === null ? null : writtenPerSecond(file.activeBytes, bandwidth, true);
  const figures = {
    ...figuresOf(answer),
    placement: planned.placement,
    'layers on the card': planned.gpuLayers,
    'planned MiB': inMebi(planned.predictedBytes),
    'counted by the maker MiB': inMebi(counted),
    'expected tokens/s': expected === null ? null : Math.round(expected * 10) / 10,
  };
  const off =
    planned.predictedBytes === null || answer.observedBytes === null
      ? null
      : Math.abs(planned.predictedBytes - answer.observedBytes);
  const faults = [
    ...faultsOf(answer),
    ...(answer.error === null && off === null ? ['nobody says what it takes'] : []),
    ...(off !== null && off > Math.max((answer.observedBytes ?? 0) * 0.02, slackBytes)
      ? [`the plan is ${inMebi(off)} MiB off`]
      : []),
    ...(expected !== null && answer.writtenPerSecond !== null && Math.abs(answer.writtenPerSecond / expected - 1) > 0.2
      ? ['the speed is more than 20 % off what was expected']
      : []),
  ];
  return {
    step: found(faults, figures),
    readPerSecond: answer.readPerSecond,
    writtenPerSecond: answer.writtenPerSecond,
    isOnCard: planned.placement === 'devices',
  };
}

/** What the plan grants has to fit. Then more is tried, to learn how much the plan leaves unused. */
async function largestContext(bed: CardBed, file: CardFile, settle: () => Promise<void>): Promise<Found> {
  const granted = (await bed.plan(file, { contextTokens: file.trainedTokens })).contextTokens;
  const tried: string[] = [];
  const holds = async (contextTokens: number, isForced: boolean): Promise<boolean> => {
    const answer = await bed.answer(file, { contextTokens, isForced }, { promptTokens: 64, outputTokens: 8 });
    const isHeld = answer.error === null && (answer.contextTokens ?? 0) >= contextTokens;
    tried.push(`${contextTokens}: ${isHeld ? 'holds' : (answer.error?.code ?? `only ${answer.contextTokens ?? 0}`)}`);
    await bed.release();
    await settle();
    return isHeld;
  };
  let held = (await holds(granted, false)) ? granted : 0;
  const isGrantHeld = held > 0;
  if (isGrantHeld) {
    for (
      let more = rounded(granted * 1.25);
      more <= file.trainedTokens && (await holds(more, true));
      more = rounded(more * 1.25)
    )
      held = more;
  } else {
    for (let less = rounded(granted * 0.84); less >= 2_048 && held === 0; less = rounded(less * 0.84))
      if (await holds(less, false)) held = less;
  }
  const figures = { 'granted tokens': granted, 'held tokens': held, tried: tried.join('; ') };
  return found(isGrantHeld ? [] : ['what the plan granted does not hold'], figures);
}

/** Simulates a card that holds about half of the model: as many layers as planned have to stay in main memory. */
async function spill(bed: CardBed, file: CardFile): Promise<Found> {
  const contextTokens = Math.min(4_096, file.trainedTokens);
  const wishes = [1_024, 1_152, 1_280, 1_408, 1_536].map((more) => ({
    contextTokens,
    cardBytes: Math.round(file.bytes / 2) + more * mebi,
  }));
  for (const wish of wishes) {
    const planned = await bed.plan(file, wish);
    if (planned.placement !== 'partly-on-host') continue;
    const answer = await bed.answer(file, wish, plain);
    const figures = { ...figuresOf(answer), placement: planned.placement, 'layers on the card': planned.gpuLayers };
    return found(faultsOf(answer), figures);
  }
  return found(['no size of a card splits it'], {});
}

async function twoModels(bed: CardBed, one: CardFile, other: CardFile): Promise<Found> {
  const second = await bed.beside();
  try {
    const wish = { contextTokens: 4_096 };
    const first = await bed.answer(one, wish, plain);
    const beside = await second.answer(other, wish, plain);
    const again = await bed.answer(one, wish, plain);
    const figures = {
      'first tokens/s': first.writtenPerSecond,
      'second tokens/s': beside.writtenPerSecond,
      'first again tokens/s': again.writtenPerSecond,
      'in use MiB': inMebi(await bed.usedBytes()),
    };
    return found([first, beside, again].flatMap(faultsOf), figures);
  } finally {
    await second.release();
  }
}

/** Asks for more than the card has, without the plan. The call has to fail with a reason, and the next one to work. */
async function outOfMemory(bed: CardBed, file: CardFile, settle: () => Promise<void>): Promise<Found> {
  // A context is at most as long as the model's training allows, so many conversations are asked for.
  const wish: CardWish = { contextTokens: file.trainedTokens, conversations: 64, isForced: true };
  const refused = await bed.answer(file, wish, plain);
  await bed.release();
  await settle();
  const next = await bed.answer(file, { contextTokens: Math.min(4_096, file.trainedTokens) }, plain);
  const figures = {
    'refused as': refused.error?.code ?? null,
    'its words': refused.error?.message ?? null,
    'next tokens/s': next.writtenPerSecond,
  };
  const faults = refused.error === null ? ['the engine took more than there is'] : [];
  return found([...faults, ...faultsOf(next)], figures);
}

/** An abort keeps the model loaded; a kill gives all memory back. The next call works after both. */
async function endEarly(
  bed: CardBed,
  file: CardFile,
  end: 'abort' | 'kill',
  settle: () => Promise<void>,
): Promise<Found> {
  const before = await bed.usedBytes();
  const ended = await bed.answer(file, { contextTokens: 4_096 }, { promptTokens: 512, outputTokens: 2_048, end });
  await settle();
  const after = await bed.usedBytes();
  const next = await bed.answer(file, { contextTokens: 4_096 }, plain);
  const left = end === 'kill' && before !== null && after !== null ? after - before : null;
  const figures = {
    'ended after ms': ended.endedAfterMs,
    'error of the call': ended.error?.code ?? null,
    'left on the card MiB': inMebi(left),
    'next tokens/s': next.writtenPerSecond,
  };
  const faults = [
    ...(ended.endedAfterMs === null ? ['it was over before it could be ended'] : []),
    ...(end === 'abort' && (ended.endedAfterMs ?? 0) > 200 ? ['the abort took more than 200 ms'] : []),
    ...(end === 'kill' && ended.error === null ? ['a killed engine was not told of'] : []),
    ...(left !== null && left > 64 * mebi ? ['memory stays taken after the process is gone'] : []),
  ];
  return found([...faults, ...faultsOf(next)], figures);
}

function faultsOf({ error, backend, findings }: CardAnswer): readonly string[] {
  if (error !== null) return [`${error.code}: ${error.message}`];
  return [...(backend === 'cpu' ? ['the processor was used'] : []), ...findings];
}

function figuresOf(answer: CardAnswer): CardStep['figures'] {
  return {
    backend: answer.backend,
    'context tokens': answer.contextTokens,
    'taken MiB': inMebi(answer.observedBytes),
    'read tokens/s': answer.readPerSecond,
    'written tokens/s': answer.writtenPerSecond,
  };
}

function found(faults: readonly string[], figures: CardStep['figures']): Found {
  return { isOk: faults.length === 0, why: faults.length === 0 ? null : faults.join('; '), figures };
}

function inMebi(bytes: number | null): number | null {
  return bytes === null ? null : Math.round((bytes / mebi) * 10) / 10;
}

/** Contexts come in pieces of 256 tokens. */
function rounded(tokens: number): number {
  return Math.floor(tokens / 256) * 256;
}
