import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A message bus with a home of its own, as a desktop has for each user. */
export interface PrivateBus {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls a destination with a path, a method and its arguments. Returns the reply as `dbus-send` prints it. */
  readonly call: (destination: string, args: readonly string[]) => string;
  /** Resolves when a name has an owner. */
  readonly hasName: (name: string) => Promise<void>;
  readonly stop: () => void;
}

export async function startBus(): Promise<PrivateBus> {
  const home = mkdtempSync(join(tmpdir(), 'dewpoint-bus-'));
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, HOME: home },
  });
  const address = await firstLine(bus);
  const env = { ...process.env, HOME: home, DBUS_SESSION_BUS_ADDRESS: address, DISPLAY: undefined };
  const call: PrivateBus['call'] = (destination, args) =>
    execFileSync('dbus-send', ['--session', '--print-reply', `--dest=${destination}`, ...args], {
      env,
      encoding: 'utf8',
    });
  return {
    env,
    call,
    hasName: async (name) => {
      for (let tries = 0; tries < 1_000; tries += 1) {
        const names = call('org.freedesktop.DBus', ['/org/freedesktop/DBus', 'org.freedesktop.DBus.ListNames']);
        if (names.includes(`"${name}"`)) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`nobody came to be ${name}`);
    },
    stop: () => {
      bus.kill('SIGKILL');
      rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8').trim()));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
}
