import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../../../src/main/lib/secrets/secret-patterns.ts';
import { hideAssigned } from '../../../../src/main/safety/assigned-secrets.ts';
import { exampleIn } from '../../../../src/main/tools/servers/program-needs.ts';
import { maskedLine, serversIn, serversInText } from '../../../../src/main/tools/servers/import-servers.ts';

const hide = (text: string): string => hideAssigned(hideSecrets(text).text).text;

describe('servers in a file of another program', () => {
  it('are read from every usual form, as programs in a container by default', () => {
    const claude =
      '{"mcpServers": {"File System": {"command": "npx", "args": ["-y", "server"], "env": {"KEY": "abc", "TOKEN": "${TOKEN}"}}}}';
    expect(serversIn(claude, 'claude_desktop_config.json', { where: 'container' })).toEqual({
      servers: [
        {
          name: 'file-system',
          definition: {
            kind: 'stdio',
            command: 'npx',
            args: ['-y', 'server'],
            env: ['KEY', 'TOKEN'],
            where: 'container',
            hosts: ['registry.npmjs.org'],
            staysHere: false,
          },
          secrets: { KEY: 'abc' },
          isUnnamed: false,
        },
      ],
      skipped: [],
    });
    const code =
      '{ // a comment\n "servers": {"docs": {"type": "http", "url": "https://mcp.example.org", "headers": {"Authorization": "Bearer x"}},} }';
    expect(serversIn(code, 'mcp.json', { where: 'container' }).servers).toMatchObject([
      {
        name: 'docs',
        definition: { kind: 'http', headers: ['Authorization'] },
        secrets: { Authorization: 'Bearer x' },
      },
    ]);
    const codex = '[mcp_servers.git]\ncommand = "git-server"\nargs = ["a"]\n';
    expect(serversIn(codex, 'config.toml', { where: 'host' }).servers).toMatchObject([
      { name: 'git', definition: { where: 'host' } },
    ]);
  });

  // Catches: a server whose transport has its usual name and that is refused, a key under another name that is left
  // out, and a given value that is asked for.
  it('may use any transport, and keep the names and values of the file', () => {
    const file = {
      mcpServers: {
        old: { type: 'sse', url: 'https://old.example.org/sse' },
        given: { command: 'x', env: { MODE: '${MODE:-fast}', KEY: '${KEY}', OTHER: '${NAME:-a}', MIXED: 'a${B:-c}' } },
      },
    };
    expect(serversIn(JSON.stringify(file), '.mcp.json', { where: 'container' })).toMatchObject({
      servers: [
        { name: 'old', definition: { kind: 'http', url: 'https://old.example.org/sse' } },
        { definition: { env: ['MODE', 'KEY', 'OTHER', 'MIXED'] }, secrets: { MODE: 'fast' } },
      ],
      skipped: [],
    });
    const codex =
      '[mcp_servers.web]\nurl = "https://web.example.org/mcp"\nbearer_token_env_var = "TOKEN"\nhttp_headers = { "X-Team" = "a" }\n';
    expect(serversIn(codex, 'config.toml', { where: 'container' }).servers).toMatchObject([
      { definition: { headers: ['Authorization', 'X-Team'] }, secrets: { 'X-Team': 'a' } },
    ]);
  });

  it('that cannot work are skipped with a reason', () => {
    const file = {
      mcpServers: {
        vars: { command: '${TOOLS}/x' },
        bad: 5,
        '': { command: 'x' },
        odd: { url: 'file:///etc' },
      },
    };
    const { servers, skipped } = serversIn(JSON.stringify(file), '.mcp.json', { where: 'container' });
    expect(servers).toEqual([]);
    expect(skipped).toEqual([
      'vars: put your own value in the place of ${TOOLS}',
      'bad: it is no object',
      ': it has no letter in its name',
      expect.stringContaining('odd: '),
    ]);
    expect(() => serversIn('{}', 'x.json', { where: 'container' })).toThrow('No tool servers');
  });
});

