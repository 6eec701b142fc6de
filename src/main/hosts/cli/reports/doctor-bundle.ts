import { arch, cpus, homedir, release, totalmem } from 'node:os';
import { hideAssigned } from '../../../safety/assigned-secrets.ts';
import { mapStrings } from '../../../lib/map-strings.ts';
import type { Redactor } from '../../../sessions/log/redactor.ts';
import type { Finding } from '@shared/contract/home-contract.ts';
import type { ModelEntry } from '@shared/contract/models-contract.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

/** Each quantifier is bounded, so that the time grows only with the length of the text. */
const address = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'`<>]{0,4096}/giu;

/** Sockets of this machine are paths and contain no keys. */
const ofThisMachine = /^(?:unix|npipe|file):/iu;

/** A word or a version (`chat-completions`, `v1beta`). Anything else in a path may be a key. */
const plainSegment = /^(?:v\d{1,3}(?:alpha|beta)?\d{0,2}|[a-z]{1,20}(?:[._-][a-z]{1,20}){0,3})$/iu;

/** Shortens the addresses in a text to where they lead: no user, no query, no key in a path. */
export function withoutAddressSecrets(text: string): string {
  return text.replace(address, (found) => {
    if (ofThisMachine.test(found)) return found;
    const end = /[),.;:!?\]]{0,8}$/u.exec(found)?.index ?? found.length;
    return bare(found.slice(0, end)) + found.slice(end);
  });
}

function bare(text: string): string {
  const scheme = text.slice(0, text.indexOf('://') + 3);
  const url = URL.parse(text);
  // In an invalid address it is unclear where the password ends.
  if (url === null || url.host === '' || url.pathname.includes('@')) return `${scheme}…`;
  const { username, password, host, pathname, search, hash } = url;
  const user = username === '' && password === '' ? '' : '…@';
  const path = pathname === '/' ? '' : pathname.split('/').map(plain).join('/');
  return `${scheme}${user}${host}${path}${search === '' ? '' : '?…'}${hash === '' ? '' : '#…'}`;
}

function plain(segment: string): string {
  return segment === '' || plainSegment.test(segment) ? segment : '…';
}

interface BundleSubject {
  readonly version: string;
  readonly madeAt: number;
  readonly findings: readonly Finding[];
  readonly settings: unknown;
  readonly models: readonly ModelEntry[];
  readonly sessions: readonly SessionSummary[];
  /** The end of the log for diagnosis. */
  readonly log: string;
  /** Removes keys as for logs: by their form, and those known on this machine. */
  readonly redactor: Pick<Redactor, 'text'>;
}

/**
 * Facts that help to find a problem of this machine. Contains no messages, titles, project names or file contents. The
 * home folder is shown as `~`, and addresses only show where they lead. Settings in which the user may have written a
 * secret are left out, and every text is redacted as in a log.
 */
export function doctorBundle(subject: BundleSubject): unknown {
  const { version, madeAt, findings, settings, models, sessions, log, redactor } = subject;
  const [processor] = cpus();
  const clean = (text: string): string =>
    hideAssigned(redactor.text(withoutAddressSecrets(withoutHome(text, homedir())))).text;
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
      log: withoutProjects(log, sessions)
        .split('\n')
        .filter((line) => line !== ''),
    },
    clean,
  );
}

/** Settings whose values may be anything, or reveal what somebody works on. */
const hidden: readonly string[] = [
  'env',
  'headers',
  'replies',
  'projects',
  'projectModels',
  'projectTools',
  'ownToolsOff',
  'skillsOff',
  'unmask',
  'fences',
  'approved',
  'trusted',
  'deny',
  'ask',
  'allow',
  'label',
];

/** Anything else in place of a variable's name may be the key itself. */
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

/** Messages of errors name files. Which project they are in is nobody's business. */
function withoutProjects(text: string, sessions: readonly SessionSummary[]): string {
  const paths = new Set(
    sessions.flatMap(({ projectPath }) => (projectPath === null || projectPath.length < 2 ? [] : projectPath)),
  );
  // The longest first: one project may be inside another.
  const sorted = [...paths].sort((left, right) => right.length - left.length);
  return sorted.reduce((rest, path) => rest.replaceAll(path, '(project)'), text);
}

function withoutHome(text: string, home: string): string {
  return home.length > 1 ? text.replaceAll(home, '~') : text;
}
