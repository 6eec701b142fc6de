import { selfShadows } from './code/self-shadow.ts';
import { undeclaredOptions } from './code/undeclared-options.ts';
import type { CodeFile } from './code/code-spans.ts';
import { languageOf, loadSyntax, type CodeLanguage, type Syntax } from './code/code-syntax.ts';
import { defineRecipe, type RecipeContext, type RecipeOutcome } from './define.ts';
import { fixFailingTests } from './fix-failing-tests.recipe.ts';
import { codeKeyOf, type FileText } from './trial/candidate-change.ts';
import { planForExample } from './fix/search/search-plan.ts';
import { codeOf } from './code/splice-code.ts';
import {
  changeQuestion,
  newCodeQuestion,
  newSectionQuestion,
  placeQuestion,
  wholeFileQuestion,
  workQuestion,
} from './edit/edit-prompts.ts';
import { asksForSection, isProse, isSoundJson, proseOf, wholeParagraphs } from './write/new-file.ts';
import { asksForNewCode, newNameIn, newNameOf, spliceNew } from './edit/new-code.ts';
import { acceptChange, judgeOf, type Proposal } from './edit/accept-change.ts';
import { answerQuestion } from './answer/answer-question.ts';
import { asksForNotes, changeEach, functionsForEach, keptToNotes } from './edit/change-each-function.ts';
import { parseCrash, crashPlaces, reproduceCrash, type Crash } from './facts/program-crash.ts';
import { conversationExcerpt, lastExchangeText } from './context/earlier-conversation.ts';
import { asksForWork, isQuestionTask, looksEnglish } from './context/question-shape.ts';
import { exampleCheck } from './facts/task-example.ts';
import { rankChunks, sharesWords, chunkText, type Chunk, type RankedChunk } from './context/rank-project-chunks.ts';
import { readChunks } from './context/read-project-chunks.ts';
import { spliceNeighbors } from './edit/splice-neighbors.ts';
import { parseRenameRequest, renameEverywhere } from './edit/rename-symbol.ts';

const wholeFileLines = 80;

export default defineRecipe({
  id: 'edit',
  label: 'Make a change described in words',
  fits: (subject) => {
    if (subject.mode === 'plan' || !subject.canExecute || subject.checkPasses === false) return null;
    if (subject.mode === 'ask' || (subject.check === null && isQuestionTask(subject))) return null;
    if (subject.facts.fileCount === 0) return null;
    return { score: 0.6, reason: 'The task describes a change, and no failing test can check it yet.' };
  },
  run: editByWords,
});

/** Finds a place, changes it, and runs the existing tests. */
export async function editByWords(context: RecipeContext): Promise<RecipeOutcome> {
  const syntax = await loadSyntax();
  const chunks = await readChunks(context, syntax, context.task, false);
  const renaming = await proposeRename(context, syntax, chunks);
  if (renaming !== null) {
    await context.progress('rename', `Renaming ${renaming.name}; no model is needed.`);
    const outcome = await acceptChange(context, await judgeOf(context), renaming);
    if (outcome !== null) return outcome;
  }
  const each = functionsForEach(context.task, chunks);
  if (each.length > 0) return editEach(context, syntax, each);
  const untested = withoutTests(context, chunks);
  if (untested !== null) return untested;
  const byExample = await editByExample(context, syntax, chunks);
  if (byExample !== null) return byExample;
  const ranked = rankChunks(chunks, context.task);
  const crash = await parseCrash(context);
  if (ranked.length === 0 && crash === null) return withoutPlace(context, syntax, chunks);
  return editPlaces(withCrash(context, crash), syntax, { ranked, chunks, own: context.task, crash });
}

/**
 * Uses an example like "total([1, 2]) must be 3" as a test: work that fails it is not done. Null: the text has no such
 * example.
 */
async function editByExample(
  context: RecipeContext,
  syntax: Syntax,
  chunks: readonly Chunk[],
): Promise<RecipeOutcome | null> {
  const example = context.canExecute ? await exampleCheck(context, syntax, chunks) : null;
  if (example === null) return null;
  const tests = context.check === null ? '' : ` && ${context.check.command}`;
  const check = { command: `${example}${tests}`, source: 'text' } as const;
  return fixFailingTests({ ...context, check, checkPasses: false }, planForExample(context));
}

