import type { Confidence } from '@shared/events.ts';
import { textOfSpan, type CodeFile, type Span } from './code/spans.ts';
import { languageOf, loadSyntax, type Syntax } from './code/syntax.ts';
import { defineRecipe, type RecipeContext, type RecipeOutcome } from './define.ts';
import { codeKeyOf, type FileText } from './fix/candidate.ts';
import { makeJudge, type Judge } from './fix/judge.ts';
import { codeOf, spliceSpan } from './fix/splice.ts';
import { changeQuestion, newCodeQuestion, placeQuestion, wholeFileQuestion } from './words/edit-prompts.ts';
import { newNameIn, spliceNew } from './words/new-code.ts';
import { answerQuestion } from './words/answer-question.ts';
import { talkFor, topicOf } from './words/earlier-talk.ts';
import { asksForWork, isQuestion } from './words/question-shape.ts';
import { rankChunks, type Chunk, type RankedChunk } from './words/rank-chunks.ts';
import { readChunks } from './words/read-project.ts';
import { renameAsked, renameEverywhere } from './words/rename.ts';

const wholeFileLines = 80;

export default defineRecipe({
  id: 'edit',
  label: 'Make a change described in words',
  fits: (subject) => {
    if (subject.plan || !subject.canExecute || subject.criterionMet === false) return null;
    if (subject.criterion === null && isQuestion(subject.task)) return null;
    if (subject.facts.fileCount === 0) return null;
    return { score: 0.6, reason: 'The text describes a change, and no test fails yet that could judge it.' };
  },
  run: editByWords,
});

interface Proposal {
  readonly files: readonly FileText[];
  /** What was changed, for people: "total in cart.py". */
  readonly name: string;
  readonly did: 'Changed' | 'Renamed';
}

async function editByWords(context: RecipeContext): Promise<RecipeOutcome> {
  const syntax = await loadSyntax();
  const chunks = await readChunks(context, syntax, context.task, false);
  const renaming = await proposeRename(context, syntax, chunks);
  if (renaming !== null) {
    await context.progress('rename', `${renaming.name}: no model is needed.`);
    const outcome = await accept(context, await judgeOf(context), renaming);
    if (outcome !== null) return outcome;
  }
  const ranked = rankChunks(chunks, context.task);
  if (ranked.length === 0) return withoutPlace(context, syntax, chunks);
  return editPlaces(context, syntax, ranked, context.task);
}

/** A rename of something that is defined once is written by a program, tests among what it changes. */
async function proposeRename(
  context: RecipeContext,
  syntax: Syntax,
  chunks: readonly Chunk[],
): Promise<Proposal | null> {
  const definitions = chunks.flatMap(({ span }) => (span === null || span.kind === 'method' ? [] : [span]));
  const names = new Set(definitions.map(({ shortName }) => shortName));
  const rename = renameAsked(context.task, topicOf(context.earlier), names);
  const [definition, another] = definitions.filter(({ shortName }) => shortName === rename?.from);
  if (rename === null || definition === undefined || another !== undefined) return null;
  const files: CodeFile[] = [];
  const { sourceFiles, testFiles } = context.facts;
  for (const path of new Set([...sourceFiles, ...testFiles, definition.path])) {
    const language = languageOf(path);
    const text = language === null ? null : await context.world.read(path);
    if (language !== null && text !== null) files.push({ path, language, text });
  }
  const renamed = renameEverywhere(syntax, files, rename, definition.path);
  if (renamed === null || renamed.length === 0) return null;
  const places = renamed.reduce((sum, file) => sum + file.places, 0);
  return {
    files: renamed,
    did: 'Renamed',
    name: `${rename.from} to ${rename.to}, ${places} places in ${listed(renamed)}`,
  };
}

function listed(files: readonly FileText[]): string {
  return files.length > 3 ? `${files.length} files` : files.map(({ path }) => path).join(', ');
}

async function judgeOf(context: RecipeContext): Promise<Judge | null> {
  return context.criterion === null ? null : makeJudge(context, context.criterion.command);
}

