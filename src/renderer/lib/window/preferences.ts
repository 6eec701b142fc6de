import { createStoredValue } from './stored-value.ts';

export const themes = ['system', 'light', 'dark'] as const;

export const textSizes = ['small', 'normal', 'large', 'largest'] as const;

export const densities = ['comfortable', 'compact'] as const;

export const motions = ['system', 'reduced'] as const;

export const inspectorTabs = ['route', 'cost', 'sandbox', 'changes', 'context', 'preview', 'programs'] as const;
export type InspectorTab = (typeof inspectorTabs)[number];

const oneOf =
  <T extends string>(all: readonly T[], fallback: T) =>
  (kept: string | null): T =>
    all.find((one) => one === kept) ?? fallback;

const flag = (fallback: boolean) => (kept: string | null) => (kept === null ? fallback : kept === 'yes');
/** The user's choice; null when there is none. */
const choice = (kept: string | null): boolean | null => (kept === null ? null : kept === 'yes');
const flagText = (isOn: boolean | null): string => (isOn === null ? '' : isOn ? 'yes' : 'no');

export const theme = createStoredValue('dewpoint-theme', oneOf(themes, 'system'), String);
export const textSize = createStoredValue('dewpoint-text-size', oneOf(textSizes, 'normal'), String);
export const density = createStoredValue('dewpoint-density', oneOf(densities, 'comfortable'), String);
export const motion = createStoredValue('dewpoint-motion', oneOf(motions, 'system'), String);
export const inspectorTab = createStoredValue('dewpoint-inspector-tab', oneOf(inspectorTabs, 'route'), String);
export const isInspectorOpen = createStoredValue('dewpoint-inspector', choice, flagText);
const narrowestPx = 280;
/** The width of the inspector, in pixels at the usual text size. */
export const inspectorWidth = createStoredValue(
  'dewpoint-inspector-width',
  (kept): number => Math.max(narrowestPx, Math.min(1600, Number(kept) || 448)),
  String,
);
export const isSideBySide = createStoredValue('dewpoint-side-by-side', flag(false), flagText);
export const isSidebarOpen = createStoredValue('dewpoint-sidebar', choice, flagText);
/** Whether the work of a turn is shown step by step, not only as one line. */
export const areStepsShown = createStoredValue('dewpoint-steps-shown', flag(false), flagText);
/** The user wants to see the first steps again, even if they are done. */
export const isFirstStartWanted = createStoredValue('dewpoint-first-start-wanted', flag(false), flagText);
export const isFirstStartHidden = createStoredValue('dewpoint-first-start-hidden', flag(false), flagText);

/** Applies theme, text size, density and motion to the page, now and when they or the system's theme change. */
export function applyLook(): void {
  const systemDark = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const wanted = theme.get();
    const isDark = wanted === 'dark' || (wanted === 'system' && systemDark.matches);
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    document.documentElement.dataset.textSize = textSize.get();
    document.documentElement.dataset.density = density.get();
    document.documentElement.dataset.motion = motion.get();
  };
  apply();
  theme.subscribe(apply);
  textSize.subscribe(apply);
  density.subscribe(apply);
  motion.subscribe(apply);
  systemDark.addEventListener('change', apply);
  // All windows share their look. Open panels are separate for each window.
  window.addEventListener('storage', ({ key }) => {
    [theme, textSize, density, motion].find((stored) => stored.key === key)?.readAgain();
  });
}
