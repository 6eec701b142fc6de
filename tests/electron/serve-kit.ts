import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import type { Place } from './launch.ts';
import { builtFolder, firstPage, startElectron, testEnvironment } from './launch.ts';

export interface ServeOptions {
  readonly port?: string;
  /** The permissions that the server gives the browser at its start. */
  readonly allowed?: readonly string[];
  /** Whether the server may use this machine's container engine. */
  readonly hasEngine?: boolean;
}

export interface Server {
  readonly child: ChildProcess;
  /** What the server printed: the address with its token. */
  readonly url: string;
}

/**
 * Starts the built command line as a server for the place's projects. The server chooses its port unless one is given.
 */
export async function startServe(place: Place, options: ServeOptions = {}): Promise<Server> {
  const { port = '0', allowed = [], hasEngine = false } = options;
  const args = [join(builtFolder, 'main', 'cli.cjs'), 'serve', '--port', port, '--root', place.project];
  for (const grant of allowed) args.push('--allow', grant);
  const { DOCKER_HOST, ...inherited } = testEnvironment(place.home);
  // No key store is found, so that keys stay within this run on every machine.
  const env = { ...inherited, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
  const child = spawn(process.execPath, args, {
    env: hasEngine || DOCKER_HOST === undefined ? env : { ...env, DOCKER_HOST },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await new Promise<string>((found, failed) => {
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout.once('data', (chunk: Buffer) => found(chunk.toString().trim()));
    child.once('exit', (code) => failed(new Error(`serve ended with ${code}: ${errors}`)));
  });
  return { child, url };
}

/** Ends the server as Ctrl-C does. Returns the exit code. */
export async function stopServe(child: ChildProcess | undefined): Promise<number | null> {
  if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  child.kill('SIGINT');
  return ended;
}

/** Chromium without any code of Dewpoint. */
export async function openBrowser(place: Place): Promise<{ readonly app: ElectronApplication; readonly page: Page }> {
  const env = { ...testEnvironment(place.home), BROWSER_DATA: join(place.home, 'browser') };
  const app = await startElectron([resolve('tests/electron/browser.cjs')], env);
  return { app, page: await firstPage(app) };
}