async function editEach(context: RecipeContext, syntax: Syntax, places: readonly Chunk[]): Promise<RecipeOutcome> {
  await context.progress('locate', `Places: ${places.map(placeName).join(', ')}.`);
  const { proposal, left } = await changeEach(context, syntax, places);
  const outcome = proposal === null ? null : await acceptChange(context, await judgeOf(context), proposal);
  const rest =
    left.length === 0 ? '' : ` Left as they were, for the answers did not keep to what is asked: ${left.join(', ')}.`;
  if (outcome === null)
    return { type: 'gave-up', reason: `No change of them could be taken; nothing was changed.${rest}`, facts: '' };
  return outcome.type === 'done' ? { ...outcome, text: `${outcome.text}${rest}` } : outcome;
}

const ofFailingTests =
  /\b(?:fail(?:s|ed|ing)?|broken|red)\b[^.!?\n]{0,40}\b(?:tests?|specs?|suite)\b|\b(?:tests?|specs?|suite)\b[^.!?\n]{0,40}\b(?:fail\w*|broken|green|red)\b/i;

/**
 * Gives up on a failing test that cannot be run and names nothing, because a change would be a guess. Null: there is
 * something to work on.
 */
function withoutTests({ task, check }: RecipeContext, chunks: readonly Chunk[]): RecipeOutcome | null {
  if (check !== null || !ofFailingTests.test(task)) return null;
  const isNamed = ({ span, path }: Chunk): boolean =>
    task.includes(path.split('/').pop() ?? path) ||
    (span !== null && span.shortName.length > 3 && task.includes(span.shortName));
  if (chunks.some(isNamed)) return null;
  const reason =
    'The text speaks of failing tests, and no command is known that runs the tests of this project, so nothing was changed. Give one with --check "COMMAND" (it runs in the sandbox, which brings Python and Node), or paste what fails and name the function.';
  return { type: 'gave-up', reason, facts: '' };
}

/** Adds the output of a crash that was reproduced to the task. A pasted crash is already part of it. */
function withCrash(context: RecipeContext, crash: Crash | null): RecipeContext {
  if (crash === null || crash.command === null) return context;
  return { ...context, task: `${context.task}\n\n\`${crash.command}\` prints:\n${crash.shown}` };
}

