/** What a file's name says about it, before the file is read. */
export type SecretKind =
  /** It contains secrets. */
  | 'secret'
  /** It is secret if it contains a private key. */
  | 'private-key'
  /** It is secret if it contains a token or password, and not only a reference to a variable. */
  | 'token'
  /** It is secret if it contains what a login stored. Other programs use this file name, too. */
  | 'login'
  /** It is secret if it contains a known form of key. Programs and tests need such files with harmless passwords. */
  | 'known-key';

export interface SecretNames {
  readonly kind: SecretKind;
  /** Also applies in folders of tests and examples, which have keys of their own. */
  readonly inTests: boolean;
  /** File names in lower case. */
  readonly names: readonly string[];
  /** Patterns for names in lower case. */
  readonly forms: readonly RegExp[];
  /** Ends of paths in lower case, after a slash. */
  readonly ends: readonly RegExp[];
}

function wordsIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/**
 * Names of files in which programs keep secrets, as known from secret scanners and lists of files for git to ignore.
 * The first matching row counts.
 */
export const secretNames: readonly SecretNames[] = [
  {
    kind: 'secret',
    inTests: true,
    names: wordsIn(`
      .netrc _netrc .authinfo .git-credentials .pypirc .dockercfg .dockerconfigjson
      .msmtprc .esmtprc .fetchmailrc filezilla.xml sitemanager.xml recentservers.xml
      .pgpass pgpass.conf .my.cnf .mylogin.cnf .databrickscfg
      .boto .s3cfg .passwd-s3fs rclone.conf .vault-token kaggle.json oauth_creds.json
      application_default_credentials.json credentials.tfrc.json .terraformrc terraform.rc
      rootkey.csv accesskeys.csv new_user_credentials.csv .credentials .credentials.json
      .vault_pass .vault_pass.txt .vault_password .vault-password .vault-pass vault_pass.txt
      .secrets master.key secring.gpg hudson.util.secret wallet.dat
      logins.json key3.db key4.db signons.sqlite cookies.sqlite
    `),
    forms: [
      /\.env$|^\.env\..+/,
      /^\.?secrets([._-][a-z0-9]+)?\.(toml|ya?ml|json|ini)$/,
      /^kubeconfig(\.(ya?ml|json|conf))?$|\.kubeconfig$/,
      /^\.(bash|zsh|sh|psql|mysql|mongo|rediscli|python|irb|pry|node_repl)_?history$/,
      /_accesskeys\.csv$/,
      /^\.(github|gitlab|npm|hf|slack)[-_]?token$/,
    ],
    ends: [
      /\.aws\/(credentials|(sso|cli)\/cache\/.*)$/,
      /\.docker\/config\.json$/,
      /\.kube\/(config|cache\/.*)$/,
      /\.azure\//,
      /\.config\/gcloud\//,
      /gcloud\/(credentials\.db|access_tokens\.db|legacy_credentials\/.*)$/,
      /\.gnupg\//,
      /\.(gem|cargo)\/credentials(\.toml)?$/,
      /\.m2\/settings-security\.xml$/,
      /pypoetry\/auth\.toml$/,
      /\.(snowsql\/config|snowflake\/(connections|config)\.toml)$/,
      /(\.huggingface|huggingface|\.cache\/huggingface)\/(token|stored_tokens)$/,
      /\.oci\/config$/,
      /etc\/g?shadow-?$/,
    ],
  },
  {
    kind: 'secret',
    inTests: false,
    names: wordsIn(`
      credentials.json credentials.xml credentials.csv credentials-config.json token.pickle
      .htpasswd .htdigest proftpdpasswd
    `),
    forms: [
      /^(service[-_]?account|client[-_]secret|gcp|firebase-adminsdk).*\.json$/,
      /\.(p12|pfx|pkcs12|jks|keystore|bks|kdbx?|psafe3|ppk|pk8|keychain|keychain-db|agilekeychain|agekey)$/,
      // Contains all values that a deployment got and made.
      /\.tfvars(\.json)?$|\.tfstate(\.\d+)?(\.backup)?$|(^|\.)tfplan$/,
      /^utc--\d{4}-/,
    ],
    ends: [/config\/credentials\/(?!test\.key$)[^/]+\.key$/],
  },
  {
    kind: 'token',
    inTests: true,
    names: wordsIn(`
      .npmrc .yarnrc .yarnrc.yml bunfig.toml pip.conf pip.ini uv.toml .condarc
      nuget.config gradle.properties keystore.properties .renviron .flaskenv .sentryclirc
      .ftpconfig sftp-config.json .remote-sync.json .pg_service.conf .mcp.json robomongo.json
      .bashrc .bash_profile .profile .zshrc .zshenv .zprofile .tugboat
    `),
    forms: [/^\.envrc(\..+)?$|^\.direnvrc$/],
    ends: [
      /\.m2\/settings\.xml$/,
      /\.cargo\/config(\.toml)?$/,
      /\.bundle\/config$/,
      /\.aws\/config$/,
      /gh\/hosts\.ya?ml$/,
      /\.config\/(hub|doctl\/config\.yaml|ngrok\/ngrok\.yml)$/,
      /\.(ngrok2\/ngrok|fly\/config)\.yml$/,
      /\.(vscode\/sftp|cursor\/mcp|vscode\/mcp|mc\/config|netlify\/config)\.json$/,
      /\.idea\/(webservers|datasources\.local)\.xml$/,
    ],
  },
  {
    kind: 'token',
    inTests: false,
    names: ['local.settings.json', 'profiles.yml', 'wp-config.php', 'secret.yaml', 'secret.yml', 'ngrok.yml'],
    forms: [/^credentials(\.(ya?ml|toml|ini|properties))?$/],
    ends: [],
  },
  {
    kind: 'login',
    inTests: false,
    names: ['auth.json', 'token.json', 'tokens.json'],
    forms: [],
    ends: [],
  },
  {
    kind: 'private-key',
    inTests: false,
    names: ['keys.txt', 'key.txt'],
    forms: [
      /\.(pem|key|p8|asc|gpg|pgp|ovpn)$/,
      /^id_[a-z0-9_]+$|^[a-z0-9._-]+_(rsa|dsa|ecdsa|ed25519)$/,
      /^wg\d*\.conf$/,
      /(service[-_]?account|firebase-adminsdk).*\.json$/,
    ],
    ends: [/\.ssh\/[^/]+$/],
  },
  {
    kind: 'known-key',
    inTests: false,
    names: ['database.yml', 'local_settings.py', 'web.config'],
    forms: [
      /^appsettings(\.[a-z0-9]+)?\.json$/,
      /^application(-[a-z0-9]+)?\.(properties|ya?ml)$/,
      /^(docker-)?compose([.-][a-z0-9]+)?\.ya?ml$/,
    ],
    ends: [],
  },
];
