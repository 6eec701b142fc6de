import { AppError, toFailure, type Failure } from '@shared/errors.ts';
import type { Finding, SetupTrial } from '@shared/contract/home-contract.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import { howToGet, leavesMachine, splitModelId, type ModelInfo } from '@shared/models/model-info.ts';
import { moneyText } from '@shared/money/money-text.ts';
import { worstCostOf } from '@shared/money/token-cost.ts';
import type { Settings } from '@shared/settings/settings.ts';
import type { ToolServerReport } from '@shared/tools/server-definition.ts';
import { testQuestionSize, type TestAnswer } from '../endpoint/test-questions.ts';
import type { RunApart } from '../sandbox/tool-containers.ts';
import { usedModels } from './check-setup.ts';

export interface SetupTrialOptions {
  readonly settings: () => Settings;
  readonly listModels: (signal: AbortSignal) => Promise<readonly ModelEntry[]>;
  readonly listToolServers: () => Promise<readonly ToolServerReport[]>;
  /** Starts or reaches an approved server, and returns how many tools it lists. */
  readonly tryToolServer: (name: string, signal: AbortSignal) => Promise<number>;
  readonly testQuestion: (model: string, signal: AbortSignal) => Promise<TestAnswer>;
  readonly runApart: RunApart;
}

export interface SetupTrials {
  readonly list: (signal: AbortSignal) => Promise<readonly SetupTrial[]>;
  /** Never rejects for what fails: that is a finding. Throws `cancelled`, and `not-found` for another id. */
  readonly run: (id: string, signal: AbortSignal) => Promise<Finding>;
}

/** Up to here, nobody wonders whether it still works. */
const usualSeconds = { command: 20, server: 30, answer: 30, call: 60 } as const;
const mostModels = 20;
const commandMs = 60_000;

/** Things that are tried when the person asks for it: the sandbox, each tool server and each model. */
export function createSetupTrials(options: SetupTrialOptions): SetupTrials {
  const list: SetupTrials['list'] = async (signal) => [
    { id: 'sandbox', area: 'sandbox', text: 'Run a first command in the sandbox', mostUsd: 0 },
    ...(await options.listToolServers()).flatMap(({ name, isApproved, isOn }): SetupTrial[] =>
      isApproved && isOn
        ? [{ id: `server ${name}`, area: 'tools', text: `Start ${name} and list its tools`, mostUsd: 0 }]
        : [],
    ),
    ...(await modelsToTry(options, signal)).map((info): SetupTrial => ({
      id: `model ${info.id}`,
      area: 'model',
      text: `Ask ${info.id} a test question, and to call a tool`,
      mostUsd: mostCostOf(info),
    })),
  ];
  return {
    list,
    run: async (id, signal) => {
      const trial = (await list(signal)).find((one) => one.id === id);
      if (trial === undefined)
        throw new AppError('not-found', `There is nothing to try under the name ${id}.`, {
          hint: 'To see what can be tried: dewpoint doctor --try',
        });
      const name = id.slice(id.indexOf(' ') + 1);
      try {
        if (id === 'sandbox') return await trySandbox(options, signal);
        return trial.area === 'tools' ? await tryServer(options, name, signal) : await tryModel(options, name, signal);
      } catch (error) {
        signal.throwIfAborted();
        return failed(trial.area, name, toFailure(error));
      }
    },
  };
}

/** Those of the settings, then what else is ready on this machine. */
async function modelsToTry({ settings, listModels }: SetupTrialOptions, signal: AbortSignal) {
  const entries = await listModels(signal);
  const used = usedModels(settings()).map(([, id]) => id);
  const ready = entries.flatMap(({ state, info }) =>
    state === 'ready' && info !== null && info.use === undefined ? [info] : [],
  );
  const isWanted = (info: ModelInfo): boolean => used.includes(info.id) || !leavesMachine(info);
  return ready
    .filter(isWanted)
    .toSorted((left, right) => Number(used.includes(right.id)) - Number(used.includes(left.id)))
    .slice(0, mostModels);
}

