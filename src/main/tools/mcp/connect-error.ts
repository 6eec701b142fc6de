import { AppError, messageOf } from '@shared/errors.ts';
import { jsonIn } from '@shared/text/json-in.ts';
import type { ServerDefinition } from '@shared/tools/server-definition.ts';
import { fieldOf } from '@shared/unknown-value.ts';
import { PermanentError } from '../../lib/net/permanent-error.ts';
import { errorCodeOf } from '../../lib/files/json-file.ts';
import { rootCause } from '../../lib/net/root-cause.ts';
import { isContained, startWait } from '../servers/server-start.ts';
import type { ProcessTransport } from './process-transport.ts';

/** The rest of a longer error message is cut off. */
export const longestWhy = 600;

/** It was started, and sent no message. */
export class SilentServer extends AppError {}

interface ServerToReach {
  readonly name: string;
  readonly definition: ServerDefinition;
  /** How long it may take to answer at the start. */
  readonly connectMs?: number;
}

/** How long a program or an address may take to answer. */
export const defaultConnectMs = 20_000;
/** A program that stayed silent is started once more and gets longer: on a busy machine, a large one takes its time. */
export const longConnectMs = 60_000;

/** What a person is told about a server that did not start or answer. `transport` is null for one that is reached by HTTP. */
export function connectError(
  { name, definition, connectMs = defaultConnectMs }: ServerToReach,
  error: unknown,
  transport: Pick<ProcessTransport, 'said' | 'exit' | 'endedFor' | 'isSilent'> | null,
): AppError {
  if (error instanceof AppError) return error;
  const exit = transport?.exit() ?? null;
  const thrown = whyNotReached(error) ?? whyOf(error);
  const isLate = exit === null && /timed out after|request timed out/iu.test(thrown);
  const waited = isLate ? `it did not answer within ${connectMs / 1000} s` : thrown;
  const why = transport?.endedFor() ?? (exit === null ? waited : whyItEnded(exit));
  const said = transport?.said() ?? '';
  const needsKey = definition.kind === 'http' && /\b40[13]\b|unauthori[sz]ed|forbidden/iu.test(why);
  const ofAddress = needsKey
    ? `It does not take the key that it was given. Set another: dewpoint tools secret ${name} Authorization`
    : /\(HTTP (?:429|5\d\d)\)/u.test(why)
      ? `Try again in a while: dewpoint tools test ${name}`
      : 'Check its address, and whether it runs.';
  const ofProgram =
    isLate && startWait(definition).connectMs !== undefined
      ? `It may still be downloading. What it downloaded is kept, so try again: dewpoint tools test ${name}`
      : howToStart(name, definition, said);
  const hint = definition.kind === 'http' ? ofAddress : ofProgram;
  const printed = said === '' ? '' : ` It printed: ${mainPart(said)}`;
  const Kind = transport?.isSilent() === true ? SilentServer : AppError;
  return new Kind('network', `The tool server ${name} could not be used: ${why}.${printed}`, { hint });
}

/** By the code of a failed connection. */
const failures: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at its address',
  ENOTFOUND: 'no machine has the name in its address',
  EAI_AGAIN: 'the name in its address was not found, for this machine may be offline',
  ENETUNREACH: 'its address cannot be reached from here',
  EHOSTUNREACH: 'its address cannot be reached from here',
  ETIMEDOUT: 'its address does not answer',
};

/** What went wrong at an address, without words of the protocol. Null: none of these. */
function whyNotReached(error: unknown): string | null {
  const root = error instanceof Error ? rootCause(error) : null;
  const failure = failures[errorCodeOf(root) ?? ''];
  if (failure !== undefined) return failure;
  const said = messageOf(error);
  const [, answered] = /the server answered the probe with HTTP (\d{3})/u.exec(said) ?? [];
  const status = Number(answered ?? fieldOf(error, 'status'));
  const isPage = /content type: text\/html|<(?:!doctype|html)/iu.test(said);
  const what = isPage ? 'a web page answered, and no tool server' : 'it does not answer as a tool server does';
  if (Number.isNaN(status)) return isPage ? what : null;
  // It is one, and wants another key.
  if (status === 401 || status === 403) return null;
  if (status < 400 || [404, 405, 406].includes(status)) return `${what} (HTTP ${status})`;
  const problem = status === 429 ? 'it is busy' : status >= 500 ? 'it has a fault' : 'it refuses to answer';
  const reason = reasonOf(fieldOf(fieldOf(error, 'data'), 'text'));
  return `${problem} (HTTP ${status})${reason === '' ? '' : `: ${reason.replace(/\.$/u, '')}`}`;
}

