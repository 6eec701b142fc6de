import type { Question } from '../../define.ts';
import type { CodeLanguage, Syntax } from '../../code/code-syntax.ts';
import { baseQuestion, type PromptOptions, type PromptContext } from './fix-prompts.ts';
import { roughTokens } from '../../code/show-code.ts';
import { codeOf, finishSplice, type Spliced } from '../../code/splice-code.ts';

/** The other two forms of an edit, for measuring what the span form is worth. */
export interface WholeFile {
  readonly path: string;
  readonly language: CodeLanguage;
  readonly text: string;
}

export function wholeFileQuestion(promptContext: PromptContext, file: WholeFile, asking: PromptOptions): Question {
  const tail = `Something in ${file.path} is wrong. Write the whole corrected file, only that, in one code block.`;
  const maxOutputTokens = Math.min(1_400, Math.ceil(roughTokens(file.text) * 1.3) + 80);
  return baseQuestion(promptContext, tail, { language: file.language, text: '' }, { ...asking, maxOutputTokens });
}

export function spliceWholeFile(syntax: Syntax, file: WholeFile, answer: string): Spliced {
  const code = codeOf(answer);
  if (code.trim() === '') return { ok: false, reason: 'empty' };
  if (code.length * 2 < file.text.length) return { ok: false, reason: 'shrunk' };
  return finishSplice(syntax, file.text, `${code.trimEnd()}\n`, file.language);
}

export function searchReplaceQuestion(promptContext: PromptContext, file: WholeFile, asking: PromptOptions): Question {
  const tail = `Something in ${file.path} is wrong. Answer with one edit in this form, the old lines copied exactly:\n<<<<<<< SEARCH\nold lines\n=======\nnew lines\n>>>>>>> REPLACE`;
  const question = baseQuestion(
    promptContext,
    tail,
    { language: file.language, text: '' },
    { ...asking, maxOutputTokens: 400 },
  );
  return { ...question, prefill: '<<<<<<< SEARCH\n', stop: ['>>>>>>> REPLACE'] };
}

const searchReplace = /^<<<<<<< SEARCH\n([\s\S]*?)\n?=======\n([\s\S]*?)(?:\n?>>>>>>>|$)/;

/** The old lines must be found once, at worst with other indentation. */
export function spliceSearchReplace(syntax: Syntax, file: WholeFile, answer: string): Spliced {
  const from = answer.indexOf('<<<<<<< SEARCH\n');
  const parts = from < 0 ? null : searchReplace.exec(answer.slice(from));
  const wanted = (parts?.[1] ?? '').split('\n');
  const lines = file.text.split('\n');
  if (parts === null || wanted.join('').trim() === '') return { ok: false, reason: 'empty' };
  const places = lines
    .map((_, at) => at)
    .filter((at) => wanted.every((line, index) => (lines[at + index] ?? '').trim() === line.trim()));
  const [at] = places;
  if (at === undefined || places.length > 1) return { ok: false, reason: 'unparsed' };
  const text = [...lines.slice(0, at), ...(parts[2] ?? '').split('\n'), ...lines.slice(at + wanted.length)].join('\n');
  return finishSplice(syntax, file.text, text, file.language);
}
