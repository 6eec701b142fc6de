import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from '../../src/main/sandbox/docker/engine/container-engine.ts';
import type { Sandbox } from '../../src/main/sandbox/sandbox.ts';
import { createFileBaseline } from '../../src/main/agent/changes/file-baseline.ts';
import type { FoundChange } from '../../src/main/agent/changes/known-file.ts';
import { createDockerSandbox } from '../../src/main/sandbox/docker/create-docker-sandbox.ts';
import { settingsSchema } from '../../src/shared/settings/settings.ts';
import { valueOf } from '../contracts/sandbox-contract.ts';
import { imageSource, none, noWayOut } from '../docker/docker-kit.ts';
import type { HostileRow } from './hostile-row.ts';
import { plantsOf, type Planting } from './row-scripts.ts';
import { seenByPerson, type Seen } from './seen-by-person.ts';

export interface SessionPlace {
  readonly engine: Engine;
  readonly home: string;
  readonly workspace: string;
}

/**
 * A real session, in place in a project, that plants one row or a group. It has one turn, and ends with its sandbox.
 */
export async function plantInSession(
  planting: Planting,
  { engine, home, workspace }: SessionPlace,
): Promise<{ readonly seen: Seen; readonly output: string }> {
  const untracked: { readonly path: string }[] = [];
  const request = {
    sessionId: planting.id,
    workspacePath: workspace,
    settings: settingsSchema.parse({}).sandbox,
    homePath: home,
    image: imageSource,
    outward: noWayOut,
    onLost: () => undefined,
    onUntracked: (places: readonly { readonly path: string }[]) => void untracked.push(...places),
  };
  const started = await createDockerSandbox(engine, request, none);
  if (!started.ok && started.error.code === 'refused' && planting.rows[0].isRefused === true)
    return { seen: { runsLater: [], said: [started.error.message] }, output: 'The session was refused.' };
  const sandbox = valueOf(started);
  const notices: string[] = [];
  let changed: readonly FoundChange[] = [];
  try {
    const baseline = createFileBaseline(sandbox.files, null);
    await baseline.refresh(none);
    for (const command of plantsOf(planting)) notices.push(await plantOne(sandbox, planting.rows[0], command));
    changed = (await baseline.collect(none)) ?? [];
    await sandbox.settle(none);
  } finally {
    await sandbox.dispose();
  }
  const { warnings } = sandbox.description;
  const seen = seenByPerson({ changed: changed.map(({ path }) => path), untracked, notices, warnings });
  return { seen, output: notices.join('\n') };
}

const timeoutMs = 60_000;

async function plantOne(sandbox: Sandbox, { by = 'command' }: HostileRow, command: string): Promise<string> {
  switch (by) {
    case 'command': {
      const { stdout, stderr } = valueOf(await sandbox.exec({ command, timeoutMs }, none));
      return `${stdout}${stderr}`;
    }
    case 'network': {
      const { stdout, stderr } = valueOf(
        await sandbox.runWithNetwork({ command, timeoutMs, hosts: ['host.example.test'] }, none),
      );
      return `${stdout}${stderr}`;
    }
    case 'terminal': {
      let text = '';
      const onOutput = ({ bytes }: { readonly bytes: Uint8Array }): void =>
        void (text += Buffer.from(bytes).toString());
      const terminal = valueOf(await sandbox.open({ command, onOutput }, none));
      await terminal.ended;
      return text;
    }
    case 'service':
      return serviceOutput(sandbox, command);
    default:
      return by satisfies never;
  }
}

async function serviceOutput(
  { backgroundProcesses }: Pick<Sandbox, 'backgroundProcesses'>,
  command: string,
): Promise<string> {
  if (backgroundProcesses === null) throw new Error('This sandbox has no services.');
  const { id } = valueOf(await backgroundProcesses.start({ command }, none));
  for (
    let waited = 0;
    waited < timeoutMs && (await backgroundProcesses.read(id))?.state.status === 'running';
    waited += 50
  )
    await wait(50);
  return (await backgroundProcesses.read(id))?.text ?? '';
}
