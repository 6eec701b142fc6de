import { describe, expect, it } from 'vitest';
import { serverCommand } from '../../../src/main/sandbox/server-command.ts';

/** Without the quotes, which each word gets. */
const commandOf = (...words: readonly string[]) => serverCommand(words).replaceAll("'", '');

describe('the command of a tool server in a container', () => {
  it('is the line itself, with each word quoted', () => {
    expect(serverCommand(['npx', '-y', "it's"])).toBe(`exec 'npx' '-y' 'it'\\''s'`);
  });

  it('gets a Python tool by pip where the image has no uv', () => {
    const command = commandOf('uvx', 'mcp-server-fetch@1.2.0', '--quiet');
    expect(command).toContain('if command -v uvx >/dev/null; then exec uvx mcp-server-fetch@1.2.0 --quiet; fi');
    expect(command).toContain('pip install -q mcp-server-fetch==1.2.0 >&2');
    expect(command).toMatch(/exec \S+\/bin\/mcp-server-fetch --quiet$/u);
  });

  it('takes the package that another option names', () => {
    const command = commandOf('uvx', '--python', '3.12', '--from', 'git+https://x.example.org/y', 'serena', 'start');
    expect(command).toContain('pip install -q git+https://x.example.org/y >&2');
    expect(command).toMatch(/\/bin\/serena start$/u);
    expect(commandOf('pipx', 'run', 'x')).toContain('pip install -q x ');
    expect(commandOf('uv', 'tool', 'run', '--from=y', 'x')).toContain('pip install -q y ');
    expect(commandOf('uvx', '--from=y==1.2', 'x')).toContain('pip install -q y==1.2 ');
  });

  it('starts a package with extras by its plain name', () => {
    const command = commandOf('uvx', 'mcp[cli]@1.2', 'run');
    expect(command).toContain('pip install -q mcp[cli]==1.2 ');
    expect(command).toMatch(/\/bin\/mcp run$/u);
  });

  it('stays as it is where nothing is named', () => {
    expect(commandOf('uvx')).toBe('exec uvx');
    expect(commandOf('bunx', 'x')).toBe('exec npx -y x');
  });
});
