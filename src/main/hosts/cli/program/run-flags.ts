import type { Command } from 'commander';
import type { RunOptions } from '@shared/session/run-options.ts';
import { shellQuote } from '../../../lib/programs/shell-quote.ts';

/** What nobody types: `/compact` compacts, `--project` names any project, and the app itself sets the others. */
type WithoutFlag = 'projectKey' | 'compact' | 'origin' | 'interactive';
export type OptionName = Exclude<keyof RunOptions, WithoutFlag>;
/** `--plan` is short for `--mode plan`. */
export type FlagName = OptionName | 'plan';

/**
 * The flag of each option of a run, and what the help says, in the order of the help. The compiler asks for the flag of
 * a new option. What is typed is read by `turn/parse-run-options.ts`.
 */
export const runFlags = {
  projectPath: ['--project <project>', 'a project: its folder, its name or its id'],
  workspace: ['--workspace <mode>', 'in-place, copy or scratch (default: in-place with --project, else scratch)'],
  sessionId: ['--session <id>', 'continue a session: an id, the beginning of one, or last'],
  check: ['--check <command>', 'the success check: a command, run in the sandbox before and after'],
  assistant: ['--assistant <name>', 'answer as one of your assistants: dewpoint assistants list'],
  policy: ['--policy <policy>', 'local, cloud, hybrid (or auto), economy, balanced or quality'],
  local: ['--local <model>', 'the local model, PROVIDER/MODEL'],
  cloud: ['--cloud <model>', 'the cloud model, PROVIDER/MODEL'],
  modelOrder: ['--model-order <list>', 'every model that may work, the smallest first, separated by commas'],
  strategy: ['--strategy <strategy>', 'auto, recipe or loop (default: auto)'],
  maxSteps: ['--max-steps <n>', 'step limit (default: limits.maxSteps in the settings)'],
  maxMinutes: ['--max-minutes <n>', 'time limit in minutes (default: limits.maxMinutes)'],
  maxTokens: ['--max-tokens <n>', 'token limit, read and written (default: limits.maxTokens)'],
  maxCalls: ['--max-calls <n>', 'tool call limit (default: limits.maxCalls)'],
  maxUsd: ['--max-usd <x>', 'spending limit in US dollars'],
  atCap: ['--at-cap <what>', 'at a spending limit: stop, local or ask (default: stop; in chat: ask)'],
  approve: ['--approve <how>', 'when approval is needed: ask, deny or allow (default: ask)'],
  defaultAfterMinutes: [
    '--default-after-minutes <n>',
    'minutes until the agent takes its own default for a question that you do not answer',
  ],
  network: ['--network <hosts>', 'what commands may reach: off, ask, or hosts separated by commas (default: ask)'],
  instructions: ['--instructions <how>', 'unapproved files such as AGENTS.md: ask, use or off (default: ask)'],
  sandbox: ['--sandbox <tier>', 'container or read-only'],
  seed: ['--seed <n>', 'sampling seed, to compare runs'],
  plan: ['--plan', 'make a plan; no files change'],
  mode: ['--mode <mode>', 'ask, plan or work (default: what the task says)'],
  thinking: ['--thinking <how>', 'off, low, medium, high or max (default: as set for the model)'],
} as const satisfies Readonly<Record<FlagName, readonly [flag: string, about: string]>>;

/** The options as they are typed: each is text, or there. */
export type FlagValues = Readonly<Partial<Record<ArgumentName, string | boolean>>>;

/** The name that a flag has among the typed options: `--project` is `project`, `--max-steps` is `maxSteps`. */
export type ArgumentName = Exclude<FlagName, 'projectPath' | 'sessionId'> | 'project' | 'session';

export function addRunFlags(command: Command): Command {
  for (const [flag, about] of Object.values(runFlags)) command.option(flag, about);
  return command;
}

/** What holds for one message and is not kept by its session. */
const ofMessage = [
  'check',
  'strategy',
  'maxSteps',
  'maxMinutes',
  'maxTokens',
  'maxCalls',
  'maxUsd',
  'atCap',
  'approve',
  'defaultAfterMinutes',
  'network',
  'instructions',
  'seed',
] as const satisfies readonly FlagName[];

/** The flags to type again for the next message, so that it has the limits of this one. Empty: none was given. */
export function flagsAgain(given: FlagValues): string {
  const flags = ofMessage.flatMap((name) => {
    const value = given[name];
    const [flag] = runFlags[name];
    return typeof value === 'string' ? [` ${flag.slice(0, flag.indexOf(' '))} ${asWord(value)}`] : [];
  });
  return flags.join('');
}

/** A value as a word of a command that is shown to be typed. */
export function asWord(value: string): string {
  return /^[\w.,:/-]+$/u.test(value) ? value : shellQuote(value);
}