function mostCostOf(info: ModelInfo): number | null {
  if (!leavesMachine(info)) return 0;
  const { count, promptTokens, outputTokens } = testQuestionSize;
  const once = worstCostOf(promptTokens, outputTokens, info.price);
  return once === null ? null : once * count;
}

async function trySandbox({ runApart }: SetupTrialOptions, signal: AbortSignal): Promise<Finding> {
  const startedAt = performance.now();
  const request = { command: 'printf ready > first && cat first && rm first', timeoutMs: commandMs, hosts: [] };
  const reply = await runApart('setup', request, signal);
  if (!reply.ok) return failed('sandbox', 'The sandbox', reply.error);
  const { outcome, stdout, stderr } = reply.value;
  if (outcome !== 'exited' || stdout !== 'ready') {
    const text = `The first command did not run as it should (${outcome}): ${(stderr || stdout).slice(0, 200)}`;
    return { area: 'sandbox', status: 'missing', text, hint: 'Run `dewpoint doctor` to see what the engine lacks.' };
  }
  return timed('sandbox', [['The first command ran', secondsSince(startedAt), usualSeconds.command]], {
    slow: 'The image is made at the first start. Try again: the next start is what each task waits for.',
  });
}

async function tryServer({ tryToolServer }: SetupTrialOptions, name: string, signal: AbortSignal): Promise<Finding> {
  const startedAt = performance.now();
  const count = await tryToolServer(name, signal);
  const text = `${name} listed ${count === 1 ? '1 tool' : `${count} tools`}`;
  return timed('tools', [[text, secondsSince(startedAt), usualSeconds.server]], {
    slow: 'A server that downloads itself is faster the next time. Try again.',
  });
}

async function tryModel({ testQuestion }: SetupTrialOptions, id: string, signal: AbortSignal): Promise<Finding> {
  const said = await testQuestion(id, signal);
  if (!said.ok) {
    const { code, message } = said.failure;
    return { area: 'model', status: 'missing', text: `${id}: ${message}`, hint: modelHint(id, code) };
  }
  const { answerSeconds, callSeconds, costUsd } = said;
  const cost = costUsd === 0 ? '' : ` It cost ${moneyText(costUsd)}.`;
  const answered = [`${id} answered`, answerSeconds, usualSeconds.answer] as const;
  if (callSeconds === null) {
    const text = `${id} answered in ${secondsText(answerSeconds)}, but called no tool.${cost}`;
    return {
      area: 'model',
      status: 'warning',
      text,
      hint: `To find out how it calls tools: dewpoint models probe ${id}`,
    };
  }
  const finding = timed('model', [answered, ['it called a tool', callSeconds, usualSeconds.call]], {
    slow: 'For a faster model: dewpoint models suggest',
  });
  return { ...finding, text: `${finding.text}${cost}` };
}

function modelHint(id: string, code: string): string {
  const provider = splitModelId(id)?.provider ?? id;
  if (code === 'limit') return 'See your spending limits: `dewpoint budget show`';
  if (code === 'unknown-model') return `${howToGet(id)}.`;
  if (code === 'rate-limit' || code === 'unavailable') return 'Try again in a moment.';
  return code === 'failed' ? `Check its key: dewpoint keys set ${provider}` : 'dewpoint models list';
}

function failed(area: string, name: string, { code, message, hint }: Failure): Finding {
  const usual = area === 'tools' ? `dewpoint tools test ${name}` : 'dewpoint doctor';
  return { area, status: 'missing', text: `${name}: ${message}`, hint: hint ?? (code === 'cancelled' ? null : usual) };
}

/** Each with its seconds, and how many are usual. */
function timed(
  area: string,
  parts: readonly (readonly [text: string, seconds: number, usual: number])[],
  { slow }: { readonly slow: string },
): Finding {
  const isSlow = parts.some(([, seconds, usual]) => seconds > usual);
  const text = parts.map(([what, seconds]) => `${what} in ${secondsText(seconds)}`).join(', and ');
  return { area, status: isSlow ? 'warning' : 'ok', text: `${text}.`, hint: isSlow ? slow : null };
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;

const secondsText = (seconds: number): string => `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
