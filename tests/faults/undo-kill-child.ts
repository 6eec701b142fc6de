import { success } from '../../src/shared/errors.ts';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { stopOnSignals } from '../../src/main/hosts/cli/stop-on-signals.ts';
import { followEvents, openClientCore } from '../fakes/core-client.ts';
import { createFolderSandbox } from '../fakes/sandbox/folder-sandbox.ts';

/**
 * Runs one scripted task on a real folder, with the real core and the signals of the command line. Prints every event
 * on its own line as soon as it was written. Started and killed by `undo-kill.test.ts`.
 */
async function main(home: string, project: string): Promise<void> {
  const core = await openClientCore({
    home,
    cache: `${home}/cache`,
    version: '0.0.0-test',
    onNotice: () => undefined,
    env: {},
    startSandbox: async ({ workspacePath }) => success(createFolderSandbox(workspacePath)),
  });
  const stop = new AbortController();
  stopOnSignals(process, stop, () => undefined);
  const { sessionId } = await core.client.sessions.create({ projectPath: project, workspace: 'in-place' });
  stop.signal.addEventListener('abort', () => void core.dispose().then(() => process.exit(0)));
  followEvents(core.client, sessionId, (event) => void process.stdout.write(`${JSON.stringify(event)}\n`));
  const options = runOptionsSchema.parse({ strategy: 'loop', approve: 'allow' });
  await core.client.sessions.send({ sessionId, text: 'Make the change that the notes describe.', options });
  await core.client.sessions.result({ sessionId });
  await core.dispose();
}

void main(process.argv[2] ?? '', process.argv[3] ?? '');
