import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ProbeCard } from '@shared/models/probe-card.ts';
import type { CallEntry, Entry } from '../conversation-entries.ts';
import type { RecipeContext } from '../define.ts';
import { askForCalls } from './probe-calls.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { jsonIn } from '@shared/text/json-in.ts';

const calc = 'def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n';
const fixedCalc = calc.replace('a - b', 'a + b');

interface SpanTask {
  readonly label: string;
  readonly user: string;
  readonly opening: string;
  readonly isRight: (body: string) => boolean;
}

const spanTasks: readonly SpanTask[] = [
  {
    label: 'write one function (a wrong sign)',
    user: 'This function should add its two numbers, but add(1, 2) gives -1:\n```python\ndef add(a, b):\n    return a - b\n```\nWrite the right function.',
    opening: '```python\ndef add(a, b):\n',
    isRight: (body) => /return\s+(?:\(\s*)?(?:a\s*\+\s*b|b\s*\+\s*a)/u.test(body),
  },
  {
    label: 'write one function (off by one)',
    user: 'up_to(3) should give [1, 2, 3], but it gives [1, 2]:\n```python\ndef up_to(n):\n    return list(range(1, n))\n```\nWrite the right function.',
    opening: '```python\ndef up_to(n):\n',
    isRight: (body) => /range\(\s*1\s*,\s*(?:n\s*\+\s*1|1\s*\+\s*n)\s*\)/u.test(body),
  },
];

type Score = ProbeCard['tasks']['recipe'];

/** As recipes ask: one function, in a fence that is opened for the model if possible. */
export async function probeRecipe(context: RecipeContext): Promise<Score> {
  let passed = 0;
  for (const task of spanTasks) {
    const answer = await context.model.call({
      purpose: 'propose',
      label: `probe: ${task.label}`,
      system: 'You write Python code. Answer with the function only.',
      user: task.user,
      prefill: task.opening,
      stop: ['\n```'],
      temperature: 0,
      maxOutputTokens: 96,
    });
    if (answer.ok && task.isRight(answer.text)) passed += 1;
  }
  return { passed, of: spanTasks.length };
}

/** Exact quoting first; writing whole files is the alternative for a model that misquotes. */
export async function probeEdit(context: RecipeContext): Promise<ProbeCard['edit']> {
  const task = `This is calc.py:\n${calc}\nadd must return the sum of its numbers.`;
  const base = { purpose: 'propose', system: 'You change code.', temperature: 0, maxOutputTokens: 96 } as const;
  const edited = await context.model.call({
    ...base,
    label: 'benchmark: edit an exact passage',
    user: `${task} Give the one line that is wrong, exactly as it stands there, and what it must be.\nAnswer as JSON: {"old": "…", "new": "…"}`,
    ...(context.model.info.capabilities.grammar
      ? { output: { type: 'json-schema', schema: editSchema } as const }
      : {}),
  });
  if (edited.ok && keepsQuote(edited.text)) return 'search-replace';
  const whole = await context.model.call({
    ...base,
    label: 'benchmark: write a whole file',
    user: `${task} Write the whole file again with that one change, in a code fence.`,
    prefill: '```python\n',
    stop: ['\n```'],
  });
  return whole.ok && fenced(whole.text).trim() === fixedCalc.trim() ? 'whole-file' : null;
}

const editSchema = {
  type: 'object',
  properties: { old: { type: 'string' }, new: { type: 'string' } },
  required: ['old', 'new'],
  additionalProperties: false,
} as const;

function keepsQuote(text: string): boolean {
  const found = /^[^{]*(\{[\s\S]*\})/u.exec(text)?.[1];
  const edit = jsonIn(found ?? '');
  if (typeof edit !== 'object' || edit === null || !('old' in edit) || !('new' in edit)) return false;
  if (typeof edit.old !== 'string' || typeof edit.new !== 'string' || edit.old === '') return false;
  return calc.split(edit.old).length === 2 && calc.replace(edit.old, edit.new).includes('return a + b');
}

function fenced(text: string): string {
  return /```[\w-]*\n([\s\S]*?)(?:\n```|$)/u.exec(text)?.[1] ?? text;
}

const mostLoopSteps = 6;
const loopTask = 'The function add in calc.py subtracts. It must add. Change only that, then call task_complete.';

/** The loop on a project of one file that exists only in memory. Nothing is run. */
export async function probeLoop(context: RecipeContext, model: ModelInfo): Promise<Score> {
  const entries: Entry[] = [{ type: 'user', seq: 0, text: loopTask }];
  let file = calc;
  for (let step = 1; step <= mostLoopSteps; step += 1) {
    const label = `probe: a task in the loop (step ${step})`;
    const { answer, calls } = await askForCalls(context, model, { entries, label });
    const call = calls[0];
    if (!answer.ok || call === undefined) return { passed: 0, of: 1 };
    if (call.tool.name === 'task_complete') return { passed: isFixed(file) ? 1 : 0, of: 1 };
    const played = play(call.tool.name, call.input, file);
    file = played.file;
    const result: CallEntry = {
      toolCallId: `probe-${step}`,
      tool: call.tool.name,
      input: call.input,
      result: { text: played.text, isError: played.isError, keepTokens: null },
    };
    entries.push({ type: 'assistant', seq: step, parts: answer.parts, calls: [result] });
  }
  // The model never said that it was done.
  return { passed: 0, of: 1 };
}

/** Whether the change is made and nothing else is lost. */
function isFixed(file: string): boolean {
  return /return a \+ b$/mu.test(file) && file.includes('return a * 2') && !file.includes('a - b');
}

interface Played {
  readonly text: string;
  readonly isError: boolean;
  readonly file: string;
}

function play(tool: string, input: unknown, file: string): Played {
  const text = (name: string): string => {
    const value: unknown = fieldOf(input, name);
    return typeof value === 'string' ? value : '';
  };
  const said = (output: string, isError = false): Played => ({ text: output, isError, file });
  switch (tool) {
    case 'list_files':
      return said('calc.py');
    case 'read_file':
      return text('path').endsWith('calc.py') ? said(file) : said(`There is no file ${text('path')}.`, true);
    case 'search':
      return said('calc.py:1: def add(a, b):\ncalc.py:2:     return a - b');
    case 'edit_file': {
      const old = text('old');
      const count = old === '' ? 0 : file.split(old).length - 1;
      if (!text('path').endsWith('calc.py') || count !== 1) return said('old does not stand in the file once.', true);
      return { text: 'Edited calc.py.', isError: false, file: file.replace(old, text('new')) };
    }
    case 'write_file':
      return { text: 'Wrote calc.py.', isError: false, file: text('content') };
    case 'run_tests':
    case 'run_command':
      return said(isFixed(file) ? '2 passed' : '1 failed: add(1, 2) == -1, expected 3', !isFixed(file));
    default:
      return said(`${tool} cannot be used here.`, true);
  }
}
