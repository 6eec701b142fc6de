import type { SessionEvent } from '@shared/events/events.ts';
import { exitCodes } from '@shared/session/run-result.ts';
import type { Course } from './course.ts';
import { exitOf } from './course.ts';
import type { SeenCourse } from './run-course.ts';
import { answersOf } from './run-course.ts';
import { unforeseen } from './scripted-models.ts';

type Ended = Extract<SessionEvent, { type: 'model-call-ended' }>;

/**
 * What is wrong with a course, one line each: what it expects, and what holds for every course. Empty: nothing. The end
 * is true, no word of the model and no file of the person is lost, and nothing was paid for unasked.
 */
export function judgeCourse(course: Course, seen: SeenCourse): readonly string[] {
  return [
    ...wrongEnd(course, seen),
    ...wrongWords(course, seen),
    ...wrongFiles(course, seen),
    ...wrongWork(course, seen),
    ...wrongMoney(course, seen),
    ...lostWords(seen),
    ...secondDrivers(seen),
    ...wrongModels(course, seen),
    course.expected.asked?.(seen.asked) ?? [],
  ].flat();
}

function wrongEnd({ expected }: Course, { results, events }: SeenCourse): readonly string[] {
  const ends = events.flatMap((event) => (event.type === 'turn-ended' ? [event.reason] : []));
  const last = ends.at(-1) ?? 'no end';
  const wanted = [expected.end].flat();
  const result = results.at(-1);
  const exit = result === undefined ? null : exitCodes[result.status];
  return [
    ...(wanted.includes(last) ? [] : [`ends ${wanted.join(' or ')}, not ${last}`]),
    ...(wanted.includes(last) && exit !== exitOf[last] ? [`exits with ${exitOf[last]}, not ${exit}`] : []),
    ...(expected.ends === undefined || expected.ends.join() === ends.join()
      ? []
      : [`turns end ${expected.ends.join(', ')}, not ${ends.join(', ')}`]),
  ];
}

/** Sentences that are false or useless, each with when. */
function falseWords(course: Course, { events, files, shown }: SeenCourse): readonly string[] {
  const isChanged = [...files].some(([path, text]) => course.files?.[path] !== text);
  const check = events.findLast((event) => event.type === 'check-ended');
  const isTested = check?.type === 'check-ended' && check.phase === 'after' && check.passed;
  const never: readonly (readonly [RegExp, boolean, string])[] = [
    [/not tested/iu, isTested, 'after tests that pass'],
    [/nothing was changed|no files? (?:were )?changed/iu, isChanged, 'beside a changed file'],
    [/larger local model|--local /iu, course.policy === 'cloud', 'under the policy cloud'],
    [/--policy cloud|--cloud /iu, course.policy === 'local' && course.cloud === undefined, 'under the policy local'],
    [/None of \d+ changes|by trial and error/u, course.hasStarter !== true, 'of a recipe that should not run'],
  ];
  return never.flatMap(([pattern, isFalse, when]) => {
    const found = isFalse ? pattern.exec(shown)?.[0] : undefined;
    return found === undefined ? [] : [`says "${found}" ${when}`];
  });
}

function wrongWords(course: Course, seen: SeenCourse): readonly string[] {
  const { says = [], never = [] } = course.expected;
  return [
    ...says
      .filter((pattern) => !pattern.test(seen.shown))
      .map(({ source }) => `says /${source}/: ${short(seen.shown)}`),
    ...never.filter((pattern) => pattern.test(seen.shown)).map(({ source }) => `never says /${source}/`),
    ...falseWords(course, seen),
  ];
}

function wrongFiles({ files = {}, expected }: Course, seen: SeenCourse): readonly string[] {
  const wanted = { ...files, ...expected.files };
  const wrong = Object.entries(wanted).filter(([path, text]) => {
    const now = seen.files.get(path) ?? null;
    return text instanceof RegExp ? now === null || !text.test(now) : now !== text;
  });
  const isMade = (path: string): boolean => expected.made?.test(path) === true;
  const more = [...seen.files.keys()].filter((path) => !(path in wanted) && !isMade(path));
  return [
    ...wrong.map(([path]) => `${path} holds ${short(seen.files.get(path) ?? 'nothing: it is gone')}`),
    ...more.map((path) => `${path} was made unasked`),
  ];
}

