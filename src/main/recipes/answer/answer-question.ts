import type { FoundPart } from '@shared/documents/document-search.ts';
import { languageOf, loadSyntax } from '../code/code-syntax.ts';
import { partWord } from '../../lib/files/document-kind.ts';
import { isSmallTalk } from '@shared/text/task-kind.ts';
import type { Question, RecipeContext, RecipeOutcome } from '../define.ts';
import { roughTokens } from '../code/show-code.ts';
import { findCitations, namesElsewhere, unknownCitations, supportingLine } from './citations.ts';
import { wordsNotCited } from './cited-support.ts';
import { parseCrash, crashPlaces, type Crash } from '../facts/program-crash.ts';
import { conversationExcerpt, lastExchangeText } from '../context/earlier-conversation.ts';
import { wholeParagraphs } from '../write/new-file.ts';
import { isQuestionTask, looksEnglish } from '../context/question-shape.ts';
import { rankChunks, rankInConversation, termsOf, type Chunk } from '../context/rank-project-chunks.ts';
import { readChunks } from '../context/read-project-chunks.ts';

const maxChunks = 7;
const maxPromptTokens = 1_300;

/**
 * Answers from the parts of the project that match the text or the conversation before it; if nothing matches, from the
 * conversation alone.
 */
export async function answerQuestion(context: RecipeContext): Promise<RecipeOutcome> {
  if (isSmallTalk(context.task)) return answerSmallTalk(context);
  const syntax = await loadSyntax();
  const topic = lastExchangeText(context.earlier);
  const all = await readChunks(context, syntax, `${context.task}\n${topic}`, false);
  const crash = await parseCrash(context);
  const found = placesFor(context, all, topic);
  const documents = await documentParts(context, topic, found);
  const wanted = new Set([...crashPlaces(crash, all), ...documents.first, ...found.slice(0, 1), ...documents.kept]);
  for (const chunk of [...found, ...documents.more]) wanted.add(chunk);
  const chosen = choose([...wanted], context.task);
  const places = chosen.map((chunk) => `${chunk.path}:${chunk.startLine}-${chunk.endLine}`);
  const said =
    places.length === 0 ? 'No file matches, so the answer is general knowledge.' : `Reading ${places.join(', ')}.`;
  await context.progress('locate', said, { places });
  const seen = crash === null || crash.command === null ? '' : `\`${crash.command}\` prints:\n${crash.shown}`;
  const subject = { task: context.task, chunks: chosen, conversation: conversationExcerpt(context.earlier), seen };
  const answer = await context.model.ask(context.mode === 'plan' ? planQuestion(subject) : question(subject));
  if (!answer.ok)
    return { type: 'gave-up', reason: answer.message, facts: `Places that may hold the answer: ${places.join(', ')}` };
  if (context.mode === 'plan') return { type: 'planned', text: withFiles(answer.text.trim(), chosen) };
  const words = wholeAnswer(answer.text.trim(), answer.complete);
  const text = withSources(words, {
    task: context.task,
    chunks: chosen,
    hasFiles: all.length + documents.more.length > 0,
  });
  return { type: 'answered', text: crash === null || seen === '' ? text : `${factsOf(crash, all)}\n\n${text}` };
}

/** Lines of a part that a prompt has room for. */
const mostPartLines = 16;

/** What the person keeps at hand lies outside the project, and is no text of its code. */
const ofKnowledge = /^(?:dewpoint-)?knowledge\//u;

/**
 * What the documents say. In a project without sources it comes first. Otherwise the best part of the project's knowledge
 * is `kept`: it has a place after the best part of the code, or before it if more words of the question stand in it.
 * After the code comes what no search of the files can read, such as a PDF.
 */
async function documentParts(
  { task, world, facts }: RecipeContext,
  topic: string,
  found: readonly Chunk[],
): Promise<Readonly<Record<'first' | 'kept' | 'more', readonly Chunk[]>>> {
  const known = new Set(found.map(({ path }) => path));
  const parts = (await world.documents(`${task}\n${topic}`.slice(0, 1_000))).map((part) => partOf(part, task));
  if (facts.sourceFiles.length === 0) return { first: parts, kept: [], more: [] };
  const best = parts.filter(({ path }) => ofKnowledge.test(path) && !known.has(path)).slice(0, 1);
  const isAhead = best.some(
    (part) => sharedTerms(part, task) > Math.max(0, ...found.slice(0, 1).map((one) => sharedTerms(one, task))),
  );
  const packed = parts.filter(({ path }) => /\.(?:pdf|do[ct]x|docm|xl[st][xm])$/iu.test(path));
  const more = [...packed, ...parts.filter((part) => !packed.includes(part) && !known.has(part.path))];
  return { first: isAhead ? best : [], kept: isAhead ? [] : best, more };
}

