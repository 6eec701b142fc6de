import type { AnyContractRouter } from '@orpc/contract';
import { isContractProcedure } from '@orpc/contract';
import { implement, ORPCError } from '@orpc/server';
import { contract } from '@shared/contract/contract.ts';
import { AppError, toFailure } from '@shared/errors.ts';
import { diagnostics } from '../lib/log.ts';
import { isRecord } from '@shared/unknown-value.ts';
import { projectKey } from '../lib/files/project-key.ts';
import { silentDrive, silentFolder } from '../lib/files/served-drives.ts';
import { withReasonOnly, type SendReason } from '../lib/net/send-reason.ts';
import { isStream, streamFailingWith, toContractError } from './contract-error.ts';
import type { Call, Handlers } from './handlers.ts';
import type { CoreRouter } from './serve-channel.ts';

/**
 * Implements the contract: the contract parses, the handler with the same name is called, and errors are converted. No
 * command is named here. A project reaches every handler by its key, whatever name it was called by. Throws the name
 * of a command without a handler.
 */
export function createRouter(handlers: Handlers): CoreRouter {
  // The code walks over names, so the result has the contract's shape by construction. The only cast at this edge.
  return implementNode(contract, handlers, []) as CoreRouter;
}

type AnyHandler = (call: Call<unknown>) => unknown;

const isHandler = (value: unknown): value is AnyHandler => typeof value === 'function';

function implementNode(node: AnyContractRouter, handlers: unknown, path: readonly string[]): unknown {
  if (!isContractProcedure(node)) {
    const children = Object.entries<AnyContractRouter>(node);
    return Object.fromEntries(
      children.map(([name, child]) => [
        name,
        implementNode(child, Reflect.get(Object(handlers), name), [...path, name]),
      ]),
    );
  }
  if (!isHandler(handlers)) throw new Error(`The command ${path.join('.')} has no handler.`);
  const fail = (error: unknown): unknown => {
    noteFault(path.join('.'), error);
    return toContractError(error);
  };
  return implement(node).handler(async ({ input, signal }) => {
    try {
      // A call of the local client without a signal cannot be cancelled.
      const named = await withProjectKeys(input);
      await requireAnswers(path, named);
      const output = await withReasonOnly(reasonOf(path.join('.'), named), () =>
        handlers({ input: named, signal: signal ?? new AbortController().signal }),
      );
      // A later error of a stream must be converted as well.
      return isStream(output) ? streamFailingWith(output, fail) : output;
    } catch (error) {
      throw fail(error);
    }
  });
}

/** Failures that say what to do are the user's to see. A bug, and a failure with a cause below it, are for the log. */
function noteFault(command: string, error: unknown): void {
  if (error instanceof ORPCError) return;
  const { code } = toFailure(error);
  if (code === 'internal') diagnostics.error(`The command ${command} failed`, error);
  else if (code !== 'cancelled' && error instanceof AppError && error.cause !== undefined)
    diagnostics.warn(`The command ${command} failed`, error);
}

/** On whose behalf a command works, as far as its input says. */
function reasonOf(command: string, input: unknown): SendReason {
  const fields = isRecord(input) ? input : {};
  const { sessionId } = fields;
  const project = projectFields.map((name) => fields[name]).find((value) => typeof value === 'string');
  return {
    command,
    ...(typeof sessionId === 'string' ? { sessionId } : {}),
    ...(typeof project === 'string' ? { project } : {}),
  };
}

/** Commands that read a project's folder. Others know a project by its name alone, so they go on without its drive. */
const readsFolder: ReadonlySet<string> = new Set([
  'projects',
  'git',
  'rules',
  'skills',
  'tools',
  'ownTools',
  'toolServers',
]);

/** A drive that does not answer would hold the call, and with it a thread that nothing can end. */
async function requireAnswers([subject = '']: readonly string[], input: unknown): Promise<void> {
  if (!readsFolder.has(subject) || !isRecord(input)) return;
  for (const name of projectFields) {
    const project = input[name];
    if (typeof project !== 'string' || (await silentDrive(project)) === null) continue;
    throw silentFolder(project);
  }
}

/** The fields of an input that name a project's folder, and those that hold such a field. */
const projectFields: readonly string[] = ['projectPath', 'project'];
const placeFields: readonly string[] = ['place', 'options'];

async function withProjectKeys(input: unknown): Promise<unknown> {
  if (!isRecord(input)) return input;
  const entries = Object.entries(input).map(async ([name, value]): Promise<[string, unknown]> => {
    if (placeFields.includes(name)) return [name, await withProjectKeys(value)];
    return [name, projectFields.includes(name) && typeof value === 'string' ? await projectKey(value) : value];
  });
  return Object.fromEntries(await Promise.all(entries));
}
