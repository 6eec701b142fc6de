import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { call, createAgentKit, turnOptions } from '../../fakes/agent-kit.ts';

/**
 * Catches: a message that passes through more and more files on its way from the agent's entry point to a tool's
 * result. The second message is measured, so that files loaded only once do not count.
 */
it('a message passes few files on its way to the result of a tool', async () => {
  const files = { 'a.py': 'x = 1\n' };
  const read = call('read_file', { path: 'a.py' });
  const done = call('task_complete', { summary: 'It is read.' });
  const kit = createAgentKit({ replies: [read, done, read, done], sandbox: { files, exec: () => ({}) } });
  const options = { ...turnOptions, strategy: 'loop' } as const;
  await kit.runner.send('Read a.py and change it.', options);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await kit.runner.send('Read a.py and change it.', options);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const passed = result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => /\/(src\/(?:main|shared)\/.*\.ts)$/u.exec(url)?.[1])
    .filter((path) => path !== undefined);
  const rooms = new Set(passed.map((path) => dirname(path)));
  process.stdout.write(`a message passes ${new Set(passed).size} files in ${rooms.size} folders\n`);
  expect(passed).toContain('src/main/agent/step/run-step.ts');
  expect(new Set(passed).size).toBeLessThanOrEqual(107);
});
