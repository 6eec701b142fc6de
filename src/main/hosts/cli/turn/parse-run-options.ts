import { resolve } from 'node:path';
import { z } from 'zod';
import { effortOfWord, thinkingWords } from '@shared/models/model-info.ts';
import { canonicalHost } from '@shared/safety/host-name.ts';
import type { RunOptions } from '@shared/session/run-options.ts';
import { runOptionsSchema } from '@shared/session/run-options.ts';
import { issueText } from '../../../lib/issue-text.ts';
import { type FlagValues, type OptionName, runFlags } from '../program/run-flags.ts';
import { usageError } from '../../text/report-failure.ts';

/** Typed words that stand for a value. All others are the value, or a number where the option is one. */
const words: Partial<Record<OptionName, (text: string) => unknown>> = {
  projectPath: (text) => resolve(text),
  // `auto` is another word for `hybrid`: the router decides.
  policy: (text) => (text === 'auto' ? 'hybrid' : text),
  network: hostsIn,
  modelOrder: (text) => text.split(',').map((model) => model.trim()),
  thinking: (text) => {
    const effort = effortOfWord(text);
    if (effort === null) throw usageError(`--thinking takes ${thinkingWords.join(', ')}, not "${text}".`);
    return effort;
  },
};

/** Checked here and in the core, so that a wrong option starts nothing. */
export function parseRunOptions(typed: FlagValues, interactive: boolean): RunOptions {
  if (typed.session !== undefined && (typed.project !== undefined || typed.workspace !== undefined)) {
    throw usageError('--session keeps its project and workspace. Leave out --project and --workspace.');
  }
  if (typed.atCap === 'ask' && !interactive) {
    throw usageError('--at-cap ask needs a terminal. Use stop or local.');
  }
  const given = flagNames.flatMap((name) => {
    const value = typed[argumentOf(name)];
    return value === undefined ? [] : [[name, typeof value === 'string' ? valueOf(name, value) : value] as const];
  });
  const planned = typed.plan === undefined ? {} : { mode: 'plan' };
  const parsed = runOptionsSchema.safeParse({ ...Object.fromEntries(given), ...planned, interactive });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const wrong = flagNames.find((name) => name === issue?.path[0]);
  throw usageError(
    `The value of ${wrong === undefined ? 'an option' : typedFlag(wrong)} is wrong: ${issueText(issue)}.`,
    'See: dewpoint run --help',
  );
}

const flagNames = z.keyof(runOptionsSchema).exclude(['projectKey', 'compact', 'origin', 'interactive']).options;

function argumentOf(name: OptionName): keyof FlagValues {
  if (name === 'projectPath') return 'project';
  return name === 'sessionId' ? 'session' : name;
}

/** `--max-steps` of `--max-steps <n>`. */
function typedFlag(name: OptionName): string {
  return runFlags[name][0].split(' ')[0] ?? '';
}

function valueOf(name: OptionName, text: string): unknown {
  const read = words[name];
  if (read !== undefined) return read(text);
  let option: unknown = runOptionsSchema.shape[name];
  while (option instanceof z.ZodOptional) option = option.unwrap();
  if (!(option instanceof z.ZodNumber)) return text;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value))
    throw usageError(`${typedFlag(name)} takes a number, not "${text}".`, 'See: dewpoint run --help');
  return value;
}

function hostsIn(text: string): 'off' | 'ask' | readonly string[] {
  if (text === 'off' || text === 'ask') return text;
  return text.split(',').map((name) => {
    const host = canonicalHost(name.trim());
    if (host !== null) return host;
    throw usageError(
      `"${name.trim()}" is not a host that commands can reach.`,
      '--network takes off, ask, or names of public hosts separated by commas, without addresses, ports or patterns.',
    );
  });
}
