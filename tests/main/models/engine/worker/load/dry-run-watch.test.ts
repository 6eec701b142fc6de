import { describe, expect, it } from 'vitest';
import { createDryRunWatch } from '../../../../../../src/main/models/engine/worker/load/dry-run-watch.ts';

const fallback =
  'Failed simulating context resource usage. Falling back to estimation heuristic. Error: no such tensor';

describe('the dry-run watch', () => {
  it("reports an estimate by the older rule as an error, with the engine's words", () => {
    const watch = createDryRunWatch();
    watch.hear('llama_kv_cache: size = 12.00 MiB');
    expect(() => watch.check()).not.toThrow();
    watch.hear(` ${fallback}\n`);
    expect(() => watch.check()).toThrow('no such tensor');
    expect(() => watch.check()).not.toThrow();
  });
});