/** Renames a name that is defined once, without a model, also in tests. */
async function proposeRename(
  context: RecipeContext,
  syntax: Syntax,
  chunks: readonly Chunk[],
): Promise<Proposal | null> {
  const definitions = chunks.flatMap(({ span }) => (span === null || span.kind === 'method' ? [] : [span]));
  const names = new Set(definitions.map(({ shortName }) => shortName));
  const rename = parseRenameRequest(context.task, lastExchangeText(context.earlier), names);
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

/** The most places that a model is shown to choose from if the words do not point to any. */
const fewPlaces = 8;

/**
 * For a text that names no place. "Do it in the other one, too" refers to the earlier conversation. A text that names
 * no work is answered instead.
 */
async function withoutPlace(context: RecipeContext, syntax: Syntax, chunks: readonly Chunk[]): Promise<RecipeOutcome> {
  const { task } = context;
  const isWork = looksEnglish(task) ? asksForWork(task) : await isAskedForWork(context);
  if (!isWork) return answerQuestion(context);
  const inConversation = rankChunks(chunks, lastExchangeText(context.earlier));
  // "Change the opening hours" shares no word with a page that says "from 7 to 18".
  const byKind = [...chunks].sort((left, right) => Number(left.span !== null) - Number(right.span !== null));
  const all = chunks.length <= fewPlaces ? byKind.map((chunk) => ({ chunk, score: 0 })) : [];
  const ranked = inConversation.length > 0 ? inConversation : all;
  if (ranked.length === 0) return { type: 'gave-up', reason: noPlace(chunks), facts: '' };
  const found = { ranked, chunks, own: task, crash: null };
  if (context.earlier.length === 0) return editPlaces(context, syntax, found);
  const withConversation: RecipeContext = {
    ...context,
    task: `What was said before:\n${conversationExcerpt(context.earlier)}\n\nNow: ${task}`,
    model: {
      ...context.model,
      ask: (question) => context.model.ask({ ...question, carriesConversation: true }),
    },
  };
  return editPlaces(withConversation, syntax, found);
}

function noPlace(chunks: readonly Chunk[]): string {
  const files = [...new Set(chunks.map(({ path }) => path))];
  const some =
    files.length === 0 ? '' : ` There are ${files.slice(0, 8).join(', ')}${files.length > 8 ? ' and more' : ''}.`;
  return `Nothing was changed, because no file matches what you asked for. Name a file, a function or words that stand in it.${some}`;
}

async function isAskedForWork(context: RecipeContext): Promise<boolean> {
  const answer = await context.model.ask(workQuestion(context.task));
  return answer.ok && answer.text.trim() === 'change';
}

interface Found {
  readonly ranked: readonly RankedChunk[];
  readonly chunks: readonly Chunk[];
  /** The user's own words, without the earlier conversation. */
  readonly own: string;
  readonly crash: Crash | null;
}

async function editPlaces(
  context: RecipeContext,
  syntax: Syntax,
  { ranked, chunks, own, crash }: Found,
): Promise<RecipeOutcome> {
  const crashed = crashPlaces(crash, chunks);
  const ordered = crashed.length > 0 ? ranked.map(({ chunk }) => chunk) : await orderPlaces(context, ranked, chunks);
  const places = [...new Set([...crashed, ...ordered])];
  await context.progress('locate', `Places: ${places.slice(0, 4).map(placeName).join(', ')}.`);
  const judge = await judgeOf(context);
  const tried: string[] = [];
  const added = await addNewCode(context, syntax, { places, chunks, own });
  for (const proposal of added === null ? [] : [added]) {
    const outcome = await acceptChange(context, judge, proposal);
    if (outcome !== null) return outcome;
    tried.push(proposal.name);
  }
  for (const place of places.slice(0, 3)) {
    const proposal = await proposeChange(context, syntax, { place, chunks, own });
    if (proposal === null) {
      tried.push(`${placeName(place)}: no usable change`);
      continue;
    }
    const still = await reproduceCrash(context, crash?.command ?? null, proposal.files);
    if (still !== null) {
      tried.push(`${placeName(place)}: \`${still.command}\` still ends with ${still.error}`);
      continue;
    }
    const outcome = await acceptChange(context, judge, proposal);
    if (outcome !== null) return withRun(outcome, crash);
    tried.push(`${placeName(place)}: tests that passed fail with it`);
  }
  return {
    type: 'gave-up',
    reason: `No change could be made that keeps the project sound; nothing was changed. Tried:\n- ${tried.join('\n- ')}`,
    facts: '',
  };
}

/** Says that the program runs now, which is more than nothing but not a test. */
function withRun(outcome: RecipeOutcome, crash: Crash | null): RecipeOutcome {
  if (outcome.type !== 'done' || crash === null || crash.command === null) return outcome;
  return {
    ...outcome,
    text: `\`${crash.command}\` ended with ${crash.error} before and does not crash now. ${outcome.text}`,
  };
}

const placeName = (chunk: Chunk): string => (chunk.span === null ? chunk.path : `${chunk.span.name} in ${chunk.path}`);

/** Uses the order of the search if it is clear; otherwise asks the model which of the first five it is. */
async function orderPlaces(
  context: RecipeContext,
  ranked: readonly RankedChunk[],
  chunks: readonly Chunk[],
): Promise<readonly Chunk[]> {
  const called = ranked.filter(
    ({ chunk }) =>
      chunk.span !== null &&
      chunk.span.shortName.length > 3 &&
      new RegExp(`\\b${chunk.span.shortName}\\b`).test(context.task),
  );
  // The user sees of a program what it prints.
  const says = ranked.filter(({ chunk }) => chunk.span !== null && sharesWords(context.task, chunk.text));
  const named = called.length > 0 ? called : says;
  const code = ranked.filter(
    ({ chunk }) =>
      chunk.span !== null || !isProse(chunk.path) || context.task.includes(chunk.path.split('/').pop() ?? chunk.path),
  );
  // A task that names a constant more often concerns the code that uses it than its value.
  const isConstant = (one: RankedChunk) => one.chunk.span?.kind === 'block';
  named.sort((left, right) => Number(isConstant(left)) - Number(isConstant(right)));
  const isBlind = ranked[0]?.score === 0;
  const best = code.length > 0 && !isBlind ? code : ranked;
  const unique = [...new Set([...named, ...best].map((one) => one.chunk))];
  const [first, second] = best;
  const clear = named.length === 1 || (first !== undefined && first.score > (second?.score ?? 0) * 1.6);
  // In a small project, a chunk that shares no word with the text may still be meant: a color is in a style sheet.
  const others = chunks.length <= fewPlaces ? chunks.filter((chunk) => !unique.includes(chunk)) : [];
  const top = [...unique, ...others].slice(0, isBlind ? fewPlaces : 5);
  if (clear || top.length < 2 || !context.model.info.capabilities.grammar) return unique;
  const answer = await context.model.ask(placeQuestion(context.task, top));
  const index = answer.ok ? Number(answer.text.trim()) - 1 : -1;
  const chosen = top[index];
  return chosen === undefined ? unique : [chosen, ...unique.filter((chunk) => chunk !== chosen)];
}

/** Writes a new function that the task names, at the end of the file that it names, otherwise of the best file. */
async function addNewCode(
  context: RecipeContext,
  syntax: Syntax,
  {
    places,
    chunks,
    own,
  }: { readonly places: readonly Chunk[]; readonly chunks: readonly Chunk[]; readonly own: string },
): Promise<Proposal | null> {
  const known = new Set(
    places.flatMap((place) => (place.span === null ? [] : [place.span.shortName, ...place.span.names])),
  );
  const named = newNameIn(own, known);
  if (named === null && !asksForNewCode(own)) return null;
  const path = fileForNew(own, chunks) ?? places.find((one) => one.span !== null)?.path;
  const language = path === undefined ? null : languageOf(path);
  if (path === undefined || language === null) return null;
  const text = await context.world.read(path);
  if (text === null) return null;
  const about = { path, language };
  const answer = await context.model.ask(newCodeQuestion(context.task, { ...about, name: named, text }));
  if (!answer.ok) return null;
  const name = named ?? newNameOf(syntax, text, about, answer.text);
  const spliced = name === null ? null : spliceNew(syntax, text, { ...about, name }, answer.text);
  return spliced === null || name === null || !isSound(syntax, language, text, spliced)
    ? null
    : { ...proposalOf(path, spliced, name), did: 'Wrote' };
}

/** The one code file that a text names; null if it names none or several. */
function fileForNew(own: string, chunks: readonly Chunk[]): string | null {
  const paths = [...new Set(chunks.map(({ path }) => path))].filter((path) => languageOf(path) !== null);
  const whole = paths.filter((path) => namesWord(own, path));
  const named = whole.length > 0 ? whole : paths.filter((path) => namesWord(own, path.split('/').pop() ?? path));
  return named.length === 1 ? (named[0] ?? null) : null;
}

/** Whether a text contains a word as a whole: `test_cart.py` does not name `cart.py`. */
function namesWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at !== -1 && !/[\w.-]/u.test(text[at - 1] ?? ' ') && !/\w/u.test(text[at + word.length] ?? ' ');
}

