import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunArguments } from '../../../../../src/main/hosts/cli/commands/run.command.ts';
import { run } from '../../../../../src/main/hosts/cli/commands/run.command.ts';
import { success } from '../../../../../src/shared/errors.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import type { ClientCore } from '../../../../fakes/core-client.ts';
import { openClientCore } from '../../../../fakes/core-client.ts';
import { createMemorySandbox } from '../../../../fakes/sandbox/memory-sandbox.ts';

let folder: string;
let core: ClientCore;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dewpoint-also-'));
  core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  for (const [name, replies] of [
    ['first', [{ text: 'Said by the first.' }]],
    ['second', [{ text: 'Said by the second.' }]],
    ['broken', []],
  ] as const)
    await core.client.settings.set({ key: `providers.${name}`, value: { kind: 'scripted', repeat: true, replies } });
  await core.client.settings.set({ key: 'local', value: 'first/script' });
});

afterEach(async () => {
  await core.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(text: string, args: RunArguments) {
  const { context, said } = commandContext(core);
  const code = await run(context, text, args).catch((error: unknown) => String(error));
  return { code, ...said };
}

describe('a question to several models in the terminal', () => {
  it('is answered by each in a branch of one session, one after the other, also when one fails', async () => {
    const said = await ask('Who are you?', { also: ['broken/script', 'second/script'] });
    expect(said.code).not.toBe(0);
    expect(said.out).toMatch(
      /^first\/script\nSaid by the first\.\n[\s\S]*\nbroken\/script\n[\s\S]*\nsecond\/script\nSaid by the second\.\n$/u,
    );
    const ids = [...said.err.matchAll(/, session (\S+)/gu)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(3);
    const branches = await core.client.sessions.branches({ sessionId: ids[0] ?? '' });
    expect(new Set(branches.map((branch) => branch.sessionId))).toEqual(new Set(ids));
  });

  it('is one line of JSON for each answer, with model, session, cost, seconds and speed', async () => {
    const said = await ask('Who are you?', { also: ['second/script'], json: true });
    expect(said.code).toBe(0);
    const lines = said.out
      .trim()
      .split('\n')
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.map(({ model, text, status }) => [model, text, status])).toEqual([
      ['first/script', 'Said by the first.', 'done'],
      ['second/script', 'Said by the second.', 'done'],
    ]);
    for (const line of lines) expect(line).toMatchObject({ costUsd: 0, seconds: expect.any(Number) });
    expect(lines.every((line) => 'tokensPerSecond' in line && typeof line.session === 'string')).toBe(true);
  });

  it.each([
    ['Create a file notes.txt.', {}, 'Only questions'],
    ['Who are you?', { mode: 'work' }, 'Only questions'],
    ['Who are you?', { check: 'npm test' }, '--check does not go with --also'],
    ['Who are you?', { saveCalls: true }, '--save-calls does not go with --also'],
    ['Who are you?', { also: ['a/a', 'b/b', 'c/c', 'd/d'] }, 'At most 4 models'],
    ['Who are you?', { also: ['second/nothing'] }, 'was not found'],
  ] as const)('is refused before anything starts: %s %o', async (text, args, why) => {
    const said = await ask(text, { also: ['second/script'], ...args });
    expect(String(said.code)).toContain(why);
    expect(await core.client.sessions.list()).toEqual([]);
  });
});
