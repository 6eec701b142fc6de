import type { Way } from './way.ts';

/** A way as it is typed. Two ways are the same if their names are. */
export function wayName({ policy, local, cloud, effort, strategy, assistant, plan }: Way): string {
  const models = { local, cloud };
  const own = policy === 'local' || policy === 'cloud' ? models[policy] : undefined;
  const head = own === undefined ? policy : `${policy}:${own}`;
  const fields = [
    ['local', policy === 'local' ? undefined : local],
    ['cloud', policy === 'cloud' ? undefined : cloud],
    ['effort', effort === 'none' ? 'off' : effort],
    ['strategy', strategy],
    ['assistant', assistant],
    ['plan', plan],
  ] as const;
  return [head, ...fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))].join(',');
}

/** Each way once, in their order. */
export function eachWay(ways: readonly Way[]): readonly Way[] {
  const seen = new Set<string>();
  return ways.filter((way) => {
    const name = wayName(way);
    return !seen.has(name) && seen.add(name);
  });
}

/** Whether a way may call a model that costs money. */
export const mayLeave = ({ policy }: Pick<Way, 'policy'>): boolean => policy !== 'local';

/** A name for a task that has none: its first words. */
export function nameOfTask(text: string): string {
  const words = text.replaceAll(/\s+/gu, ' ').trim();
  return words.length <= 60 ? words : `${words.slice(0, 59)}…`;
}
