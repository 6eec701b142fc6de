import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { success } from '../../src/shared/errors.ts';
import { processStream, serveAcp } from '../../src/main/hosts/acp/serve-acp.ts';
import { safeWriting } from '../../src/main/hosts/text/terminal.ts';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { openClientCore } from '../fakes/core-client.ts';

/** `dewpoint acp` with a sandbox in memory instead of a container, and the scripted model of its home. */
async function main(home: string): Promise<void> {
  const write = (text: string): void => void process.stderr.write(text);
  const core = await openClientCore({
    home,
    cache: join(home, 'cache'),
    version: '0.0.0-test',
    onNotice: write,
    env: {},
    startSandbox: async () =>
      success({
        ...createMemorySandbox({
          files: { 'calc.py': 'def add(a, b):\n    return a - b\n' },
          exec: async (_request, _sandbox, signal) => {
            await wait(50, undefined, { signal }).catch(() => undefined);
            return { stdout: '1 passed' };
          },
        }),
        runWithNetwork: async () => {
          const nothing = { stdout: '', stderr: '', stdoutBytes: 0, stderrBytes: 0, durationMs: 1, decisions: [] };
          return success({ outcome: 'exited', exitCode: 0, ...nothing });
        },
      }),
  });
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  await serveAcp(
    {
      core: async () => core.client,
      terminal: {
        ...safeWriting({ out: write, err: write }, false),
        isLive: false,
        isInteractive: false,
        columns: 100,
      },
      signal: stop.signal,
      now: () => performance.now(),
      version: '0.0.0-test',
    },
    processStream(),
  );
  await core.dispose();
}

void main(process.argv[2] ?? '').then(() => process.exit(0));
