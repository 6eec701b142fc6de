import { duplexPair } from 'node:stream';
import { createAllowListProxy } from '../../src/main/sandbox/network/allow-list-proxy.ts';
import { usualLimits } from '../../src/main/sandbox/network/network-decision.ts';
import type { OutboundConnections } from '../../src/main/sandbox/network/outbound-connections.ts';
import { fuzzedTargets } from '../../tests/fakes/fuzzed-targets.ts';
import type { BenchRow } from './rows.ts';

const listed = ['files.example.org', 'a-1.example.org'];
const atOnce = 200;

/** Asks for names that are similar to an allowed one, each with a separate client, and checks what was dialed. */
export async function fuzzNames(count: number): Promise<BenchRow> {
  const reached: string[] = [];
  let isAnswered = 0;
  const nobody = (): Promise<never> => Promise.reject(new Error('Nobody is there.'));
  const outward: OutboundConnections = {
    resolve: (host) => {
      reached.push(host);
      return Promise.resolve(['203.0.113.7']);
    },
    connect: nobody,
    proxyFor: () => null,
    connectProxy: nobody,
    certificates: () => Promise.resolve(''),
  };
  const limits = { ...usualLimits, maxConnections: count };
  const proxy = createAllowListProxy({
    hosts: new Set(listed),
    limits,
    outward,
    onDecision: () => void (isAnswered += 1),
  });
  let running: Promise<void>[] = [];
  for (const target of fuzzedTargets(count, 3)) {
    running.push(ask(proxy.handle, target));
    if (running.length < atOnce) continue;
    await Promise.all(running);
    running = [];
  }
  await Promise.all(running);
  proxy.close();
  const unlisted = reached.filter((host) => !listed.includes(host));
  return {
    figure: 'unlisted hosts reached by names near a listed one',
    value: unlisted.length,
    unit: '',
    target: { atMost: 0 },
    note: `${count} names, ${isAnswered} decided (the others were no request at all), ${reached.length} of a listed host`,
  };
}

function ask(handle: (client: ReturnType<typeof duplexPair>[0]) => void, target: string): Promise<void> {
  const [mine, its] = duplexPair();
  handle(its);
  return new Promise((resolve) => {
    mine.on('error', () => undefined).on('data', () => undefined);
    mine.once('end', () => resolve()).once('close', () => resolve());
    mine.end(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
  });
}
