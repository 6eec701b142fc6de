import { describe, expect, it } from 'vitest';
import { createRouterClient } from '@orpc/server';
import { createRouter } from '../../../../src/main/server/router.ts';
import { createCoreConnection } from '../../../../src/main/hosts/connection/core-connection.ts';
import type { OpenCore } from '../../../../src/main/hosts/connection/open-core.ts';
import { createScriptedCore } from '../../../fakes/scripted-core.ts';

interface Opened {
  readonly core: OpenCore;
  readonly end: () => void;
  closes: number;
}

function openOnes(): { readonly all: Opened[]; readonly open: () => Promise<OpenCore> } {
  const all: Opened[] = [];
  const open = async (): Promise<OpenCore> => {
    const router = createRouter(createScriptedCore().handlers);
    let end = (): void => undefined;
    const closed = new Promise<void>((resolve) => {
      end = resolve;
    });
    const close = async (): Promise<void> => {
      opened.closes += 1;
    };
    const opened: Opened = {
      core: { client: createRouterClient(router), router, closed, otherBuild: null, close },
      end,
      closes: 0,
    };
    all.push(opened);
    return opened.core;
  };
  return { all, open };
}

describe('the connection to the core', () => {
  it('opens one core, and closes it', async () => {
    const { all, open } = openOnes();
    const door = createCoreConnection(open);
    expect(await door.open()).toBe(await door.open());
    expect(all).toHaveLength(1);
    const error = new Error('its own');
    expect(await door.explain(error)).toBe(error);
    await door.close();
    expect(all[0]?.closes).toBe(1);
  });

  it('says that the owner has ended, and then opens another core', async () => {
    const { all, open } = openOnes();
    const door = createCoreConnection(open);
    const first = await door.open();
    all[0]?.end();
    expect(await door.explain(new Error('aborted'))).toMatchObject({
      code: 'home-busy',
      message: expect.stringContaining('has ended'),
    });
    expect(await door.open()).not.toBe(first);
    await door.close();
    expect(all.map(({ closes }) => closes)).toEqual([0, 1]);
  });

  it('closes nothing when nothing was opened, and passes on why opening failed', async () => {
    await createCoreConnection(openOnes().open).close();
    const door = createCoreConnection(() => Promise.reject(new Error('no home')));
    await expect(door.open()).rejects.toThrow('no home');
    await expect(door.close()).rejects.toThrow('no home');
  });
});
