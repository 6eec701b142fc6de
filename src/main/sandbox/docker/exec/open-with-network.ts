import { success, type Reply } from '@shared/errors.ts';
import { createAllowListProxy } from '../../network/allow-list-proxy.ts';
import { usualLimits } from '../../network/network-decision.ts';
import type { OpenProcess, OpenRequest } from '../../sandbox.ts';
import { programOf, refuseCommand } from './exec-command.ts';
import { ContainerRuns } from './run-in-container.ts';
import { giveWay, hostsOf, type NetworkPlace } from './run-with-network.ts';

const graceMs = 500;
/** A process that runs for days makes more connections than a command. The limit on concurrent ones is the same. */
const limits = {
  ...usualLimits,
  maxConnections: Number.MAX_SAFE_INTEGER,
  maxSentBytes: 1024 * 1024 * 1024,
  maxReceivedBytes: 64 * 1024 * 1024 * 1024,
};

/**
 * Starts a process that may reach some hosts, in its own container beside the session's, as `runWithNetwork` does
 * for a command. When the process ends, its network access and the container end, too.
 */
export async function openWithNetwork(
  { session, outward }: Pick<NetworkPlace, 'session' | 'outward'>,
  request: OpenRequest & { readonly hosts: readonly string[] },
  signal: AbortSignal,
): Promise<Reply<OpenProcess>> {
  const refused = refuseCommand(request);
  if (refused !== null) return refused;
  const hosts = hostsOf(request);
  if (!hosts.ok) return hosts;
  const began = await session.startBeside({}, signal);
  if (!began.ok) return began;
  const beside = began.value;
  const onDecision = request.onDecision ?? ((): void => undefined);
  const proxy = createAllowListProxy({ hosts: hosts.value, limits, outward, onDecision });
  const end = async (): Promise<void> => {
    proxy.close();
    await beside.dispose();
  };
  const stop = async <Failure>(reply: Failure): Promise<Failure> => {
    await end();
    return reply;
  };
  try {
    const live = await beside.acquire(signal);
    if (!live.ok) return await stop(live);
    const way = await giveWay(live.value, proxy.handle, outward);
    if (!way.ok) return await stop(way);
    const runs = new ContainerRuns(beside);
    const started = await runs.start(
      {
        program: programOf(request),
        env: way.value.environment(request.env),
        onChunk: request.onOutput,
        keepInputOpen: true,
      },
      signal,
    );
    if (!started.ok) return await stop(started);
    const { running } = started.value;
    const stopLooking = session.guard.whileRunning();
    const ended = running.ended.then(async (how) => {
      stopLooking();
      way.value.close();
      await end();
      await session.guard.look();
      return { exitCode: how.type === 'exited' ? how.exitCode : null };
    });
    return success({
      write: (bytes) => running.write(bytes),
      ended,
      close: async () => {
        await runs.stop(started.value, graceMs);
        await ended;
      },
    });
  } catch (error) {
    await end();
    throw error;
  }
}
