import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { settingsSchema } from '@shared/settings/settings.ts';
import { benchSandboxFactory } from './bench-sandbox.ts';
import type { BenchCommand, CommandResult, CommandRunner } from './judge.ts';

/** A test that runs longer counts as failed. */
const commandTimeoutMs = 120_000;

export interface SandboxCommandsParts {
  /** A home for the judge only, so that none of it is mistaken for a session of the core. */
  readonly homePath: string;
  readonly root: string;
}

/** Runs commands in a separate container without a network. Rejects with the reason if there is none. */
export function createSandboxCommands({ homePath, root }: SandboxCommandsParts): CommandRunner {
  const makeSandbox = benchSandboxFactory(root, homePath);
  return async (folder, commands, signal) => {
    await mkdir(homePath, { recursive: true });
    const made = await makeSandbox(
      {
        sessionId: `bench-${randomUUID()}`,
        workspacePath: folder,
        wanted: 'container',
        needsExecute: true,
        settings: settingsSchema.parse({}).sandbox,
        onLost: () => undefined,
        onProgress: (text) => process.stderr.write(`${text}\n`),
      },
      signal,
    );
    if (!made.ok) throw new Error(`${made.error.message} ${made.error.hint ?? ''}`.trim());
    try {
      const results: CommandResult[] = [];
      for (const command of commands) results.push(await runOne(made.value, command, signal));
      return results;
    } finally {
      await made.value.dispose();
    }
  };
}

async function runOne(
  sandbox: Sandbox,
  { command, env, before }: BenchCommand,
  signal: AbortSignal,
): Promise<CommandResult> {
  await before?.();
  const done = await sandbox.exec(
    { command, timeoutMs: commandTimeoutMs, keepBytes: 8 * 1024 * 1024, ...(env === undefined ? {} : { env }) },
    signal,
  );
  if (!done.ok) throw new Error(done.error.message);
  const { outcome, exitCode, stdout, stderr } = done.value;
  if (outcome === 'lost' || outcome === 'cancelled')
    throw new Error(`\`${command}\` could not be run to its end: ${outcome}.`);
  return { exitCode: outcome === 'exited' ? exitCode : null, output: `${stdout}\n${stderr}` };
}
