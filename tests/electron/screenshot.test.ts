import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageCore } from '../fakes/page-core.ts';
import { createPageCore } from '../fakes/page-core.ts';
import { furnish } from '../fakes/page-scenes.ts';
import { violations } from './axe.ts';
import type { Launched, Place } from './launch.ts';
import { keepScreenshot, launch, preparePlace } from './launch.ts';
import type { ServedPage } from './page-kit.ts';
import { servePage } from './page-kit.ts';
import { ensureShellAndDisplay } from './setup.ts';

const label = 'Take a screenshot';

describe('a screenshot in the window', () => {
  let place: Place;
  let launched: Launched;
  let endDisplay: () => void;

  beforeAll(async () => {
    endDisplay = await ensureShellAndDisplay();
    place = preparePlace([{ text: 'A picture.' }]);
    // Without a session of Wayland, whose own dialog nobody could answer here.
    launched = await launch(place.home, { env: { XDG_SESSION_TYPE: 'x11' } });
  });

  afterAll(async () => {
    await launched?.app.close();
    place?.remove();
    endDisplay?.();
  });

  /** Answers the next menu with its item at this place; null closes it. */
  const answerMenu = async (index: number | null): Promise<void> =>
    launched.app.evaluate(({ Menu }, at) => {
      const build = Menu.buildFromTemplate;
      Menu.buildFromTemplate = (template) => {
        Menu.buildFromTemplate = build;
        const menu = build(template);
        Reflect.set(
          globalThis,
          'menuLabels',
          template.map(({ label: text }) => text ?? '---'),
        );
        menu.popup = (options) => {
          if (at !== null) menu.items[at]?.click();
          options?.callback?.();
        };
        return menu;
      };
    }, index);

  it('is attached as a picture of the screen that was chosen in a menu of the system', async () => {
    const { app, page } = launched;
    await answerMenu(0);
    await page.getByRole('button', { name: label }).click();
    await page.getByRole('button', { name: 'Remove screenshot.png' }).waitFor();
    const picture = page.getByRole('list', { name: 'Attached' }).locator('img');
    const width = await app.evaluate(({ screen }) => screen.getPrimaryDisplay().size.width);
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(width);
    expect(await app.evaluate(() => Reflect.get(globalThis, 'menuLabels'))).not.toHaveLength(0);
    await keepScreenshot(page, 'screenshot-attached');
    expect(await violations(page)).toEqual([]);
  });

  it('is not taken where the menu is closed, and the message stays', async () => {
    const { page } = launched;
    await page.getByRole('textbox', { name: 'Task' }).fill('What is this?');
    await answerMenu(null);
    await page.getByRole('button', { name: label }).click();
    await page.getByText('No screenshot was taken. Your message is as it was.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Task' }).inputValue()).toBe('What is this?');
    expect(await page.getByRole('list', { name: 'Attached' }).getByRole('listitem').count()).toBe(1);
  });

  it('cannot be taken by the page itself, which has no permission', async () => {
    const refused = await launched.page.evaluate(() =>
      navigator.mediaDevices.getDisplayMedia({ video: true }).then(
        () => 'a picture',
        (error: unknown) => (error instanceof DOMException ? error.name : 'another error'),
      ),
    );
    expect(refused).not.toBe('a picture');
  });
});

describe('a screenshot in a browser', () => {
  let served: ServedPage;
  let core: PageCore;
  /** The files that the page attached. */
  const kept: { readonly name: string; readonly data: string }[] = [];

  beforeAll(async () => {
    core = createPageCore();
    furnish(core);
    core.replace({
      attachments: {
        keep: ({ input: { name, data } }) => {
          kept.push({ name, data });
          const blob = { sha256: '0'.repeat(64), bytes: 100 };
          return { kind: 'image', name, mediaType: 'image/png', width: 320, height: 200, blob };
        },
      },
    });
    served = await servePage(core);
    await served.resize(900, 700);
  });

  afterAll(async () => {
    await served?.close();
  });

  it('is one picture of what its own dialog gave, and the stream ends', async () => {
    const { page } = served;
    await page.evaluate(() => {
      navigator.mediaDevices.getDisplayMedia = async () => {
        const canvas = document.createElement('canvas');
        canvas.width = 320;
        canvas.height = 200;
        canvas.getContext('2d')?.fillRect(0, 0, 100, 100);
        const stream = canvas.captureStream(5);
        Reflect.set(globalThis, 'stream', stream);
        setInterval(() => canvas.getContext('2d')?.fillRect(0, 0, Math.random() * 100, 100), 50);
        return stream;
      };
    });
    await page.getByRole('button', { name: label }).click();
    await page.getByRole('button', { name: 'Remove screenshot.png' }).waitFor();
    const [first, ...others] = kept;
    expect(others).toEqual([]);
    // Width and height of a PNG stand at the same place in each.
    const header = Buffer.from(first?.data ?? '', 'base64');
    expect([header.toString('latin1', 1, 4), header.readUInt32BE(16), header.readUInt32BE(20)]).toEqual([
      'PNG',
      320,
      200,
    ]);
    const state = await page.evaluate(() => {
      const stream: unknown = Reflect.get(globalThis, 'stream');
      return stream instanceof MediaStream ? stream.getTracks().map(({ readyState }) => readyState) : [];
    });
    expect(state).toEqual(['ended']);
  });

  it('is not taken where the dialog is closed, or shows no screen', async () => {
    const { page } = served;
    const fail = (name: string): Promise<void> =>
      page.evaluate((kind) => {
        navigator.mediaDevices.getDisplayMedia = async () => Promise.reject(new DOMException('', kind));
      }, name);
    await fail('NotAllowedError');
    await page.getByRole('button', { name: label }).click();
    await page.getByText('No screenshot was taken.').waitFor();
    await fail('NotFoundError');
    await page.getByRole('button', { name: label }).click();
    await page.getByText('The browser found no screen or window to show.').waitFor();
  });
});
