import { AppError } from '@shared/errors.ts';
import type { EventOf, SessionEvent } from '@shared/events/events.ts';
import type { Escalation } from '@shared/routing/escalations.ts';
import { countCauses, escalationsIn, escalationTexts } from '@shared/routing/escalations.ts';
import { routingRecords } from '../reports/routing-records.ts';
import { aboutUsd, moneyText } from '@shared/money/money-text.ts';
import type { StepCost } from '@shared/money/step-costs.ts';
import { purposeTexts } from '../../text/event-lines.ts';
import { seenName, seenWords } from '@shared/text/seen-text.ts';
import { intervalText } from '../reports/interval-text.ts';
import type { CoreClient } from '../../../server/local-socket.ts';
import type { Command } from '../../text/command-context.ts';
import { writeOutputFile } from '../terminal/output-file.ts';
import type { Terminal } from '../../text/terminal.ts';
import { jsonLine, oneLine, pluralize, seconds, table } from '../../text/terminal.ts';
import { numberRows } from '@shared/routing/routing-profiles.ts';
import { routingSettingsSchema } from '@shared/settings/settings.ts';
import { padRight } from '../../text/columns.ts';
import { type RecordArguments, showRecord } from '../reports/show-record.ts';
import { type UseArguments, useWay } from '../reports/use-way.ts';
import { recordedEvents } from '../../connection/recorded-events.ts';

export interface RouteArguments extends RecordArguments, UseArguments {
  /** A file for the records of every session, or of the named one. */
  readonly export?: string;
  readonly profiles?: boolean;
}

interface RoutedStep {
  readonly decided: EventOf<'route-decided'>;
  readonly started: EventOf<'model-call-started'>;
  ended: EventOf<'model-call-ended'> | null;
  /** The recipes or loops that were chosen before this step, with the reasons. */
  readonly stages: readonly EventOf<'stage-chosen'>[];
  /** Checks and prefills after the step, up to the next call. */
  readonly after: EventOf<'check-ended' | 'gate-checked' | 'cache-prefilled'>[];
}

/** Why a step ran where it did. Without a step: all steps, one per line. Without a session: causes of escalations. */
export const route: Command<[string | undefined, string | undefined, RouteArguments]> = async (
  { core, terminal, signal },
  session,
  step,
  args,
) => {
  const client = await core();
  if (args.profiles === true) {
    showProfiles(await client.settings.get({ key: 'routing' }), terminal, args.json === true);
    return 0;
  }
  if (args.use !== undefined || args.used === true) return useWay(client, terminal, args);
  if (args.learned === true || args.expect !== undefined || args.forget === true)
    return showRecord(client, terminal, args);
  if (args.export !== undefined) return exportRecords(client, terminal, { path: args.export, session, signal });
  if (session === undefined) return allEscalations(client, terminal, { json: args.json === true, signal });
  const { sessionId } = await client.sessions.find({ id: session });
  const events = await eventsOf(client, sessionId, signal);
  const steps = routedSteps(events);
  if (step === undefined) {
    if (args.json === true) terminal.out(jsonLine(steps));
    else {
      showAll(steps, terminal);
      showEscalations(escalationsIn(events), terminal);
    }
    return 0;
  }
  const found = steps.find(({ started }) => String(started.step) === step);
  if (found === undefined) throw new AppError('not-found', `There is no step ${step} in ${sessionId}.`);
  const cost = (await client.stepCosts({ sessionId })).find((one) => one.step === found.started.step) ?? null;
  if (args.json === true) terminal.out(jsonLine({ ...found, elsewhere: cost?.elsewhere ?? null }));
  else showOne(found, cost, terminal);
  return 0;
};

async function eventsOf(client: CoreClient, sessionId: string, signal: AbortSignal): Promise<readonly SessionEvent[]> {
  const events: SessionEvent[] = [];
  for await (const event of recordedEvents(client, sessionId, signal)) events.push(event);
  return events;
}

