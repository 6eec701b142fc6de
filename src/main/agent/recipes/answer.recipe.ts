import { loadSyntax } from './code/syntax.ts';
import { defineRecipe, type Question, type RecipeContext, type RecipeOutcome } from './define.ts';
import { roughTokens } from './fix/show.ts';
import { findCitations, supportingLine } from './words/citations.ts';
import { isQuestion } from './words/question-shape.ts';
import { rankChunks, type Chunk } from './words/rank-chunks.ts';
import { readChunks } from './words/read-project.ts';

const maxChunks = 7;
const maxPromptTokens = 1_300;

export default defineRecipe({
  id: 'answer',
  label: 'Answer a question about the project',
  fits: (subject) => {
    if (subject.plan) return { score: 0.9, reason: 'Only a plan is wanted.' };
    if (subject.criterion?.source === 'option') return null;
    if (isQuestion(subject.task))
      return { score: 0.97, reason: 'The text asks to be told something; nothing is to be changed.' };
    if (!subject.canExecute)
      return { score: 0.3, reason: 'Without a sandbox nothing can be changed; the project can still be read.' };
    return null;
  },
  run: answerQuestion,
});

async function answerQuestion(context: RecipeContext): Promise<RecipeOutcome> {
  const syntax = await loadSyntax();
  const all = await readChunks(context, syntax, context.task, false);
  const ranked = rankChunks(all, context.task);
  const chosen = choose(ranked.map((one) => one.chunk));
  if (chosen.length === 0)
    return {
      type: 'gave-up',
      reason: 'Nothing in the project has to do with this text.',
      facts: `${all.length} pieces of the project were looked at.`,
    };
  const places = chosen.map((chunk) => `${chunk.path}:${chunk.startLine}-${chunk.endLine}`);
  await context.progress('locate', `Reading ${places.join(', ')}.`, { places });
  const answer = await context.ask(context.plan ? planQuestion(context.task, chosen) : question(context.task, chosen));
  if (!answer.ok)
    return { type: 'gave-up', reason: answer.message, facts: `Places that may hold the answer: ${places.join(', ')}` };
  if (context.plan) return { type: 'planned', text: withFiles(answer.text.trim(), chosen) };
  return { type: 'answered', text: withSources(answer.text.trim(), chosen) };
}

/** The best chunks that fit the prompt; a file that is best by far is not crowded out by its neighbours. */
function choose(chunks: readonly Chunk[]): readonly Chunk[] {
  const chosen: Chunk[] = [];
  let tokens = 0;
  for (const chunk of chunks) {
    const cost = roughTokens(numbered(chunk));
    if (chosen.length >= maxChunks) break;
    if (tokens + cost > maxPromptTokens) continue;
    chosen.push(chunk);
    tokens += cost;
  }
  return chosen;
}

function numbered(chunk: Chunk): string {
  const lines = chunk.text.split('\n').map((line, index) => `${chunk.startLine + index}: ${line}`);
  return `${chunk.path}\n${lines.join('\n')}`;
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

function question(task: string, chunks: readonly Chunk[]): Question {
  const shown = chunks.map(numbered).join('\n\n');
  const user = `Parts of a project, with line numbers:\n\n${shown}\n\nQuestion: ${task}\nAnswer in a few sentences with the exact names and numbers from the code, and name the file and line (path:line) that shows it.`;
  return base('answer', 'answer from the code', user, 220);
}

function planQuestion(task: string, chunks: readonly Chunk[]): Question {
  const shown = chunks.map(numbered).join('\n\n');
  const user = `Parts of a project, with line numbers:\n\n${shown}\n\nTask: ${task}\nDo not do it yet. Write a short numbered plan; each step names the file and the function it changes and what is changed.`;
  return base('plan', 'plan the work', user, 320);
}

/** Cited lines must exist; the lines that the answer leans on are added where it named none. */
function withSources(answer: string, chunks: readonly Chunk[]): string {
  const paths = [...new Set(chunks.map((chunk) => chunk.path))];
  const cited = findCitations(answer, paths);
  const good = cited.filter(
    (one) => one.line !== null && chunks.some((chunk) => chunk.path === one.path && inside(one.line ?? 0, chunk)),
  );
  const bad = cited.filter((one) => one.line !== null && !good.includes(one));
  const supports = chunks
    .map((chunk, index) => ({ chunk, ...supportingLine(answer, chunk), index }))
    .filter((one) => one.score > 0)
    .sort((left, right) => right.score - left.score || left.index - right.index);
  const added = supports
    .filter((one) => !good.some((place) => place.path === one.chunk.path))
    .slice(0, good.length === 0 ? 2 : 1);
  const sources = [
    ...good.map((one) => `${one.path}:${one.line}`),
    ...added.map((one) => `${one.chunk.path}:${one.line}`),
  ];
  const warning =
    bad.length === 0 ? '' : `\n(Not found as cited: ${bad.map((one) => `${one.path}:${one.line}`).join(', ')}.)`;
  return `${answer}\n\nSources: ${[...new Set(sources)].join(', ')}${warning}`;
}

const inside = (line: number, chunk: Chunk): boolean => line >= chunk.startLine && line <= chunk.endLine;

function withFiles(plan: string, chunks: readonly Chunk[]): string {
  const numberedPlan = /^\s*1[.)]/m.test(plan)
    ? plan
    : plan
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line, index) => `${index + 1}. ${line.replace(/^[-*]\s*/, '')}`)
        .join('\n');
  return `${numberedPlan}\n\nFiles: ${[...new Set(chunks.map((chunk) => chunk.path))].join(', ')}`;
}
