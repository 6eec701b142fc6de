import { success, type Failure, type Reply } from '@shared/errors.ts';
import type { Engine } from './docker/engine/container-engine.ts';

export interface TierWish {
  readonly wanted: 'container' | 'read-only';
  /** False for questions and plans, which can go on without commands. */
  readonly needsExecute: boolean;
}

export type TierChoice =
  | { readonly tier: 'container'; readonly engine: Engine }
  /** `because` says why there are no commands although a container was wanted. Null: read-only was asked for. */
  | { readonly tier: 'read-only'; readonly because: Failure | null };

/**
 * Chooses where commands run. A weaker tier than the wanted one is used only for work that needs no commands, and
 * with the reason. All other work fails with `missing-sandbox`. There is no unprotected tier.
 */
export async function chooseTier(wish: TierWish, findEngine: () => Promise<Reply<Engine>>): Promise<Reply<TierChoice>> {
  if (wish.wanted === 'read-only') return success({ tier: 'read-only', because: null });
  const engine = await findEngine();
  if (engine.ok) return success({ tier: 'container', engine: engine.value });
  return mayGoWithout(wish, engine.error) ? success({ tier: 'read-only', because: engine.error }) : engine;
}

/** For users: the tiers of this machine, and how to get a better one. `engine` is null if there is none. */
export function tiersText(engine: Pick<Engine, 'rootless' | 'remapsUsers' | 'desktop'> | null): {
  readonly text: string;
  readonly hint: string | null;
} {
  const later = 'Virtual machines (vm) and restrictions of the operating system (os) are not built yet';
  if (engine === null)
    return {
      text: `read-only. ${later}.`,
      hint: 'Start a container engine to use "container": see "sandbox" above.',
    };
  const isApart = engine.rootless || engine.remapsUsers || engine.desktop !== null;
  const hint = 'A rootless engine is stronger: a break-out of a container then has your rights, not those of root.';
  return { text: `container, read-only. ${later}.`, hint: isApart ? null : hint };
}

/** Whether work that only reads may go on without a container. */
export function mayGoWithout(wish: TierWish, reason: Failure): boolean {
  return !wish.needsExecute && reason.code === 'missing-sandbox';
}