/** How many words of a question stand in a part, in its name or in its path. */
function sharedTerms({ path, name, text }: Chunk, task: string): number {
  const there = new Set(termsOf(`${path} ${name} ${text}`));
  return termsOf(task).filter((term) => there.has(term)).length;
}

function partOf({ path, fromLine, page, title, text }: FoundPart, task: string): Chunk {
  const lines = text.split('\n').map((line) => line.slice(0, 400));
  const endLine = fromLine + lines.length - 1;
  const name = page === null ? title : `${partWord(path)} ${page}`;
  return linesAround({ path, name, startLine: fromLine, endLine, text: lines.join('\n'), span: null }, task);
}

/** The lines around the one that shares the most words with the question. */
function linesAround(chunk: Chunk, task: string): Chunk {
  const lines = chunk.text.split('\n');
  const best = supportingLine(task, { startLine: 0, text: chunk.text }).line;
  const from = Math.max(0, Math.min(best - mostPartLines / 4, lines.length - mostPartLines));
  const shown = lines.slice(from, from + mostPartLines);
  const startLine = chunk.startLine + from;
  return { ...chunk, startLine, endLine: startLine + shown.length - 1, text: shown.join('\n') };
}

/** The facts of a crash. They come first and are right, whatever the model adds. */
function factsOf(crash: Crash, chunks: readonly Chunk[]): string {
  const { command, error, frames } = crash;
  const at = frames.at(-1);
  const [place] = crashPlaces(crash, chunks);
  const line = at === undefined ? '' : (place?.text.split('\n')[at.line - place.startLine] ?? '').trim();
  const where = at === undefined ? '' : ` at ${at.path}:${at.line}${line === '' ? '' : `: \`${line}\``}`;
  return `\`${command}\` was run in a copy and ends with \`${error}\`${where}. What the model makes of that:`;
}

/** An answer that reached its length limit is cut after its last whole paragraph or sentence, and says so. */
function wholeAnswer(text: string, isComplete: boolean): string {
  if (isComplete) return text;
  const whole = wholeParagraphs(text, false);
  const sentence = /^[\s\S]*[.!?。！？](?=\s|$)/u.exec(text)?.[0] ?? text;
  return `${whole === '' ? sentence : whole}\n\n(The answer met its limit and was cut off here.)`;
}

/** Reads nothing of the project and says nothing about it. */
async function answerSmallTalk(context: RecipeContext): Promise<RecipeOutcome> {
  const system = 'You are a coding assistant. Answer in one short, friendly sentence.';
  const answer = await context.model.ask({ ...base('answer', 'answer', context.task, 40), system });
  if (!answer.ok) return { type: 'gave-up', reason: answer.message, facts: '' };
  return { type: 'answered', text: answer.text.trim() };
}

/**
 * The parts of the project that the text is about. None if it names things outside the project ("What is a closure?").
 * A question that names nothing is about the project as a whole.
 */
function placesFor({ task, mode }: RecipeContext, all: readonly Chunk[], topic: string): readonly Chunk[] {
  const isPlan = mode === 'plan';
  const hasOwn = rankChunks(all, task).length > 0;
  // A text in another language than the project matches none of its words, whatever it is about.
  if (!hasOwn && termsOf(task).length > 0 && looksEnglish(task) && !isPlan && topic === '') return [];
  const ranked = rankInConversation(all, task, topic).map(({ chunk }) => chunk);
  const isAboutAll = ranked.length === 0 && topic === '' && (isPlan || isQuestionTask({ task, mode }));
  return isAboutAll ? overview(all) : ranked;
}

/** The parts that a prompt shows for a question that names no earlier conversation, document or crash. */
export const partsThatFit = (chunks: readonly Chunk[], task: string): readonly Chunk[] =>
  choose(
    rankChunks(chunks, task).map(({ chunk }) => chunk),
    task,
  );

