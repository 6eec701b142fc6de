import { functionWords } from '../../lib/function-words.ts';
import { findSpans, type Span } from '../code/code-spans.ts';
import { languageOf, type Syntax } from '../code/code-syntax.ts';
import { roughTokens } from '../code/show-code.ts';

/** A piece of a project that can be read alone: a function, a block, or a part of a document. */
export interface Chunk {
  readonly path: string;
  readonly name: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  readonly span: Span | null;
}

export interface RankedChunk {
  readonly chunk: Chunk;
  readonly score: number;
}

const maxChunkLines = 45;

/** Cuts a file at its functions, or at blank lines if it is not code. */
export function chunksOf(syntax: Syntax, path: string, text: string): readonly Chunk[] {
  const language = languageOf(path);
  if (language === null) return pieces(path, text, 1, text.split('\n').length);
  const chunks = chunksAt(path, text, findSpans(syntax, { path, language, text }));
  return chunks.length === 0 ? pieces(path, text, 1, text.split('\n').length) : chunks;
}

/** The spans of a file as chunks, each with the comment before it. A class with methods is cut into these. */
export function chunksAt(path: string, text: string, all: readonly Span[]): readonly Chunk[] {
  const spans = all.filter((span) => span.kind !== 'class' || span.headEndLine >= span.endLine);
  const lines = text.split('\n');
  const chunks: Chunk[] = [];
  let from = 1;
  for (const span of spans) {
    if (span.startLine < from) continue;
    // A comment before a function belongs to it.
    let start = span.startLine;
    while (start > from && /^\s*(#|\/\/|\/\*|\*|@)/.test(lines[start - 2] ?? '')) start -= 1;
    chunks.push({
      path,
      name: span.name,
      startLine: start,
      endLine: span.endLine,
      text: lines.slice(start - 1, span.endLine).join('\n'),
      span,
    });
    from = span.endLine + 1;
  }
  return chunks;
}

function pieces(path: string, text: string, from: number, to: number): readonly Chunk[] {
  const lines = text.split('\n');
  const chunks: Chunk[] = [];
  let start = from;
  for (let line = from; line <= to; line += 1) {
    const isLong = line - start >= maxChunkLines;
    const isHeading = /^#{1,4} |^\[/.test(lines[line] ?? '') && line - start > 3;
    if (line !== to && !isLong && !isHeading) continue;
    const part = lines.slice(start - 1, line).join('\n');
    if (part.trim() !== '') chunks.push({ path, name: path, startLine: start, endLine: line, text: part, span: null });
    start = line + 1;
  }
  return chunks;
}

const maxShown = { chunks: 4, tokens: 500 };

/** The first of some chunks that fit into a prompt. */
export function chunkText(chunks: readonly Chunk[]): string {
  const shown: string[] = [];
  let left = maxShown.tokens;
  for (const { path, text } of chunks.slice(0, maxShown.chunks)) {
    const part = `${path}:\n${text}`;
    left -= roughTokens(part);
    if (left < 0) break;
    shown.push(part);
  }
  return shown.join('\n\n');
}

const stopWords = new Set([
  ...functionWords,
  ...'get gets got make makes want need find out bug fix task file files code project add new use used using'.split(
    ' ',
  ),
]);

/**
 * The words of a text in comparable form: lower case, split at camel and snake case, without plural and common endings.
 */
export function termsOf(text: string): readonly string[] {
  const words =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|\p{L}[\p{L}\p{M}\p{N}]*|\d+/gu) ?? [];
  const parts = words
    .flatMap((word) => (unspaced.test(word) ? pairsOf(word) : word.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u)))
    .map((part) => part.toLowerCase());
  return parts.filter((part) => part.length > 1 && !stopWords.has(part)).map(stem);
}

/** Scripts without spaces between words; pairs of characters are good enough for a search. */
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function pairsOf(run: string): readonly string[] {
  return run.length < 2 ? [run] : Array.from({ length: run.length - 1 }, (_, index) => run.slice(index, index + 2));
}

