import { describe, expect, it } from 'vitest';
import { isSecretText, secretKind } from '../../../../src/main/sandbox/workspace/secret-files.ts';
import type { SecretKind } from '../../../../src/main/sandbox/workspace/secret-names.ts';

/** The kind of each file, decided by its name. Each row is a kind of program or service. */
const byName: readonly (readonly [SecretKind | null, readonly string[]])[] = [
  ['secret', ['.env', '.env.local', '.env.production', '.env.test.local', 'api/.env', 'prod.env', 'tests/.env']],
  [
    'secret',
    ['infra/terraform.tfvars', 'prod.auto.tfvars', 'prod.tfvars.json', 'terraform.tfstate', 'x.tfstate.backup'],
  ],
  ['secret', ['.terraform/terraform.tfstate', 'terraform.tfstate.1700000000.backup', 'plan.tfplan', '.terraformrc']],
  ['secret', ['.terraform.d/credentials.tfrc.json', 'web/.htpasswd', '.htdigest', '.git-credentials', 'sub/.netrc']],
  ['secret', ['.pgpass', '.my.cnf', '.mylogin.cnf', '.pypirc', '.dockercfg', '.docker/config.json', '.kube/config']],
  [
    'secret',
    ['kubeconfig', 'deploy/kubeconfig.yaml', 'prod.kubeconfig', '.gem/credentials', '.cargo/credentials.toml'],
  ],
  ['secret', ['.aws/credentials', '.aws/sso/cache/1.json', 'rootkey.csv', 'me_accessKeys.csv', '.boto', '.s3cfg']],
  [
    'secret',
    ['.azure/accessTokens.json', '.config/gcloud/x.db', 'gcloud/credentials.db', 'rclone.conf', 'kaggle.json'],
  ],
  ['secret', ['service-account-prod.json', 'serviceAccount.json', 'credentials.json', 'client_secret_1.json']],
  [
    'secret',
    ['.databrickscfg', '.snowsql/config', '.snowflake/connections.toml', '.huggingface/token', '.vault-token'],
  ],
  [
    'secret',
    ['.vault_pass', 'ansible/.vault_pass.txt', '.secrets', '.secrets.toml', 'secrets.prod.yaml', '.oci/config'],
  ],
  ['secret', ['config/master.key', 'config/credentials/production.key', '.streamlit/secrets.toml', 'etc/shadow']],
  ['secret', ['deploy/app.p12', 'a.pfx', 'a.jks', 'upload.keystore', 'team.kdbx', 'a.ppk', '.gnupg/secring.gpg']],
  [
    'secret',
    [
      '.bash_history',
      '.psql_history',
      'wallet.dat',
      'profile/logins.json',
      'profile/key4.db',
      '.claude/.credentials.json',
    ],
  ],
  [
    'private-key',
    [
      'key.pem',
      'tls/server.key',
      '.ssh/id_ed25519',
      '.ssh/work',
      'id_rsa',
      'deploy_rsa',
      'AuthKey_X1.p8',
      'config/credentials/test.key',
    ],
  ],
  ['private-key', ['me.asc', 'office.ovpn', 'wg0.conf', 'sops/age/keys.txt', 'app-firebase-adminsdk-x1-2.json']],
  ['token', ['.npmrc', 'pip.conf', '.yarnrc.yml', 'bunfig.toml', '.condarc', 'NuGet.Config', '.m2/settings.xml']],
  [
    'token',
    ['.envrc', 'sub/.envrc.local', 'gradle.properties', '.Renviron', '.sentryclirc', 'dbt/profiles.yml', '.mcp.json'],
  ],
  [
    'token',
    ['local.settings.json', 'wp-config.php', '.config/gh/hosts.yml', '.vscode/sftp.json', '.aws/config', '.zshrc'],
  ],
  ['login', ['auth.json', '.codex/auth.json', 'token.json']],
  ['known-key', ['appsettings.json', 'appsettings.Production.json', 'src/application-prod.yml', 'docker-compose.yml']],
  // Placeholders for secrets, settings for tests, and names that only look like secrets.
  [null, ['.env.example', '.env.sample', '.env.test', 'example.env', 'environment.ts', 'src/env.ts', 'README.md']],
  [
    null,
    ['terraform.tfvars.example', 'example.tfvars', 'examples/full/terraform.tfvars', 'testdata/terraform.tfstate'],
  ],
  [null, ['main.tf', 'variables.tf', '.terraform.lock.hcl', 'terraform.tfstate.lock.info', 'auth.json.sample']],
  [null, ['tests/fixtures/server.pem', 'test/keys/id_rsa', 'tests/credentials.json', 'spec/fixtures/auth.json']],
  [
    null,
    [
      'id_rsa.pub',
      'secrets.py',
      'src/credentials.ts',
      'config.json',
      'package.json',
      'src/auth.ts',
      'kubeconfig.go',
      'secrets.test.json',
    ],
  ],
  [null, ['docs/gcloud/readme.md', 'src/history.ts', 'keymap.json', 'tokens.css', 'config/credentials.yml.enc']],
  [null, ['google-services.json', 'GoogleService-Info.plist', 'i18n/en/password.json']],
];

