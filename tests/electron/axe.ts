import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Runs axe-core on the page as it is now. Returns a line for each broken rule and element. `rules` limits the check.
 */
export async function violations(page: Page, rules: readonly string[] | null = null): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  return page.evaluate(async (only) => {
    // Colors that are still fading would be judged half-way.
    for (const animation of document.getAnimations()) {
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
    }
    const axe: unknown = Reflect.get(window, 'axe');
    const run: unknown = Reflect.get(Object(axe), 'run');
    if (typeof run !== 'function') throw new Error('axe-core is not there');
    const { violations: found } = await run.call(axe, document, {
      resultTypes: ['violations'],
      ...(only === null ? {} : { runOnly: only }),
    });
    return found.flatMap((rule: { id: string; nodes: { html: string; failureSummary: string }[] }) =>
      rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 160)} ${node.failureSummary.split('\n')[1] ?? ''}`),
    );
  }, rules);
}
