import { success, type Failure, type Reply } from '@shared/errors.ts';
import type { Engine } from './docker/engine/container-engine.ts';

export interface TierWish {
  readonly wanted: 'container' | 'read-only';
  /** False for questions and plans: those may go on without commands. */
  readonly needsExecute: boolean;
}

export type TierChoice =
  | { readonly tier: 'container'; readonly engine: Engine }
  /** `because`: why there are no commands although a container was wanted; null when read-only was asked for. */
  | { readonly tier: 'read-only'; readonly because: Failure | null };

/**
 * Where commands will run. A weaker tier than the wanted one is taken only for work that needs no commands, and says so;
 * everything else stops with `missing-sandbox`. There is no unprotected tier.
 */
export async function chooseTier(wish: TierWish, findEngine: () => Promise<Reply<Engine>>): Promise<Reply<TierChoice>> {
  if (wish.wanted === 'read-only') return success({ tier: 'read-only', because: null });
  const engine = await findEngine();
  if (engine.ok) return success({ tier: 'container', engine: engine.value });
  return mayGoWithout(wish, engine.error) ? success({ tier: 'read-only', because: engine.error }) : engine;
}

/** Which tiers this machine has, and what would make a better one available; for people. `engine` null: there is none. */
export function tiersText(engine: Pick<Engine, 'rootless' | 'remapsUsers' | 'isDesktop'> | null): {
  readonly text: string;
  readonly hint: string | null;
} {
  const later = 'Virtual machines (vm) and restrictions of the operating system (os) are not built yet';
  if (engine === null)
    return {
      text: `read-only. ${later}.`,
      hint: 'Start a container engine to use "container": see "sandbox" above.',
    };
  const isApart = engine.rootless || engine.remapsUsers || engine.isDesktop;
  const hint = 'A rootless engine is stronger: a break-out of a container then has your rights, not those of root.';
  return { text: `container, read-only. ${later}.`, hint: isApart ? null : hint };
}

/** Whether work that only reads may go on although the container is missing for this reason. */
export function mayGoWithout(wish: TierWish, reason: Failure): boolean {
  return !wish.needsExecute && reason.code === 'missing-sandbox';
}
