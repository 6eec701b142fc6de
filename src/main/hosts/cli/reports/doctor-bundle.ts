import { arch, cpus, homedir, release, totalmem } from 'node:os';
import type { Finding, ModelEntry, SessionSummary } from '@shared/contract/contract.ts';
import { assignedShapes, hideSecrets } from '@shared/safety/secret-patterns.ts';
import { mapStrings } from '../../../lib/map-strings.ts';
import type { Redactor } from '../../../sessions/log/redactor.ts';
import { withoutAddressSecrets } from './bare-addresses.ts';

interface BundleSubject {
  readonly version: string;
  readonly madeAt: number;
  readonly findings: readonly Finding[];
  readonly settings: unknown;
  readonly models: readonly ModelEntry[];
  readonly sessions: readonly SessionSummary[];
  /** As for logs: takes out keys, by their look and those that are known here. */
  readonly redactor: Pick<Redactor, 'text'>;
}

/**
 * What helps whoever looks into a problem of this machine. No message, no title, no name of a project and no content of
 * a file is in it; the home folder is `~`, addresses are only where they lead, what a person may have written a secret
 * into is left out, and every text goes through the same redactor as a log.
 */
export function doctorBundle(subject: BundleSubject): unknown {
  const { version, madeAt, findings, settings, models, sessions, redactor } = subject;
  const [processor] = cpus();
  const clean = (text: string): string =>
    hideSecrets(redactor.text(withoutAddressSecrets(withoutHome(text, homedir()))), assignedShapes).text;
  return mapStrings(
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
    clean,
  );
}

/** Values of these may be anything, or tell what somebody works on. */
const hidden: readonly string[] = [
  'env',
  'headers',
  'replies',
  'projects',
  'projectModels',
  'unmask',
  'fences',
  'approved',
  'trusted',
  'deny',
  'ask',
  'allow',
  'label',
];

/** What else stands where the name of a variable belongs may be the key itself. */
const variableName = /^[A-Z][A-Z_]*[A-Z]$/u;

function withoutSecrets(value: unknown, key: string): unknown {
  if (hidden.includes(key)) return `(left out: ${sizeOf(value)})`;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, ''));
  if (key === 'keyVariable' && !(typeof value === 'string' && variableName.test(value))) return '(left out)';
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutSecrets(one, name)]));
}

function sizeOf(value: unknown): string {
  return `${typeof value === 'object' && value !== null ? Object.keys(value).length : 1} entries`;
}

function withoutHome(text: string, home: string): string {
  return home.length > 1 ? text.replaceAll(home, '~') : text;
}
