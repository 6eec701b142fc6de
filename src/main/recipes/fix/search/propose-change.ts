import type { Syntax } from '../../code/code-syntax.ts';
import type { Answer, Question, RecipeContext } from '../../define.ts';
import type { Candidate } from '../../trial/candidate-change.ts';
import { spliceInsertion, type Insertion } from '../locate/insertions.ts';
import type { Suspect } from '../locate/rank-suspects.ts';
import type { ProjectReader } from '../../facts/project-reader.ts';
import {
  bodyQuestion,
  fixQuestion,
  insertQuestion,
  opening,
  openingOfName,
  type PromptOptions,
  type PromptContext,
} from '../prompts/fix-prompts.ts';
import { roughTokens } from '../../code/show-code.ts';
import { spliceSpan, type SpliceResult } from '../../code/splice-code.ts';

/** One thing to ask the model for. */
export type Attempt =
  | { readonly form: 'fix' | 'body'; readonly suspect: Suspect }
  | { readonly form: 'insert'; readonly insertion: Insertion };

export interface ProposalContext {
  readonly context: RecipeContext;
  readonly syntax: Syntax;
  readonly reader: ProjectReader;
  /** The prompt context for an attempt, shared between attempts as far as possible. */
  readonly promptContextFor: (attempt: Attempt) => Promise<PromptContext>;
}

export type Proposal =
  | { readonly type: 'candidate'; readonly candidate: Candidate }
  | { readonly type: 'unusable'; readonly reason: string }
  | { readonly type: 'failed'; readonly message: string; readonly fatal: boolean };

/** The model answered, whether the answer is usable or not. */
export type UsableProposal = Exclude<Proposal, { type: 'failed' }>;

/** Asks once and turns the answer into a candidate. */
export async function proposeChange(asker: ProposalContext, attempt: Attempt): Promise<Proposal> {
  const target = attempt.form === 'insert' ? attempt.insertion.path : attempt.suspect.span.path;
  const text = (await asker.reader.text(target)) ?? '';
  const promptContext = await asker.promptContextFor(attempt);
  const question = questionOf(attempt, promptContext, text);
  const answer: Answer = await asker.context.model.ask(question);
  if (!answer.ok) return { type: 'failed', message: answer.message, fatal: answer.fatal };
  const spliced = splice(asker.syntax, attempt, text, answer.text);
  if (!spliced.ok) return { type: 'unusable', reason: spliced.reason };
  const span = attempt.form === 'insert' ? attempt.insertion.into : attempt.suspect.span;
  const files = [{ path: target, text: spliced.text }];
  return { type: 'candidate', candidate: { files, origin: attempt.form, label: question.label, span } };
}

function splice(syntax: Syntax, attempt: Attempt, text: string, answer: string): SpliceResult {
  return attempt.form === 'insert'
    ? spliceInsertion(syntax, text, attempt.insertion, answer)
    : spliceSpan(syntax, text, attempt.suspect.span, answer);
}

export function labelOf(attempt: Attempt): string {
  if (attempt.form === 'insert') return `write ${attempt.insertion.name} in ${attempt.insertion.path} (insert)`;
  const { name, path } = attempt.suspect.span;
  return `rewrite ${name} in ${path} (${attempt.form})`;
}

function questionOf(attempt: Attempt, promptContext: PromptContext, text: string): Question {
  const asking: PromptOptions = { label: labelOf(attempt), maxOutputTokens: maxTokens(attempt, text) };
  if (attempt.form === 'insert') return insertQuestion(promptContext, attempt.insertion, asking);
  const { span, isMissing } = attempt.suspect;
  const about = { span, opening: isMissing ? openingOfName(span, text) : opening(span, text) };
  return attempt.form === 'fix'
    ? fixQuestion(promptContext, about, asking)
    : bodyQuestion(promptContext, about, asking);
}

/** Room for the rewritten span and half as much again, so that a runaway answer is cut early. */
function maxTokens(attempt: Attempt, text: string): number {
  if (attempt.form === 'insert') return 320;
  const { span } = attempt.suspect;
  const lines = text.split('\n').slice(span.startLine - 1, span.endLine);
  const body = roughTokens(lines.join('\n')) - roughTokens(opening(span, text));
  return Math.min(600, Math.max(110, Math.ceil(body * 1.5) + 60));
}
