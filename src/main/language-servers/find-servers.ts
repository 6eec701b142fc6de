import script from '../../../resources/programs/sandbox/find-language-servers.sh?raw';
import { shellQuote } from '../lib/programs/shell-quote.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { serverTable, type ServerKind } from './server-table.ts';

/** A server that is in the sandbox. */
export interface FoundServer {
  readonly kind: ServerKind;
  /** Its absolute path in the sandbox. */
  readonly program: string;
}

const limitMs = 10_000;

/** The servers of the table that the image, the prepared packages or the project's own packages have. */
export async function findServers(
  sandbox: Pick<Sandbox, 'tier' | 'exec' | 'workspacePath'>,
  signal: AbortSignal,
): Promise<readonly FoundServer[]> {
  if (sandbox.tier === 'read-only') return [];
  const words = serverTable.map(({ program, fromVersion }) => `${program}:${fromVersion ?? ''}`);
  const command = ['sh', '-c', script, 'sh', sandbox.workspacePath, ...words].map(shellQuote).join(' ');
  const ran = await sandbox.exec({ command, timeoutMs: limitMs, keepBytes: 16 * 1024 }, signal);
  if (!ran.ok || ran.value.outcome !== 'exited') return [];
  const programs = new Map(
    ran.value.stdout.split('\n').flatMap((line) => {
      const [program, path] = line.split('\t');
      return program !== undefined && path?.startsWith('/') === true ? [[program, path] as const] : [];
    }),
  );
  return serverTable.flatMap((kind) => {
    const program = programs.get(kind.program);
    return program === undefined ? [] : [{ kind, program }];
  });
}
