import { setTimeout as wait } from 'node:timers/promises';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { followEvents, type ClientCore } from '../fakes/core-client.ts';
import { openMemoryCore } from './memory-core.ts';

/**
 * Runs one scripted task with tools from all sources in a new session, and answers its questions. Prints every event on
 * its own line as soon as it was written. Or it approves the servers. Started and killed by `tools-kill.test.ts`.
 */
async function main(home: string, what: string): Promise<void> {
  const core = await openMemoryCore(home);
  if (what === 'approve') return approve(core);
  const { sessionId } = await core.client.sessions.create({ projectPath: null });
  followEvents(core.client, sessionId, (event) => {
    process.stdout.write(`${JSON.stringify(event)}\n`);
    if (event.type !== 'approval-requested') return;
    const values = event.kind === 'server-form' ? { values: { name: 'Ada' } } : {};
    const scope = event.hosts === undefined ? {} : { scope: 'once' as const };
    const answer = { sessionId, approvalId: event.approvalId, answer: 'allow' as const, ...values, ...scope };
    void approveSoon(() => core.client.sessions.approve(answer));
  });
  const options = runOptionsSchema.parse({ strategy: 'loop', interactive: true });
  await core.client.sessions.send({ sessionId, text: 'Fix the bug in add().', options });
  await core.client.sessions.result({ sessionId });
  await core.dispose();
}

/** A question is in the log before it can be answered. */
async function approveSoon(answer: () => Promise<void>): Promise<void> {
  for (let left = 200; left > 0; left -= 1) {
    if (
      await answer().then(
        () => true,
        () => false,
      )
    )
      return;
    await wait(10);
  }
}

/** Gives both approvals to each server. */
async function approve({ client, dispose }: ClientCore): Promise<void> {
  for (const { name, sha256 } of await client.tools.list()) {
    const { tools } = await client.tools.approve({ name, sha256 });
    await client.tools.approveTools({ name, tools: tools.map((one) => ({ tool: one.tool, sha256: one.sha256 })) });
  }
  await dispose();
}

void main(process.argv[2] ?? '', process.argv[3] ?? '');