/** "Do it in the other one, too" leans on what was said before; what names no work at all is answered, not changed. */
async function withoutPlace(context: RecipeContext, syntax: Syntax, chunks: readonly Chunk[]): Promise<RecipeOutcome> {
  if (!asksForWork(context.task)) return answerQuestion(context);
  const ranked = rankChunks(chunks, topicOf(context.earlier));
  if (ranked.length === 0)
    return { type: 'gave-up', reason: 'No place in the project has to do with this text.', facts: '' };
  const inTalk: RecipeContext = {
    ...context,
    task: `What was said before:\n${talkFor(context.earlier)}\n\nNow: ${context.task}`,
    ask: (question) => context.ask({ ...question, carriesTalk: true }),
  };
  return editPlaces(inTalk, syntax, ranked, context.task);
}

/** `own`: the person's own words, without what was said before. */
async function editPlaces(
  context: RecipeContext,
  syntax: Syntax,
  ranked: readonly RankedChunk[],
  own: string,
): Promise<RecipeOutcome> {
  const places = await orderPlaces(context, ranked);
  await context.progress('locate', `Places: ${places.slice(0, 4).map(placeName).join(', ')}.`);
  const judge = await judgeOf(context);
  const tried: string[] = [];
  const added = await addNewCode(context, syntax, places, own);
  for (const proposal of added === null ? [] : [added]) {
    const outcome = await accept(context, judge, proposal);
    if (outcome !== null) return outcome;
    tried.push(proposal.name);
  }
  for (const place of places.slice(0, 3)) {
    const proposal = await proposeChange(context, syntax, place);
    if (proposal === null) {
      tried.push(`${placeName(place)}: no usable change`);
      continue;
    }
    const outcome = await accept(context, judge, proposal);
    if (outcome !== null) return outcome;
    tried.push(`${placeName(place)}: tests that passed fail with it`);
  }
  return {
    type: 'gave-up',
    reason: 'No change could be made that keeps the project sound.',
    facts: `Places that were tried:\n- ${tried.join('\n- ')}`,
  };
}

const placeName = (chunk: Chunk): string => (chunk.span === null ? chunk.path : `${chunk.span.name} in ${chunk.path}`);

/** The order of the search, unless it is undecided: then the model is asked which of the first five. */
async function orderPlaces(context: RecipeContext, ranked: readonly RankedChunk[]): Promise<readonly Chunk[]> {
  const named = ranked.filter(
    ({ chunk }) =>
      chunk.span !== null &&
      chunk.span.shortName.length > 3 &&
      new RegExp(`\\b${chunk.span.shortName}\\b`).test(context.task),
  );
  const code = ranked.filter(
    ({ chunk }) => chunk.span !== null || context.task.includes(chunk.path.split('/').pop() ?? chunk.path),
  );
  // What is done with a constant is asked for more often than another value of it.
  const isConstant = (one: RankedChunk) => one.chunk.span?.kind === 'block';
  named.sort((left, right) => Number(isConstant(left)) - Number(isConstant(right)));
  const pool = [...named, ...(code.length > 0 ? code : ranked)].map((one) => one.chunk);
  const unique = pool.filter((chunk, index) => pool.indexOf(chunk) === index);
  const [first, second] = code;
  const clear = named.length === 1 || second === undefined || (first !== undefined && first.score > second.score * 1.6);
  const top = unique.slice(0, 5);
  if (clear || top.length < 2 || !context.model.capabilities.grammar) return unique;
  const answer = await context.ask(placeQuestion(context.task, top));
  const index = answer.ok ? Number(answer.text.trim()) - 1 : -1;
  const chosen = top[index];
  return chosen === undefined ? unique : [chosen, ...unique.filter((chunk) => chunk !== chosen)];
}

