import { onEachConnection } from './each-connection.ts';

/**
 * This process connects to nothing: an attempt ends it, before it begins. For processes that read what strangers wrote
 * and need no network.
 */
export function refuseConnections(): void {
  onEachConnection(() => {
    process.stderr.write('This process connects to nothing, so it ended.\n');
    process.exit(1);
  });
}
