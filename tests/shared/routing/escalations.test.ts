import { describe, expect, it } from 'vitest';
import { countCauses, escalationsIn } from '../../../src/shared/routing/escalations.ts';
import type { EventOf, NewEvent, SessionEvent } from '../../../src/shared/events/events.ts';
import { routingRecords } from '../../../src/main/hosts/cli/reports/routing-records.ts';

type Decided = EventOf<'route-decided'>;

function logOf(events: readonly (NewEvent & { readonly turnId: string })[]): readonly SessionEvent[] {
  return events.map((event, at) => ({ ...event, v: 2, seq: at + 1, at }));
}

function step(number: number, decided: Partial<Decided>, turnId = 'turn') {
  const callId = `call-${number}`;
  const chosen = decided.chosen ?? { model: 'here/m', where: 'local' };
  return [
    { type: 'route-decided', callId, chosen, runnerUp: null, reasonCode: 'x', reason: 'why', ...decided, turnId },
    {
      type: 'model-call-started',
      callId,
      step: number,
      purpose: 'act',
      stage: { strategy: 'loop', ...chosen },
      provider: 'p',
      model: 'm',
      request: { sha256: 'a'.repeat(64), bytes: 1 },
      promptTokens: null,
      turnId,
    },
  ] as const;
}

const sky = { model: 'sky/m', where: 'cloud' } as const;
const causes = (...steps: readonly (readonly (NewEvent & { readonly turnId: string })[])[]) =>
  escalationsIn(logOf(steps.flat())).map(({ step: number, kind, cause }) => [number, kind, cause]);

describe('an escalation to another model', () => {
  it("is found by the cascade's own words where it has them", () => {
    const stage = { strategy: 'recipe', ...sky } as const;
    const chosen = { type: 'stage-chosen', stage, recipe: 'r', reason: 'why', index: 1, turnId: 'turn' } as const;
    const second = step(2, { chosen: sky, reasonCode: 'cascade' });
    expect(causes(step(1, {}), [{ ...chosen, cause: 'checks' }], second)).toEqual([[2, 'takeover', 'checks']]);
    expect(causes(step(1, {}), [{ ...chosen, cause: null }], second)).toEqual([[2, 'takeover', 'no-progress']]);
  });

  it.each([
    [{ layer: 'L5', reasonCode: 'format' }, 'format'],
    [{ layer: 'L4', reasonCode: 'checks' }, 'checks'],
    [{ layer: 'L4', reasonCode: 'bad-signals' }, 'gate'],
    [{ layer: 'L5', reasonCode: 'bad-signals', features: { formatFailures: 2 } }, 'format'],
    [{ layer: 'L5', reasonCode: 'bad-signals', features: { failedChecks: 1 } }, 'checks'],
    [{ layer: 'L5', reasonCode: 'bad-signals', features: { rejectedEdits: 2 } }, 'no-progress'],
    [{ layer: 'L5', reasonCode: 'window' }, 'window'],
    [{ reasonCode: 'cascade' }, 'no-progress'],
  ] as const)('has a cause: %j is %s', (decided, cause) => {
    expect(causes(step(1, {}), step(2, { ...decided, chosen: sky }))).toEqual([[2, 'takeover', cause]]);
  });

  it('is no move for a gain, no way back, and nothing between two turns', () => {
    const up = step(2, { chosen: sky, layer: 'L2', reasonCode: 'gain' });
    const back = step(3, { layer: 'L2', reasonCode: 'back-home' });
    const next = step(4, { chosen: sky, layer: 'L5', reasonCode: 'bad-signals' }, 'another');
    expect(causes(step(1, {}), up, back, next)).toEqual([]);
  });

  it('also counts advice, and the fallback from a silent cloud', () => {
    const advised = step(2, { layer: 'L5', reasonCode: 'advice' });
    const up = step(3, { chosen: sky, layer: 'L5', reasonCode: 'bad-signals' });
    const fell = step(4, { layer: 'L5', reasonCode: 'transport' });
    const log = logOf([step(1, {}), advised, up, fell].flat());
    expect(escalationsIn(log).map(({ kind }) => kind)).toEqual(['advice', 'takeover', 'fallback']);
    expect(countCauses(escalationsIn(log))[0]).toEqual({ cause: 'no-progress', count: 2 });
    expect(routingRecords('s', log).map(({ outcome }) => outcome.escalation)).toEqual([
      'no-progress',
      'no-progress',
      'transport',
      null,
    ]);
  });
});

describe('the record of a routing decision', () => {
  it('shows when something later restored a file, and when it was changed again', () => {
    const image = (sha256: string) =>
      ({ kept: true, blob: { sha256: sha256.repeat(64), bytes: 1 }, mode: 0o644 }) as const;
    const changed = (turnId: string, from: string, to: string) => {
      const rest = { toolCallId: null, added: 1, removed: 1, undoes: [] };
      return {
        type: 'file-changed',
        path: 'a.py',
        before: image(from),
        after: image(to),
        by: 'model',
        ...rest,
        turnId,
      } as const;
    };
    const first = [...step(1, {}, 'one'), changed('one', 'a', 'b')];
    const second = [...step(2, {}, 'two'), changed('two', 'b', 'a')];
    const said = (events: readonly (NewEvent & { readonly turnId: string })[]) =>
      routingRecords('s', logOf(events)).map(({ outcome }) => outcome.changes);
    expect(said([...first, ...second])).toEqual(['reverted', 'open']);
    expect(said([...first, ...second, changed('three', 'a', 'c')])).toEqual(['open', 'open']);
  });
});
