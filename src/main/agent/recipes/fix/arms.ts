import type { Syntax } from '../code/syntax.ts';
import type { Answer, Question, RecipeContext } from '../define.ts';
import type { Candidate } from './candidate.ts';
import { spliceInsertion, type Insertion } from './insertions.ts';
import type { Suspect } from './locate.ts';
import { searchReplaceQuestion, spliceSearchReplace, spliceWholeFile, wholeFileQuestion } from './other-forms.ts';
import type { ProjectReader } from './project.ts';
import {
  bodyQuestion,
  fixQuestion,
  insertQuestion,
  opening,
  openingOfName,
  repairQuestion,
  stepsQuestion,
  type Asking,
  type Story,
} from './prompts.ts';
import { roughTokens } from './show.ts';
import { codeOf, spliceSpan, type Spliced } from './splice.ts';

/** One thing to ask the model for. */
export type Attempt =
  | { readonly form: 'fix' | 'body' | 'steps'; readonly suspect: Suspect; readonly temperature: number }
  | { readonly form: 'whole-file' | 'search-replace'; readonly suspect: Suspect; readonly temperature: number }
  | { readonly form: 'repair'; readonly suspect: Suspect; readonly failed: FailedTry; readonly temperature: number }
  | { readonly form: 'insert'; readonly insertion: Insertion; readonly temperature: number };

export interface FailedTry {
  readonly code: string;
  readonly error: string;
}

export interface Asker {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly reader: ProjectReader;
  /** The story for an attempt; shared between attempts as far as possible. */
  readonly storyFor: (attempt: Attempt) => Promise<Story>;
  readonly sample: Sample;
}

/** The seed of an answer, and those with which the same is asked next. */
export interface Sample {
  readonly seed: number;
  readonly also: readonly number[];
}

export type Proposal =
  | { readonly type: 'candidate'; readonly candidate: Candidate; readonly code: string; readonly together: boolean }
  | { readonly type: 'unusable'; readonly reason: string; readonly code: string; readonly together: boolean }
  | { readonly type: 'failed'; readonly message: string; readonly fatal: boolean };

/** The model answered, whatever came of it. */
export type Usable = Exclude<Proposal, { type: 'failed' }>;

/** Asks once and turns the answer into a candidate. */
export async function propose(asker: Asker, attempt: Attempt): Promise<Proposal> {
  const target = attempt.form === 'insert' ? attempt.insertion.path : attempt.suspect.span.path;
  const text = (await asker.reader.text(target)) ?? '';
  const story = await asker.storyFor(attempt);
  const question = questionOf(asker, attempt, story, text);
  const answer: Answer = await asker.context.ask(question);
  if (!answer.ok) return { type: 'failed', message: answer.message, fatal: answer.fatal };
  const { together } = answer;
  const code = codeOf(answer.text);
  const spliced = splice(asker.syntax, attempt, text, answer.text);
  if (!spliced.ok) return { type: 'unusable', reason: spliced.reason, code, together };
  const span = attempt.form === 'insert' ? attempt.insertion.into : attempt.suspect.span;
  const files = [{ path: target, text: spliced.text }];
  return { type: 'candidate', candidate: { files, origin: attempt.form, label: question.label, span }, code, together };
}

function splice(syntax: Syntax, attempt: Attempt, text: string, answer: string): Spliced {
  switch (attempt.form) {
    case 'fix':
    case 'body':
    case 'steps':
    case 'repair':
      return spliceSpan(syntax, text, attempt.suspect.span, answer);
    case 'whole-file':
      return spliceWholeFile(syntax, { ...attempt.suspect.span, text }, answer);
    case 'search-replace':
      return spliceSearchReplace(syntax, { ...attempt.suspect.span, text }, answer);
    case 'insert':
      return spliceInsertion(syntax, text, attempt.insertion, answer);
    default:
      return attempt satisfies never;
  }
}

export function labelOf(attempt: Attempt): string {
  const how = attempt.temperature === 0 ? 'greedy' : `temperature ${attempt.temperature}`;
  if (attempt.form === 'insert') return `write ${attempt.insertion.name} in ${attempt.insertion.path} (insert, ${how})`;
  const { name, path } = attempt.suspect.span;
  return `rewrite ${name} in ${path} (${attempt.form}, ${how})`;
}

function questionOf(asker: Asker, attempt: Attempt, story: Story, text: string): Question {
  const asking: Asking = {
    label: labelOf(attempt),
    temperature: attempt.temperature,
    ...(attempt.temperature === 0 ? { seed: null } : asker.sample),
    maxOutputTokens: maxTokens(attempt, text),
  };
  if (attempt.form === 'insert') return insertQuestion(story, attempt.insertion, asking);
  const { span, isLacking } = attempt.suspect;
  const about = { span, opening: isLacking ? openingOfName(span, text) : opening(span, text) };
  switch (attempt.form) {
    case 'fix':
      return fixQuestion(story, about, asking);
    case 'body':
      return bodyQuestion(story, about, asking);
    case 'steps':
      return stepsQuestion(story, about, asking);
    case 'repair':
      return repairQuestion(story, about, attempt.failed, asking);
    case 'whole-file':
      return wholeFileQuestion(story, { ...span, text }, asking);
    case 'search-replace':
      return searchReplaceQuestion(story, { ...span, text }, asking);
    default:
      return attempt satisfies never;
  }
}

/** Room for the rewritten span and a half more: a runaway answer is cut early. */
function maxTokens(attempt: Attempt, text: string): number {
  if (attempt.form === 'insert') return 320;
  const { span } = attempt.suspect;
  const lines = text.split('\n').slice(span.startLine - 1, span.endLine);
  const body = roughTokens(lines.join('\n')) - roughTokens(opening(span, text));
  return Math.min(600, Math.max(110, Math.ceil(body * (attempt.form === 'steps' ? 2.2 : 1.5)) + 60));
}
