import { describe, expect, it } from 'vitest';
import {
  addressInLine,
  isSightBuffer,
  sizesInLog,
} from '../../../../../src/main/models/engine/llama-server/server-log.ts';

const mebi = 1024 * 1024;

describe('the log of a llama-server', () => {
  it('says what lies on which card and in main memory, in any order', () => {
    const sizes = sizesInLog([
      '0.03.8 I load_tensors:   CPU_Mapped model buffer size =   1462.96 MiB',
      '0.03.8 I load_tensors:        CUDA0 model buffer size =   4000.00 MiB',
      '0.03.8 I load_tensors:        CUDA1 model buffer size =   1000.50 MiB',
      '0.04.1 I llama_context: n_ctx_seq             = 65536',
      '0.04.1 I llama_context:  CUDA_Host  output buffer size =     0.58 MiB',
      '0.04.1 I llama_kv_cache:      CUDA0 KV buffer size =    48.00 MiB',
      '0.04.4 I sched_reserve:      CUDA0 compute buffer size =    39.51 MiB',
      '0.04.4 I sched_reserve:  CUDA_Host compute buffer size =     9.00 MiB',
    ]);
    expect(sizes?.cards).toEqual(
      new Map([
        ['CUDA0', 4048 * mebi + Math.round(39.51 * mebi)],
        ['CUDA1', 1000.5 * mebi],
      ]),
    );
    expect(sizes?.mappedBytes).toBe(Math.round(1462.96 * mebi));
    expect(sizes?.hostBytes).toBe(Math.round(0.58 * mebi) + 9 * mebi);
    expect(sizes?.contextTokens).toBe(65_536);
  });

  it('reports nothing instead of zero when no buffer is named', () => {
    expect(sizesInLog(['loading model', 'n_ctx_seq = 4096'])).toBeNull();
  });

  it('says whether the server drafts', () => {
    const kv = 'I llama_kv_cache:        CPU KV buffer size =    48.00 MiB';
    const taken = 'I srv    load_model: speculative decoding context initialized';
    const refused = 'E srv    load_model: failed to initialize speculative decoding context: draft model vocab';
    expect([sizesInLog([kv, taken])?.hasDrafts, sizesInLog([kv, refused])?.hasDrafts]).toEqual([true, false]);
  });

  it('says where the server listens, on this machine only', () => {
    expect(addressInLine('I srv  llama_server: listening on http://127.0.0.1:43821')).toBe('http://127.0.0.1:43821');
    expect(addressInLine('I srv  llama_server: listening on http://0.0.0.0:43821')).toBeNull();
  });

  it('counts the weights of a projector on its device, and its buffer after the first picture', () => {
    const load = [
      'I clip_ctx: CLIP using CUDA0 backend',
      'I load_hparams: model size:         1.50 MiB',
      'I load_tensors: CUDA0 model buffer size = 2.00 MiB',
    ];
    const picture = 'I reserve_compute_meta:      CUDA0 compute buffer size =     0.50 MiB';
    expect(sizesInLog(load)?.cards.get('CUDA0')).toBe(3.5 * mebi);
    expect(sizesInLog([...load, picture])?.cards.get('CUDA0')).toBe(4 * mebi);
    expect([...load, picture].map(isSightBuffer)).toEqual([false, false, false, true]);
  });
});
