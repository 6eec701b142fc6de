import { z } from 'zod';
import type { ProgramReview } from '@shared/events/approval-events.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { ToolStatus } from '@shared/events/tool-events.ts';
import { promptTokensOf } from '@shared/money/token-cost.ts';
import { keptNamesSchema, type KeptNames } from '@shared/tools/kept-program.ts';
import { announcedSchema, programWriterSchema, type AnnouncedCall } from '@shared/tools/own-tool.ts';
import type { ProgramWriter } from '@shared/tools/program-writer.ts';
import { isProgramStart, programLanguages, type ProgramLanguage } from '@shared/tools/program-tool.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** The calls of one tool that a program announced, and what happened to them. */
export interface ReportedCalls extends AnnouncedCall {
  readonly made: number;
  /** Number of calls for each way to end. */
  readonly ends: Readonly<Partial<Record<ToolStatus, number>>>;
  readonly ms: number;
}

/** A program of a session, from its plan to its end. A pure function of the log. */
export interface ProgramReport {
  /** Counts from 1 within the session. */
  readonly number: number;
  readonly toolCallId: string;
  readonly turnId: string | null;
  readonly at: number;
  /** `run_program`, or the name of the kept program that was called. */
  readonly tool: string;
  readonly plan: string;
  readonly language: ProgramLanguage;
  /** Null for a program that was kept before: its text is in its file. */
  readonly text: string | null;
  /** Null when it was never checked. */
  readonly sha256: string | null;
  readonly calls: readonly ReportedCalls[];
  /** Calls that it tried but that were not made, because they were not announced or were denied. */
  readonly refused: number;
  /** What the check or its tests found, and why it was not run. */
  readonly problems: readonly string[];
  readonly tests: number;
  /** What the review found before the user was asked; null when it found nothing, or when nobody was asked. */
  readonly review: ProgramReview | null;
  /**
   * `refused`: not run, because its announced calls were wrong or the user denied it. Null: it runs, or was cut off.
   */
  readonly end: 'done' | 'failed' | 'not-run' | 'stopped' | 'refused' | null;
  readonly ms: number | null;
  /** The model usage of the answer that wrote it; null when unknown. */
  readonly wrote: { readonly input: number; readonly output: number; readonly costUsd: number | null } | null;
  /** What wrote it; null: unknown. */
  readonly writer: ProgramWriter | null;
  /** The names under which its model would keep it. */
  readonly keep: KeptNames | null;
  /** Difference from the program before it in its turn; null when there is none, or when nearly everything differs. */
  readonly diff: string | null;
}

export interface ProgramReports {
  readonly projectPath: string | null;
  readonly programs: readonly ProgramReport[];
}

const inputSchema = z.object({
  plan: z.string(),
  program: z.string(),
  language: z.enum(programLanguages).default('python'),
  calls: z.array(announcedSchema).catch([]),
});

const factsSchema = z.object({
  sha256: z.string(),
  language: z.enum(programLanguages).default('python'),
  end: z.enum(['done', 'failed', 'not-run', 'stopped']),
  calls: z.array(announcedSchema.extend({ made: z.number() })).catch([]),
  problems: z.array(z.string()).catch([]),
  refused: z.number().catch(0),
  tests: z.number().catch(0),
  ms: z.number().nullable().catch(null),
  keep: keptNamesSchema.nullable().catch(null),
  writer: programWriterSchema.nullable().catch(null),
});

interface Found {
  readonly started: EventOf<'tool-started'>;
  ended: EventOf<'tool-ended'> | null;
  readonly inner: EventOf<'tool-ended'>[];
  review: ProgramReview | null;
  readonly wrote: ProgramReport['wrote'];
}

/** Folds the programs out of a log, oldest first. Does not compute `diff`. */
export async function foldPrograms(events: AsyncIterable<SessionEvent>): Promise<readonly ProgramReport[]> {
  const found = new Map<string, Found>();
  const answers = new Map<string, ProgramReport['wrote']>();
  const askedBy = new Map<string, string>();
  for await (const event of events) {
    if (event.type === 'model-call-ended') {
      const { usage, costUsd } = event;
      answers.set(event.callId, { input: promptTokensOf(usage), output: usage.output, costUsd });
    }
    if (event.type === 'tool-call-requested') askedBy.set(event.toolCallId, event.callId);
    if (event.type === 'tool-started' && isProgramStart(event)) {
      const wrote = answers.get(askedBy.get(event.toolCallId) ?? '') ?? null;
      found.set(event.toolCallId, { started: event, ended: null, inner: [], review: null, wrote });
    }
    if (event.type === 'approval-requested' && event.review !== undefined) {
      const asking = found.get(event.toolCallId);
      if (asking !== undefined) asking.review = event.review;
    }
    if (event.type !== 'tool-ended') continue;
    if (event.parent !== undefined) found.get(event.parent)?.inner.push(event);
    const program = found.get(event.toolCallId);
    if (program !== undefined) program.ended = event;
  }
  return [...found.values()].map((one, at) => reportOf(one, at + 1));
}

function reportOf({ started, ended, inner, review, wrote }: Found, number: number): ProgramReport {
  const { toolCallId, turnId = null, at, tool, label } = started;
  // A log may come from elsewhere, so its data is parsed again.
  const input = inputSchema.safeParse(started.input).data;
  const facts = factsSchema.safeParse(fieldOf(ended?.data, 'program')).data;
  const announced = facts?.calls ?? (input?.calls ?? []).map((call) => ({ ...call, made: 0 }));
  return {
    number,
    toolCallId,
    turnId,
    at,
    tool,
    plan: input?.plan ?? label,
    language: facts?.language ?? input?.language ?? 'python',
    text: input?.program ?? null,
    sha256: facts?.sha256 ?? null,
    calls: announced.map((call) => ({
      ...call,
      ...callsOf(
        inner.filter((one) => one.tool === call.tool),
        call.made,
      ),
    })),
    refused: facts?.refused ?? 0,
    problems: facts?.problems ?? (facts === undefined && ended !== null ? [ended.output] : []),
    tests: facts?.tests ?? 0,
    review,
    end: facts?.end ?? (ended === null || ended.status === 'unknown' ? null : 'refused'),
    ms: ended?.durationMs ?? null,
    wrote,
    writer: facts?.writer ?? null,
    keep: facts?.end === 'done' ? facts.keep : null,
    diff: null,
  };
}

function callsOf(ended: readonly EventOf<'tool-ended'>[], made: number): Pick<ReportedCalls, 'made' | 'ends' | 'ms'> {
  const ends: Partial<Record<ToolStatus, number>> = {};
  for (const { status } of ended) ends[status] = (ends[status] ?? 0) + 1;
  return { made: Math.max(made, ended.length), ends, ms: ended.reduce((sum, { durationMs }) => sum + durationMs, 0) };
}
