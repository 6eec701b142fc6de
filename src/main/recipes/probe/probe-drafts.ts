import file from '../../../../resources/prompts/probe-drafts.py?raw';
import type { DraftsResult } from '@shared/models/probe-card.ts';
import type { EngineCounts } from '@shared/events/call-report.ts';
import type { RecipeContext } from '../define.ts';

type Way = DraftsResult['ways'][number];

/**
 * How much faster, in percent, a way to draft must be over all prompts, and how much slower it may be for one of them.
 */
const worth = { quicker: 10, slower: 5 } as const;
/** An answer is limited to what would take this long without drafts. */
const secondsEach = 10;
const tokensEach = { least: 48, most: 160 } as const;
/** A way is only tried if this much of the probe's time is left. */
const reserveMs = 150_000;

/** Typical output of an agent's model: a file with one change, and words of its own. */
const prompts = [
  {
    name: 'edit',
    user: `${file}\nWrite this file again with "total" renamed to "sum_of" everywhere. Answer with the file alone.`,
  },
  { name: 'answer', user: 'Explain in two paragraphs what a mutex is, when to use one, and what can go wrong.' },
] as const;

interface Run {
  /** Writing speed in tokens per second. */
  readonly speeds: readonly number[];
  /** The time to read each prompt, which a drafting model must do too, and to write as much as was asked for. */
  readonly milliseconds: readonly number[];
  readonly texts: readonly string[];
  readonly drafted: number;
  readonly accepted: number;
  readonly problem: string | null;
}

type Asking = Pick<RecipeContext, 'progress'> & {
  readonly model: Pick<RecipeContext['model'], 'info' | 'call'>;
  readonly budget: Pick<RecipeContext['budget'], 'millisecondsLeft'>;
};

/** Compares each way to draft that the server offers with writing without drafts. */
export async function probeDrafts(
  context: Asking,
  decodePerSecond: number | null = null,
): Promise<{ readonly drafts?: DraftsResult; readonly note: string | null }> {
  const { drafting } = context.model.info;
  if (drafting === undefined || drafting.ways.length === 0) return { note: null };
  await context.progress('drafts', 'Comparing ways to draft ahead.');
  const wanted = Math.round((decodePerSecond ?? 10) * secondsEach);
  const tokens = Math.max(tokensEach.least, Math.min(tokensEach.most, wanted));
  const first = await write(context, 'off', tokens);
  const runs: { readonly way: string; readonly run: Run }[] = [];
  const hasTime = (): boolean => context.budget.millisecondsLeft() > reserveMs;
  for (const way of first.problem === null ? drafting.ways : []) {
    if (!hasTime()) break;
    runs.push({ way, run: await write(context, way, tokens) });
  }
  if (runs.length === 0) return { note: `drafts were not compared: ${first.problem ?? 'it took too long'}` };
  // A machine that was busy only at first would make every way look fast.
  const second = await write(context, 'off', tokens);
  const alone = {
    ...first,
    speeds: first.speeds.map((speed, index) => Math.max(speed, second.speeds[index] ?? 0)),
    milliseconds: first.milliseconds.map((time, index) => Math.min(time, second.milliseconds[index] ?? time)),
  };
  const best = runs
    .filter(({ run }) => isWorth(run, alone))
    .sort((left, right) => timeOf(left.run) - timeOf(right.run));
  const drafts = {
    on: drafting.on,
    plain: [...alone.speeds],
    ways: runs.map(({ way, run }) => wayOf(way, run, alone)),
    best: best[0]?.way ?? null,
    sha256: null,
  };
  const missing = drafting.ways.slice(runs.length).join(', ');
  const notes = [
    ...(missing === '' ? [] : [`drafts by ${missing} were not compared: it took too long`]),
    ...(isSteady(first, second)
      ? []
      : ['the machine was busy while drafts were compared: probe again when it is idle']),
  ];
  return { drafts, note: notes.join('; ') || null };
}

/** Whether the same work took about the same time twice. */
function isSteady(first: Run, second: Run): boolean {
  const ratio = timeOf(first) / timeOf(second);
  return second.problem !== null || (ratio > 0.75 && ratio < 1.33);
}

async function write(context: Asking, way: string, maxOutputTokens: number): Promise<Run> {
  const speeds: number[] = [];
  const milliseconds: number[] = [];
  const texts: string[] = [];
  let [drafted, accepted] = [0, 0];
  let problem: string | null = null;
  for (const { name, user } of prompts) {
    const answer = await context.model.call({
      purpose: 'answer',
      label: `benchmark: ${name}, ${way === 'off' ? 'no drafts' : `drafts by ${way}`}`,
      system: 'You are a programmer.',
      user,
      temperature: 0,
      maxOutputTokens,
      drafts: way,
    });
    const counted = answer.ok ? answer.measured.timings.counted : undefined;
    const speed = counted === undefined ? null : writtenPerSecond(counted);
    const used = answer.ok ? answer.measured.drafts : undefined;
    if (!answer.ok) problem = answer.message;
    else if (speed === null) problem = 'its server did not count what it wrote';
    else if (way !== 'off' && used?.way !== way) problem = 'its server did not draft so';
    if (!answer.ok || counted === undefined || speed === null || problem !== null) break;
    speeds.push(speed);
    milliseconds.push(counted.readMs + (1000 * maxOutputTokens) / speed);
    texts.push(answer.text);
    drafted += used?.drafted ?? 0;
    accepted += used?.accepted ?? 0;
  }
  return { speeds, milliseconds, texts, drafted, accepted, problem };
}

/** Tokens per second, rounded to hundredths; null for fewer than four tokens, which say nothing. */
function writtenPerSecond({ writtenTokens, writtenMs }: EngineCounts): number | null {
  return writtenTokens < 4 || writtenMs === 0 ? null : Math.round((100_000 * writtenTokens) / writtenMs) / 100;
}

function wayOf(way: string, run: Run, alone: Run): Way {
  const { speeds, texts, drafted, accepted, problem } = run;
  const differs = prompts.flatMap(({ name }, index) =>
    texts[index] === undefined || texts[index] === alone.texts[index] ? [] : [name],
  );
  const quicker = problem === null ? Math.round(100 * (timeOf(alone) / timeOf(run) - 1)) : null;
  return { way, speeds: [...speeds], drafted, accepted, quicker, differs, problem };
}

const timeOf = ({ milliseconds }: Run): number => milliseconds.reduce((sum, time) => sum + time, 0);

/**
 * Whether drafting is worth using. It must not slow down one kind of text, because nobody knows which kind comes next.
 */
function isWorth(run: Run, alone: Run): boolean {
  return (
    run.problem === null &&
    run.accepted > 0 &&
    timeOf(alone) >= timeOf(run) * (1 + worth.quicker / 100) &&
    run.milliseconds.every((time, index) => time <= (alone.milliseconds[index] ?? 0) * (1 + worth.slower / 100))
  );
}
