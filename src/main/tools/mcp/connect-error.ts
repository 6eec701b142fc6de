import { AppError, messageOf } from '@shared/errors.ts';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { PermanentError } from '../../lib/net/permanent-error.ts';
import { rootCause } from '../../lib/net/root-cause.ts';
import type { ProcessTransport } from './process-transport.ts';

/** The rest of a longer error message is cut off. */
export const longestWhy = 600;

/** It was started, and sent no message. */
export class SilentServer extends AppError {}

interface ServerToReach {
  readonly name: string;
  readonly definition: ServerDefinition;
}

/** What a person is told about a server that did not start or answer. `transport` is null for one that is reached by HTTP. */
export function connectError(
  { name, definition }: ServerToReach,
  error: unknown,
  transport: Pick<ProcessTransport, 'said' | 'exit' | 'endedFor' | 'isSilent'> | null,
): AppError {
  if (error instanceof AppError) return error;
  const exit = transport?.exit() ?? null;
  const why = transport?.endedFor() ?? (exit === null ? whyOf(error) : whyItEnded(exit));
  const said = transport?.said() ?? '';
  const needsKey = definition.kind === 'http' && /\b40[13]\b|unauthori[sz]ed|forbidden/iu.test(why);
  const hint = needsKey
    ? `It does not take the key that it was given. Set another: dewpoint tools secret ${name} Authorization`
    : definition.kind === 'http'
      ? 'Check its address, and whether it runs.'
      : howToStart(name, definition, said);
  const printed = said === '' ? '' : ` It printed: ${said.slice(-600)}`;
  const Kind = transport?.isSilent() === true ? SilentServer : AppError;
  return new Kind('network', `The tool server ${name} could not be used: ${why}.${printed}`, { hint });
}

const whyItEnded = ({ exitCode }: { readonly exitCode: number | null }): string =>
  exitCode === null ? 'it ended before it answered' : `it ended before it answered, with the exit code ${exitCode}`;

/** Many programs end with the name of the variable that they miss. */
function howToStart(name: string, definition: ServerDefinition, said: string): string {
  const known = definition.kind === 'stdio' ? definition.env : [];
  const missing = [...said.matchAll(/\b[A-Z][A-Z0-9_]{2,60}\b/gu)]
    .map(([word]) => word)
    .find((word) => /_(?:KEY|TOKEN|SECRET|PASSWORD|URL|ID)$/u.test(word) && !known.includes(word));
  if (missing === undefined) return 'Check its command and its arguments.';
  return `It names the variable ${missing}. If it needs it: dewpoint tools edit ${name} --env ${missing}`;
}

/** A stack overflow comes from the client package, which walks through everything that it receives. */
export function whyOf(error: unknown): string {
  const root = error instanceof Error ? rootCause(error) : null;
  if (root instanceof PermanentError) return root.message.replace(/\.$/u, '');
  return error instanceof RangeError ? 'what it sent is nested too deep' : messageOf(error).slice(0, longestWhy);
}
