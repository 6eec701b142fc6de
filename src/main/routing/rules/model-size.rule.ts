import { defineRule } from '../define.ts';

/** The only thing known about a model before it has worked. */
export default defineRule({
  id: 'model-size',
  vote({ localParametersB = 0 }, { weaker }) {
    if (localParametersB === 0) return [];
    if (localParametersB < 4) return [{ toward: 'cloud', weight: 1, reason: `${weaker} is very small.` }];
    if (localParametersB < 12) return [{ toward: 'cloud', weight: 0.3, reason: `${weaker} is small.` }];
    return [{ toward: 'local', weight: 0.5, reason: `${weaker} is large.` }];
  },
});
