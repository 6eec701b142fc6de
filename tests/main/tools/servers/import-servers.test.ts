import { describe, expect, it } from 'vitest';
import { serversIn, serversInText } from '../../../../src/main/tools/servers/import-servers.ts';

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
            hosts: [],
            staysHere: false,
          },
          secrets: { KEY: 'abc' },
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
        vars: { command: '${HOME}/x' },
        bad: 5,
        '': { command: 'x' },
        odd: { url: 'file:///etc' },
      },
    };
    const { servers, skipped } = serversIn(JSON.stringify(file), '.mcp.json', { where: 'container' });
    expect(servers).toEqual([]);
    expect(skipped).toEqual([
      expect.stringContaining('vars: a variable'),
      'bad: it is no object',
      ': it has no letter in its name',
      expect.stringContaining('odd: '),
    ]);
    expect(() => serversIn('{}', 'x.json', { where: 'container' })).toThrow('No tool servers');
  });
});

describe('servers in a pasted text', () => {
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

  it('run in a container whatever the text says, without the hosts it names', () => {
    const text = '{"command": "x", "where": "host", "hosts": ["evil.example.org"], "approved": "yes"}';
    expect(serversInText(text, { where: 'container' }).servers[0]?.definition).toMatchObject({
      where: 'container',
      hosts: [],
    });
  });

  it.each([
    'hello',
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
