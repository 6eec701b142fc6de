import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ElectronApplication, Locator, Page } from 'playwright-core';
import { _electron } from 'playwright-core';
import { isTestShell } from './setup.ts';
import type { Answer } from '../faults/program.ts';

export interface Launched {
  readonly app: ElectronApplication;
  readonly page: Page;
  /** Everything that main wrote to stderr. */
  readonly errors: () => string;
}

type Replies = readonly Answer[];

interface MoreSettings {
  readonly local?: string;
  readonly cloud?: string;
  readonly providers?: Readonly<Record<string, unknown>>;
}

export interface Place {
  readonly home: string;
  /** A project with one file, `main.py`. */
  readonly project: string;
  /** Sets the answers of the model and other settings for the next start of the app. */
  script(replies: Replies, more?: MoreSettings): void;
  remove(): void;
}

/** A home whose local model gives the scripted replies, and a project to ask about. */
export function preparePlace(replies: Replies): Place {
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-electron-'));
  const home = join(folder, 'home');
  const project = join(folder, 'project');
  mkdirSync(home);
  mkdirSync(project);
  writeFileSync(join(project, 'main.py'), 'PORT = 8123\n');
  const script = (next: Replies, { providers = {}, ...others }: MoreSettings = {}): void => {
    const all = { script: { kind: 'scripted', replies: next, strategies: ['loop'] }, ...providers };
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ local: 'script/script', ...others, providers: all }));
  };
  script(replies);
  // A program that is ending may still write into it.
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  return { home, project, script, remove };
}

/** Where the program is built for what runs it: Electron or the test shell. Another build can be tested by its folder. */
export const builtFolder = resolve(process.env.DEWPOINT_OUT ?? (isTestShell() ? 'out-shell' : 'out'));

const mainFile = join(builtFolder, 'main', 'index.cjs');

/** A busy machine needs a long time to start Chromium. */
export const startMs = 90_000;
/** The driver waits half a minute by default. Several such waits fit into one test. */
export const patienceMs = 60_000;

/** Starts Electron with the driver, and with a program. */
export async function startElectron(
  [program, ...args]: readonly [program: string, ...args: string[]],
  env: Readonly<Record<string, string>>,
): Promise<ElectronApplication> {
  const start = (timeout: number): Promise<ElectronApplication> =>
    _electron.launch({ args: [program, ...appFlags(), ...args], env, timeout });
  try {
    return await start(startMs / 2);
  } catch (error) {
    // About one start in 400 hangs before the app is ready: the driver holds that back until it has reached the app, so
    // nothing of Dewpoint waits there. It is no test that fails, and is not hidden either.
    if (!(error instanceof Error) || !error.message.includes('electron.launch: Timeout')) throw error;
    process.stdout.write('the driver did not reach Electron, which is started again\n');
    return start(startMs);
  }
}

/** The first window of a started app. Waits in any of its windows then have the patience of `patienceMs`. */
export async function firstPage(app: ElectronApplication): Promise<Page> {
  app.context().setDefaultTimeout(patienceMs);
  return app.firstWindow({ timeout: startMs });
}

/**
 * Waits until a page of Dewpoint takes keys and clicks. It listens as soon as its window is drawn: the list of sessions,
 * or the button that opens it.
 */
export async function listening(page: Page): Promise<void> {
  const window = page.locator('#root').locator('aside, [aria-label="Open session list"]');
  await window.first().waitFor({ timeout: startMs });
}

/** Loads a page of Dewpoint again, and waits until it listens. */
export async function reload(page: Page): Promise<void> {
  await page.reload();
  await listening(page);
}

/** Opens the list of all actions by its keys, and returns its field. */
export async function openActions(
  page: Page,
  press: (keys: string) => Promise<void> = pressIn(page),
): Promise<Locator> {
  await listening(page);
  await press('Control+K');
  const field = page.getByPlaceholder('Search actions and sessions');
  await field.waitFor();
  return field;
}

const pressIn = (page: Page) => (keys: string) => page.keyboard.press(keys);

/** Shows the steps of the turns on a page by opening each folded line, as a user does. */
export async function openWork(page: Page): Promise<void> {
  const folded = page.locator('[data-work][aria-expanded=false]');
  await page.locator('[data-work]').first().waitFor({ timeout: startMs });
  while ((await folded.count()) > 0) await folded.first().click();
}

/** Root cannot use Chromium's own sandbox, and a machine for tests has no GPU. */
export function appFlags(): readonly string[] {
  return [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu'];
}

export function testEnvironment(home: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  // The app finds no container engine, so that the result is the same on every machine.
  return { ...Object.fromEntries(inherited), DEWPOINT_HOME: home, DEWPOINT_TEST: '1', DOCKER_HOST: 'unix:///nowhere' };
}

export interface LaunchOptions {
  /** Whether the app may use this machine's container engine. */
  readonly hasEngine?: boolean;
  /** Environment variables added to those that every test has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments as the system passes them for a link. */
  readonly args?: readonly string[];
}

/** Starts the built app on a home and waits until its window listens. */
export async function launch(
  home: string,
  { hasEngine = false, env: own = {}, args = [] }: LaunchOptions = {},
): Promise<Launched> {
  let text = '';
  const { DOCKER_HOST, ...env } = testEnvironment(home);
  const app = await startElectron([mainFile, ...args], {
    ...env,
    ...own,
    ...(hasEngine || DOCKER_HOST === undefined ? {} : { DOCKER_HOST }),
  });
  app.process().stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const page = await firstPage(app);
  await listening(page);
  return { app, page, errors: () => text };
}

/** Saves a screenshot for review, if `DEWPOINT_SCREENSHOTS` names a folder. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.DEWPOINT_SCREENSHOTS;
  if (folder !== undefined && folder !== '') await page.screenshot({ path: join(folder, `${name}.png`) });
}