/** What a server says of its own about a refused call. Empty: nothing, or a page. */
function reasonOf(text: unknown): string {
  if (typeof text !== 'string' || text.trimStart().startsWith('<')) return '';
  const json = jsonIn(text);
  const message = fieldOf(fieldOf(json, 'error'), 'message') ?? fieldOf(json, 'message') ?? fieldOf(json, 'error');
  return (typeof message === 'string' ? message : text).trim().slice(0, longestWhy);
}

const longestPrinted = 600;

/** From the first line that names an error, which a long trace of calls follows; otherwise the end. */
function mainPart(said: string): string {
  if (said.length <= longestPrinted) return said;
  const lines = said.split('\n');
  const at = lines.findIndex((line) => /error|cannot|required|missing|not found/iu.test(line));
  if (at < 0) return `… ${said.slice(-longestPrinted)}`;
  const from = lines.slice(at).join('\n');
  return `${at > 0 ? '… ' : ''}${from.slice(0, longestPrinted)}${from.length > longestPrinted ? ' …' : ''}`;
}

const whyItEnded = ({ exitCode }: { readonly exitCode: number | null }): string =>
  exitCode === null ? 'it ended before it answered' : `it ended before it answered, with the exit code ${exitCode}`;

/** Where npx keeps what it downloaded. It starts a half of a package, too. Null: nothing of it is missing. */
function halfDownload(said: string): string | null {
  if (!/cannot find (?:module|package)|MODULE_NOT_FOUND/iu.test(said)) return null;
  const word = said.split(/[\s'"()]+/u).find((one) => /[\\/]_npx[\\/][0-9a-f]/u.test(one)) ?? '';
  const [before, after] = word.split(/(?<=[\\/]_npx[\\/])/u, 2);
  const [folder] = (after ?? '').split(/[\\/]/u, 1);
  return folder === undefined || folder === '' ? null : `${before}${folder}`.replace(/^file:\/\//u, '');
}

/** Many programs end with the name of the variable that they miss. */
function howToStart(name: string, definition: ServerDefinition, said: string): string {
  const known = definition.kind === 'stdio' ? definition.env : [];
  const half = halfDownload(said);
  if (half !== null && isContained(definition))
    return `Its download was cut off. Try again, and it is downloaded anew: dewpoint tools test ${name}`;
  if (half !== null) return `Its download was cut off. Delete the folder ${half}, then try again.`;
  const missing = [...said.matchAll(/\b[A-Z][A-Z0-9_]{2,60}\b/gu)]
    .map(([word]) => word)
    .find((word) => /_(?:KEY|TOKEN|SECRET|PASSWORD|URL|ID)$/u.test(word) && !known.includes(word));
  if (missing === undefined) return 'Check its command and its arguments.';
  return `It names the variable ${missing}. If it needs it: dewpoint tools edit ${name} --env ${missing}`;
}

/**
 * A stack overflow comes from the client package, which walks through everything that it receives. So does a list of what
 * is wrong with an answer, which says nothing to a person.
 */
export function whyOf(error: unknown): string {
  const root = error instanceof Error ? rootCause(error) : null;
  if (root instanceof PermanentError) return root.message.replace(/\.$/u, '');
  const message = messageOf(error);
  if (/"code": ?"(?:invalid|unrecognized)_/u.test(message))
    return 'its answer has a form that the protocol does not allow';
  return error instanceof RangeError ? 'what it sent is nested too deep' : message.slice(0, longestWhy);
}
