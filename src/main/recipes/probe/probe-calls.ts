import type { ModelInfo } from '@shared/models/model-info.ts';
import type { ProbeCard, ProbedStyle } from '@shared/models/probe-card.ts';
import type { ParsedCall } from '../../tools/parsed-call.ts';
import type { Entry } from '../conversation-entries.ts';
import type { CallAnswer, RecipeContext } from '../define.ts';
import { fieldOf } from '@shared/unknown-value.ts';

/** The number of tools offered if the usual list is too long for the model. */
export const fewTools = 5;

interface CallCase {
  readonly task: string;
  readonly isRight: (call: ParsedCall) => boolean;
}

/** Each case has exactly one right call, whatever else a model might do first. */
const cases: readonly CallCase[] = [
  {
    task: 'Read the file src/app.py. Do nothing else.',
    isRight: ({ tool, input }) => tool.name === 'read_file' && field(input, 'path') === 'src/app.py',
  },
  {
    task: 'The file calc.py has this line:\n    return a - b\nReplace it by:\n    return a + b\nDo it with one edit.',
    isRight: ({ tool, input }) =>
      tool.name === 'edit_file' &&
      field(input, 'path') === 'calc.py' &&
      field(input, 'old').includes('a - b') &&
      field(input, 'new').includes('a + b'),
  },
  {
    task: 'The task is already done and checked. Call task_complete with the summary "all good".',
    isRight: ({ tool, input }) => tool.name === 'task_complete' && /all good/iu.test(field(input, 'summary')),
  },
];

function field(input: unknown, name: string): string {
  const value: unknown = fieldOf(input, name);
  return typeof value === 'string' ? value : '';
}

/** The model with additional settings. */
export function drivenBy(model: ModelInfo, driving: NonNullable<ModelInfo['driving']>): ModelInfo {
  return { ...model, driving: { ...model.driving, ...driving } };
}

/** One step of the loop, exactly as the loop would send it, and the calls that could be read from the answer. */
export async function askForCalls(
  context: RecipeContext,
  model: ModelInfo,
  { entries, label }: { readonly entries: readonly Entry[]; readonly label: string },
): Promise<{ readonly answer: CallAnswer; readonly calls: readonly ParsedCall[] }> {
  const request = context.model.loop.request(model, entries);
  const answer = await context.model.call({
    purpose: 'act',
    label,
    messages: request.messages,
    tools: request.tools,
    output: request.output,
    stop: request.stop,
    temperature: request.temperature,
    maxOutputTokens: 160,
  });
  return { answer, calls: answer.ok ? context.model.loop.callsIn(model, answer.parts) : [] };
}

export interface CallsResult extends Pick<ProbeCard, 'calls' | 'callStyle' | 'toolBudget'> {
  readonly hasRepeated: boolean;
}

/** Tries the call styles that the provider offers, best first. A style that gets everything right ends the search. */
export async function probeCalls(context: RecipeContext): Promise<CallsResult> {
  const { tools, grammar, schema = false } = context.model.info.capabilities;
  const styles: readonly ProbedStyle[] = [
    ...(tools ? (['native'] as const) : []),
    ...(grammar ? (['grammar'] as const) : []),
    ...(schema ? (['schema'] as const) : []),
    'text',
  ];
  const calls: ProbeCard['calls'] = [];
  let hasRepeated = false;
  for (const style of styles) {
    const result = await tryStyle(context, drivenBy(context.model.info, { calls: style }), style);
    hasRepeated ||= result.hasRepeated;
    calls.push({ style, passed: result.passed, of: cases.length });
    if (result.passed === cases.length) break;
  }
  const best = [...calls].sort((left, right) => right.passed - left.passed)[0];
  if (best === undefined || best.passed < 2) return { calls, callStyle: null, toolBudget: null, hasRepeated };
  if (best.passed === cases.length) return { calls, callStyle: best.style, toolBudget: null, hasRepeated };
  // The model may need fewer tools to choose from.
  const driving = { calls: best.style, toolBudget: fewTools };
  const few = await tryStyle(context, drivenBy(context.model.info, driving), best.style);
  return { calls, callStyle: best.style, toolBudget: few.passed > best.passed ? fewTools : null, hasRepeated };
}

async function tryStyle(
  context: RecipeContext,
  model: ModelInfo,
  style: ProbedStyle,
): Promise<{ readonly passed: number; readonly hasRepeated: boolean }> {
  let passed = 0;
  let hasRepeated = false;
  for (const [index, one] of cases.entries()) {
    const entries: readonly Entry[] = [{ type: 'user', seq: index, text: one.task }];
    const label = `probe: call a tool (${style}, ${index + 1} of ${cases.length})`;
    const { answer, calls } = await askForCalls(context, model, { entries, label });
    const first = calls[0];
    if (first !== undefined && one.isRight(first)) passed += 1;
    if (answer.ok && answer.hasRepeated) hasRepeated = true;
  }
  return { passed, hasRepeated };
}
