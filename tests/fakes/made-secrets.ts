/**
 * Secrets that no one uses, made at run time so that no scanner takes this file for a leak. The same seed makes the same.
 * Each text holds one secret, which must not be seen in what is left of it.
 */
export interface MadeSecret {
  readonly kind: string;
  readonly text: string;
  readonly secret: string;
}

const hexSigns = '0123456789abcdef';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const lower = upper.toLowerCase();
const digits = '0123456789';

export function madeSecrets(seed: number): readonly MadeSecret[] {
  let state = seed * 2_654_435_761 + 1;
  const pick = (signs: string): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return signs.charAt(Math.floor((state / 2 ** 32) * signs.length));
  };
  const of = (signs: string, length: number): string => Array.from({ length }, () => pick(signs)).join('');
  const any = (length: number): string =>
    `${of(lower, 1)}${of(digits, 2)}${of(upper, 2)}${of(upper + lower + digits, length - 5)}`;
  const hex = (length: number): string => of(hexSigns, length);
  const base64 = (length: number): string => Buffer.from(any(length)).toString('base64');
  const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join('-');
  const join = (...parts: readonly string[]): string => parts.join('');
  const password = (): string =>
    join(of(upper, 1), of(lower, 3), of(digits, 2), pick('!#%*+-=_'), of(lower, 3), of(digits, 1));
  const pem = (kind: string): string => {
    const body =
      base64(180)
        .match(/.{1,64}/gu)
        ?.join('\n') ?? '';
    return `-----BEGIN ${kind}PRIVATE ${'KEY'}-----\n${body}\n-----END ${kind}PRIVATE ${'KEY'}-----`;
  };
  const jwt = (): string =>
    [
      { alg: 'HS256', typ: 'JWT' },
      { sub: any(8), iat: 1 },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.') + `.${any(43)}`;

  /** By their form alone, wherever they stand. */
  const tokens: Readonly<Record<string, string>> = {
    'AWS key id': join('AK', 'IA', of(`${upper}234567`, 16)),
    'AWS session key id': join('AS', 'IA', of(`${upper}234567`, 16)),
    'GitHub token': join('gh', 'p_', any(36)),
    'GitHub app token': join('gh', 's_', any(36)),
    'GitHub fine-grained token': join('github', '_pat_', any(22), '_', any(59)),
    'GitLab token': join('gl', 'pat-', any(20)),
    'GitLab runner token': join('gl', 'rt-', any(20)),
    'GitLab deploy token': join('gl', 'dt-', any(20)),
    'Slack bot token': join('xo', 'xb-', of(digits, 12), '-', of(digits, 12), '-', any(24)),
    'Slack app token': join('xa', 'pp-1-', of(upper, 10), '-', of(digits, 12), '-', hex(64)),
    'Slack webhook': join('https://hooks.', 'slack.com/services/T', of(upper, 8), '/B', of(upper, 8), '/', any(24)),
    'Stripe live key': join('sk', '_live_', any(24)),
    'Stripe restricted key': join('rk', '_live_', any(24)),
    'Stripe webhook secret': join('wh', 'sec_', any(32)),
    'OpenAI key': join('sk', '-proj-', any(48)),
    'Anthropic key': join('sk', '-ant-api03-', any(93), 'AA'),
    'Google key': join('AI', 'za', any(35)),
    'Google client secret': join('GO', 'CSPX-', any(28)),
    'Hugging Face token': join('h', 'f_', of(upper + lower, 34)),
    'npm token': join('np', 'm_', any(36)),
    'PyPI token': join('py', 'pi-AgEIcHlwaS5vcmc', any(60)),
    'RubyGems token': join('ruby', 'gems_', hex(48)),
    'NuGet key': join('oy', '2', of(lower + digits, 43)),
    'SendGrid key': join('S', 'G.', any(22), '.', any(43)),
    'Twilio key': join('S', 'K', hex(32)),
    'Shopify token': join('shp', 'at_', hex(32)),
    'Square token': join('sq', '0atp-', any(22)),
    'DigitalOcean token': join('do', 'p_v1_', hex(64)),
    'Databricks token': join('da', 'pi', hex(32)),
    'Doppler token': join('dp', '.pt.', any(43)),
    'Grafana token': join('gl', 'sa_', any(32), '_', hex(8)),
    'Linear key': join('lin', '_api_', any(40)),
    'Notion token': join('nt', 'n_', of(digits, 11), any(35)),
    'Postman key': join('PM', 'AK-', hex(24), '-', hex(34)),
    'PlanetScale password': join('pscale', '_pw_', any(43)),
    'Pulumi token': join('pu', 'l-', hex(40)),
    'Sentry token': join('sn', 'tryu_', hex(64)),
    'Vault token': join('hv', 's.', any(95)),
    'age key': join('AGE-', 'SECRET-KEY-1', of('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)),
    'Telegram token': join(of('123456789', 9), ':A', 'A', any(33)),
    'Discord token': join('M', any(23), '.', any(6), '.', any(38)),
    'Docker token': join('dckr', '_pat_', any(27)),
    'Figma token': join('fi', 'gd_', any(40)),
    'Groq key': join('gs', 'k_', any(52)),
    'Supabase token': join('sb', 'p_', hex(40)),
    'Tailscale key': join('ts', 'key-auth-', any(12), '-', any(32)),
    'Azure client secret': join(any(3).slice(0, 3), '8', 'Q~', any(34)),
    'JSON web token': jwt(),
    'Airtable token': join('pa', 't', any(14), '.', hex(64)),
    'Dynatrace token': join('dt', '0c01.', any(24), '.', any(64)),
    'Atlassian token': join('ATA', 'TT3', any(186)),
    'Heroku key': join('HR', 'KU-AA', any(58)),
    'Perplexity key': join('pp', 'lx-', any(48)),
    'Mailgun key beside its name': '',
  };
  delete (tokens as Record<string, string>)['Mailgun key beside its name'];
  const places: readonly ((token: string) => string)[] = [
    (token) => `The key is ${token} for now.`,
    (token) => `const client = connect("${token}", { retries: 3 });`,
    (token) => `{"a":1,"value":"${token}"}`,
    (token) => `first line\\n${token}\\nlast line`,
    (token) => `+KEY=${token}\n`,
  ];
  const all: MadeSecret[] = Object.entries(tokens).flatMap(([kind, secret], at) =>
    [places[at % places.length], places[0]].flatMap((place) =>
      place === undefined ? [] : [{ kind, secret, text: place(secret) }],
    ),
  );

  const add = (kind: string, secret: string, text: (secret: string) => string): void =>
    void all.push({ kind, secret, text: text(secret) });
  for (const kind of ['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', ''])
    add(`private key ${kind}`, pem(kind), (secret) => `key:\n${secret}\nend\n`);
  add(
    'private key in JSON',
    JSON.stringify(pem('')).slice(1, -1),
    (secret) => `{"type":"service_account","private_key":"${secret}\\n"}`,
  );

  for (const [kind, write] of Object.entries(settings)) {
    add(`${kind}, password`, password(), (secret) => write('DB_PASSWORD', 'db.password', secret));
    add(`${kind}, token`, any(32), (secret) => write('API_TOKEN', 'api.token', secret));
    add(`${kind}, base64`, base64(30), (secret) => write('CLIENT_SECRET', 'client.secret', secret));
    add(`${kind}, hexadecimal`, hex(40), (secret) => write('SERVICE_API_KEY', 'service.api-key', secret));
  }
  for (const [kind, write] of Object.entries(code)) {
    add(`${kind}, password`, password(), write);
    add(`${kind}, random`, any(24), write);
  }
  for (const [kind, write] of Object.entries(others)) add(kind, any(20), write);
  add('Heroku key beside its name', uuid(), (secret) => `HEROKU_API_KEY=${secret}\n`);
  add('Mailgun key beside its name', `key-${hex(32)}`, (secret) => `mailgun_key = "${secret}"`);
  add('Datadog key beside its name', hex(40), (secret) => `datadog_key: ${secret}\n`);
  add('Twitter secret beside its name', any(45), (secret) => `twitter_access_secret = '${secret}'`);
  add('AWS secret key', any(40), (secret) => `aws_secret_access_key = ${secret}\n`);
  add('basic authorization', base64(21), (secret) => `Authorization: Basic ${secret}\n`);
  add('docker login', base64(24), (secret) => `{"auths":{"registry.example":{"auth":"${secret}"}}}`);
  add('kube config, key', base64(900), (secret) => `users:\n- name: a\n  user:\n    client-key-data: ${secret}\n`);
  return all;
}

type Write = (name: string, dotted: string, secret: string) => string;

/** Files of settings, and commands. */
const settings: Readonly<Record<string, Write>> = {
  env: (name, _dotted, secret) => `PORT=3000\n${name}=${secret}\nDEBUG=1\n`,
  'env in quotes': (name, _dotted, secret) => `${name}="${secret}"\n`,
  'shell export': (name, _dotted, secret) => `#!/bin/sh\nexport ${name}='${secret}'\nrun\n`,
  'before a command': (name, _dotted, secret) => `${name}=${secret} npm start\n`,
  JSON: (name, _dotted, secret) => `{\n  "port": 1,\n  "${name.toLowerCase()}": "${secret}"\n}\n`,
  'JSON in JSON': (name, _dotted, secret) => JSON.stringify({ body: JSON.stringify({ [name.toLowerCase()]: secret }) }),
  YAML: (name, _dotted, secret) => `db:\n  ${name.toLowerCase()}: ${secret}\n  port: 1\n`,
  'YAML in quotes': (name, _dotted, secret) => `db:\n  ${name.toLowerCase()}: '${secret}'\n`,
  TOML: (name, _dotted, secret) => `[db]\n${name.toLowerCase()} = "${secret}"\n`,
  INI: (name, _dotted, secret) => `[db]\n${name.toLowerCase()}=${secret}\nport=1\n`,
  'INI with blanks': (name, _dotted, secret) => `[db]\n${name.toLowerCase()} = ${secret}\n`,
  properties: (_name, dotted, secret) => `spring.${dotted}=${secret}\n`,
  Dockerfile: (name, _dotted, secret) => `FROM x\nENV ${name}=${secret}\n`,
  compose: (name, _dotted, secret) => `    environment:\n      - ${name}=${secret}\n`,
  PowerShell: (name, _dotted, secret) => `$env:${name} = "${secret}"\n`,
  option: (name, _dotted, secret) => `tool --${name.toLowerCase().replaceAll('_', '-')}=${secret} run\n`,
  'option with a blank': (name, _dotted, secret) => `tool --${name.toLowerCase().replaceAll('_', '-')} ${secret}\n`,
  Terraform: (name, _dotted, secret) => `resource "x" "y" {\n  ${name.toLowerCase()} = "${secret}"\n}\n`,
  XML: (_name, _dotted, secret) => `<settings>\n  <password>${secret}</password>\n</settings>\n`,
  'an attribute': (_name, _dotted, secret) => `<add key="Smtp.Password" value="${secret}" />\n`,
  'a diff': (name, _dotted, secret) => `@@ -1 +1 @@\n-${name}="old"\n+${name}="${secret}"\n`,
  'settings with line numbers': (name, _dotted, secret) => `12: ${name.toLowerCase()}: ${secret}\n13: x: 1\n`,
  'settings that were found': (name, _dotted, secret) => `conf/app.ini:7: ${name.toLowerCase()}=${secret}\n`,
  'with line numbers': (name, _dotted, secret) => `12: ${name} = "${secret}"\n13: x = 1\n`,
};

/** Literals in code. */
const code: Readonly<Record<string, (secret: string) => string>> = {
  'Python variable': (secret) => `import os\npassword = "${secret}"\n`,
  'Python argument': (secret) => `db = connect(host="x", user="y", password='${secret}')\n`,
  'Python dictionary': (secret) => `CONFIG = {'secret_key': '${secret}', 'port': 1}\n`,
  'Python default': (secret) => `KEY = os.environ.get("SECRET_KEY", "${secret}")\n`,
  'Python with a type': (secret) => `api_key: str = "${secret}"\n`,
  JavaScript: (secret) => `const apiKey = '${secret}';\n`,
  'JavaScript object': (secret) => `module.exports = { auth: { user: 'x', pass: "${secret}" } };\n`,
  'JavaScript default': (secret) => `const token = process.env.AUTH_TOKEN || '${secret}';\n`,
  TypeScript: (secret) => `export const clientSecret: string = \`${secret}\`;\n`,
  Java: (secret) => `private static final String DB_PASSWORD = "${secret}";\n`,
  'Java property': (secret) => `props.setProperty("db.password", "${secret}");\n`,
  'C#': (secret) => `var options = new Options { ClientSecret = "${secret}" };\n`,
  Go: (secret) => `cfg := Config{\n\tPassword: "${secret}",\n}\n`,
  Ruby: (secret) => `config = { :password => "${secret}" }\n`,
  PHP: (secret) => `define('DB_PASSWORD', '${secret}');\n`,
  Rust: (secret) => `let auth_token = "${secret}";\n`,
  Kotlin: (secret) => `val accessToken = "${secret}"\n`,
  comparison: (secret) => `if (password == "${secret}") {\n`,
  minified: (secret) => `!function(){var a={user:"x",password:"${secret}"};b(a)}();`,
};

/** Addresses, headers and files of their own form. */
const others: Readonly<Record<string, (secret: string) => string>> = {
  'address of Postgres': (secret) => `DATABASE_URL=postgres://app:${secret}@db.internal:5432/app\n`,
  'address of MySQL': (secret) => `url = "mysql://root:${secret}@127.0.0.1/app"\n`,
  'address of MongoDB': (secret) => `mongodb+srv://user:${secret}@cluster0.abcde.mongodb.net/test\n`,
  'address of Redis': (secret) => `redis://:${secret}@cache:6379/0\n`,
  'address of AMQP': (secret) => `amqps://user:${secret}@mq.internal/vhost\n`,
  'address of git': (secret) => `git clone https://user:${secret}@git.internal/a/b.git\n`,
  'connection string of SQL Server': (secret) =>
    `"Server=db;Database=app;User Id=sa;Password=${secret};Encrypt=true"\n`,
  'connection string of storage': (secret) =>
    `DefaultEndpointsProtocol=https;AccountName=app;AccountKey=${secret}${secret}==;EndpointSuffix=core.windows.net\n`,
  'header with bearer': (secret) => `Authorization: Bearer ${secret}${secret}\n`,
  'header with a key': (secret) => `curl -H "X-Api-Key: ${secret}" https://api.internal/\n`,
  'curl with a user': (secret) => `curl -u admin:${secret} https://api.internal/\n`,
  'query of an address': (secret) => `GET https://api.internal/v1?page=2&access_token=${secret}&x=1\n`,
  netrc: (secret) => `machine api.internal login me password ${secret}\n`,
  'netrc in lines': (secret) => `machine api.internal\n  login me\n  password ${secret}\n`,
  npmrc: (secret) => `//registry.internal/:_authToken=${secret}\n`,
  'kube config, token': (secret) => `users:\n- name: a\n  user:\n    token: ${secret}${secret}\n`,
  'mysql command': (secret) => `mysql -u root -p${secret} app < dump.sql\n`,
  SQL: (secret) => `CREATE USER app IDENTIFIED BY '${secret}';\n`,
  'SQL of Postgres': (secret) => `ALTER USER app WITH PASSWORD '${secret}';\n`,
  'Postgres variable': (secret) => `PGPASSWORD=${secret} psql -h db app\n`,
};
