import { describe, expect, it } from 'vitest';
import { menuTemplate } from '../../../../src/main/hosts/desktop/app-menu.ts';
import { createAskKeys } from '../../../../src/main/hosts/desktop/ask-keys.ts';
import type { TrayLine } from '../../../../src/main/hosts/desktop/tray-menu.ts';
import { createTrayMenu } from '../../../../src/main/hosts/desktop/tray-menu.ts';
import { unorganized } from '../../../fakes/unorganized.ts';
import type { SessionSummary } from '@shared/contract/sessions-contract.ts';

const session = (sessionId: string, title: string, status: SessionSummary['status']): SessionSummary => ({
  sessionId,
  title,
  projectPath: null,
  project: null,
  createdAt: 0,
  updatedAt: 0,
  steps: 1,
  costUsd: 0,
  status,
  lastReason: null,
  ...unorganized,
});

describe('the tray icon', () => {
  const labels = (lines: readonly TrayLine[]) => lines.map((line) => line?.label ?? '-');
  const set = () => {
    const shown: { readonly title: string; readonly lines: readonly TrayLine[] }[] = [];
    const done: string[] = [];
    let removed = 0;
    const menu = createTrayMenu(
      { show: (title, lines) => void shown.push({ title, lines }), remove: () => void (removed += 1) },
      {
        open: () => void done.push('open'),
        newTask: () => void done.push('new'),
        session: (id) => void done.push(id),
        quit: () => void done.push('quit'),
      },
    );
    return { menu, shown, done, removed: () => removed };
  };

  it('is there while the setting is on, and is redrawn only for a change', () => {
    const { menu, shown, removed } = set();
    menu.setSessions([session('a', 'One', 'running')]);
    expect(shown).toEqual([]);
    menu.setOn(true);
    menu.setOn(true);
    menu.setSessions([session('a', 'One', 'running'), session('b', 'Two', 'idle')]);
    expect(shown).toHaveLength(1);
    menu.setOn(false);
    expect([removed(), menu.isOn()]).toEqual([1, false]);
    menu.setOn(true);
    expect(shown).toHaveLength(2);
  });

  it('lists what runs and what waits, and opens it', () => {
    const { menu, shown, done } = set();
    menu.setOn(true);
    expect(labels(shown[0]?.lines ?? [])).toEqual([
      'Nothing is running',
      '-',
      'New task',
      'Open Dewpoint',
      '-',
      'Quit Dewpoint',
    ]);
    menu.setSessions([session('a', `Ship & $& ${'x'.repeat(90)}`, 'running'), session('b', 'Ask\u202eme', 'waiting')]);
    const { title, lines } = shown[1] ?? { title: '', lines: [] };
    expect(title).toBe('Dewpoint · 2 running');
    expect(labels(lines).slice(0, 2)).toEqual([
      expect.stringMatching(/^Working: Ship && \$&& x+…$/u),
      'Waiting for you: Ask<U+202E>me',
    ]);
    for (const line of lines) line?.run?.();
    expect(done).toEqual(['a', 'b', 'new', 'open', 'quit']);
  });
});

describe('the global shortcut', () => {
  it('is registered as set, one at a time, and a failure is announced once', () => {
    const held = new Set<string>();
    const refused: string[] = [];
    const keys = createAskKeys(
      {
        register: (wanted) => {
          if (wanted === 'no keys') throw new TypeError('conversion failure');
          if (wanted === 'taken') return false;
          held.add(wanted);
          return true;
        },
        unregister: (given) => void held.delete(given),
      },
      () => undefined,
      (wanted) => void refused.push(wanted),
    );
    keys.set(null);
    expect([...held]).toEqual([]);
    keys.set('A');
    keys.set('B');
    expect([...held]).toEqual(['B']);
    for (const wanted of ['taken', 'taken', 'no keys']) keys.set(wanted);
    expect([[...held], refused]).toEqual([[], ['taken', 'no keys']]);
    keys.set('A');
    keys.set(null);
    expect([...held]).toEqual([]);
  });
});

describe('the application menu', () => {
  const names = (platform: NodeJS.Platform) =>
    menuTemplate(platform, { push: () => undefined, open: async () => undefined }).map(({ label, role, submenu }) => ({
      name: label ?? role,
      items: Array.isArray(submenu) ? submenu.flatMap((item) => item.label ?? item.role ?? []) : [],
    }));

  it('has settings and quit in the app menu on a Mac, and under File elsewhere', () => {
    const order = ['File', 'editMenu', 'View'];
    expect(names('darwin').map(({ name }) => name)).toEqual(['Dewpoint', ...order, 'windowMenu', 'Help']);
    expect(names('darwin')[0]?.items).toEqual([
      'about',
      'Settings',
      'services',
      'hide',
      'hideOthers',
      'unhide',
      'quit',
    ]);
    expect(names('darwin')[1]?.items).toEqual(['New task', 'New window', 'Import session…', 'close']);
    for (const platform of ['linux', 'win32'] as const) {
      expect(names(platform).map(({ name }) => name)).toEqual([...order, 'Window', 'Help']);
      expect(names(platform)[0]?.items.slice(-3)).toEqual(['Settings', 'close', 'quit']);
      expect(names(platform).at(-1)?.items.at(-1)).toBe('About Dewpoint');
    }
  });
});
