import { hideSecrets } from '../../lib/secrets/secret-patterns.ts';
import { secretNames, type SecretKind, type SecretNames } from './secret-names.ts';

/**
 * Finds the files of a project that contain secrets, by their names and by what is in them. Models see them empty,
 * until the user decides otherwise for a file.
 */

/** Files that stand for secret ones, such as examples, and files for running tests. They contain no real secrets. */
const harmless =
  /\.(example|sample|template|tmpl|tpl|dist|defaults?|schema|test|testing|ci|lock\.info)$|(^|[._-])(example|sample|template)\.[a-z]+(\.json)?$|[._-]test\.(json|ya?ml|toml|ini|properties|tfvars)$/;
/** Keys in test folders are made for the tests. */
const testFolder = /(^|\/)(tests?|__tests__|specs?|fixtures?|testdata|test[-_]data|mocks?|examples?)\//;

interface Row extends Pick<SecretNames, 'kind' | 'inTests'> {
  readonly names: ReadonlySet<string>;
  /** Matches names and full paths. */
  readonly form: RegExp;
  readonly end: RegExp;
}

function rowOf(all: readonly SecretNames[], { kind, inTests }: Pick<SecretNames, 'kind' | 'inTests'>): Row {
  const oneOf = (expressions: readonly RegExp[], before: string): RegExp =>
    new RegExp(expressions.length === 0 ? '$^' : `${before}(?:${expressions.map(({ source }) => source).join('|')})`);
  return {
    kind,
    inTests,
    names: new Set(all.flatMap(({ names }) => names)),
    form: oneOf(
      all.flatMap(({ forms }) => forms),
      '',
    ),
    end: oneOf(
      all.flatMap(({ ends }) => ends),
      '(?:^|\\/)',
    ),
  };
}

const rows = secretNames.map((row) => rowOf([row], row));
/** A quick test, because every file of a project is checked and hardly any matches. */
const anyRow = rowOf(secretNames, { kind: 'secret', inTests: true });

function fits({ names, form, end }: Row, name: string, path: string): boolean {
  return names.has(name) || form.test(name) || end.test(path);
}

/** The kind of a file by its path, relative to the project. Null for files that need no protection. */
export function secretKind(path: string): SecretKind | null {
  const small = path.toLowerCase();
  const name = small.slice(small.lastIndexOf('/') + 1);
  if (!fits(anyRow, name, small) || harmless.test(name)) return null;
  const isAmongTests = testFolder.test(small);
  return rows.find((row) => (row.inTests || !isAmongTests) && fits(row, name, small))?.kind ?? null;
}

/** Whether a path is that of an example, or in a folder of tests. People put copies of harmless secrets there. */
export function isHarmlessPath(path: string): boolean {
  const small = path.toLowerCase();
  return harmless.test(small.slice(small.lastIndexOf('/') + 1)) || testFolder.test(small);
}

/** How many bytes `isSecretText` needs from the beginning of a file. */
export const secretTextBytes = 1024 * 1024;

export function isSecretText(kind: SecretKind, text: string): boolean {
  switch (kind) {
    case 'secret':
      return true;
    case 'private-key':
      return privateKey.test(text);
    case 'token':
      return hasKnownKey(text) || packageToken.test(text) || hasAssigned(text) || hasPasswordInAddress(text);
    case 'login':
      return hasKnownKey(text) || login.test(text);
    case 'known-key':
      return hasKnownKey(text);
    default:
      return kind satisfies never;
  }
}

const privateKey = /PRIVATE KEY|AGE-SECRET-KEY-1|^\s{0,8}PrivateKey\s{0,8}=|^PuTTY-User-Key-File/m;
const packageToken = /(_authToken|_auth|_password|npmAuthToken|npmAuthIdent)['"]?\s{0,8}[=:]\s{0,8}['"]?(?!\$)[^\s'"]/;
/** Logins of Composer, and of programs that store what they got at login. */
const login =
  /"(http-basic|(github|gitlab|bitbucket)-oauth|(gitlab|forgejo)-token|bearer)"\s{0,40}:\s{0,40}\{\s{0,40}"|"(access_?token|refresh_?token|id_?token|client_?secret|token|access|refresh|key|\w{1,40}_api_key)"\s{0,40}:\s{0,40}"[^"\s]{16}/i;

function hasKnownKey(text: string): boolean {
  return hideSecrets(text).kinds.length > 0;
}

const assigned =
  /(?:secret|passw(?:or)?d|passwd|pwd|token|(?:api|access|account|private|secret)[_-]?key|key-data|credentials?)([a-z0-9_.-]{0,40})["']?\s{0,8}[=:>,]\s{0,8}["']?([^\s"'<]{3,64})/gi;
/** Ends of names that say where a secret is or how it is used. Their values are no secrets. */
const aboutSecret =
  /(file|path|dir|folder|store|url|uri|host|name|user|id|type|length|size|ttl|timeout|days|expir\w{0,8})$/i;
/** A variable, a call or a placeholder, instead of a value. */
const reference =
  /^(\\?\$|`|%\w+%|\{\{|<|@microsoft\.|!(vault|ref|sub|getatt|env)|op:\/\/|vault:|env[.:(]|process\.|os\.|getenv|your|change|example|placeholder|x{3}|\*{3}|\.{3}|(null|none|nil|true|false|undefined|required|\d{1,5})[,;)]*$)/i;

/** Whether a name that means a secret has a real value, and not a reference. */
function hasAssigned(text: string): boolean {
  for (const [, rest = '', value = ''] of text.matchAll(assigned))
    if (!aboutSecret.test(rest) && !reference.test(value)) return true;
  return false;
}

const passwordInAddress = /:\/\/[^/\s:@"']{0,128}:([^/\s@"']{1,128})@/g;

function hasPasswordInAddress(text: string): boolean {
  for (const [, value = ''] of text.matchAll(passwordInAddress)) if (!reference.test(value)) return true;
  return false;
}

/** The kind of a file by its name only, for use before the sandbox has read the file. */
export const isSecretFile = (path: string): boolean => secretKind(path) === 'secret';