/** Asks for three answers, one of them greedy, and takes the change that most agree on. */
async function proposeChange(
  context: RecipeContext,
  syntax: Syntax,
  { place, chunks, own }: { readonly place: Chunk; readonly chunks: readonly Chunk[]; readonly own: string },
): Promise<Proposal | null> {
  const text = await context.world.read(place.path);
  if (text === null) return null;
  const { span } = place;
  if (span === null && isProse(place.path) && asksForSection(context.task))
    return addSection(context, { place, chunks, text });
  if (span === null) return rewriteFile(context, place, text);
  const found: Answered[] = [];
  const votes = (key: string) => found.filter((one) => one.key === key).length;
  for (const [index, temperature] of [0, 0.7, 0.7].entries()) {
    const seed = temperature === 0 ? null : context.settings.seed + index;
    const answer = await context.model.ask(changeQuestion(context.task, { span, text, temperature, seed }));
    if (!answer.ok) break;
    const spliced = spliceNeighbors(syntax, { fileText: text, span, task: own }, answer);
    if (!spliced.ok || !isSound(syntax, span.language, text, spliced.text)) continue;
    const after = asksForNotes(own) ? keptToNotes(syntax, span.path, text, spliced.text) : spliced.text;
    if (after === null) continue;
    const key = codeKeyOf(after);
    found.push({ text: after, key });
    // With two equal answers, a third cannot change the result.
    if (votes(key) > 1) break;
  }
  // If all differ, this is the greedy answer, which came first.
  const ranked = [...found].sort((left, right) => votes(right.key) - votes(left.key));
  const best = await withoutNewErrors(context, place.path, ranked);
  return best === null ? null : proposalOf(place.path, best.text, span.name);
}