function stem(word: string): string {
  if (word.length <= 4) return word.replace(/s$/, '');
  return word.replace(/(ations?|ings?|ies|ied|ers?|ed|es|ly|s|e|y)$/, '');
}

/** The weight of the earlier conversation for a text that has words of its own. */
const conversationWeight = 0.4;

/**
 * Ranks chunks by the words of a text and, with less weight, of the earlier conversation. By the conversation alone if
 * the text has no words of its own ("And why?").
 */
export function rankInConversation(
  chunks: readonly Chunk[],
  query: string,
  conversation: string,
): readonly RankedChunk[] {
  const own = rankChunks(chunks, query);
  const ofConversation = conversation === '' ? [] : rankChunks(chunks, conversation);
  if (own.length === 0 || ofConversation.length === 0) return own.length === 0 ? ofConversation : own;
  const scores = new Map<Chunk, number>();
  for (const [ranked, weight] of [[own, 1] as const, [ofConversation, conversationWeight] as const]) {
    const most = ranked[0]?.score ?? 1;
    for (const { chunk, score } of ranked) scores.set(chunk, (scores.get(chunk) ?? 0) + (weight * score) / most);
  }
  return [...scores].map(([chunk, score]) => ({ chunk, score })).sort((left, right) => right.score - left.score);
}

/** BM25 over the chunks; a word in a name or path counts three times. */
export function rankChunks(chunks: readonly Chunk[], query: string): readonly RankedChunk[] {
  const wanted = [...new Set(termsOf(query))];
  const documents = chunks.map((chunk) => {
    const path = chunk.path.replace(/\.\w+$/, '');
    return termsOf(`${chunk.text} ${chunk.name} ${chunk.name} ${path} ${path}`);
  });
  const average = documents.reduce((sum, one) => sum + one.length, 0) / Math.max(1, documents.length);
  const frequency = new Map(wanted.map((term) => [term, documents.filter((one) => one.includes(term)).length]));
  const ranked = chunks.map((chunk, index) => {
    const terms = documents[index] ?? [];
    let score = 0;
    for (const term of wanted) {
      const count = terms.filter((one) => one === term).length;
      if (count === 0) continue;
      const found = frequency.get(term) ?? 0;
      const rarity = Math.log(1 + (chunks.length - found + 0.5) / (found + 0.5));
      score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * terms.length) / average));
    }
    return { chunk, score };
  });
  return ranked.filter((one) => one.score > 0).sort((left, right) => right.score - left.score);
}

/** The texts between quotes of the same kind, line by line. */
function quotedIn(code: string): readonly string[] {
  return code.split('\n').flatMap((line) => {
    const found: string[] = [];
    // Quotes that are not closed on this line; no later quote of the same kind is either.
    const open = new Set<string>();
    for (let at = 0; at < line.length; at += 1) {
      const quote = line[at] ?? '';
      if (!/["'`]/u.test(quote) || open.has(quote)) continue;
      let end = at + 1;
      while (end < line.length && line[end] !== quote) end += line[end] === '\\' ? 2 : 1;
      if (end >= line.length) open.add(quote);
      else {
        found.push(line.slice(at + 1, end));
        at = end;
      }
    }
    return found;
  });
}

/**
 * Whether a text in the code contains two consecutive words of the task, as in "the message for an unknown operator".
 */
export function sharesWords(task: string, code: string): boolean {
  const texts = quotedIn(code).map((text) => ` ${wordsIn(text).join(' ')} `);
  const words = wordsIn(task);
  return words.some((word, index) => {
    const next = words[index + 1] ?? '';
    const isPhrase = [word, next].every((one) => one.length > 3 && !stopWords.has(one));
    return isPhrase && texts.some((text) => text.includes(` ${word} ${next} `));
  });
}

function wordsIn(text: string): readonly string[] {
  return (text.match(/\p{L}+/gu) ?? []).map((word) => word.toLowerCase());
}
