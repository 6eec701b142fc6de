import { expect, it } from 'vitest';
import { nameBackground } from '../../../../../src/main/hosts/cli/commands/run.command.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createScriptedCore } from '../../../../fakes/scripted-core.ts';

// Catches: a server of the user's that is gone after a run, and nothing says which.
it('the end of a session names only the background processes that end with it', async () => {
  const core = createScriptedCore();
  const sessionId = core.createSession({ projectPath: null });
  const { context, said } = commandContext(core);
  await nameBackground(context, sessionId);
  expect(said.err).toBe('');
  core.append(sessionId, { type: 'sandbox-started', tier: 'container', image: null, description: '', limits: {} });
  const service = { type: 'service-changed', exitCode: null } as const;
  core.append(sessionId, { ...service, serviceId: 's1', command: 'npm run dev', status: 'running' });
  core.append(sessionId, { ...service, serviceId: 's2', command: 'make', status: 'running' });
  core.append(sessionId, { ...service, serviceId: 's2', command: 'make', status: 'stopped' });
  await nameBackground(context, sessionId);
  expect(said.err).toBe('background process s1 ends with the session: npm run dev\n');
});
