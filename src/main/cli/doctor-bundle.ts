import { arch, cpus, homedir, release, totalmem } from 'node:os';
import type { Finding, ModelEntry, SessionSummary } from '@shared/contract.ts';

interface BundleSubject {
  readonly version: string;
  readonly madeAt: number;
  readonly findings: readonly Finding[];
  readonly settings: unknown;
  readonly models: readonly ModelEntry[];
  readonly sessions: readonly SessionSummary[];
}

/**
 * What helps whoever looks into a problem of this machine. No message, no title, no name of a project and no content of
 * a file is in it; the home folder is `~`, and what a person may have written a secret into is left out.
 */
export function doctorBundle(subject: BundleSubject): unknown {
  const { version, madeAt, findings, settings, models, sessions } = subject;
  const [processor] = cpus();
  return withoutHome(
    {
      made: new Date(madeAt).toISOString(),
      dewpoint: version,
      machine: {
        platform: process.platform,
        release: release(),
        arch: arch(),
        node: process.versions.node,
        processor: processor?.model ?? null,
        cores: cpus().length,
        memoryBytes: totalmem(),
      },
      findings,
      settings: withoutSecrets(settings, ''),
      models: models.map(({ id, state }) => ({ id, state })),
      sessions: sessions.map(({ createdAt, updatedAt, steps, status }) => ({ createdAt, updatedAt, steps, status })),
    },
    homedir(),
  );
}

/** Values of these may be anything, or tell what somebody works on. */
const hidden = ['env', 'headers', 'replies', 'projects', 'unmask', 'fences', 'approved'];

function withoutSecrets(value: unknown, key: string): unknown {
  if (hidden.includes(key)) return `(left out: ${sizeOf(value)})`;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, ''));
  if (typeof value === 'string') return value.replace(/\/\/[^/@\s]+@/gu, '//…@');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutSecrets(one, name)]));
}

function sizeOf(value: unknown): string {
  return `${typeof value === 'object' && value !== null ? Object.keys(value).length : 1} entries`;
}

function withoutHome(value: unknown, home: string): unknown {
  if (typeof value === 'string') return home.length > 1 ? value.replaceAll(home, '~') : value;
  if (Array.isArray(value)) return value.map((one) => withoutHome(one, home));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutHome(one, home)]));
}
