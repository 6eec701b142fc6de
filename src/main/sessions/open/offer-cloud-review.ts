import { checkCloudReach } from '../../agent/preparation/cloud-reach.ts';
import type { SessionMachine, SessionModels } from '../../agent/turn/agent-dependencies.ts';
import type { Journal } from '../journal/journal.ts';

/** Short at first, because most networks return soon. Each look is one small request to the service. */
const FIRST_WAITS_MS: readonly number[] = [2_000, 5_000, 10_000];
const LATER_WAIT_MS = 30_000;

interface ReviewDependencies {
  readonly models: Pick<SessionModels, 'info' | 'provider'>;
  readonly machine: Pick<SessionMachine, 'delay'>;
}

/**
 * After a turn that ran locally because there was no network: waits for the network, and then adds a notice that the
 * cloud can review the work. Ends with the next turn, with the session, and on abort.
 */
export async function offerCloudReview(
  dependencies: ReviewDependencies,
  journal: Journal,
  { cloud, signal }: { readonly cloud: string | null; readonly signal: AbortSignal },
): Promise<void> {
  const { turns, totals, notices } = journal.state();
  const began = turns.at(-1)?.seq ?? 0;
  const isMarked = notices.some(({ code, seq }) => code === 'route-degraded' && seq > began);
  if (!isMarked || cloud === null) return;
  for (let look = 0; ; look += 1) {
    // The check below ends the loop on abort.
    await dependencies.machine.delay(FIRST_WAITS_MS[look] ?? LATER_WAIT_MS, signal).catch(() => undefined);
    if (signal.aborted || journal.state().totals.turns !== totals.turns) return;
    const { info, reach } = await checkCloudReach(dependencies, cloud, signal);
    if (info === null || reach === null) return;
    if (reach === 'away' || signal.aborted || journal.state().totals.turns !== totals.turns) continue;
    const text = `${info.label} can be reached again, and can review the work done without it.`;
    await journal.append({ type: 'notice-added', level: 'info', code: 'network-back', text });
    return;
  }
}
