import { describe, expect, it } from 'vitest';
import { serversIn } from '../../../../src/main/tools/servers/import-servers.ts';

describe('the servers in a file of another program', () => {
  it('are read from each usual form, as programs in a container unless it is said otherwise', () => {
    const claude =
      '{"mcpServers": {"File System": {"command": "npx", "args": ["-y", "server"], "env": {"KEY": "abc", "TOKEN": "${TOKEN}"}}}}';
    expect(serversIn(claude, 'claude_desktop_config.json', 'container')).toEqual({
      servers: [
        {
          name: 'file-system',
          definition: {
            kind: 'stdio',
            command: 'npx',
            args: ['-y', 'server'],
            env: ['KEY', 'TOKEN'],
            where: 'container',
            staysHere: false,
          },
          secrets: { KEY: 'abc' },
        },
      ],
      skipped: [],
    });
    const code =
      '{ // a comment\n "servers": {"docs": {"type": "http", "url": "https://mcp.example.org", "headers": {"Authorization": "Bearer x"}},} }';
    expect(serversIn(code, 'mcp.json', 'container').servers).toMatchObject([
      {
        name: 'docs',
        definition: { kind: 'http', headers: ['Authorization'] },
        secrets: { Authorization: 'Bearer x' },
      },
    ]);
    const codex = '[mcp_servers.git]\ncommand = "git-server"\nargs = ["a"]\n';
    expect(serversIn(codex, 'config.toml', 'host').servers).toMatchObject([
      { name: 'git', definition: { where: 'host' } },
    ]);
  });

  it('are not taken where they cannot work, each with its reason', () => {
    const file = {
      mcpServers: {
        old: { type: 'sse', url: 'https://x.org' },
        vars: { command: '${HOME}/x' },
        bad: 5,
        '': { command: 'x' },
        odd: { url: 'file:///etc' },
      },
    };
    const { servers, skipped } = serversIn(JSON.stringify(file), '.mcp.json', 'container');
    expect(servers).toEqual([]);
    expect(skipped).toEqual([
      expect.stringContaining('old: its transport (sse)'),
      expect.stringContaining('vars: a variable'),
      'bad: it is no object',
      ': it has no letter in its name',
      expect.stringContaining('odd: '),
    ]);
    expect(() => serversIn('{}', 'x.json', 'container')).toThrow('No tool servers');
  });
});
