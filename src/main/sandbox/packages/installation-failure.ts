import { refusedHostsText } from '../network/network-decision.ts';
import type { NetworkResult } from '../sandbox.ts';

const shownEnd = 1_500;
const fullDisk = 'The disk of the container engine is full. Make room: dewpoint clean';
/** What ends a command by a limit of the sandbox. */
const limits = {
  disk: fullDisk,
  memory: 'It needed more memory than the sandbox has. Raise the setting sandbox.memoryMb.',
  output: 'It printed too much.',
  signal: '',
} as const satisfies Readonly<Record<NonNullable<NetworkResult['killedFor']>, string>>;

/** What package managers print, in lower case, and what it means. The first that is found is said. */
const causes: readonly (readonly [printed: readonly string[], meaning: string])[] = [
  [['no space left on device', 'enospc'], fullDisk],
  [
    ['command not found', ': not found\n'],
    "The sandbox image lacks the project's toolchain. Add it with: dewpoint sandbox image use",
  ],
  [
    [
      '401 unauthorized',
      'http 401',
      'authentication is required',
      'error 401',
      '403 forbidden',
      'status code: 403',
      'error 403',
    ],
    'The registry refused access. It may need a password or token, or it does not serve this package here.',
  ],
  [
    [
      'could not find gem',
      'could not find artifact',
      'could not find a version',
      'could not find any matches',
      'could not be found in any version',
      'does not match your constraint',
      'no matching version',
      'no matching package',
      'unknown revision',
      'could not resolve all',
    ],
    'The registry does not have a version that the project asks for. Check its lock file.',
  ],
];

export interface FailureContext {
  /** The longest time that the command had. */
  readonly limitMs: number;
  /** Texts that must not be shown. */
  readonly secrets: readonly string[];
}

/** The reason in words: what ended the command, what it means, and the end of its output. */
export function installationFailure(result: NetworkResult, { limitMs, secrets }: FailureContext): string {
  const how =
    result.outcome === 'timed-out'
      ? `it took longer than ${limitMs / 60_000} minutes.`
      : result.outcome === 'exited'
        ? `it ended with code ${result.exitCode ?? 'unknown'}.`
        : `it was ${result.outcome}.`;
  const hosts = refusedHostsText(result.decisions);
  const printed = `${result.stdout}\n${result.stderr}\n`.toLowerCase();
  const meant = causes.find(([texts]) => texts.some((text) => printed.includes(text)))?.[1] ?? '';
  const limit = result.killedFor === undefined ? '' : limits[result.killedFor];
  const shown = endOf(result.stderr.trim() === '' ? result.stdout : result.stderr);
  // A limit explains the rest, and so does a host that could not be reached.
  const cause = [limit, hosts, meant].find((text) => text !== '') ?? '';
  return cleaned([how, cause, shown].filter((text) => text !== '').join(' '), secrets);
}

export function endOf(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= shownEnd ? trimmed : `…${trimmed.slice(-shownEnd)}`;
}

function cleaned(text: string, secrets: readonly string[]): string {
  let clean = text.replaceAll(/:\/\/[^\s/@]+@/g, '://***@');
  for (const secret of secrets) clean = clean.replaceAll(secret, '***');
  return clean;
}
