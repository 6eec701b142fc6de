import { endEvenIfSilent } from '../../lib/files/served-drives.ts';

/** What a process gets signals from; `exit` never returns. */
type Signalled = Pick<NodeJS.Process, 'on' | 'exit' | 'channel' | 'connected'>;

/**
 * A terminal, npm, the launcher and `timeout` each pass a signal on, so one press may arrive several times. Only a
 * signal after this long is a second one.
 */
const oneSignalMs = 1_000;

/**
 * The first signal ends everything cleanly, a second one at once: Ctrl-C, an end by the system, and a terminal that was
 * closed. A launcher that is gone, even by `kill -9`, is a first signal too.
 */
export function stopOnSignals(
  from: Signalled,
  stop: AbortController,
  say: (text: string) => void,
  now: () => number = () => performance.now(),
): void {
  let firstAt: number | null = null;
  const onSignal = (): void => {
    if (firstAt === null) {
      firstAt = now();
      say('\nstopping … (Ctrl-C again to stop at once)\n');
      stop.abort();
    } else if (now() - firstAt >= oneSignalMs) {
      endEvenIfSilent();
      from.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) from.on(signal, onSignal);
  const onLauncherGone = (): void => {
    if (firstAt === null) onSignal();
  };
  from.on('disconnect', onLauncherGone);
  if (from.connected === false) onLauncherGone();
  // The channel to the launcher alone must not keep the program running.
  from.channel?.unref();
}
