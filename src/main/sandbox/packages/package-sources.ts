import { join } from 'node:path';
import { parse } from 'ini';
import { isRecord } from '@shared/unknown-value.ts';
import { hostsIn } from './source-hosts.ts';
import { orNoted } from '../../lib/log.ts';
import { readFile } from '../../lib/files/drive-calls.ts';

/** Where packages come from by the user's configuration. Only the container that installs packages gets it. */
export interface PackageSources {
  /** Hosts of package indexes in lower case. Empty for an ecosystem without configuration. */
  readonly hosts: { readonly python: readonly string[]; readonly javascript: readonly string[] };
  /** May contain names and passwords, so it is never shown or logged. */
  readonly env: Readonly<Record<string, string>>;
  /** The text of an .npmrc whose secrets are references to `env`. */
  readonly npmrc: string;
  /** Certificates (PEM) in addition to those of the image. Empty: none. */
  readonly certificates: string;
  /** Texts that must not appear in any output. */
  readonly secrets: readonly string[];
}

export interface SourceSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** The folder of the machine's own configuration: `/etc`. */
  readonly machineFolder: string;
  readonly platform: NodeJS.Platform;
  /** The text of the project's own `.npmrc`. Its secrets are used, too. */
  readonly projectNpmrc: string;
  /** Certificate files from the settings. */
  readonly certificates: readonly string[];
}

/**
 * Reads the configuration of pip and npm, of the machine, the user and the project, as those tools would. Never
 * rejects.
 */
export async function findPackageSources(search: SourceSearch): Promise<PackageSources> {
  const pip = await pipOptions(search);
  const npm = await npmOptions(search);
  const python = [pip.get('index-url'), pip.get('extra-index-url')].filter((text) => text !== undefined).join(' ');
  const env: Record<string, string> = {};
  const index = pip.get('index-url');
  const extra = pip.get('extra-index-url');
  if (index !== undefined) Object.assign(env, { PIP_INDEX_URL: index, UV_DEFAULT_INDEX: index });
  if (extra !== undefined) Object.assign(env, { PIP_EXTRA_INDEX_URL: extra, UV_INDEX: extra });
  const { text, tokens } = npmrcOf(npm);
  for (const [at, token] of tokens.entries()) env[`DEWPOINT_NPM_${at}`] = token;
  const secrets = [...tokens, ...passwordsIn(python)];
  return {
    hosts: {
      python: hostsIn(python),
      javascript: hostsIn(
        [...npm]
          .filter(([name]) => isRegistry(name))
          .map(([, value]) => value)
          .join('\n'),
      ),
    },
    env,
    npmrc: text,
    certificates: await certificatesOf(search, [pip.get('cert'), npm.get('cafile')]),
    secrets: secrets.filter((secret) => secret.length > 3),
  };
}

async function pipOptions({
  env,
  homeDirectory,
  machineFolder,
  platform,
}: SourceSearch): Promise<ReadonlyMap<string, string>> {
  const own =
    platform === 'win32'
      ? [join(env['APPDATA'] ?? homeDirectory, 'pip', 'pip.ini')]
      : [
          join(homeDirectory, '.pip', 'pip.conf'),
          join(env['XDG_CONFIG_HOME'] ?? join(homeDirectory, '.config'), 'pip', 'pip.conf'),
          ...(platform === 'darwin' ? [join(homeDirectory, 'Library', 'Application Support', 'pip', 'pip.conf')] : []),
        ];
  const files = [
    join(machineFolder, 'pip.conf'),
    ...own,
    ...(env['PIP_CONFIG_FILE'] === undefined ? [] : [env['PIP_CONFIG_FILE']]),
  ];
  const options = new Map<string, string>();
  for (const file of files) for (const [name, value] of pipFileOptions(await textOf(file))) options.set(name, value);
  for (const name of ['index-url', 'extra-index-url', 'cert']) {
    const value = env[`PIP_${name.toUpperCase().replaceAll('-', '_')}`];
    if (value !== undefined && value !== '') options.set(name, value);
  }
  return options;
}

/** `[install]` overrides `[global]`. */
function pipFileOptions(text: string): ReadonlyMap<string, string> {
  const { global, install } = parseIni(asPlainIni(text));
  return new Map(
    [...iniValues(global), ...iniValues(install)].map(([name, value]) => [
      name.replaceAll('_', '-').toLowerCase(),
      value.trim(),
    ]),
  );
}

/**
 * Converts Python's INI format, which pip uses: a value continues in indented lines, `:` means the same as `=`, and
 * a value cannot contain a comment.
 */
