import { describe, expect, it } from 'vitest';
import { failure, success } from '../../../../../src/shared/errors.ts';
import { lookForServer } from '../../../../../src/main/models/engine/llama-server/look-for-server.ts';
import type { OwnLlamaServer } from '../../../../../src/main/models/engine/llama-server/own-llama-server.ts';

const never = new AbortController().signal;
const card = { name: 'RTX 4090', totalBytes: 24e9, freeBytes: 23e9, driverBytes: 0, isUnified: false };
const program = {
  path: '/usr/bin/llama-server',
  version: '8763',
  build: '8763 (ff5ef82)',
  draftTypes: [],
  cards: [card],
};

function server(path: string | null, reply: Awaited<ReturnType<OwnLlamaServer['ask']>> = success(program)) {
  const asked: string[] = [];
  const found: Pick<OwnLlamaServer, 'find' | 'ask'> = {
    find: async (wanted) => (wanted === undefined || wanted === path ? path : null),
    ask: async (at) => {
      asked.push(at);
      return reply;
    },
  };
  return { found, asked };
}

describe('the look for a llama-server', () => {
  it('names the program, its version and the cards that it sees', async () => {
    const { found, asked } = server('/usr/bin/llama-server');
    const look = await lookForServer(found, { program: null, platform: 'linux' }, never);
    expect(look).toMatchObject({ path: '/usr/bin/llama-server', version: '8763', cards: ['RTX 4090'], problem: null });
    expect(asked).toEqual(['/usr/bin/llama-server']);
  });

  it.each([
    ['darwin', 'brew install llama.cpp', '/opt/homebrew/bin'],
    ['win32', 'winget install llama.cpp', 'PATH'],
    ['linux', 'releases of ggml-org/llama.cpp', '/usr/local/bin'],
  ] as const)('says how to get one on %s, and where it was looked for', async (platform, command, place) => {
    const { found, asked } = server(null);
    const look = await lookForServer(found, { program: null, platform }, never);
    expect(look.problem).toBe('No program `llama-server` was found on this machine.');
    expect(look.howToGet).toContain(command);
    expect(look.places).toContain(place);
    expect(asked).toEqual([]);
  });

  it('says what is wrong with a program that was chosen', async () => {
    const { found } = server('/usr/bin/llama-server');
    const look = await lookForServer(found, { program: '/home/ada/notes.txt', platform: 'linux' }, never);
    expect(look).toMatchObject({ path: null, version: null });
    expect(look.problem).toContain('is not the full path of a program that can be run');
  });

  it('says that a program is too old, and what to do', async () => {
    const { found } = server('/opt/old', failure('bad-input', '/opt/old is too old.', 'Install a newer llama.cpp.'));
    const look = await lookForServer(found, { program: '/opt/old', platform: 'linux' }, never);
    expect(look).toMatchObject({ path: '/opt/old', version: null });
    expect(look.problem).toBe('/opt/old is too old. Install a newer llama.cpp.');
  });

  it('ends with an abort', async () => {
    const gone = AbortSignal.abort();
    await expect(
      lookForServer(server('/usr/bin/llama-server').found, { program: null, platform: 'linux' }, gone),
    ).rejects.toThrow();
  });
});
