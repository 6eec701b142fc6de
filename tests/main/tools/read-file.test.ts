import { expect, it } from 'vitest';
import type { ToolContext } from '../../../src/main/tools/define.ts';
import { builtInTools, discoverTools } from '../../../src/main/tools/registry.ts';
import { hideSecrets } from '../../../src/main/lib/secrets/secret-patterns.ts';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';

const tool = builtInTools(discoverTools(), { now: () => 0 }).find(({ name }) => name === 'read_file');

async function read(text: string, from: number, to: number): Promise<string> {
  const context = {
    sandbox: createMemorySandbox({ files: { 'a.py': Buffer.from(text) } }),
    signal: new AbortController().signal,
    files: { noteRead: () => undefined },
    facts: { shownBytes: 32_768 },
  } as unknown as ToolContext;
  return (await tool?.run({ path: 'a.py', from, to }, context))?.output ?? '';
}

// Catches: a range inside a key had nothing in it that tells a key from other letters, and went to a cloud model.
it('the read_file tool shows no part of a private key that cannot be recognized alone', async () => {
  const body = Array.from({ length: 20 }, (_, at) => `${'MIIEpAIBAAKCAQEA7Zk3'.repeat(3)}${at}xQ`);
  const kind = 'RSA PRIVATE KEY';
  const lines = ['import os', `KEY = """-----BEGIN ${kind}-----`, ...body, `-----END ${kind}-----"""`, 'name = "x"'];
  for (const [from, to] of [
    [3, 3],
    [4, 9],
    [1, 5],
    [22, 24],
  ] as const) {
    const shown = hideSecrets(await read(lines.join('\n'), from, to)).text;
    expect([from, shown.includes('MIIE')]).toEqual([from, false]);
  }
  expect(await read(lines.join('\n'), 24, 24)).toBe('[Showing lines 24-24 of 24]\n24: name = "x"');
});
