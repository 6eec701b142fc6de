import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callFile } from '../../src/shared/sandbox/call-file.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { isWithoutEngine, none, output, startSandbox, type DockerUnderTest } from './docker-kit.ts';

async function addLine({ workspace }: Pick<DockerUnderTest, 'workspace'>): Promise<void> {
  const path = join(workspace, callFile('s1'));
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, '{"output":"canary"}\n');
}

/** Catches: a model that reads in the saved calls what a fence keeps from it, and lines that count as its change. */
describe.skipIf(isWithoutEngine)('the calls that a session saves into its workspace', () => {
  it('are neither read nor found as a change, also where the folder came after the container', async () => {
    const early = await startSandbox({ prepare: (workspace) => addLine({ workspace }) });
    try {
      await addLine(early);
      expect(await output(early.sandbox, 'grep -rl canary . ; true')).toBe('');
      expect((await early.sandbox.files.read(callFile('s1'), {}, none)).ok).toBe(false);
      expect([...valueOf(await early.sandbox.files.scan(none)).files.keys()]).toEqual([]);
    } finally {
      await early.close();
    }
    const late = await startSandbox();
    try {
      expect(await output(late.sandbox, 'echo begun')).toContain('begun');
      await addLine(late);
      expect([...valueOf(await late.sandbox.files.scan(none)).files.keys()]).toEqual([]);
    } finally {
      await late.close();
    }
  });
});
