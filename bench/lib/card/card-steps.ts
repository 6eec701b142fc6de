import { messageOf } from '@shared/errors.ts';
import type { CardAnswer, CardBed, CardFile, CardWish } from './card-bed.ts';

/** One thing that was tried. All that was seen is kept, so that it can be understood elsewhere. */
export interface CardStep {
  readonly step: string;
  readonly model: string;
  readonly isOk: boolean;
  /** What is wrong, or what was left out; null: nothing. */
  readonly why: string | null;
  readonly figures: Readonly<Record<string, number | string | null>>;
}

interface StepsInput {
  readonly bed: CardBed;
  /** The smallest first: later ones are judged by the speed of earlier ones. */
  readonly files: readonly CardFile[];
  readonly onStep: (step: CardStep) => void;
  /** A card gives memory back a moment after a process has ended. */
  readonly settle: () => Promise<void>;
}

const mebi = 1024 * 1024;
/** As `tests/gpu` allows it: 2 %, or what a driver takes for a process beside what the engine says. */
const slackBytes = 300 * mebi;
const plain = { promptTokens: 512, outputTokens: 96 } as const;

/** Everything that is tried on a card, in an order in which a failure of one spoils none of the others. */
export async function runCardSteps({ bed, files, onStep, settle }: StepsInput): Promise<readonly CardStep[]> {
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
    onStep(whole);
    await bed.release();
    await settle();
  };
  for (const file of files) {
    await add('as planned', file, async () => {
      const found = await asPlanned(bed, file, bandwidth);
      // The largest dense model says best what the memory of the card gives.
      if (file.activeBytes === file.bytes && found.writtenPerSecond !== null)
        bandwidth = found.writtenPerSecond * file.bytes;
      return found.step;
    });
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

async function asPlanned(
  bed: CardBed,
  file: CardFile,
  bandwidth: number | null,
): Promise<{ readonly step: Found; readonly writtenPerSecond: number | null }> {
  const wish = { contextTokens: Math.min(8_192, file.trainedTokens) };
  const planned = await bed.plan(file, wish);
  const before = await bed.usedBytes();
  const answer = await bed.answer(file, wish, plain);
  const after = await bed.usedBytes();
  const counted = before === null || after === null ? null : after - before;
  const expected = bandwidth === null || file.activeBytes === null ? null : bandwidth / file.activeBytes;
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
    writtenPerSecond: planned.placement === 'devices' ? answer.writtenPerSecond : null,
  };
}

/** What the plan grants has to hold; then more is tried, to learn how much the plan leaves unused. */
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

/** A card of half the size of the model: layers have to stay in main memory, and as many as planned. */
async function spill(bed: CardBed, file: CardFile): Promise<Found> {
  const wish = {
    contextTokens: Math.min(4_096, file.trainedTokens),
    cardBytes: Math.round(file.bytes / 2) + 1_024 * mebi,
  };
  const planned = await bed.plan(file, wish);
  const answer = await bed.answer(file, wish, plain);
  const figures = { ...figuresOf(answer), placement: planned.placement, 'layers on the card': planned.gpuLayers };
  return found(faultsOf(answer), figures);
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

/** More than the card has is asked for without the plan: the call has to fail with a reason, and the next one to work. */
async function outOfMemory(bed: CardBed, file: CardFile, settle: () => Promise<void>): Promise<Found> {
  const wish: CardWish = { contextTokens: 64 * file.trainedTokens, isForced: true };
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

/** An abort keeps the model; a kill gives all back. The next call works after both. */
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
