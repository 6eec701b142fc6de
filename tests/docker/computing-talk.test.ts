import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../fakes/agent-kit.ts';
import { call, createAgentKit, ofType, turnOptions } from '../fakes/agent-kit.ts';
import { expectReplay } from '../fakes/replay-kit.ts';
import type { DockerUnderTest } from './docker-kit.ts';
import { isWithoutEngine, startSandbox } from './docker-kit.ts';

let session: DockerUnderTest;

async function compute(code: string) {
  const replies: readonly Reply[] = [call('calculate', { code }), { text: 'So it is.' }];
  const kit = createAgentKit({
    replies,
    dependencies: { sandbox: session.sandbox, tools: { computes: () => true } },
  });
  await kit.runner.send('What is 2 to the power of 100?', { ...turnOptions, mode: 'auto' });
  await expectReplay(kit);
  return { kit, seen: JSON.stringify(kit.requests[1]?.messages) };
}

describe.skipIf(isWithoutEngine)('a talk that computes in a container', () => {
  beforeAll(async () => {
    session = await startSandbox();
  }, 120_000);

  afterAll(async () => {
    await session.close();
  });

  it.each([
    ['what it prints', 'print(2 ** 100)'],
    ['the value of its last line', '2 ** 100'],
    ['what its last line assigns, if it prints nothing', 'power = 2 ** 100'],
  ])('shows the model %s', async (_what, code) => {
    expect((await compute(code)).seen).toContain('1267650600228229401496703205376');
  });

  it('shows the line that an error is about, and none of ours', async () => {
    const { seen } = await compute('print(1)\nprint(1 / 0)');
    expect(seen).toContain('ZeroDivisionError');
    expect(seen).toContain('line 2');
    expect(seen).not.toContain('<string>');
  });

  it('records the files that a program makes as changes of the session', async () => {
    const { kit } = await compute('open("squares.csv", "w").write("n,square\\n2,4\\n")');
    expect(ofType(kit.journal.events, 'file-changed')).toMatchObject([{ path: 'squares.csv' }]);
    expect(await session.text('squares.csv')).toBe('n,square\n2,4\n');
  });

  it('has no network', async () => {
    const { seen } = await compute('import socket\nsocket.create_connection(("1.1.1.1", 443), 2)');
    expect(seen).toMatch(/Network is unreachable|OSError|timed out/u);
  });
});