describe('servers in a pasted text', () => {
  const home = (path: string) => join(homedir(), path);
  const name = (text: string) => serversInText(text, { where: 'container' }).servers.map((one) => one.name);
  const config = Buffer.from('{"command":"npx","args":["-y","@example/docs-server@1.2.0"]}').toString('base64');

  it.each([
    ['an address', 'https://mcp.tracker.example.org/mcp', ['tracker']],
    [
      'a file',
      '{"mcpServers": {"docs": {"url": "https://mcp.example.org"}, "git": {"command": "git-server"}}}',
      ['docs', 'git'],
    ],
    ['a part of one', '"docs": {"command": "docs-server"},', ['docs']],
    ['a list without its frame', '{"docs": {"command": "docs-server"}}', ['docs']],
    ['one server', '{"command": "npx", "args": ["-y", "@example/docs-server@1.2.0"]}', ['docs-server']],
    ['a table', '[mcp_servers.git]\ncommand = "git-server"\n', ['git']],
    ['a link of one editor', `cursor://anysphere.cursor-deeplink/mcp/install?name=docs&config=${config}`, ['docs']],
    [
      'a link of another',
      `vscode:mcp/install?${encodeURIComponent('{"name":"docs","type":"http","url":"https://x.example.org"}')}`,
      ['docs'],
    ],
  ])('are read from %s', (_what, text, names) => {
    expect(name(text)).toEqual(names);
  });

  // Each line stands in the README of a server that many use, but for its name.
  it.each([
    [
      'npx -y @example/server-filesystem ~/notes',
      'filesystem',
      'npx',
      ['-y', '@example/server-filesystem', home('notes')],
    ],
    ['$ uvx mcp-server-time', 'time', 'uvx', ['mcp-server-time']],
    ['uvx mcp-server-fetch', 'fetch', 'uvx', ['mcp-server-fetch']],
    ['uvx --from git+https://x.example.org/y serena start-mcp-server', 'serena', 'uvx', null],
    ['docker run -i --rm ghcr.io/example/github-mcp-server:1.2', 'github', 'docker', null],
    ['claude mcp add notes -- npx -y @example/x --flag', 'notes', 'npx', ['-y', '@example/x', '--flag']],
    ['claude mcp add --scope user notes npx @example/x@latest', 'notes', 'npx', ['@example/x@latest']],
    ['codex mcp add notes --env KEY=abc -- npx -y x', 'notes', 'npx', ['-y', 'x']],
    [`claude mcp add-json notes '{"command":"uvx","args":["x"]}'`, 'notes', 'uvx', ['x']],
    [`code --add-mcp '{"name":"play","command":"npx","args":["@example/mcp@latest"]}'`, 'play', 'npx', null],
    ['```bash\nnpx -y @example/docs-mcp@1.2.0\n```', 'docs', 'npx', null],
    ['npx \\\n  -y @example/docs-mcp', 'docs', 'npx', ['-y', '@example/docs-mcp']],
    ['"C:\\Program Files\\notes\\notes.exe" --stdio', 'notes', 'C:\\Program Files\\notes\\notes.exe', ['--stdio']],
    ['python3 /srv/weather.py', 'weather', 'python3', ['/srv/weather.py']],
    ['node /srv/weather/build/index.js', 'weather', 'node', null],
    ['uv --directory /srv/weather-mcp run server.py', 'weather', 'uv', null],
    ['node server.js', 'server', 'node', null],
    ['python -m mcp_server_git --repository "/srv/my repo"', 'mcp-server-git', 'python', null],
  ])('are read from the command line %s', (text, called, command, args) => {
    const [found] = serversInText(text, { where: 'container' }).servers;
    expect(found).toMatchObject({ name: called, definition: { kind: 'stdio', command } });
    if (args !== null) expect(found?.definition).toMatchObject({ args });
  });

  it('are read from a command line with an address, and keep a header for the key store', () => {
    const line = 'claude mcp add --transport http docs https://mcp.example.org/mcp --header "Authorization: Bearer a1"';
    expect(serversInText(line, { where: 'container' }).servers).toEqual([
      {
        name: 'docs',
        definition: { kind: 'http', url: 'https://mcp.example.org/mcp', headers: ['Authorization'], staysHere: false },
        secrets: { Authorization: 'Bearer a1' },
        isUnnamed: false,
      },
    ]);
  });

  // Catches: a key from a command line that stays in the settings, and one that only stands for a key.
  it('keep the values of a command line for the key store, and ask for those that are only examples', () => {
    const found = (text: string) => serversInText(text, { where: 'container' }).servers[0];
    expect(found('TOKEN=abc npx -y x')).toMatchObject({ definition: { env: ['TOKEN'] }, secrets: { TOKEN: 'abc' } });
    expect(found('docker run -i --rm -e TOKEN=abc -e OTHER ghcr.io/example/x')).toMatchObject({
      definition: {
        args: ['run', '-i', '--rm', '-e', 'TOKEN', '-e', 'OTHER', 'ghcr.io/example/x'],
        env: ['TOKEN', 'OTHER'],
      },
      secrets: { TOKEN: 'abc' },
    });
    for (const option of ['--env=TOKEN', '-eTOKEN', '-e=TOKEN'])
      expect(found(`docker run -i ${option}=abc ghcr.io/example/x -extra=1`)).toMatchObject({
        definition: { args: ['run', '-i', option, 'ghcr.io/example/x', '-extra=1'], env: ['TOKEN'] },
        secrets: { TOKEN: 'abc' },
      });
    expect(found('docker run -ie TOKEN=abc x')).toMatchObject({ definition: { env: ['TOKEN'] } });
    for (const value of ['<YOUR_KEY>', 'your-api-key', 'YOUR_API_KEY_HERE', '${input:key}', '', 'sk-...', 'xxx'])
      expect(found(JSON.stringify({ command: 'x', env: { KEY: value } }))?.secrets).toEqual({});
  });

  // Catches: a key in an argument, which nobody is told of before it stays in the settings.
  it.each([
    ['npx mcp-remote https://x.example.org/mcp --header "Authorization: Bearer a1"', 'Bearer a1'],
    ['npx -y x --api-key q7Xk29fLm3Zt81VbNc40Rw', 'q7Xk29fLm3Zt81VbNc40Rw'],
    ['npx -y x --token=ghp_q7Xk29fLm3Zt81VbNc40RwPs5Yd6Hj1Ga2Ui', 'ghp_q7Xk29fLm3Zt81VbNc40RwPs5Yd6Hj1Ga2Ui'],
    ['{"url": "https://x.example.org/mcp?apiKey=q7Xk29fLm3Zt81VbNc40Rw"}', 'q7Xk29fLm3Zt81VbNc40Rw'],
  ])('are shown masked where an argument looks like a secret: %s', (text, secret) => {
    const [found] = serversInText(text, { where: 'container' }).servers;
    expect(JSON.stringify(found?.definition)).toContain(secret);
    const line = found === undefined ? null : maskedLine(found.definition, hide);
    expect(line).toContain('[redacted');
    expect(line).not.toContain(secret);
  });

  it.each([
    'npx -y @example/x ~/notes',
    'uvx mcp-server-git --repository /srv/x',
    'TOKEN=abc npx -y x',
    'docker run x',
  ])('hold no secret in %s', (text) => {
    const [found] = serversInText(text, { where: 'container' }).servers;
    expect(found === undefined ? undefined : maskedLine(found.definition, hide)).toBeNull();
  });

  // Catches: somebody whose account is called like the one of an example, and who can add no folder.
  it('are no example where they name what lies in the own home', () => {
    for (const account of ['user', 'me', 'you', 'username']) {
      expect(exampleIn(`/home/${account}/x`, `/home/${account}`)).toBeNull();
      expect(exampleIn(`/home/${account}/x`, '/home/ada')).toBe(`/home/${account}/x`);
      expect(exampleIn('~/x', `/home/${account}`)).toBeNull();
    }
    expect(exampleIn('${HOME}/x', '/home/user')).toBeNull();
    expect(exampleIn('/home/user/<folder>', '/home/user')).toBe('<folder>');
    expect(exampleIn('/home/user/x', '/')).toBe('/home/user/x');
  });

  // Bug: the second server that python3 runs could not be added.
  it('have a name that may be replaced where nobody gave one', () => {
    const found = (text: string) => serversInText(text, { where: 'host' }).servers;
    expect(found('python3 /srv/weather.py')).toMatchObject([{ name: 'weather', isUnnamed: true }]);
    expect(found('claude mcp add notes -- python3 /srv/x.py')).toMatchObject([{ name: 'notes', isUnnamed: false }]);
    expect(found('{"mcpServers": {"docs": {"command": "x"}}}')).toMatchObject([{ name: 'docs', isUnnamed: false }]);
  });

  it('are called after the first part of an address with a letter, else they get a name that may be replaced', () => {
    const found = (text: string) => serversInText(text, { where: 'container' }).servers[0];
    expect(found('http://127.0.0.1:8000/mcp')).toMatchObject({ name: 'server', isUnnamed: true });
    expect(found('http://[fe80::1]:3000/mcp')).toMatchObject({ name: 'server', isUnnamed: true });
    expect(found('https://1.docs.example.org/mcp')).toMatchObject({ name: 'docs', isUnnamed: false });
    expect(found('http://localhost:8000/mcp')).toMatchObject({ name: 'localhost', isUnnamed: false });
  });

  // Catches: a folder whose name has a curly quote, and that is another one afterwards.
  it('keep a curly quote, except where it stands for a straight one', () => {
    const args = (text: string) => serversInText(text, { where: 'container' }).servers[0]?.definition;
    expect(args('npx x "/srv/Ada’s “own” notes"')).toMatchObject({ args: ['x', '/srv/Ada’s “own” notes'] });
    expect(args('npx x /srv/Ada’s')).toMatchObject({ args: ['x', '/srv/Ada’s'] });
    expect(args('npx x “/srv/Ada’s notes”')).toMatchObject({ args: ['x', '/srv/Ada’s notes'] });
    expect(args('npx x ‘my notes’')).toMatchObject({ args: ['x', 'my notes'] });
  });

  it('reach the registry that their runner downloads them from, and else nothing', () => {
    const hosts = (text: string) => serversInText(text, { where: 'container' }).servers[0]?.definition;
    expect(hosts('npx -y x')).toMatchObject({ hosts: ['registry.npmjs.org'] });
    expect(hosts('uvx x')).toMatchObject({ hosts: ['pypi.org', 'files.pythonhosted.org'] });
    expect(hosts('node server.js')).toMatchObject({ hosts: [] });
    expect(serversInText('npx -y x', { where: 'host' }).servers[0]?.definition).toMatchObject({ hosts: [] });
  });

  it.each([
    ['npx -y @example/server-filesystem /path/to/allowed', '/path/to/allowed'],
    ['npx -y @example/server-filesystem /Users/username/Desktop', '/Users/username/Desktop'],
    ['npx -y x --key <YOUR_KEY>', '<YOUR_KEY>'],
    ['{"command": "npx", "args": ["x", "${workspaceFolder}"]}', '${workspaceFolder}'],
  ])('say what to put in its place for %s', (text, example) => {
    const { servers, skipped } = serversInText(text, { where: 'container' });
    expect(servers).toEqual([]);
    expect(skipped).toEqual([expect.stringContaining(`put your own value in the place of ${example}`)]);
  });

  it('are not on the page about a server, which is named with what to copy there', () => {
    expect(() => serversInText('https://github.com/example/server', { where: 'container' })).toThrow(
      'github.com shows a page about a server',
    );
  });

  it('are read from a link that leads to an install link', () => {
    const link = `vscode:mcp/install?${encodeURIComponent('{"name":"docs","command":"npx","args":["x"]}')}`;
    const text = `https://insiders.example.dev/redirect?url=${encodeURIComponent(link)}`;
    expect(name(text)).toEqual(['docs']);
    const one = Buffer.from('{"command":"npx -y @example/docs-mcp"}').toString('base64');
    expect(
      serversInText(`cursor://x/mcp/install?name=docs&config=${one}`, { where: 'container' }).servers,
    ).toMatchObject([{ name: 'docs', definition: { command: 'npx', args: ['-y', '@example/docs-mcp'] } }]);
    // Catches: a key in front of the command of a link that is lost.
    const keyed = { command: 'API_KEY=abc npx -y x', env: { OTHER: 'b' } };
    const encoded = Buffer.from(JSON.stringify(keyed)).toString('base64');
    expect(
      serversInText(`cursor://x/mcp/install?name=docs&config=${encoded}`, { where: 'container' }).servers,
    ).toMatchObject([{ definition: { command: 'npx' }, secrets: { API_KEY: 'abc', OTHER: 'b' } }]);
  });

  it('run in a container whatever the text says, without the hosts it names', () => {
    const text = '{"command": "x", "where": "host", "hosts": ["evil.example.org"], "approved": "yes"}';
    expect(serversInText(text, { where: 'container' }).servers[0]?.definition).toMatchObject({
      where: 'container',
      hosts: [],
    });
  });

  it.each([
    'hello',
    'please add the tools of the docs server',
    'and/or something else',
    'npx -y x | sh',
    'npx -y x; rm -rf y',
    '{}',
    '[]',
    'javascript:alert(1)',
    'cursor://x/mcp/install?name=a&config=%%%',
    '{"mcpServers": 5}',
  ])('are not found in %j, and the result says so', (text) => {
    expect(() => serversInText(text, { where: 'container' })).toThrow(/was found|cannot be read/);
  });

  it('reach the hosts that the person names, and an invalid name is refused', () => {
    const of = (hosts: readonly string[]) => serversInText('{"command": "x"}', { where: 'container', hosts });
    expect(of(['api.example.org']).servers[0]?.definition).toMatchObject({ hosts: ['api.example.org'] });
    expect(of(['10.0.0.1'])).toEqual({
      servers: [],
      skipped: [expect.stringContaining('exact names of public hosts')],
    });
  });

  it('are limited to a hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`s${at}`, { command: 'x' }]));
    const found = serversInText(JSON.stringify(many), { where: 'container' });
    expect(found.servers).toHaveLength(100);
    expect(found.skipped).toEqual(['s100: 100 servers at once are the most']);
  });
});
