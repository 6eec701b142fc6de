import type { Question } from '../../define.ts';
import { textOfSpan, type Span } from '../../code/code-spans.ts';
import type { CodeLanguage } from '../../code/code-syntax.ts';
import { fenceName } from '../../code/show-code.ts';

/**
 * What all prompts about one failure share, in this order, so that the engine evaluates it once: task, tests, actual
 * and expected values, files. What differs comes last.
 */
export interface PromptContext {
  readonly task: string;
  readonly tests: readonly { readonly path: string; readonly language: CodeLanguage | null; readonly text: string }[];
  /** The first failing test, repeated at the end, because a small model follows what it read last. */
  readonly failing: string;
  readonly failures: string;
  readonly files: readonly { readonly path: string; readonly language: CodeLanguage; readonly text: string }[];
}

const system = 'You are an expert programmer who fixes code.';

export interface PromptOptions {
  readonly label: string;
  readonly maxOutputTokens: number;
}

export function promptContextText(promptContext: PromptContext): string {
  const tests = promptContext.tests.map((test) => `Test ${test.path}:\n${fenced(test.language, test.text)}`);
  const files = promptContext.files.map((file) => `File ${file.path}:\n${fenced(file.language, file.text)}`);
  const language = promptContext.tests[0]?.language ?? null;
  const failing = promptContext.failing === '' ? [] : [`This test fails:\n${fenced(language, promptContext.failing)}`];
  const failures =
    promptContext.failures === ''
      ? []
      : [`${failing.length === 0 ? 'The tests fail' : 'It says'}:\n${promptContext.failures}`];
  const again = failing.length === 0 ? [] : [promptContext.task.slice(0, 400)];
  return [promptContext.task, ...tests, ...files, ...failing, ...failures, ...again].join('\n\n');
}

function fenced(language: CodeLanguage | null, text: string): string {
  return `\`\`\`${language === null ? '' : fenceName[language]}\n${text}\n\`\`\``;
}

function baseQuestion(
  promptContext: PromptContext,
  tail: string,
  opening: { readonly language: CodeLanguage; readonly text: string },
  asking: PromptOptions,
): Question {
  return {
    purpose: 'propose',
    label: asking.label,
    system,
    user: `${promptContextText(promptContext)}\n\n${tail}`,
    prefill: `\`\`\`${fenceName[opening.language]}\n${opening.text}`,
    output: { type: 'text' },
    stop: ['\n```'],
    temperature: 0,
    topP: 0.95,
    seed: null,
    maxOutputTokens: asking.maxOutputTokens,
  };
}

/** A span to rewrite, and the prefilled start of the answer. */
export interface Target {
  readonly span: Span;
  readonly opening: string;
}

const openedWith = (target: Target) => ({ language: target.span.language, text: target.opening });

/** Asks for a correction of the span, which is shown as it is. */
export function fixQuestion(promptContext: PromptContext, target: Target, asking: PromptOptions): Question {
  const { name, path } = target.span;
  const tail = `${name} in ${path} is wrong. Write the corrected ${name}, only that, in one code block.`;
  return baseQuestion(promptContext, tail, openedWith(target), asking);
}

/** Asks for the body of the span without showing it, because a model copies a bug that it sees. */
export function bodyQuestion(promptContext: PromptContext, target: Target, asking: PromptOptions): Question {
  const { name, path } = target.span;
  const tail = `The body of ${name} in ${path} is missing. Write the complete ${name} so that the tests pass, only that, in one code block.`;
  return baseQuestion(promptContext, tail, openedWith(target), asking);
}

/** Asks for new code: a function, method or class that the tests use. */
export function insertQuestion(
  promptContext: PromptContext,
  wanted: { readonly name: string; readonly path: string; readonly language: CodeLanguage; readonly opening: string },
  asking: PromptOptions,
): Question {
  const tail = `${wanted.name} is missing in ${wanted.path}. Write ${wanted.name} so that the tests pass, only that, in one code block.`;
  return baseQuestion(promptContext, tail, { language: wanted.language, text: wanted.opening }, asking);
}

/** The prefilled start: the signature (and docstring), which need not be written again. */
export function opening(span: Span, fileText: string): string {
  if (span.kind === 'block') return openingOfConstant(span, fileText);
  if (span.headEndLine >= span.endLine) return '';
  const lines = textOfSpan(fileText, span)
    .split('\n')
    .slice(0, span.headEndLine - span.startLine + 1);
  return `${lines.map((line) => (line.startsWith(span.indent) ? line.slice(span.indent.length) : line)).join('\n')}\n`;
}

/** `LIMIT = `, `export const LIMIT = `; empty if the block defines no name. */
function openingOfConstant(span: Span, fileText: string): string {
  const first = textOfSpan(fileText, span).split('\n')[0] ?? '';
  const found = /^((?:export )?(?:const |let |var )?[\w.]+(?:: [^=]+)? =) *(?=[^\s=])/.exec(first);
  return found === null ? '' : (found[1] ?? '');
}

/** The prefilled start up to the name, if the signature or the fields of a class must change. */
export function openingOfName(span: Span, fileText: string): string {
  if (span.kind === 'class') return openingOfClass(span, fileText);
  const first =
    textOfSpan(fileText, span)
      .split('\n')
      .find((line) => line.includes(span.shortName)) ?? '';
  const at = first.indexOf(`${span.shortName}(`);
  return at < 0 ? '' : `${first.slice(0, at + span.shortName.length + 1).trimStart()}`;
}

function openingOfClass(span: Span, fileText: string): string {
  const lines = textOfSpan(fileText, span).split('\n');
  const at = lines.findIndex((line) => /^\s*(export (default )?)?class\b.*[:{]\s*$/.test(line));
  return lines
    .slice(0, at + 1)
    .map((line) => `${line.slice(span.indent.length)}\n`)
    .join('');
}
