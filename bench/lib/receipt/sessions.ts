import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import PQueue from 'p-queue';
import { recordSends } from '../../../src/main/lib/net/record-of-sends.ts';
import { makeReceipt } from '../../../src/main/safety/receipt/make-receipt.ts';
import type { Wire } from '../../../tests/fakes/counted-host.ts';
import { seeded } from '../seeded.ts';
import { startHosts, type Hosts } from './hosts.ts';
import { brokenAnswers, createReach, goWay, ways } from './ways.ts';

export interface SessionOutcome {
  readonly sessionId: string;
  readonly ways: readonly string[];
  /** What the receipt says, and what the hosts counted at their sockets. */
  readonly said: { readonly out: number; readonly in: number };
  readonly counted: { readonly out: number; readonly in: number };
  /** Connections with TLS. */
  readonly secure: number;
  /** An answer was given up in the middle, so not all that the host wrote arrived. */
  readonly isGivenUp: boolean;
}

/** The last message of TLS 1.3 with which a host answers a client that has closed. It never arrives. */
const lastWordBytes = 24;

/**
 * Whether a receipt says what the hosts counted: exactly what they read, and exactly what they wrote but for last words
 * of TLS to a client that had closed. Of an answer that was given up, the host may have written more than arrived.
 */
export function isEqual({ said, counted, isGivenUp, secure }: SessionOutcome): boolean {
  const missing = counted.in - said.in;
  if (said.out !== counted.out || missing < 0) return false;
  return isGivenUp || (missing % lastWordBytes === 0 && missing / lastWordBytes <= secure);
}

const atOnce = 6;

/** Makes sessions that use one to five ways each, together with all the others, and compares each receipt. */
export async function compareReceipts(count: number, seed: number): Promise<readonly SessionOutcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dewpoint-receipts-'));
  const hosts = await startHosts();
  // The hosts are in the same busy process, so a connection to them may take longer than on a network.
  setDefaultAutoSelectFamilyAttemptTimeout(10_000);
  const certificates = join(folder, 'hosts.pem');
  await writeFile(certificates, hosts.secure.certificate);
  const record = recordSends(join(folder, 'sent'), { isHere: () => false });
  try {
    const random = seeded(seed);
    const reach = createReach(certificates);
    const names = Object.keys(ways).filter((name): name is keyof typeof ways => name in ways);
    const plans = Array.from({ length: count }, (_, index) => ({
      sessionId: `session-${index}`,
      // Every way is in the first sessions, however few there are.
      ways: [
        ...(names[index] === undefined ? [] : [names[index]]),
        ...Array.from({ length: 1 + Math.floor(random() * 4) }, () => names[Math.floor(random() * names.length)]),
      ].filter((name) => name !== undefined),
    }));
    const queue = new PQueue({ concurrency: atOnce });
    await queue.addAll(
      plans.map(({ sessionId, ways: own }) => async () => {
        for (const name of own) await goWay(name, { sessionId, hosts, random, reach });
      }),
    );
    hosts.letRead();
    await allClosed(hosts);
    const nameless = wiresOf(hosts).filter(({ mark, out }) => mark === null && out > 0);
    if (nameless.length > 0) throw new Error(`Nobody owns these connections: ${JSON.stringify(nameless)}`);
    const options = {
      folder: join(folder, 'sent'),
      stores: [],
      blobs: { get: async () => null },
      version: 'bench',
      now: Date.now,
    };
    const outcomes: SessionOutcome[] = [];
    for (const { sessionId, ways: own } of plans) {
      const made = await makeReceipt(
        { ...options, settle: record.settle },
        { type: 'session', sessionId },
        new AbortController().signal,
      );
      const isGivenUp = own.some((name) => brokenAnswers.includes(name));
      const said = { out: made.out, in: made.in };
      const secure = hosts.secure.wires.filter(({ mark }) => mark === sessionId).length;
      outcomes.push({ sessionId, ways: own, said, counted: countedFor(hosts, sessionId), secure, isGivenUp });
    }
    return outcomes;
  } finally {
    record.close();
    await hosts.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const wiresOf = ({ plain, secure, stuck }: Hosts): readonly Wire[] => [...plain.wires, ...secure.wires, ...stuck.wires];

function countedFor(hosts: Hosts, sessionId: string): { readonly out: number; readonly in: number } {
  const own = wiresOf(hosts).filter(({ mark }) => mark === sessionId);
  return { out: own.reduce((sum, { out }) => sum + out, 0), in: own.reduce((sum, wire) => sum + wire.in, 0) };
}

/** Connections that stay open for a next request are closed by the client after some seconds. */
async function allClosed(hosts: Hosts): Promise<void> {
  const until = performance.now() + closeMs;
  for (;;) {
    const open = wiresOf(hosts).filter(({ isClosed }) => !isClosed);
    if (open.length === 0) return;
    if (performance.now() > until) throw new Error(`These connections did not end: ${JSON.stringify(open)}`);
    await later(50);
  }
}

const closeMs = 60_000;