/** For each kind of secret: texts that contain one, and texts that do not. */
const inText: readonly (readonly [SecretKind, readonly string[], readonly string[]])[] = [
  [
    'private-key',
    [
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      '-----BEGIN PGP PRIVATE KEY BLOCK-----',
      '# created\nAGE-SECRET-KEY-1QQQ',
      '[Interface]\nPrivateKey = abc=',
      '{"private_key": "-----BEGIN PRIVATE KEY-----\\n"}',
    ],
    ['-----BEGIN CERTIFICATE-----', '-----BEGIN PGP PUBLIC KEY BLOCK-----', 'Host a\n  User b\n', ''],
  ],
  [
    'token',
    [
      '//registry.example/:_authToken=npm_abc',
      '[global]\nindex-url = https://me:pass@host.example/simple',
      'export AWS_SECRET_ACCESS_KEY=abc/def',
      "export DB_PASSWORD='hunter'",
      'RELEASE_STORE_PASSWORD=android1',
      '<password>plain</password>',
      '<add key="ClearTextPassword" value="x" /><add password="hunter" />',
      "define( 'DB_PASSWORD', 'wordpress' );",
      '{"Values": {"AzureWebJobsStorage": "AccountName=a;AccountKey=Zm9v;"}}',
      '{"mcpServers": {"x": {"env": {"API_KEY": "abc123"}}}}',
      'github.com:\n  oauth_token: gho_abc',
      'dev:\n  token: dapi0123',
      'password=@bc123',
    ],
    [
      '//registry.example/:_authToken=${NPM_TOKEN}\nsave-exact=true',
      'use flake\nlayout python\nexport AWS_PROFILE=dev\nPATH_add bin',
      'export DB_PASSWORD=$(pass show db)\nexport TOKEN="$OTHER"',
      'password: "{{ env_var(\'DBT_PASSWORD\') }}"',
      '<password>${env.NEXUS_PASSWORD}</password>',
      'export TOKEN_FILE=./token\nexport TOKEN_URL=https://host.example/token',
      'org.gradle.jvmargs=-Xmx2g\nandroid.useAndroidX=true',
      '{"mcpServers": {"x": {"env": {"API_KEY": "${API_KEY}"}}}}',
      'password=changeme\ntoken=<your token>',
      'index-url = https://${USER}:${PASS}@host.example/simple',
    ],
  ],
  [
    'login',
    [
      '{"github-oauth": {"github.com": "0123"}}',
      '{"http-basic": {\n  "repo.example": {"username": "a", "password": "b"}}}',
      '{"tokens": {"access_token": "0123456789abcdef"}, "OPENAI_API_KEY": null}',
      '{"installed": {"client_secret": "0123456789abcdefgh"}}',
    ],
    ['{"failed": "These credentials do not match.", "password": "The password is wrong."}', '{"http-basic": {}}', '{}'],
  ],
  [
    'known-key',
    ['Key=AKIAABCDEFGHIJKLMNOP', 'stripe:\n  key: sk_live_0123456789abcdef'],
    ['spring.datasource.password=postgres', '"ConnectionStrings": {"Db": "Password=postgres"}', 'POSTGRES_PASSWORD: x'],
  ],
];

describe('a secret file', () => {
  it.each(byName)('is known as %s by the names %j', (kind, paths) => {
    expect(paths.map((path) => [path, secretKind(path)])).toEqual(paths.map((path) => [path, kind]));
  });

  it.each(inText)('is known as %s by its text, unless the text only refers to a secret', (kind, secret, plain) => {
    expect(secret.filter((text) => !isSecretText(kind, text))).toEqual([]);
    expect(plain.filter((text) => isSecretText(kind, text))).toEqual([]);
  });

  it.each(inText)('of kind %s takes no more time per byte when it is large', (kind, secret, plain) => {
    const parts = [
      'password',
      '://a:',
      '"token" : "',
      'PrivateKey',
      '"http-basic"',
      'secret_',
      ' ',
      ...secret,
      ...plain,
    ];
    for (const part of parts) {
      const text = part.slice(0, -1).repeat(Math.ceil(300_000 / Math.max(1, part.length - 1)));
      const began = performance.now();
      isSecretText(kind, text);
      expect(performance.now() - began, part).toBeLessThan(1000);
    }
  });
});
