import { roundMoneyText } from '@shared/money/money-text.ts';
import type { Profile, Role, RoutingNumbers } from './routing.ts';
import { fieldOf } from '@shared/unknown-value.ts';

const shared = {
  minuteUsd: 0,
  blockSteps: 8,
  taskSteps: 30,
  cacheLifeSeconds: 300,
  offlineAfter: 2,
  offlineSeconds: 120,
} as const;

/** Local models do lookups and summaries well. Edits and answers stay with the task's own model. */
const mostlyLocalRoles = { context: 'local', edit: 'own', answer: 'own', summary: 'local', title: 'local' } as const;
const scoredRoles = { context: 'score', edit: 'score', answer: 'score', summary: 'local', title: 'local' } as const;

/** The presets, as the settings view shows them. */
export const profiles: Readonly<Record<Profile, RoutingNumbers>> = {
  economy: {
    ...shared,
    harm: 0.2,
    valueUsd: 0.2,
    marginUsd: 0.05,
    consecutiveFailures: 3,
    holdSteps: 4,
    maxTakeovers: 1,
    secondTries: 3,
    advice: true,
    reviews: 0,
    roles: mostlyLocalRoles,
  },
  balanced: {
    ...shared,
    harm: 0.1,
    valueUsd: 1,
    marginUsd: 0.02,
    consecutiveFailures: 2,
    holdSteps: 6,
    maxTakeovers: 2,
    secondTries: 4,
    advice: true,
    reviews: 1,
    roles: mostlyLocalRoles,
  },
  quality: {
    ...shared,
    harm: 0.05,
    valueUsd: 5,
    marginUsd: 0,
    consecutiveFailures: 1,
    holdSteps: 10,
    maxTakeovers: 3,
    advice: false,
    reviews: 2,
    roles: scoredRoles,
  },
};

/** One number of the profiles, for people. */
export interface NumberRow {
  /** Its name in the settings, below `routing.numbers`. */
  readonly name: string;
  readonly label: string;
  readonly economy: string;
  readonly balanced: string;
  readonly quality: string;
  /** The user's own value, which overrides the profiles; null when there is none. */
  readonly own: string | null;
}

type Numbers = Readonly<Partial<Record<string, unknown>>>;
type Read = (numbers: Numbers) => string | null;

const dollars = (value: unknown): string | null => (typeof value === 'number' ? roundMoneyText(value) : null);
const count = (value: unknown): string | null => (typeof value === 'number' ? String(value) : null);
const seconds = (value: unknown): string | null => (typeof value === 'number' ? `${value} s` : null);
const oneIn = (value: unknown): string | null =>
  typeof value === 'number' && value > 0 ? `1 in ${Math.round(1 / value)}` : null;
const yesOrNo = (value: unknown): string | null => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : null);

/** In order of importance to the reader. */
const numbers: readonly (readonly [keyof RoutingNumbers, string, (value: unknown) => string | null])[] = [
  ['harm', 'Tasks that may end worse than in the cloud, at most', oneIn],
  ['valueUsd', 'Value of a solved task, while that is not known yet', dollars],
  ['marginUsd', 'Least advantage to move a step to the cloud', dollars],
  ['minuteUsd', 'Value of a minute of waiting', dollars],
  ['consecutiveFailures', 'Failures in a row before the cloud takes over', count],
  ['maxTakeovers', 'Cloud takeovers per task, at most', count],
  ['holdSteps', 'Least steps after a takeover', count],
  ['advice', 'Ask for advice first', yesOrNo],
  ['secondTries', 'Cloud answers for a recipe that failed locally', count],
  ['reviews', 'Reviews by a stronger model, at most', count],
  ['blockSteps', 'Expected steps between safe points', count],
  ['taskSteps', 'Expected steps per task', count],
  ['cacheLifeSeconds', 'How long a provider keeps its cache', seconds],
  ['offlineAfter', 'Failures in a row that count as offline', count],
  ['offlineSeconds', 'How long offline then lasts', seconds],
];

const roles: readonly (readonly [Role, string])[] = [
  ['plan', 'Plans are made by'],
  ['context', 'Searches run on'],
  ['edit', 'Edits run on'],
  ['answer', 'Answers run on'],
  ['summary', 'Summaries run on'],
  ['title', 'Titles run on'],
];

const places: Readonly<Record<string, string>> = {
  local: 'this machine',
  own: 'the current model',
  score: 'the best score',
  none: 'nobody',
  cloud: 'the strongest cloud model',
};

/** A number that a profile does not set keeps its default. */
const unset = 'default';

/** Every number with the value of each profile and the user's own. `own`: from the settings. */
export function numberRows(own: Numbers): readonly NumberRow[] {
  const row = (name: string, label: string, read: Read): NumberRow => ({
    name,
    label,
    economy: read(profiles.economy) ?? unset,
    balanced: read(profiles.balanced) ?? unset,
    quality: read(profiles.quality) ?? unset,
    own: read(own),
  });
  return [
    ...numbers.map(([name, label, text]) => row(name, label, (from) => text(from[name]))),
    ...roles.map(([role, label]) => row(`roles.${role}`, label, (from) => placeOf(from.roles, role))),
  ];
}

function placeOf(all: unknown, role: Role): string | null {
  const place: unknown = fieldOf(all, role);
  return typeof place === 'string' ? (places[place] ?? place) : null;
}
