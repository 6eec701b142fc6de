import { BrowserWindow, app } from 'electron';
import type { WebContents } from 'electron';
import type { HostPush } from '@shared/contract/host-contract.ts';
import type { PagePushes } from './page-pushes.ts';
import { createPagePushes } from './page-pushes.ts';
import type { KeptWindow, WindowPlace } from './window-state.ts';
import { saveWindowState, placeBeside, readWindowState } from './window-state.ts';
import { pageAddress, createWindow, windowPlaceOf } from './window.ts';

export interface WindowsOptions {
  readonly url: string;
  readonly preloadFile: string;
  /** The file that stores the open windows. */
  readonly stateFile: string;
}

/** An open window, as needed to serve its page. */
export interface OpenWindow {
  readonly window: BrowserWindow;
  readonly pushes: PagePushes;
  readonly keepView: (view: string) => void;
}

export interface Windows {
  /** Opens the windows that were open when the app ended, for whatever reason, or one if there were none. */
  readonly restore: () => Promise<void>;
  /** Opens another window beside the one in front. */
  readonly open: (view?: string) => Promise<void>;
  /** The window of a page. Throws for a page without its own window. */
  readonly of: (page: WebContents) => OpenWindow;
  /** Shows the front window, or opens one if there is none. */
  readonly show: () => void;
  /** The session that the user is looking at. Null: the app is not in front, or shows something else. */
  readonly sessionInFront: () => string | null;
  /** Sends the event to the front window, or to the next one that opens. */
  readonly push: (item: HostPush) => void;
}

interface Slot extends OpenWindow {
  kept: KeptWindow;
}

/** The prefix in `keepView` for a view that shows a session. */
export const sessionPrefix = 'session:';
/** How long a window must be at rest before its position is stored. */
const settledMs = 300;

/** All windows of the app: they share a core, and each has its own view, position and events. */
export function createWindows(options: WindowsOptions): Windows {
  const slots = createSlots(options.stateFile);
  const early: HostPush[] = [];
  let isBegun = false;
  const add = async (place: WindowPlace | null, view: string): Promise<void> => {
    const window = createWindow({ ...options, place, view });
    const slot: Slot = {
      window,
      pushes: createPagePushes(),
      kept: { place: windowPlaceOf(window), view },
      keepView: (next) => {
        slot.kept = { ...slot.kept, view: next };
        slots.keep();
      },
    };
    for (const item of early.splice(0)) slot.pushes.push(item);
    slots.add(slot);
    await loadOnce(window, pageAddress({ url: options.url, view }));
  };
  const open = async (view = ''): Promise<void> => {
    const beside = slots.front();
    await add(beside === null ? null : placeBeside(windowPlaceOf(beside.window)), view);
  };
  return {
    open,
    restore: async () => {
      const kept = readWindowState(options.stateFile);
      for (const { place, view } of kept.length === 0 ? [{ place: null, view: '' }] : kept) await add(place, view);
      isBegun = true;
    },
    of: (page) => {
      const slot = slots.of(page);
      if (slot === undefined) throw new Error('not the page of a window');
      return slot;
    },
    show: () => {
      const slot = slots.front();
      if (slot === null) {
        if (isBegun) void open();
        return;
      }
      if (slot.window.isMinimized()) slot.window.restore();
      slot.window.focus();
    },
    sessionInFront: () => {
      const focused = BrowserWindow.getFocusedWindow();
      const view = focused === null ? undefined : slots.of(focused.webContents)?.kept.view;
      return view?.startsWith(sessionPrefix) === true ? view.slice(sessionPrefix.length) : null;
    },
    push: (item) => {
      const slot = slots.front();
      if (slot === null) early.push(item);
      else slot.pushes.push(item);
    },
  };
}

/** Loads the page. A user who meanwhile loads it again or closes the window only ends this load, and nothing failed. */
async function loadOnce(window: BrowserWindow, address: string): Promise<void> {
  let isClosing = false;
  // The load ends before the window is gone.
  window.once('close', () => (isClosing = true));
  try {
    await window.loadURL(address);
  } catch (error) {
    const isLoadedAgain = error instanceof Error && 'code' in error && error.code === 'ERR_ABORTED';
    if (!isLoadedAgain && !isClosing && !window.isDestroyed()) throw error;
  }
}

interface Slots {
  readonly add: (slot: Slot) => void;
  readonly of: (page: WebContents) => Slot | undefined;
  /** The window with the focus, or the last one that had it. */
  readonly front: () => Slot | null;
  readonly keep: () => void;
}

/** The open windows, and what is stored about them. */
function createSlots(stateFile: string): Slots {
  const slots = new Map<number, Slot>();
  let last: Slot | null = null;
  let isQuitting = false;
  // The system may take a window away before it says so.
  const left = (): readonly Slot[] => [...slots.values()].filter(({ window }) => !window.isDestroyed());
  const keep = (): void => {
    const kept = [...slots.values()].map((slot) => slot.kept);
    // Windows that were open at the end are reopened: the last one that was closed, or all of them on quit.
    if (!isQuitting && kept.length > 0) saveWindowState(stateFile, kept);
  };
  app.on('before-quit', () => {
    for (const slot of left()) slot.kept = { ...slot.kept, place: windowPlaceOf(slot.window) };
    keep();
    isQuitting = true;
  });
  return {
    keep,
    of: (page) => slots.get(page.id),
    front: () => {
      const focused = BrowserWindow.getFocusedWindow();
      const slot = focused === null ? last : (slots.get(focused.webContents.id) ?? last);
      return slot?.window.isDestroyed() === false ? slot : (left().at(-1) ?? null);
    },
    add: (slot) => {
      const { window } = slot;
      const { id } = window.webContents;
      slots.set(id, slot);
      last = slot;
      followPlace(slot, keep);
      window.on('focus', () => (last = slot));
      window.on('closed', () => {
        slots.delete(id);
        if (last === slot) last = left().at(-1) ?? null;
        keep();
      });
    },
  };
}

/** Stores the position of a window after a move, and when it closes. */
function followPlace(slot: Slot, keep: () => void): void {
  const { window } = slot;
  let timer: NodeJS.Timeout | undefined;
  const take = (): void => {
    clearTimeout(timer);
    if (window.isDestroyed()) return;
    slot.kept = { ...slot.kept, place: windowPlaceOf(window) };
    keep();
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(take, settledMs);
  };
  window.on('resize', later);
  window.on('move', later);
  window.on('maximize', later);
  window.on('unmaximize', later);
  window.on('close', take);
}
