import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '@shared/events/events.ts';
import { isEventType, parseEvent, payloads } from '@shared/events/events.ts';
import { createEventLines } from '../../../../../src/main/hosts/text/event-lines.ts';
import { createLiveView } from '../../../../../src/main/hosts/cli/terminal/live-view.ts';
import { showSession } from '../../../../../src/main/hosts/cli/commands/sessions/sessions.command.ts';
import { commandContext } from '../../../../fakes/command-context.ts';
import { createFakeCore } from '../../../../fakes/fake-core.ts';
import { filledWith } from '../../../../fakes/filled-schema.ts';
import { unorganized } from '../../../../fakes/unorganized.ts';
import { harmIn, hostileTexts } from '../../../../fakes/hostile-texts.ts';

/**
 * Catches: a text of an event that reaches a terminal without escaping. The log of an imported session may hold
 * anything.
 */
const types = Object.keys(payloads).filter(isEventType);

/** Together, these variants cover every choice that a schema allows. */
const variants = [0, 1, 2, 3, 4, 5];

/** An event of this type with the text in every field that can hold it. */
function eventOf(type: (typeof types)[number], text: string, variant: number): SessionEvent {
  const payload = filledWith(payloads[type], text, variant);
  const event = parseEvent({ ...(typeof payload === 'object' ? payload : {}), type, v: 2, seq: variant + 1, at: 0 });
  if (event === null) throw new Error(`${type} is not known`);
  return event;
}

const allOf = (text: string): readonly SessionEvent[] =>
  types.flatMap((type) => variants.map((variant) => eventOf(type, text, variant)));

describe.each(Object.entries(hostileTexts))('an event with %s in every text', (_name, text) => {
  const events = allOf(text);

  it('writes no control character when a session is shown, with colors and without', async () => {
    for (const hasColors of [false, true]) {
      const core = createFakeCore([...events]);
      core.replace({ sessions: { find: () => summary } });
      const { context, said } = commandContext(core, hasColors);
      await showSession(context, 'last', {});
      expect(said.out.length).toBeGreaterThan(1000);
      expect([harmIn(said.out, hasColors), harmIn(said.err, hasColors)]).toEqual([null, null]);
      expect(said.out).not.toContain('\u001B[32m\u2714 passed');
    }
  });

  it('gives safe lines before the last check of the output', () => {
    const { context } = commandContext(createFakeCore());
    const lines = createEventLines(context.terminal);
    const found = events.flatMap((event) => lines(event).map((line) => [event.type, harmIn(line)]));
    expect(found.filter(([, harm]) => harm !== null)).toEqual([]);
  });

  it('writes no control character in the live view', () => {
    const { context, said } = commandContext(createFakeCore(), true);
    const view = createLiveView(context.terminal, () => 0);
    for (const event of events) view.event(event);
    view.transient({ type: 'output-chunk', toolCallId: text, stream: 'stdout', text });
    view.close();
    expect(harmIn(said.err, true)).toBeNull();
  });

  it('has the same meaning as JSON', async () => {
    const core = createFakeCore([...events]);
    core.replace({ sessions: { find: () => summary } });
    const { context, said } = commandContext(core);
    await showSession(context, 'last', { json: true });
    expect(harmIn(said.out)).toBeNull();
    expect(JSON.parse(said.out)).toMatchObject({ state: {} });
  });
});

it('the sample events have every type', () => {
  expect(new Set(allOf('x').map(({ type }) => type)).size).toBe(types.length);
});

const summary = {
  sessionId: 's',
  title: '',
  projectPath: null,
  project: null,
  createdAt: 0,
  updatedAt: 0,
  steps: 0,
  costUsd: 0,
  status: 'idle',
  lastReason: null,
  ...unorganized,
} as const;