interface Answered {
  readonly text: string;
  readonly key: string;
}

/** The first in which a language server finds no new error; the first of all if each has one. Null: there is none. */
async function withoutNewErrors(
  { world }: RecipeContext,
  path: string,
  ranked: readonly Answered[],
): Promise<Answered | null> {
  const [first, ...others] = [...new Map(ranked.map((one) => [one.key, one])).values()];
  if (first === undefined || others.length === 0) return first ?? null;
  for (const one of [first, ...others])
    if (((await world.newErrors([{ path, text: one.text }])) ?? 0) === 0) return one;
  return first;
}

function proposalOf(path: string, text: string, name: string): Proposal {
  return { files: [{ path, text }], did: 'Changed', name: name === path ? path : `${name} in ${path}` };
}

/** Whether a change adds no fault that a program can see. Without tests, nothing else would find it. */
function isSound(syntax: Syntax, language: CodeLanguage, before: string, after: string): boolean {
  const faults = (text: string): number =>
    selfShadows(syntax, language, text).length + (language === 'python' ? undeclaredOptions(text).length : 0);
  return faults(after) <= faults(before);
}

async function addSection(
  context: RecipeContext,
  { place, chunks, text }: { readonly place: Chunk; readonly chunks: readonly Chunk[]; readonly text: string },
): Promise<Proposal | null> {
  const code = chunkText(chunks.filter(({ span }) => span !== null));
  const answer = await context.model.ask(newSectionQuestion(context.task, { path: place.path, text, code }));
  if (!answer.ok) return null;
  const section = wholeParagraphs(proseOf(answer.text), answer.complete).replace(/^## +/, '## ');
  return section.length < 8 ? null : proposalOf(place.path, `${text.trimEnd()}\n\n${section}\n`, place.path);
}

async function rewriteFile(context: RecipeContext, place: Chunk, text: string): Promise<Proposal | null> {
  if (text.split('\n').length > wholeFileLines) return null;
  const answer = await context.model.ask(wholeFileQuestion(context.task, place.path, text));
  if (!answer.ok || !answer.complete) return null;
  const written = isProse(place.path) ? proseOf(answer.text) : codeOf(answer.text);
  const after = `${written.trimEnd()}\n`;
  const sound =
    after.length > text.length * 0.5 &&
    after.trim() !== text.trim() &&
    isSoundJson(place.path, after) &&
    keepsText(context.task, place.path, text, after);
  return sound ? proposalOf(place.path, after, place.path) : null;
}

/** Whether a document keeps its text. A small model that is asked to add a line often writes only that line. */
function keepsText(task: string, path: string, before: string, after: string): boolean {
  if (!isProse(path) || /\b(?:rewrite|rephrase|replace|remove|delete|shorten|translate|summari[sz]e)\b/i.test(task))
    return true;
  const lines = before.split('\n').filter((line) => line.trim() !== '');
  const kept = new Set(after.split('\n').map((line) => line.trim()));
  return lines.filter((line) => kept.has(line.trim())).length * 2 > lines.length;
}
