import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/shared/errors.ts';
import type { HostPrograms } from '../../../../src/main/lib/programs/host-programs.ts';
import type { ProgramDefinition } from '../../../../src/main/tools/mcp/server-process.ts';
import { createHostServers } from '../../../../src/main/tools/mcp/server-process.ts';
import { howToGetProgram } from '../../../../src/main/tools/servers/program-needs.ts';

const refuse = (): never => {
  throw new Error('Nothing is started here.');
};
/** A machine that has none of the programs. */
const empty: HostPrograms = {
  find: async () => null,
  widenPath: async () => undefined,
  isOutside: async () => true,
  run: refuse,
  start: refuse,
};

describe('a tool server whose program is missing', () => {
  it('is told of with what to install', async () => {
    const start = createHostServers({ programs: empty, nodePath: '/node', guardPath: '/guard' });
    const definition: ProgramDefinition = {
      kind: 'stdio',
      command: 'uvx',
      args: ['mcp-server-time'],
      env: [],
      hosts: [],
      where: 'host',
      staysHere: false,
    };
    const failed = await start(
      { name: 'time', definition, env: {}, onOutput: () => undefined },
      new AbortController().signal,
    ).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AppError);
    expect(failed).toMatchObject({
      message: 'The program uvx was not found outside of your projects.',
      hint: howToGetProgram('uvx', process.platform),
    });
  });

  it('says so when it lies in a project, and that its whole path is no help', async () => {
    const programs: HostPrograms = { ...empty, isOutside: async () => false };
    const start = createHostServers({ programs, nodePath: '/node', guardPath: '/guard' });
    const definition: ProgramDefinition = {
      kind: 'stdio',
      command: '/project/bin/server',
      args: [],
      env: [],
      hosts: [],
      where: 'host',
      staysHere: false,
    };
    const failed = start(
      { name: 'time', definition, env: {}, onOutput: () => undefined },
      new AbortController().signal,
    );
    await expect(failed).rejects.toMatchObject({
      message: 'The program /project/bin/server lies where agents may change it.',
      hint: expect.stringContaining('outside of your projects'),
    });
  });

  it.each([
    ['uvx', 'linux', 'uvx comes with uv. Install it with `curl -LsSf https://astral.sh/uv/install.sh | sh`'],
    ['uv', 'darwin', 'Install uv with `curl'],
    ['uvx.exe', 'win32', 'uvx comes with uv. Install it with `winget install astral-sh.uv`'],
    ['npx', 'win32', 'npx comes with node. Install it with `winget install OpenJS.NodeJS.LTS`'],
    ['docker', 'linux', 'Install docker with the instructions of docs.docker.com'],
  ] as const)('names the command for %s on %s', (command, platform, words) => {
    expect(howToGetProgram(command, platform)).toContain(words);
  });

  it('of which nothing is known gets its whole path', () => {
    expect(howToGetProgram('constructor', 'linux')).toBe('Install it, or give its whole path.');
  });
});
