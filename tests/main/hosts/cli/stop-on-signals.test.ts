import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopOnSignals } from '../../../../src/main/hosts/cli/stop-on-signals.ts';

/** Catches: a signal that `timeout`, npm or the launcher sends twice and that ends Dewpoint before it has saved. */
describe('a stop of the command line', () => {
  const listen = (more: { readonly connected?: boolean } = {}) => {
    const from = new EventEmitter();
    const exits: unknown[] = [];
    const clock = { ms: 0 };
    const stop = new AbortController();
    const exit = (code: unknown): never => {
      exits.push(code);
      return undefined as never;
    };
    stopOnSignals(
      Object.assign(from, { exit, ...more }) as never,
      stop,
      () => undefined,
      () => clock.ms,
    );
    return { from, exits, clock, stop };
  };

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'by %s is clean, and a repeat within a second is the same stop',
    (signal) => {
      const { from, exits, clock, stop } = listen();
      from.emit(signal);
      clock.ms = 999;
      from.emit('SIGTERM');
      expect([stop.signal.aborted, exits]).toEqual([true, []]);
      clock.ms = 1_000;
      from.emit(signal);
      expect(exits).toEqual([130]);
    },
  );

  // Catches: `kill -9` of `npm start`, after which the program and its containers went on.
  it('by a launcher that is gone is clean, and never counts as a second signal', () => {
    const { from, exits, clock, stop } = listen();
    from.emit('disconnect');
    expect([stop.signal.aborted, exits]).toEqual([true, []]);
    clock.ms = 5_000;
    from.emit('disconnect');
    expect(exits).toEqual([]);
  });

  it('by a launcher that was gone from the start is clean, too', () => {
    expect(listen({ connected: false }).stop.signal.aborted).toBe(true);
    expect(listen({ connected: true }).stop.signal.aborted).toBe(false);
  });
});
