import { findStatements, type Statement } from '../code/statements.ts';
import type { Syntax } from '../code/syntax.ts';
import type { Answer, Question, RecipeContext } from '../define.ts';
import type { Candidate, Origin } from './candidate.ts';
import { spliceInsertion, type Insertion } from './insertions.ts';
import type { Suspect } from './locate.ts';
import type { ProjectReader } from './project.ts';
import {
  bodyQuestion,
  fixQuestion,
  insertQuestion,
  lineQuestion,
  opening,
  stepsQuestion,
  type Asking,
  type Story,
} from './prompts.ts';
import { roughTokens } from './show.ts';
import { spliceLines, spliceSpan, type Spliced } from './splice.ts';

/** One thing to ask the model for. */
export type Attempt =
  | { readonly form: 'fix' | 'body' | 'steps'; readonly suspect: Suspect; readonly temperature: number }
  | { readonly form: 'line'; readonly suspect: Suspect; readonly statement: Statement; readonly temperature: number }
  | { readonly form: 'insert'; readonly insertion: Insertion; readonly temperature: number };

export interface Asker {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly reader: ProjectReader;
  /** The story for an attempt; shared between attempts as far as possible. */
  readonly storyFor: (attempt: Attempt) => Promise<Story>;
  readonly seed: number;
}

export type Proposal =
  | { readonly type: 'candidate'; readonly candidate: Candidate }
  | { readonly type: 'unusable'; readonly reason: string }
  | { readonly type: 'failed'; readonly message: string; readonly fatal: boolean };

/** Asks once and turns the answer into a candidate. */
export async function propose(asker: Asker, attempt: Attempt): Promise<Proposal> {
  const target = attempt.form === 'insert' ? attempt.insertion.path : attempt.suspect.span.path;
  const text = (await asker.reader.text(target)) ?? '';
  const story = await asker.storyFor(attempt);
  const question = questionOf(attempt, story, text, asker.seed);
  const answer: Answer = await asker.context.ask(question);
  if (!answer.ok) return { type: 'failed', message: answer.message, fatal: answer.fatal };
  const spliced = splice(asker.syntax, attempt, text, answer.text);
  if (!spliced.ok) return { type: 'unusable', reason: spliced.reason };
  const origin: Origin = attempt.form;
  const span = attempt.form === 'insert' ? attempt.insertion.into : attempt.suspect.span;
  return {
    type: 'candidate',
    candidate: { files: [{ path: target, text: spliced.text }], origin, label: question.label, span },
  };
}

function splice(syntax: Syntax, attempt: Attempt, text: string, answer: string): Spliced {
  switch (attempt.form) {
    case 'fix':
    case 'body':
    case 'steps':
      return spliceSpan(syntax, text, attempt.suspect.span, answer);
    case 'line':
      return spliceLines(syntax, text, { ...attempt.statement, language: attempt.suspect.span.language }, answer);
    case 'insert':
      return spliceInsertion(syntax, text, attempt.insertion, answer);
  }
}

function questionOf(attempt: Attempt, story: Story, text: string, seed: number): Question {
  const how = attempt.temperature === 0 ? 'greedy' : `temperature ${attempt.temperature}`;
  const name = attempt.form === 'insert' ? attempt.insertion.name : attempt.suspect.span.name;
  const path = attempt.form === 'insert' ? attempt.insertion.path : attempt.suspect.span.path;
  const asking: Asking = {
    label: `${attempt.form === 'line' ? `rewrite line ${attempt.statement.startLine} of` : attempt.form === 'insert' ? 'write' : 'rewrite'} ${name} in ${path} (${attempt.form}, ${how})`,
    temperature: attempt.temperature,
    seed: attempt.temperature === 0 ? null : seed,
    maxOutputTokens: maxTokens(attempt, text),
  };
  switch (attempt.form) {
    case 'fix':
      return fixQuestion(story, attempt.suspect.span, text, asking);
    case 'body':
      return bodyQuestion(story, attempt.suspect.span, text, asking);
    case 'steps':
      return stepsQuestion(story, attempt.suspect.span, text, asking);
    case 'line':
      return lineQuestion(story, attempt.suspect.span, attempt.statement, asking);
    case 'insert':
      return insertQuestion(story, attempt.insertion, asking);
  }
}

/** Room for the rewritten span and a half more: a runaway answer is cut early. */
function maxTokens(attempt: Attempt, text: string): number {
  if (attempt.form === 'insert') return 320;
  if (attempt.form === 'line') return 60 + roughTokens(attempt.statement.text) * 2;
  const { span } = attempt.suspect;
  const lines = text
    .split('\n')
    .slice(span.startLine - 1, span.endLine)
    .join('\n');
  const body = roughTokens(lines) - roughTokens(opening(span, text));
  return Math.min(600, Math.max(90, Math.ceil(body * (attempt.form === 'steps' ? 2.2 : 1.4)) + 60));
}

/** Statements of a suspect that are worth asking about, the most suspicious first. */
export function suspiciousStatements(
  syntax: Syntax,
  text: string,
  suspect: Suspect,
  weigh: (line: number) => number,
): readonly Statement[] {
  const statements = findStatements(syntax, text, suspect.span).filter(
    (one) => one.text.trim().length > 3 && !/^\s*(else|try|finally)\b.*[:{]$/.test(one.text),
  );
  const weightOf = (one: Statement) => {
    let best = 0;
    for (let line = one.startLine; line <= one.endLine; line += 1) best = Math.max(best, weigh(line));
    return best;
  };
  return [...statements].sort((left, right) => weightOf(right) - weightOf(left));
}
