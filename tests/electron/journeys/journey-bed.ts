import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemorySandbox } from '../../fakes/sandbox/memory-sandbox.ts';
import { success } from '../../../src/shared/errors.ts';
import type { Answer } from '../../faults/program.ts';
import type { ClientCore } from '../../fakes/core-client.ts';
import { openClientCore } from '../../fakes/core-client.ts';
import { createFakeHandlers } from '../../fakes/fake-handlers.ts';
import type { FakeHandlers } from '../../fakes/fake-handlers.ts';
import type { ServedPage } from '../page-kit.ts';
import { servePage } from '../page-kit.ts';

/** The page on a real core in an empty home. The models are scripted and answer at once. */
export interface JourneyBed {
  readonly core: ClientCore;
  readonly served: ServedPage;
  readonly project: string;
  /** Replaces handlers of the core that would need a network or a container. */
  readonly replace: FakeHandlers['replace'];
  /** Adds a model that repeats the given answers. Returns its id. */
  script(name: string, replies: readonly Answer[], more?: object): Promise<string>;
  close(): Promise<void>;
}

export async function openBed(): Promise<JourneyBed> {
  const folder = mkdtempSync(join(tmpdir(), 'dewpoint-journey-'));
  const project = join(folder, 'shop');
  mkdirSync(project);
  writeFileSync(join(project, 'cart.py'), 'def total(prices):\n    return sum(prices[1:])\n');
  const core = await openClientCore({
    home: join(folder, 'home'),
    cache: join(folder, 'cache'),
    version: '0.0.0-test',
    onNotice: () => undefined,
    startSandbox: async () =>
      success(createMemorySandbox({ files: { 'cart.py': 'def total(prices):\n    return sum(prices[1:])\n' } })),
  });
  const script: JourneyBed['script'] = async (name, replies, more = {}) => {
    const value = { kind: 'scripted', strategies: ['loop'], repeat: true, replies, ...more };
    await core.client.settings.set({ key: `providers.${name}`, value });
    return `${name}/script`;
  };
  await core.client.settings.set({ key: 'local', value: await script('first', [{ text: 'Hello.' }]) });
  const handlers = createFakeHandlers(core.handlers);
  const served = await servePage(handlers);
  await served.resize(1360, 860);
  await served.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  return {
    core,
    served,
    project,
    replace: (part) => handlers.replace(part),
    script,
    close: async () => {
      await served.close();
      await core.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