/** A name the task calls for and the project does not have: new code at the end of the best file. */
async function addNewCode(
  context: RecipeContext,
  syntax: Syntax,
  places: readonly Chunk[],
  own: string,
): Promise<Proposal | null> {
  const known = new Set(
    places.flatMap((place) => (place.span === null ? [] : [place.span.shortName, ...place.span.names])),
  );
  const name = newNameIn(own, known);
  const place = places.find((one) => one.span !== null);
  if (name === null || place?.span === null || place === undefined) return null;
  const text = await context.world.read(place.path);
  if (text === null) return null;
  const answer = await context.ask(
    newCodeQuestion(context.task, { name, path: place.path, language: place.span.language, text }),
  );
  if (!answer.ok) return null;
  const spliced = spliceNew(syntax, text, { name, path: place.path, language: place.span.language }, answer.text);
  return spliced === null ? null : proposalOf(place.path, spliced, name);
}

/** Three answers, one of them greedy; the change that most of them agree on. */
async function proposeChange(context: RecipeContext, syntax: Syntax, place: Chunk): Promise<Proposal | null> {
  const text = await context.world.read(place.path);
  if (text === null) return null;
  const { span } = place;
  if (span === null) return rewriteFile(context, place, text);
  const found: { readonly text: string; readonly key: string }[] = [];
  for (const [index, temperature] of [0, 0.7, 0.7].entries()) {
    const seed = temperature === 0 ? null : context.settings.seed + index;
    const answer = await context.ask(changeQuestion(context.task, { span, text, temperature, seed }));
    if (!answer.ok) break;
    const spliced = spliceSpan(syntax, text, span, answer.text);
    if (spliced.ok) found.push({ text: spliced.text, key: codeKeyOf(spliced.text) });
  }
  const votes = (key: string) => found.filter((one) => one.key === key).length;
  const [best] = [...found].sort(
    (left, right) =>
      votes(right.key) - votes(left.key) || changeSize(text, left.text, span) - changeSize(text, right.text, span),
  );
  return best === undefined ? null : proposalOf(place.path, best.text, span.name);
}

function proposalOf(path: string, text: string, name: string): Proposal {
  return { files: [{ path, text }], did: 'Changed', name: name === path ? path : `${name} in ${path}` };
}

function changeSize(before: string, after: string, span: Span): number {
  return Math.abs(after.length - before.length) + textOfSpan(after, span).length / 1000;
}

async function rewriteFile(context: RecipeContext, place: Chunk, text: string): Promise<Proposal | null> {
  if (text.split('\n').length > wholeFileLines) return null;
  const answer = await context.ask(wholeFileQuestion(context.task, place.path, text));
  if (!answer.ok || !answer.complete) return null;
  const after = `${codeOf(answer.text).trimEnd()}\n`;
  const sound = after.length > text.length * 0.5 && after.trim() !== text.trim() && isSound(place.path, after);
  return sound ? proposalOf(place.path, after, place.path) : null;
}

function isSound(path: string, text: string): boolean {
  if (!path.endsWith('.json')) return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Writes the change when the tests that there are still pass; null when they do not. */
async function accept(context: RecipeContext, judge: Judge | null, proposal: Proposal): Promise<RecipeOutcome | null> {
  const files = proposal.files.map(({ path, text }) => ({ path, text }));
  let confidence: Confidence = 'unchecked';
  if (judge !== null && judge.baseline().exitCode === 0) {
    const label = `change ${proposal.name}`;
    const [verdict] = await judge.try([{ files, origin: 'fix', label, span: null }], {
      stopAfter: 1,
      totalSeconds: 120,
    });
    await context.progress('judge', `${label}: ${verdict?.type ?? 'untried'}.`);
    if (verdict?.type !== 'accepted') return null;
    confidence = 'weak-tests';
  }
  const refused = await context.world.apply(files);
  if (refused !== null) return { type: 'gave-up', reason: refused, facts: '' };
  const checked =
    confidence === 'unchecked'
      ? 'There are no tests that could check it'
      : 'The tests pass as before, but none of them asks for this change';
  return {
    type: 'done',
    text: `${proposal.did} ${proposal.name}. ${checked}; please look at the diff.`,
    confidence,
  };
}