function routedSteps(events: readonly SessionEvent[]): readonly RoutedStep[] {
  const decided = new Map<string, EventOf<'route-decided'>>();
  const steps = new Map<string, RoutedStep>();
  let last: RoutedStep | null = null;
  let stages: EventOf<'stage-chosen'>[] = [];
  for (const event of events) {
    if (event.type === 'check-ended' || event.type === 'gate-checked' || event.type === 'cache-prefilled') {
      last?.after.push(event);
    }
    if (event.type === 'stage-chosen') stages.push(event);
    if (event.type === 'route-decided') decided.set(event.callId, event);
    const route = event.type === 'model-call-started' ? decided.get(event.callId) : undefined;
    if (event.type === 'model-call-started' && route !== undefined) {
      last = { decided: route, started: event, ended: null, stages, after: [] };
      stages = [];
      steps.set(event.callId, last);
    }
    const step = event.type === 'model-call-ended' ? steps.get(event.callId) : undefined;
    if (event.type === 'model-call-ended' && step !== undefined) step.ended = event;
  }
  return [...steps.values()];
}

function showAll(steps: readonly RoutedStep[], { out, err }: Terminal): void {
  if (steps.length === 0) {
    err('No model was called in this session.\n');
    return;
  }
  for (const { decided, started, stages, after } of steps) {
    const { chosen, reason } = decided;
    // A stage that was chosen because of the step only repeats its reason.
    for (const stage of stages.filter((one) => one.reason !== reason))
      out(`${' '.repeat(5)}${oneLine(seenName(stageText(stage)), 149)}\n`);
    const step = String(started.step).padStart(3);
    out(`${step}  ${chosen.where.padEnd(5)}  ${padRight(oneLine(seenName(chosen.model), 32), 32)}  `);
    out(`${oneLine(reason, 110)}\n`);
    for (const event of after) out(`${' '.repeat(12)}${oneLine(afterText(event), 140)}\n`);
  }
  const local = steps.filter(({ decided }) => decided.chosen.where === 'local').length;
  err(`${local} of ${pluralize(steps.length, 'step')} ran on this machine.\n`);
}

function stageText({ stage, recipe, reason }: EventOf<'stage-chosen'>): string {
  return `${recipe ?? stage.strategy} on ${stage.model}: ${reason}`;
}

function afterText(event: RoutedStep['after'][number]): string {
  switch (event.type) {
    case 'check-ended':
      return `${event.passed ? 'the check passed' : 'the check failed'}: ${event.command}`;
    case 'gate-checked':
      return `${gateWords[event.by][event.verdict]}: ${event.text}`;
    case 'cache-prefilled':
      return event.text;
    default:
      return event satisfies never;
  }
}

const gateWords = {
  changes: { pass: 'the change is complete', redo: 'more is to do', none: 'the change was not checked' },
  lint: { pass: 'the linter is content', redo: 'the linter finds more than before', none: 'the linter was not run' },
  review: {
    pass: 'a stronger model approved',
    redo: 'a stronger model asked for changes',
    none: 'no review by a stronger model',
  },
} as const;
const kinds = {
  takeover: 'went to',
  advice: 'was helped by',
  fallback: 'went to',
} as const satisfies Readonly<Record<Escalation['kind'], string>>;

/** The steps that a failure moved, with the causes. */
function showEscalations(escalations: readonly Escalation[], { err }: Terminal): void {
  for (const { step, kind, to, cause, text } of escalations) {
    err(`Step ${step ?? '?'} ${kinds[kind]} ${seenName(to)} (${cause}): ${oneLine(text, 200)}\n`);
  }
}

/** The causes of all sessions together. */
async function allEscalations(
  client: CoreClient,
  terminal: Terminal,
  { json, signal }: { readonly json: boolean; readonly signal: AbortSignal },
): Promise<number> {
  const all: Escalation[] = [];
  let unreadable = 0;
  const sessions = await client.sessions.list(undefined, { signal });
  for (const { sessionId } of sessions) {
    try {
      all.push(...(await client.sessions.escalations({ sessionId }, { signal })));
    } catch (error) {
      if (signal.aborted) throw error;
      unreadable += 1;
    }
  }
  const causes = countCauses(all).map((one) => ({ ...one, text: escalationTexts[one.cause] }));
  if (json) terminal.out(jsonLine({ sessions: sessions.length, unreadable, causes }));
  for (const { cause, count, text } of json ? [] : causes) {
    terminal.out(`${String(count).padStart(5)}  ${padRight(cause, 11)}  ${text}\n`);
  }
  terminal.err(
    `${all.length} steps in ${sessions.length - unreadable} sessions got another model or advice after a failure.\n`,
  );
  if (unreadable > 0) terminal.err(`${unreadable} sessions could not be read.\n`);
  return 0;
}