function asPlainIni(text: string): string {
  const lines: string[] = [];
  let indent = 0;
  for (const line of text.split(/\r?\n/)) {
    const words = line.trim();
    if (words === '' || /^[#;]/.test(words)) continue;
    const last = lines.at(-1);
    const lineIndent = line.length - line.trimStart().length;
    const escaped = words.replaceAll(/[;#\\]/g, '\\$&');
    if (last !== undefined && !last.startsWith('[') && lineIndent > indent) {
      lines[lines.length - 1] = `${last} ${escaped}`;
    } else {
      lines.push(escaped.replace(/^([\w-]+)\s*:/, '$1='));
      indent = lineIndent;
    }
  }
  return lines.join('\n');
}

/** Such files have a few lines. A much larger file is not one. */
const maxIniCharacters = 1024 * 1024;

function parseIni(text: string): Readonly<Record<string, unknown>> {
  return text.length > maxIniCharacters ? {} : parse(text);
}

function iniValues(section: unknown): readonly (readonly [name: string, value: string])[] {
  if (!isRecord(section)) return [];
  return Object.entries(section).flatMap(([name, read]) => {
    // The parser turns these words into true and false.
    const value = typeof read === 'boolean' ? String(read) : read;
    // A quoted text could contain a line end. In an .npmrc that we write, another option would begin there.
    return typeof value === 'string' && !/\p{Cc}/u.test(name + value) ? [[name, value] as const] : [];
  });
}

async function npmOptions({
  env,
  homeDirectory,
  machineFolder,
  projectNpmrc,
}: SourceSearch): Promise<ReadonlyMap<string, string>> {
  const person = env['NPM_CONFIG_USERCONFIG'] ?? env['npm_config_userconfig'] ?? join(homeDirectory, '.npmrc');
  const options = new Map<string, string>();
  for (const text of [await textOf(join(machineFolder, 'npmrc')), await textOf(person), projectNpmrc]) {
    for (const [name, value] of iniValues(parseIni(text))) {
      // npm replaces references to environment variables.
      const filled = value.replaceAll(/\$\{(\w+)\}/g, (_whole, variable: string) => env[variable] ?? '');
      options.set(name, filled);
    }
  }
  for (const name of ['registry', 'cafile']) {
    const value = env[`npm_config_${name}`] ?? env[`NPM_CONFIG_${name.toUpperCase()}`];
    if (value !== undefined && value !== '') options.set(name, value);
  }
  return options;
}

const isRegistry = (name: string): boolean => name === 'registry' || /^@[^:]+:registry$/.test(name);
const isSecretOption = (name: string): boolean => /^\/\/.*:(?:_authToken|_auth|_password)$/.test(name);
const isAccount = (name: string): boolean => /^\/\/.*:(?:username|email|always-auth)$/.test(name);

/**
 * Keeps only where packages are and how to access them. Other options in the user's .npmrc are about their own
 * machine.
 */
function npmrcOf(options: ReadonlyMap<string, string>): { readonly text: string; readonly tokens: readonly string[] } {
  const tokens: string[] = [];
  const lines = [...options].flatMap(([name, value]) => {
    if (isRegistry(name) || isAccount(name)) return [`${name}=${value}`];
    if (!isSecretOption(name) || value === '') return [];
    tokens.push(value);
    return [`${name}=\${DEWPOINT_NPM_${tokens.length - 1}}`];
  });
  return { text: lines.map((line) => `${line}\n`).join(''), tokens };
}

function passwordsIn(text: string): readonly string[] {
  const accounts = [...text.matchAll(/:\/\/([^\s/@]+)@/g)].map((match) => match[1] ?? '');
  return accounts.flatMap((account) => [account, ...account.split(':').slice(1)]);
}

/** Certificates that the user trusts in addition to the usual ones, mostly a company's own. */
async function certificatesOf(search: SourceSearch, configured: readonly (string | undefined)[]): Promise<string> {
  const named = ['PIP_CERT', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE'].map(
    (name) => search.env[name],
  );
  const files = [...new Set([...configured, ...search.certificates, ...named])].filter(
    (file) => file !== undefined && file !== '',
  );
  const texts = await Promise.all(files.map((file) => textOf(file ?? '')));
  return texts
    .filter((text) => text.includes('-----BEGIN CERTIFICATE-----'))
    .map((text) => `${text.trim()}\n`)
    .join('');
}

// Most machines lack some of these files.
const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(orNoted('sandbox: a file that names packages was not read', ''));

/**
 * For a command that a model wrote: the addresses of indexes on hosts that it may reach, without those that contain
 * a name or password.
 */
export function openSources(
  { env, npmrc }: PackageSources,
  hosts: readonly string[],
): Readonly<Record<string, string>> {
  const isOpen = (value: string): boolean =>
    !/:\/\/[^\s/]*@/.test(value) && hostsIn(value).length > 0 && hostsIn(value).every((host) => hosts.includes(host));
  const indexes = Object.entries(env).filter(([name, value]) => /^(?:PIP|UV)_/.test(name) && isOpen(value));
  const registry = /^registry=(\S+)$/m.exec(npmrc)?.[1] ?? '';
  return { ...Object.fromEntries(indexes), ...(isOpen(registry) ? { npm_config_registry: registry } : {}) };
}
