import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createMemorySandbox } from '../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../src/shared/errors.ts';
import { runOptionsSchema } from '../../src/shared/session/run-options.ts';
import { servePage } from '../electron/page-kit.ts';
import { canvasAttacks } from '../fakes/canvas-attacks.ts';
import type { ClientCore } from '../fakes/core-client.ts';
import { openClientCore } from '../fakes/core-client.ts';

export interface DrawnAttacks {
  readonly attacks: number;
  /** How many were drawn as pages, as drawings and as text. */
  readonly drawn: number;
  readonly reached: readonly string[];
  readonly hasRun: boolean;
  /** How many reach a server or run when the same browser draws them without protection. */
  readonly unlocked: number;
}

/** A server that nothing drawn may reach. Below `/open/` it serves each attack as a page of its own. */
interface Stranger {
  readonly server: Server;
  readonly address: string;
  readonly reached: string[];
}

async function startStranger(): Promise<Stranger> {
  const reached: string[] = [];
  let address = '';
  const server = createServer((request, response) => {
    const [, index] = /^\/open\/(\d+)$/u.exec(request.url ?? '') ?? [];
    if (index === undefined) reached.push(request.url ?? '');
    response.setHeader('content-type', 'text/html');
    response.end(index === undefined ? '' : `<!doctype html><body>${canvasAttacks(address)[Number(index)] ?? ''}`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  address = typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : '';
  return { server, address, reached };
}

/** Shows every n-th attack (`each`) as a model does, on the real core, in the built page. `look` may take a picture. */
export async function drawAttacks(look: (page: Page, name: string) => Promise<void>, each = 1): Promise<DrawnAttacks> {
  const stranger = await startStranger();
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-drawn-'));
  mkdirSync(join(folder, 'project'));
  const core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () => success(createMemorySandbox({ files: {} })),
  });
  const served = await servePage(core);
  try {
    const { page, url } = served;
    await served.resize(1280, 900);
    const places = canvasAttacks('').flatMap((_, index) => (index % each === 0 ? [index] : []));
    const all = canvasAttacks(stranger.address);
    const attacks = places.map((place) => all[place] ?? '');
    let drawn = 0;
    for (const [name, show] of Object.entries(ways)) {
      await showAll(core, { name, project: join(folder, 'project'), shown: attacks.map(show) });
      // After a reload the page knows the new session, whatever it showed before.
      await page.reload();
      await page.locator('[data-session]', { hasText: name }).first().click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      drawn += await lookAtAll(page);
      await look(page, name);
    }
    const reached = [...stranger.reached];
    const hasRun = (await page.evaluate(() => 'pwned' in window)) || !page.url().startsWith(new URL(url).origin);
    const unlocked = await countUnlocked(page, stranger, places);
    return { attacks: attacks.length, drawn, reached, hasRun, unlocked };
  } finally {
    await served.close();
    await core.dispose();
    stranger.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const ways: Readonly<Record<string, (attack: string) => unknown>> = {
  pages: (content) => ({ kind: 'html', content }),
  drawings: (content) => ({ kind: 'svg', content }),
  words: (attack) => ({
    kind: 'table',
    title: attack.slice(0, 200),
    content: `"${attack.replaceAll('"', '""')}"\nx`,
  }),
};

interface Shown {
  readonly name: string;
  readonly project: string;
  readonly shown: readonly unknown[];
}

async function showAll({ client }: ClientCore, { name, project, shown }: Shown): Promise<void> {
  const calls = shown.map((input) => ({ toolCalls: [{ name: 'canvas_render', input }] }));
  const end = { toolCalls: [{ name: 'task_complete', input: { summary: 'It was shown.' } }] };
  await client.settings.set({ key: `providers.${name}`, value: { kind: 'scripted', replies: [...calls, end] } });
  const { sessionId } = await client.sessions.create({ projectPath: project, title: name });
  const limits = { maxSteps: 200, maxTokens: 5_000_000 };
  const options = runOptionsSchema.parse({ local: `${name}/script`, strategy: 'loop', mode: 'work', ...limits });
  await client.sessions.send({ sessionId, text: 'Draw charts of it.', options });
  await client.sessions.result({ sessionId });
}

/** Scrolls through the whole log, because rows far from the view are not drawn. */
async function lookAtAll(page: Page): Promise<number> {
  const log = page.getByRole('log');
  const seen = new Set<string>();
  await log.locator('[data-canvas]').first().waitFor();
  for (let part = 0; part < 100_000; part += 400) {
    const keys = await log
      .locator('[data-canvas]')
      .evaluateAll((all) =>
        all.map((one) => one.closest<HTMLElement>('[data-row], [data-index]')?.outerHTML.slice(0, 80)),
      );
    for (const key of keys) if (key !== undefined) seen.add(key);
    const isEnd = await log.evaluate((element, top) => {
      element.scrollTop = top;
      return top > element.scrollHeight;
    }, part);
    await page.waitForTimeout(60);
    if (isEnd) break;
  }
  // Waits for what a page does late.
  await page.waitForTimeout(500);
  return seen.size;
}

/** Proves that the attacks are real. Without this, a broken attack would count as a blocked one. */
async function countUnlocked(page: Page, { address, reached }: Stranger, places: readonly number[]): Promise<number> {
  let unlocked = 0;
  for (const index of places) {
    reached.length = 0;
    await page.goto(`${address}/open/${index}`, { timeout: 5_000 }).catch(() => undefined);
    await page.waitForTimeout(150);
    const hasRun = await page.evaluate(() => 'pwned' in window).catch(() => true);
    if (hasRun || reached.some((path) => path !== '/favicon.ico')) unlocked += 1;
  }
  return unlocked;
}
