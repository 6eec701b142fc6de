import { describe, expect, it } from 'vitest';
import { createBufferCount } from '../../../../../../src/main/models/engine/worker/load/buffer-count.ts';

const context = [
  'load_tensors:   CPU_Mapped model buffer size =    92.00 MiB',
  'llama_context:        CPU  output buffer size =     0.25 MiB',
  'llama_kv_cache:        CPU KV buffer size =    22.50 MiB',
  'sched_reserve:        CPU compute buffer size =    98.25 MiB',
];
const adapter = 'llama_adapter_lora_init_impl: CPU_Mapped LoRA buffer size =     2.00 MiB';
const mebi = 1024 * 1024;

describe("the total of the engine's buffers", () => {
  it('waits for the adapter, which is printed last', async () => {
    const count = createBufferCount({ hasAdapter: true });
    for (const line of context) count.hear(line);
    // Catches a count that ends as soon as the context's buffers are known: it would be 2 MiB short.
    setTimeout(() => count.hear(adapter), 60);
    expect(await count.total()).toBe(215 * mebi);
  });

  it('waits for no adapter if the load has none', async () => {
    const count = createBufferCount({ hasAdapter: false });
    for (const line of context) count.hear(line);
    expect(await count.total()).toBe(213 * mebi);
  });

  it.each(['CPU_REPACK', 'AMX', 'CPU_KLEIDIAI'])(
    'leaves out copies in the layout of a processor (%s)',
    async (kind) => {
      const count = createBufferCount({ hasAdapter: false });
      for (const line of [...context, `load_tensors:   ${kind} model buffer size =    64.00 MiB`]) count.hear(line);
      expect(await count.total()).toBe(213 * mebi);
    },
  );

  it('is unknown if a buffer was not printed', async () => {
    const count = createBufferCount({ hasAdapter: false });
    count.hear(context[0] ?? '');
    expect(await count.total()).toBeNull();
  });
});