/** The best chunks that fit the prompt. Of one that does not fit whole, its best lines. */
function choose(chunks: readonly Chunk[], task: string): readonly Chunk[] {
  const chosen: Chunk[] = [];
  let left = maxPromptTokens;
  for (const chunk of chunks) {
    if (chosen.length >= maxChunks) break;
    const fits = (one: Chunk): boolean => roughTokens(numbered(one)) <= left;
    const shown = fits(chunk) ? chunk : linesAround(chunk, task);
    if (!fits(shown)) continue;
    chosen.push(shown);
    left -= roughTokens(numbered(shown));
  }
  return chosen;
}

/** The parts that introduce a project, because "What is this project about?" names nothing to search for. */
function overview(chunks: readonly Chunk[]): readonly Chunk[] {
  const rank = ({ path }: Chunk): number => {
    const depth = path.split('/').length;
    if (/^readme\b/i.test(path)) return 0;
    return depth + (/^(package\.json|pyproject\.toml|setup\.(py|cfg)|Cargo\.toml|go\.mod)$/.test(path) ? 0 : 1);
  };
  const firsts = chunks.filter((chunk, index) => chunk.path !== chunks[index - 1]?.path || rank(chunk) === 0);
  return [...firsts].sort((left, right) => rank(left) - rank(right));
}

function numbered({ path, name, startLine, text, span }: Chunk): string {
  const lines = text.split('\n').map((line, index) => `${startLine + index}: ${line}`);
  // The lines may be from its middle, where its name does not stand.
  const where = span !== null && startLine > span.startLine ? `${path}, in ${name}` : path;
  return `${where}\n${lines.join('\n')}`;
}

function base(purpose: Question['purpose'], label: string, user: string, maxOutputTokens: number): Question {
  return {
    purpose,
    label,
    system: 'You answer questions about a project from its code.',
    user,
    prefill: null,
    output: { type: 'text' },
    stop: [],
    temperature: 0,
    topP: 1,
    seed: null,
    maxOutputTokens,
  };
}

/** The parts of a prompt. */
interface Subject {
  readonly task: string;
  readonly chunks: readonly Chunk[];
  readonly conversation: string;
  /** The output of a command that the text mentions; may be empty. */
  readonly seen: string;
}

/** Parts of the project, then the earlier conversation, as far as there are any. */
function opening({ chunks, conversation, seen }: Subject): string {
  const parts =
    chunks.length === 0 ? '' : `Parts of a project, with line numbers:\n\n${chunks.map(numbered).join('\n\n')}\n\n`;
  const said = conversation === '' ? '' : `What was said before:\n${conversation}\n\n`;
  return `${parts}${said}${seen === '' ? '' : `${seen}\n\n`}`;
}

function question(subject: Subject): Question {
  if (subject.chunks.length === 0) return conversationQuestion(subject);
  const { task, chunks } = subject;
  const isCode = chunks.some(({ path }) => languageOf(path) !== null);
  const from = isCode ? 'the code' : 'these parts';
  // Asked to say that a thing is not there, a small model says it of what is there, too.
  const user = `${opening(subject)}Question: ${task}\nAnswer in a few sentences with the exact names and numbers from ${from}, and name the file and line that shows it, such as ${examplePlace(subject)}.`;
  return { ...base('answer', 'answer from the code', user, 220), ...carried(subject) };
}

/** A small model may copy the example, so it is a place that exists: the line that shares the most with the question. */
function examplePlace({ task, chunks }: Subject): string {
  const [first, ...rest] = chunks.map((chunk) => ({ chunk, ...supportingLine(task, chunk) }));
  const best = rest.reduce((most, one) => (one.score > (most?.score ?? -1) ? one : most), first);
  return `${best?.chunk.path ?? ''}:${best?.line ?? 1}`;
}

/** A question without any part of the project, so that the answer says nothing about it. */
function conversationQuestion(subject: Subject): Question {
  const user = `${opening(subject)}${subject.task}`;
  const system = 'You are a coding assistant. No part of the project is known to you. Answer in a few sentences.';
  return { ...base('answer', 'answer without the project', user, 220), system, ...carried(subject) };
}

const carried = ({ conversation }: Subject): Pick<Question, 'carriesConversation'> =>
  conversation === '' ? {} : { carriesConversation: true };

function planQuestion(subject: Subject): Question {
  const user = `${opening(subject)}Task: ${subject.task}\nDo not do it yet. Write a short numbered plan; each step names the file and the function it changes and what is changed.`;
  return { ...base('plan', 'plan the work', user, 320), ...carried(subject) };
}

