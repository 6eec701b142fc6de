/**
 * Which files of a project hold secrets, by name, and what of them shows it. A model sees them empty, until a person
 * says otherwise for one of them.
 */
export type SecretKind =
  /** By its name alone. */
  | 'secret'
  /** Where a private key is in it. */
  | 'private-key'
  /** Where a token is in it, not just a reference to a variable. */
  | 'token';

const wholeNames = new Set([
  '.netrc',
  '_netrc',
  '.pgpass',
  '.pypirc',
  '.git-credentials',
  '.dockercfg',
  '.boto',
  '.s3cfg',
  '.vault-token',
  'application_default_credentials.json',
  'secrets.toml',
  'secrets.yml',
  'secrets.yaml',
  'secrets.json',
  'master.key',
  '.terraformrc',
  'kubeconfig',
]);
const wholePaths =
  /(^|\/)(\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.azure\/.*|gcloud\/.*|\.gnupg\/.*)$/;
const service = /^(service[-_]?account|client[-_]secret|gcp|firebase-adminsdk).*\.json$/;
/** What stands in for a secret, so that people know which there are; and what tests are run with. */
const harmless = /\.(example|sample|template|tmpl|tpl|dist|defaults?|schema|test|testing|ci)$/;
const keyStore = /\.(p12|pfx|jks|keystore|kdbx|ppk)$/;
const keyFile = /(\.(pem|key)|^id_[a-z0-9_]+)$/;
/** Keys that lie among tests are made for them. */
const testFolder = /(^|\/)(tests?|__tests__|specs?|fixtures?|testdata|test[-_]data|mocks?|examples?)\//i;

/** What a file is by its path, relative to the project; null for all that need no protection. */
export function secretKind(path: string): SecretKind | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (/^\.env(\..+)?$|\.env$/.test(name)) return harmless.test(name) ? null : 'secret';
  if (name === '.npmrc' || name === '.yarnrc.yml' || name === 'pip.conf') return 'token';
  if (wholeNames.has(name) || wholePaths.test(path.toLowerCase())) return 'secret';
  if (testFolder.test(path)) return null;
  if (service.test(name) || name === 'credentials.json' || keyStore.test(name)) return 'secret';
  return keyFile.test(name) ? 'private-key' : null;
}

/** How much of a file `isSecretText` looks at. */
export const secretTextBytes = 64 * 1024;

export function isSecretText(kind: SecretKind, text: string): boolean {
  switch (kind) {
    case 'secret':
      return true;
    case 'private-key':
      return /PRIVATE KEY/.test(text);
    case 'token':
      return (
        /(_authToken|_auth|_password|npmAuthToken|npmAuthIdent)['"]?\s*[=:]\s*['"]?(?!\$\{)[^\s'"]/.test(text) ||
        /:\/\/[^/\s:@]+:[^/\s@$]+@/.test(text)
      );
    default:
      return kind satisfies never;
  }
}