const layers: Readonly<Record<NonNullable<EventOf<'route-decided'>['layer']>, string>> = {
  L0: 'a rule',
  L1: 'the start of the task',
  L2: 'the score of the step',
  L3: 'the previous answer',
  L4: 'the check at the end',
  L5: 'earlier failures',
};

function showOne(
  { decided, started, ended, stages, after }: RoutedStep,
  cost: StepCost | null,
  { out, colors }: Terminal,
): void {
  const { chosen, layer, reason, reasonCode, degraded, otherwise } = decided;
  out(
    `Step ${started.step} (${purposeTexts[started.purpose]}) ran ${chosen.where === 'local' ? 'on this machine' : 'in the cloud'}: `,
  );
  out(`${seenName(chosen.model)}\n`);
  for (const stage of stages.filter((one) => one.reason !== reason))
    out(`It started with ${seenName(stageText(stage))}\n`);
  out(`Because: ${seenWords(reason)}\n`);
  if (otherwise !== undefined && otherwise !== '') out(`Instead: ${seenWords(otherwise)}\n`);
  out(colors.dim(`Decided by ${layer === undefined ? 'the cascade' : layers[layer]} (${seenName(reasonCode)})\n`));
  if (degraded === true) out('With a network, a model in the cloud would have worked on it.\n');
  if (ended !== null) out(`It took ${seconds(ended.timings.totalMs)} and cost ${moneyText(ended.costUsd)}.\n`);
  if (cost !== null) out(elsewhereLine(cost));
  showOptions(decided, out);
  showVotes(decided, out);
  if (after.length > 0) out('\nAfterwards\n');
  for (const event of after) out(`  ${seenWords(afterText(event))}\n`);
}

/** What the same tokens would have cost in the other place. */
function elsewhereLine({ where, elsewhere: { usd, seconds: time, why } }: StepCost): string {
  const place = where === 'local' ? 'In the cloud,' : 'On this machine,';
  const known = [
    ...(time === null ? [] : [`take about ${intervalText(time, (value) => seconds(value * 1000))}`]),
    ...(usd === null ? [] : [`cost about ${intervalText({ ...usd, value: aboutUsd(usd.value) }, moneyText)}`]),
  ];
  if (known.length === 0) return `The cost in the other place is unknown: ${seenWords(why ?? '')}.\n`;
  return `${place} the same tokens would ${known.join(' and ')}.\n`;
}

function showOptions({ options = [], chosen, runnerUp }: RoutedStep['decided'], out: Terminal['out']): void {
  if (options.length === 0) return;
  const known = (usd: number | null): string => (usd === null ? '-' : moneyText(usd));
  // A model may be there by its loop and by a recipe: the one with figures says what is expected of it.
  const each = options.filter(
    (option, at) =>
      !options.some((other, place) => other.model === option.model && isBetterShown(other, option, place < at)),
  );
  const rows = each.map(({ model, solves, costUsd, restUsd, seconds: time, denied }) => [
    `${seenName(model)}  ${model === chosen.model ? 'chosen' : model === runnerUp?.model ? 'runner-up' : ''}`,
    solves === undefined ? '-' : `${Math.round(solves * 100)} %`,
    known(costUsd),
    known(restUsd),
    time === null ? '-' : seconds(time * 1000),
    denied === null ? '' : `not: ${seenWords(denied.text)}`,
  ]);
  out('\nCandidate models, with expected figures\n');
  for (const line of table([['model', 'solves it', 'this call', 'whole task', 'time', ''], ...rows]))
    out(`  ${line}\n`);
}

