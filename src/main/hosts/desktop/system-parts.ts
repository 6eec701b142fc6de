import { Menu, Tray, app, clipboard, globalShortcut, nativeImage, powerMonitor } from 'electron';
import type { NativeImage } from 'electron';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';
import trayIcon from '../../../../resources/icons/32x32.png?inline';
import { settingsSchema } from '@shared/settings/settings.ts';
import { printable } from '@shared/text/seen-text.ts';
import type { CoreClient } from '../../server/local-socket.ts';
import { createAskKeys } from './ask-keys.ts';
import { texts } from './desktop-texts.ts';
import type { SystemTray } from './tray-menu.ts';
import { createTrayMenu } from './tray-menu.ts';
import type { Windows } from './windows.ts';

const againMs = 2_000;
/** Longer clipboard text is cut off. */
const mostCharacters = 20_000;

/** Parts outside of the windows, as set in the settings: the tray icon and system-wide shortcuts. */
export interface SystemParts {
  /** Whether the app keeps running without windows. */
  readonly staysWithoutWindows: () => boolean;
  readonly setSessions: (sessions: readonly SessionSummary[]) => void;
}

export function startSystemParts(client: () => Promise<CoreClient>, windows: Windows): SystemParts {
  const newTask = (text = ''): void => {
    windows.show();
    windows.push(text === '' ? { type: 'new' } : { type: 'new', text, from: 'clipboard' });
  };
  const tray = createTrayMenu(createTray(), {
    open: windows.show,
    newTask,
    session: (sessionId) => {
      windows.show();
      windows.push({ type: 'session', sessionId });
    },
    quit: () => app.quit(),
  });
  let isWithClipboard = false;
  // Reads the clipboard only now, and only if the user chose that.
  const ask = async (): Promise<void> => {
    const text = isWithClipboard ? await clipboard.readText() : '';
    newTask(printable(text.slice(0, mostCharacters)));
  };
  const keys = createAskKeys(
    globalShortcut,
    () => void ask().catch(() => newTask()),
    (wanted) => windows.push({ type: 'problem', text: texts['keys.taken'].replace('{keys}', () => wanted) }),
  );
  void followSettings(client, (settings) => {
    isWithClipboard = settings.askWithClipboard;
    keys.set(settings.askKeys);
    tray.setOn(settings.tray);
  });
  notePower(client);
  app.on('will-quit', () => globalShortcut.unregisterAll());
  return { staysWithoutWindows: tray.isOn, setSessions: tray.setSessions };
}

const powerEveryMs = 60_000;

/** Reports power and heat to the core on every change, and once a minute, because the core may be a new one. */
function notePower(client: () => Promise<CoreClient>): void {
  // Only macOS reports heat; other systems say "unknown".
  const tell = async (): Promise<void> => {
    const state = powerMonitor.getCurrentThermalState();
    const heat = state === 'unknown' ? null : state === 'serious' || state === 'critical';
    const core = await client();
    await core.models.noteStrain({ battery: powerMonitor.isOnBatteryPower(), heat, memory: null, card: null });
  };
  // A core that is being renewed gets it a minute later.
  const now = (): void => void tell().catch(() => undefined);
  powerMonitor.on('on-battery', now);
  powerMonitor.on('on-ac', now);
  powerMonitor.on('resume', now);
  powerMonitor.on('thermal-state-change', now);
  setInterval(now, powerEveryMs).unref();
  now();
}

const desktopSchema = settingsSchema.shape.desktop;

/** Runs as long as the app. If the core goes, it continues with the next one. */
async function followSettings(
  client: () => Promise<CoreClient>,
  apply: (settings: ReturnType<typeof desktopSchema.parse>) => void,
): Promise<void> {
  const follow = async (): Promise<void> => {
    const core = await client();
    // The first item has no keys and means that everything must be read.
    for await (const { keys } of await core.settings.watch()) {
      if (keys.length > 0 && !keys.some((key) => key.startsWith('desktop'))) continue;
      apply(desktopSchema.parse(await core.settings.get({ key: 'desktop' })));
    }
  };
  for (;;) {
    await follow().catch(() => undefined);
    await new Promise<void>((resolve) => void setTimeout(resolve, againMs).unref());
  }
}

function createTray(): SystemTray {
  let tray: Tray | null = null;
  return {
    show: (title, lines) => {
      tray ??= new Tray(process.platform === 'darwin' ? dropImage() : nativeImage.createFromDataURL(trayIcon));
      tray.setToolTip(title);
      tray.setContextMenu(
        Menu.buildFromTemplate(
          lines.map((line) =>
            line === null
              ? { type: 'separator' }
              : { label: line.label, enabled: line.run !== undefined, click: () => line.run?.() },
          ),
        ),
      );
    },
    remove: () => {
      tray?.destroy();
      tray = null;
    },
  };
}

const sizePx = 32;

/** A drop for the menu bar of macOS, which decides its color: a circle with a point above it. */
function dropImage(): NativeImage {
  const pixels = Buffer.alloc(sizePx * sizePx * 4);
  for (let at = 0; at < sizePx * sizePx; at += 1) {
    const [x, y] = [(at % sizePx) - sizePx / 2 + 0.5, Math.floor(at / sizePx)];
    const isCircle = x * x + (y - 20) ** 2 <= 100;
    const isPoint = y >= 1 && y < 16 && Math.abs(x) <= (y - 1) * 0.58;
    if (isCircle || isPoint) pixels.set([0, 0, 0, 255], at * 4);
  }
  const image = nativeImage.createFromBitmap(pixels, { width: sizePx, height: sizePx, scaleFactor: 2 });
  image.setTemplateImage(true);
  return image;
}
