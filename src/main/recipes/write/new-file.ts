import { parsesAsJson } from '../../lib/parses-as-json.ts';
import { languageOf, type Syntax } from '../code/code-syntax.ts';
import type { Question } from '../define.ts';
import { codeOf } from '../code/splice-code.ts';

const asksForFile =
  /\b(?:create|add|write|make|generate|start)\s+(?:me\s+)?(?:an?\s+|the\s+)?(?:[\w-]+\s+){0,3}?(?:called\s+|named\s+|in\s+)?[`'"]?((?:[\w.@-]+\/)*(?:[\w@-][\w.@-]*\.[A-Za-z]\w{0,5}|\.\w[\w.-]*|Dockerfile|Makefile|LICENSE))[`'"]?(?=[\s,:;.!?)]|$)/i;

/** The path of a new file as the text names it; null if it names none. */
export function newFileIn(task: string): string | null {
  const path = asksForFile.exec(task)?.[1] ?? null;
  return path === null || path.includes('..') ? null : path;
}

const maxOutputTokens = 700;

/** `shown`: related parts of the project; may be empty. */
export function newFileQuestion(
  task: string,
  about: { readonly path: string; readonly shown: string; readonly temperature: number; readonly seed: number | null },
): Question {
  const { path, shown, temperature, seed } = about;
  const parts = shown === '' ? '' : `Parts of the project:\n\n${shown}\n\n`;
  const prose = isProse(path);
  const form = prose
    ? 'Write the text of the file and nothing else.'
    : 'Write the whole file, only that, in one code block.';
  return {
    purpose: 'propose',
    label: `write ${path} (${temperature === 0 ? 'greedy' : `temperature ${temperature}`})`,
    system: 'You are an expert programmer who writes files exactly as asked.',
    user: `${parts}${task}\n\n${path} does not exist yet. ${form}`,
    prefill: prose ? null : `\`\`\`${fenceOf(path)}\n`,
    output: { type: 'text' },
    stop: prose ? [] : ['\n```'],
    temperature,
    topP: 0.95,
    seed,
    maxOutputTokens,
  };
}

function fenceOf(path: string): string {
  return languageOf(path) ?? /\.(\w+)$/.exec(path)?.[1] ?? '';
}

/** The text of the file in an answer; null if it is empty or does not parse as such a file. */
export function newFileText(syntax: Syntax, path: string, answer: string): string | null {
  const text = `${(isProse(path) ? proseOf(answer) : codeOf(answer)).trim()}\n`;
  if (text === '\n') return null;
  const language = languageOf(path);
  if (language !== null && syntax.errorLine(language, text) !== null) return null;
  return isSoundJson(path, text) ? text : null;
}

export function isProse(path: string): boolean {
  return /\.(?:md|markdown|txt|rst)$/i.test(path);
}

/** Whether a text asks for something new in a document, rather than for a different wording. */
export function asksForSection(task: string): boolean {
  return /\b(?:add|append|write|put|insert)\b[^.]{0,200}\b(?:section|chapter|paragraph|part|heading|note|example)s?\b/i.test(
    task,
  );
}

/** The whole paragraphs of an answer, without an unclosed fence and what follows it. */
export function wholeParagraphs(answer: string, isComplete: boolean): string {
  const cut = isComplete ? answer : answer.slice(0, Math.max(0, answer.lastIndexOf('\n\n')));
  const isOpen = (cut.match(/^```/gm) ?? []).length % 2 === 1;
  return (isOpen ? cut.slice(0, cut.lastIndexOf('```')) : cut).trim();
}

/** A text without the fence that some models put around it. */
export function proseOf(answer: string): string {
  const [, inner] = /^\s*```(?:markdown|md|text)?[ \t]*\n([\s\S]*)\n```\s*$/.exec(answer) ?? [];
  return inner ?? answer;
}

/** False only for a `.json` file that does not parse. */
export function isSoundJson(path: string, text: string): boolean {
  return !path.endsWith('.json') || parsesAsJson(text);
}
