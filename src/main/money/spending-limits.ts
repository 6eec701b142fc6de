import type { CapChange, CapView } from '@shared/contract/budget-contract.ts';
import { AppError } from '@shared/errors.ts';
import type { Settings } from '@shared/settings/settings.ts';
import { capScopeSchema, type CapScope } from '@shared/events/approval-events.ts';
import type { Caps } from './budget.ts';
import type { Reservations } from './reservations/reservations.ts';
import type { ReservationScope } from './reservations/reservations-state.ts';
import { toUsd } from './reservations/reservations-state.ts';

/** Shows and changes spending limits. */
export interface CapChanger {
  /** The present spending limits; with a project, its own. */
  readonly show: (projectPath: string | null) => Promise<readonly CapView[]>;
  /** Rejects with `bad-input` if there is no limit that could be raised or lowered. */
  readonly change: (
    target: { readonly scope: CapScope; readonly projectPath: string | null },
    change: CapChange,
  ) => Promise<readonly CapView[]>;
}

export interface CapChangerOptions {
  readonly settings: () => Settings['budget'];
  /** Rejects if the value is not valid. */
  readonly save: (key: string, value: unknown) => Promise<void>;
  readonly reservations: () => Promise<Reservations>;
}

/** The limits for the calls of a project. Its own limit takes precedence over the one for every project. */
export function capsOf({ projects, ...caps }: Settings['budget'], projectPath: string | null): Caps {
  const own = ownCap(projects, projectPath);
  return own === null ? caps : { ...caps, project: own };
}

function ownCap(projects: Settings['budget']['projects'], path: string | null): number | null {
  return path !== null && Object.hasOwn(projects, path) ? (projects[path] ?? null) : null;
}

export function createCapChanger({ settings, save, reservations }: CapChangerOptions): CapChanger {
  const view = async (scope: CapScope, projectPath: string | null): Promise<CapView> => {
    const limit = capsOf(settings(), projectPath)[scope];
    const isOwn = scope === 'project' && ownCap(settings().projects, projectPath) !== null;
    const unknown = { scope, limitUsd: limit, isOwn, raisedUsd: 0, spentUsd: null, heldUsd: null };
    // Without a limit, nothing is looked up: with local models only, there is no reservation log.
    if (limit === null || !isShown(scope, projectPath)) return unknown;
    const log = await reservations();
    const key = keyOf(log, scope, projectPath);
    if (key === null) return unknown;
    const { spent, held, raised } = log.sums(scope, key);
    const raisedUsd = toUsd(raised);
    return { scope, limitUsd: limit + raisedUsd, isOwn, raisedUsd, spentUsd: toUsd(spent), heldUsd: toUsd(held) };
  };
  const show = async (projectPath: string | null): Promise<readonly CapView[]> => {
    const views: CapView[] = [];
    for (const scope of capScopeSchema.options) views.push(await view(scope, projectPath));
    return views;
  };
  return {
    show,
    change: async ({ scope, projectPath }, change) => {
      const before = await view(scope, projectPath);
      const usd = changed(before, change);
      // Applies the lower limit first, so that a crash in between never allows more than intended.
      if (before.raisedUsd > 0 && isShown(scope, projectPath)) {
        const log = await reservations();
        const key = keyOf(log, scope, projectPath);
        if (key !== null) await log.unraise(scope, key);
      }
      if (scope !== 'project' || projectPath === null) await save(`budget.${scope}`, usd);
      else {
        const { [projectPath]: _, ...others } = settings().projects;
        await save('budget.projects', usd === null ? others : { ...others, [projectPath]: usd });
      }
      return show(projectPath);
    },
  };
}

type ShownScope = Extract<ReservationScope, 'project' | 'day' | 'month'>;

/** Whether it has a sum that is known outside of a task and a session. */
function isShown(scope: CapScope, projectPath: string | null): scope is ShownScope {
  return scope === 'project' ? projectPath !== null : scope === 'day' || scope === 'month';
}

function keyOf(reservations: Reservations, scope: ShownScope, projectPath: string | null): string | null {
  return scope === 'project' ? projectPath : reservations.today()[scope];
}

/** Rounds to whole millionths, so that sums and differences of typed amounts look exact. */
function changed({ scope, limitUsd }: CapView, change: CapChange): number | null {
  if (change.how === 'set') return change.usd;
  if (limitUsd === null) {
    throw new AppError('bad-input', `No spending limit is set for a ${scope}.`, {
      hint: 'Set one first.',
    });
  }
  const usd = change.how === 'raise' ? limitUsd + change.usd : Math.max(0, limitUsd - change.usd);
  return Math.round(usd * 1e6) / 1e6;
}