/** An end that says "done" is right where something vouches for it. */
const sure: readonly (string | null)[] = ['high', 'reviewed', 'tests-pass'];

function wrongWork({ expected: { judge } }: Course, { results, judged }: SeenCourse): readonly string[] {
  if (judge === undefined || judged === null || judged.passed) return [];
  const isClaimed = results.some(({ confidence }) => sure.includes(confidence));
  return judge.ifSure === true && !isClaimed ? [] : [`does not pass ${judge.command}: ${short(judged.output)}`];
}

function wrongMoney(course: Course, { results, events, childEvents }: SeenCourse): readonly string[] {
  const all = [...events, ...childEvents];
  const paid = all.filter((event) => event.type === 'model-call-started' && event.stage.where === 'cloud').length;
  const most = course.expected.paid ?? answersOf(course.cloud);
  const costUsd = all.reduce((sum, event) => sum + costOf(event), 0);
  const { maxUsd } = course.options ?? {};
  const limit = maxUsd === undefined ? undefined : maxUsd * results.length + (course.raises ?? 0);
  const told = results.reduce<number | null>((sum, { costUsd: one }) => (sum === null ? null : sum + (one ?? 0)), 0);
  return [
    ...(most !== null && paid > most ? [`pays for ${most} calls at most, not ${paid}`] : []),
    ...(limit !== undefined && costUsd > limit ? [`costs $${costUsd.toFixed(4)} of $${limit}`] : []),
    ...(told !== null && Math.abs(told - costUsd) > 1e-6
      ? [`tells $${told.toFixed(4)} where the logs have $${costUsd.toFixed(4)}`]
      : []),
  ];
}

const costOf = (event: SessionEvent): number => (event.type === 'model-call-ended' ? (event.costUsd ?? 0) : 0);

/**
 * The last words of the model that did the work are in the text of the end, where that end is the model's own. What a
 * recipe asks for to change files is code, and no words to a person.
 */
function lostWords({ events, results }: SeenCourse): readonly string[] {
  const end = results.at(-1);
  const from = events.findLastIndex((event) => event.type === 'turn-started');
  const isOwn = ['answered', 'done', 'waiting', 'planned'].some((reason) => end?.reason.startsWith(reason));
  if (end === undefined || !isOwn) return [];
  const ofRecipe = new Set(
    events.flatMap((event) =>
      event.type === 'model-call-started' && event.stage.strategy === 'recipe' ? [event.callId] : [],
    ),
  );
  const isAnswer = end.reason === 'answered';
  const words = events
    .slice(from)
    .filter((event): event is Ended => event.type === 'model-call-ended')
    .filter(({ callId }) => isAnswer || !ofRecipe.has(callId))
    .map(wordsOf)
    .findLast((text) => text !== '');
  if (words === undefined || words === unforeseen || plain(end.text).includes(plain(words))) return [];
  return [`loses the words "${short(words)}": ${short(end.text)}`];
}

function wordsOf({ parts }: Ended): string {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const completed = parts.find((part) => part.type === 'tool-call' && part.name === 'task_complete');
  const input: unknown = completed?.type === 'tool-call' ? completed.input : null;
  const summary = typeof input === 'object' && input !== null && 'summary' in input ? String(input.summary) : '';
  return summary === '' ? text : summary;
}

/** A recipe for small models never goes on after a model of the cloud chose its own steps. */
function secondDrivers({ events }: SeenCourse): readonly string[] {
  const problems = new Set<string>();
  let isLed = false;
  for (const event of events) {
    if (event.type === 'turn-started') isLed = false;
    if (event.type !== 'model-call-started') continue;
    if (event.stage.strategy === 'recipe' && isLed) problems.add('a recipe goes on after a strong model');
    if (event.stage.strategy === 'recipe' && event.stage.where === 'cloud')
      problems.add('a recipe drives a strong model');
    if (event.stage.strategy === 'loop' && event.stage.where === 'cloud') isLed = true;
  }
  return [...problems];
}

function wrongModels({ expected: { models } }: Course, { asked }: SeenCourse): readonly string[] {
  const called = [...new Set(asked.map(({ model }) => model))];
  return models === undefined || called.join() === models.join()
    ? []
    : [`calls ${models.join(', ')}, not ${called.join(', ') || 'nobody'}`];
}

const plain = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
const short = (text: string): string => plain(text).slice(0, 140);