type ShownOption = NonNullable<RoutedStep['decided']['options']>[number];

/** Whether an option stands for another one of the same model: it has figures, or it is the first of two alike. */
function isBetterShown(option: ShownOption, other: ShownOption, isFirst: boolean): boolean {
  if (option === other) return false;
  const figures = ({ solves, costUsd, restUsd, seconds: time, denied }: ShownOption): number =>
    [solves ?? null, costUsd, restUsd, time].filter((one) => one !== null).length + (denied === null ? 0.5 : 0);
  const [here, there] = [figures(option), figures(other)];
  return here > there || (here === there && isFirst);
}

function showVotes({ votes = [], gain, features }: RoutedStep['decided'], out: Terminal['out']): void {
  if (gain === null || gain === undefined) return;
  out(
    `\nA stronger model would help in about ${Math.round(gain * 100)} % of such cases. Reasons, the largest first:\n`,
  );
  for (const { rule, toward, weight, reason } of votes.toSorted((left, right) => right.weight - left.weight)) {
    out(`  ${toward.padEnd(5)}  ${weight.toFixed(2)}  ${padRight(seenName(rule), 12)}  ${seenWords(reason)}\n`);
  }
  if (votes.length === 0) out('  no votes\n');
  if (features?.hasLocalSureness === 0) {
    out('  The smaller model gives no log-probabilities, so its sureness has no vote.\n');
  }
}

/** Writes the records of one or every readable session, one per line. They come from the logs of the sessions. */
async function exportRecords(
  client: CoreClient,
  { err }: Terminal,
  {
    path,
    session,
    signal,
  }: { readonly path: string; readonly session: string | undefined; readonly signal: AbortSignal },
): Promise<number> {
  const lines: string[] = [];
  const sessions = session === undefined ? await client.sessions.list() : [await client.sessions.find({ id: session })];
  let unreadable = 0;
  for (const { sessionId } of sessions) {
    try {
      for (const record of routingRecords(sessionId, await eventsOf(client, sessionId, signal)))
        lines.push(jsonLine(record));
    } catch (error) {
      if (signal.aborted) throw error;
      unreadable += 1;
    }
  }
  await writeOutputFile(path, lines.join(''));
  const decisions = lines.length === 1 ? '1 decision' : `${lines.length} decisions`;
  err(`Written to ${path}: ${decisions} of ${sessionsText(sessions.length - unreadable)}.\n`);
  if (unreadable > 0) err(`${sessionsText(unreadable)} could not be read.\n`);
  return 0;
}

function sessionsText(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}

/** The profiles and their numbers, with those that the user changed. `value`: the setting `routing`. */
export function showProfiles(value: unknown, { out, err }: Terminal, isJson: boolean): void {
  const { profile, numbers } = routingSettingsSchema.parse(value);
  const rows = numberRows(numbers);
  if (isJson) {
    out(jsonLine({ profile, own: numbers, rows }));
    return;
  }
  const hasOwn = rows.some(({ own }) => own !== null);
  const widest = Math.max(...rows.map(({ name }) => name.length));
  const cells = rows.map(({ name, label, economy, balanced, quality, own }) => [
    `${name.padEnd(widest)}  ${label}`,
    economy,
    balanced,
    quality,
    ...(hasOwn ? [own ?? ''] : []),
  ]);
  const head = ['', 'economy', 'balanced', 'quality', ...(hasOwn ? ['yours'] : [])];
  for (const line of table([head, ...cells])) out(`${line}\n`);
  const { weights = {}, priors = {} } = numbers;
  for (const [rule, weight] of Object.entries(weights)) out(`The votes of ${seenName(rule)} count ${weight} times.\n`);
  for (const model of Object.keys(priors)) out(`The counts of ${seenName(model)} are your own.\n`);
  err(`hybrid uses ${profile}${hasOwn ? ' with your own numbers' : ''}. local and cloud do not use these numbers.\n`);
  err(
    'Choose a profile: dewpoint settings set routing.profile economy. Set a number: dewpoint settings set routing.numbers.consecutiveFailures 3\n',
  );
}
