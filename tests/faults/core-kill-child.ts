import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { followEvents } from '../fakes/core-client.ts';
import { openMemoryCore } from './memory-core.ts';

/**
 * Runs one scripted task with the real core, in a new or a given session. Prints every event on its own line as soon as
 * it was written. Started and killed by `program-core-kill.test.ts`.
 */
async function main(home: string, session: string): Promise<void> {
  const core = await openMemoryCore(home);
  const id = session === '' ? (await core.client.sessions.create({ projectPath: null })).sessionId : session;
  followEvents(core.client, id, (event) => void process.stdout.write(`${JSON.stringify(event)}\n`));
  await core.client.sessions.send({
    sessionId: id,
    text: 'Fix the bug in add().',
    options: runOptionsSchema.parse({ strategy: 'loop' }),
  });
  await core.client.sessions.result({ sessionId: id });
  await core.dispose();
}

void main(process.argv[2] ?? '', process.argv[3] ?? '');