interface Shown {
  readonly task: string;
  readonly chunks: readonly Chunk[];
  /** Whether the project has anything to read. */
  readonly hasFiles: boolean;
}

/**
 * Adds the lines that support an answer, and says which of its citations are of no line that was shown. An answer from
 * documents also says if the parts that it rests on do not have what it claims.
 */
function withSources(answer: string, { task, chunks, hasFiles }: Shown): string {
  // Without files in the project, nobody expects that one was read.
  if (chunks.length === 0)
    return hasFiles
      ? `${answer}\n\n(General knowledge: no file in this project matched your question. Files outside it are not read.)`
      : answer;
  const paths = [...new Set(chunks.map((chunk) => chunk.path))];
  const cited = findCitations(answer, paths);
  const good = cited.filter(
    (one) => one.line !== null && chunks.some((chunk) => chunk.path === one.path && inside(one.line ?? 0, chunk)),
  );
  const bad = [
    ...cited.flatMap((one) => (one.line === null || good.includes(one) ? [] : [`${one.path}:${one.line}`])),
    ...unknownCitations(answer, paths),
  ];
  const supports = chunks
    .map((chunk, index) => ({ chunk, ...supportingLine(answer, chunk), index }))
    .filter((one) => one.score > 0)
    .sort((left, right) => right.score - left.score || left.index - right.index);
  const added = supports
    .filter((one) => !good.some((place) => place.path === one.chunk.path))
    .slice(0, good.length === 0 ? 2 : 1);
  const elsewhere = namesElsewhere(answer, chunks);
  const sources = [
    ...good.map((one) => {
      const other = elsewhere.find(({ path, line }) => path === one.path && line === one.line);
      return `${one.path}:${other?.right ?? one.line}`;
    }),
    ...added.map((one) => `${one.chunk.path}:${one.line}`),
  ];
  // Of lines that the answer does not cite itself, only the best: the next ones may have the word by chance.
  const rests =
    good.length === 0
      ? added.slice(0, 1).map((one) => one.chunk)
      : chunks.filter((chunk) => good.some(({ path, line }) => path === chunk.path && inside(line ?? 0, chunk)));
  // Code says what it does in other words than a question.
  const isCode = (rests.length === 0 ? chunks : rests).some(({ path }) => languageOf(path) !== null);
  const notes = [
    // Without a colon, because that would be a citation again.
    bad.length === 0
      ? ''
      : `\n(Not found as cited: ${bad.map((one) => one.replace(/:(?=[^:]*$)/u, ' line ')).join(', ')}.)`,
    ...elsewhere
      .slice(0, 3)
      .map(({ path, line, name, right }) => `\n(“${name}” is on line ${right} of ${path}, not on line ${line}.)`),
    isCode ? '' : doubt(wordsNotCited({ task, answer, cited: rests, shown: chunks })),
  ];
  const told = bad.reduce(withoutLine, answer);
  const named =
    sources.length === 0 ? 'No line of these files fits the answer.' : `Sources: ${[...new Set(sources)].join(', ')}`;
  return `${told}\n\n${named}${notes.join('')}`;
}

/** The text with the file of a citation alone, so that no reader takes it for a place. */
function withoutLine(text: string, citation: string): string {
  const file = citation.slice(0, citation.lastIndexOf(':'));
  return text.replaceAll(citation, (all: string, at: number) => (/\d/u.test(text[at + all.length] ?? '') ? all : file));
}

/** Empty when nothing is missing. */
function doubt(missing: readonly string[]): string {
  if (missing.length === 0) return '';
  const words = [...new Set(missing)].map((word) => `“${word.slice(0, 40)}”`);
  return `\n(The cited lines do not say this: check it. Not in them: ${words.join(', ')}.)`;
}

const inside = (line: number, chunk: Chunk): boolean => line >= chunk.startLine && line <= chunk.endLine;

function withFiles(plan: string, chunks: readonly Chunk[]): string {
  const numberedPlan = /^[ \t]*1[.)]/m.test(plan)
    ? plan
    : plan
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line, index) => `${index + 1}. ${line.replace(/^[-*]\s*/, '')}`)
        .join('\n');
  if (chunks.length === 0) return `${numberedPlan}\n\nNo file in this project matched.`;
  return `${numberedPlan}\n\nFiles: ${[...new Set(chunks.map((chunk) => chunk.path))].join(', ')}`;
}
