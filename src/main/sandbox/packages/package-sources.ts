import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostsIn } from './source-hosts.ts';

/** Where packages come from by what the person has set up, for the container that installs them and for nothing else. */
export interface PackageSources {
  /** Hosts of indexes in lower case; of an ecosystem for which nothing is set up, none. */
  readonly hosts: { readonly python: readonly string[]; readonly javascript: readonly string[] };
  /** May hold names and passwords: never shown, never logged. */
  readonly env: Readonly<Record<string, string>>;
  /** Text of an .npmrc whose secrets are names of `env`. */
  readonly npmrc: string;
  /** Certificates (PEM) beside those of the image; empty where there are none. */
  readonly certificates: string;
  /** What must not be seen in an output. */
  readonly secrets: readonly string[];
}

export interface SourceSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** Where the machine's own configuration lies: `/etc`. */
  readonly machineFolder: string;
  readonly platform: NodeJS.Platform;
  /** The text of the project's own `.npmrc`; its secrets are used as well. */
  readonly projectNpmrc: string;
  /** Files with certificates of the settings. */
  readonly certificates: readonly string[];
}

/** Reads pip's and npm's own configuration, of the machine, the person and the project, as those tools would. Never rejects. */
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
  for (const file of files) for (const [name, value] of iniOptions(await textOf(file))) options.set(name, value);
  for (const name of ['index-url', 'extra-index-url', 'cert']) {
    const value = env[`PIP_${name.toUpperCase().replaceAll('-', '_')}`];
    if (value !== undefined && value !== '') options.set(name, value);
  }
  return options;
}

/** `[install]` goes before `[global]`; a value may go on in indented lines. */
function iniOptions(text: string): ReadonlyMap<string, string> {
  const found = { global: new Map<string, string>(), install: new Map<string, string>() };
  let section: Map<string, string> | null = null;
  let name = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\[(\w+)\]/.exec(line)?.[1];
    if (header !== undefined) section = header === 'global' || header === 'install' ? found[header] : null;
    else if (/^\s*[#;]/.test(line)) continue;
    else if (/^\s+\S/.test(line) && name !== '') section?.set(name, `${section.get(name) ?? ''} ${line.trim()}`.trim());
    else {
      const option = /^([\w-]+)\s*[=:](.*)$/.exec(line);
      name = (option?.[1] ?? '').replaceAll('_', '-').toLowerCase();
      if (name !== '') section?.set(name, (option?.[2] ?? '').trim());
    }
  }
  return new Map([...found.global, ...found.install]);
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
    for (const line of text.split(/\r?\n/)) {
      const option = /^([^#;=\s][^=]*)=(.*)$/.exec(line.trim());
      if (option === null) continue;
      // npm puts variables of the environment in where they are named.
      const value = (option[2] ?? '')
        .trim()
        .replaceAll(/^"|"$/g, '')
        .replaceAll(/\$\{(\w+)\}/g, (_whole, name: string) => env[name] ?? '');
      options.set((option[1] ?? '').trim(), value);
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

/** Only where packages are and how one gets at them: other options of a person's .npmrc are about his own machine. */
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

/** What a person trusts beside the usual: a company's own, mostly. */
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

const textOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');

/** For a command that a model wrote: addresses of indexes on hosts that it may reach, and none that holds a name or password. */
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
