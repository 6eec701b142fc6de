import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { openMemoryCore } from './memory-core.ts';

/**
 * Does one scripted task with the real core, in a new session or in the one it is given, and says every event on a line
 * of its own as soon as it was written. Run and killed by `program-core-kill.test.ts`.
 */
async function main(home: string, session: string): Promise<void> {
  const core = await openMemoryCore(home);
  const id = session === '' ? await core.createSession({ projectPath: null }) : session;
  await core.subscribe(id, 1, (push) => {
    if (push.type === 'event') process.stdout.write(`${JSON.stringify(push.event)}\n`);
  });
  await core.send(id, 'Fix the bug in add().', runOptionsSchema.parse({ strategy: 'loop' }));
  await core.result(id);
  await core.dispose();
}

void main(process.argv[2] ?? '', process.argv[3] ?? '');
