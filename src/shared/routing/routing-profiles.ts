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

/** Looking things up, and summing up, is done well here; edits and answers stay with who was chosen for the task. */
const mostlyLocalRoles = { context: 'local', edit: 'own', answer: 'own', summary: 'local', title: 'local' } as const;
const scoredRoles = { context: 'score', edit: 'score', answer: 'score', summary: 'local', title: 'local' } as const;

/** The presets, as they are shown. */
export const profiles: Readonly<Record<Profile, RoutingNumbers>> = {
  economy: {
    ...shared,
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

/** One number of the profiles, in words. */
export interface NumberRow {
  /** As it is called in the settings, below `routing.numbers`. */
  readonly name: string;
  readonly label: string;
  readonly economy: string;
  readonly balanced: string;
  readonly quality: string;
  /** A person's own, which goes before all of them; null: there is none. */
  readonly own: string | null;
}

type Numbers = Readonly<Partial<Record<string, unknown>>>;
type Read = (numbers: Numbers) => string | null;

const dollars = (value: unknown): string | null => (typeof value === 'number' ? `$${value.toFixed(2)}` : null);
const count = (value: unknown): string | null => (typeof value === 'number' ? String(value) : null);
const seconds = (value: unknown): string | null => (typeof value === 'number' ? `${value} s` : null);
const yesOrNo = (value: unknown): string | null => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : null);

/** In the order in which they matter to who reads them. */
const numbers: readonly (readonly [keyof RoutingNumbers, string, (value: unknown) => string | null])[] = [
  ['valueUsd', 'What it is worth that a task is done rightly', dollars],
  ['marginUsd', 'A step moves to the cloud only for an advantage above', dollars],
  ['minuteUsd', 'What a minute of waiting is worth', dollars],
  ['consecutiveFailures', 'Bad signals in a row before the cloud takes over', count],
  ['maxTakeovers', 'Times that the cloud may take over in a task', count],
  ['holdSteps', 'Steps that the work then stays there', count],
  ['advice', 'Advice on a digest is asked for before that', yesOrNo],
  ['secondTries', 'Answers that a program asks of the cloud after it failed here', count],
  ['reviews', 'Times that a stronger model may judge what is called done', count],
  ['blockSteps', 'Steps expected from one safe place to the next', count],
  ['taskSteps', 'Steps expected of a task', count],
  ['cacheLifeSeconds', 'How long a service keeps what it was sent', seconds],
  ['offlineAfter', 'Failures in a row that mean that the network is away', count],
  ['offlineSeconds', 'How long it is then taken to be away', seconds],
];

const roles: readonly (readonly [Role, string])[] = [
  ['context', 'Looking things up is asked of'],
  ['edit', 'An edit is asked of'],
  ['answer', 'An answer is asked of'],
  ['summary', 'Summing up is asked of'],
  ['title', 'A title is asked of'],
];

const places: Readonly<Record<string, string>> = {
  local: 'this machine',
  own: 'who works',
  score: 'whom the score says',
  none: 'nobody',
};

/** What a profile does not preset stays as it is without one. */
const unset = 'as usual';

/** Every number of the profiles with what each of them says, and a person's own. `own`: as the settings have it. */
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
