import type { EventOf } from '@shared/events/events.ts';
import type { UntrackedPlace } from '@shared/events/sandbox-events.ts';
import { withNotice } from './session-notices.ts';
import { shortenText, lastItems, firstLine, textLimit } from '@shared/text/shorten-text.ts';
import type { ServiceView, SessionState } from '@shared/session/session-state.ts';

/** The most background processes in the state. At most a third of them can run. */
const keptServices = 12;

type SandboxEvent = EventOf<'sandbox-started' | 'sandbox-lost' | 'service-changed' | 'untracked-found'>;

export function reduceSandbox(state: SessionState, event: SandboxEvent): Partial<SessionState> {
  const { sandbox } = state;
  switch (event.type) {
    case 'sandbox-started': {
      const { tier, image, description, limits } = event;
      return { sandbox: { tier, image, description, limits, lost: null, services: [] } };
    }
    case 'sandbox-lost':
      return { sandbox: sandbox && { ...sandbox, lost: event.recreated ? null : event.reason } };
    case 'service-changed':
      return { sandbox: sandbox && { ...sandbox, services: reduceServices(sandbox.services, event) } };
    case 'untracked-found':
      return untrackedFound(state, event);
    default:
      return event satisfies never;
  }
}

/** The most places in the state; the log has all. */
const keptPlaces = 200;

/** Adds a notice for each new place, and keeps them for the list of what runs later. */
function untrackedFound(state: SessionState, event: EventOf<'untracked-found'>): Partial<SessionState> {
  const places = event.places.map(({ path, why, done }) => ({
    path: firstLine(path),
    why: firstLine(why),
    done: done === null ? null : shortenText(done, textLimit),
  }));
  const others = state.untracked.filter(({ path }) => places.every((place) => place.path !== path));
  const notice = {
    seq: event.seq,
    at: event.at,
    level: 'warning',
    code: event.type,
    text: places.map(untrackedText).join('\n'),
  } as const;
  return { untracked: lastItems([...others, ...places], keptPlaces), ...withNotice(state, notice) };
}

/** One sentence for the user and for models. */
export function untrackedText({ path, why, done }: UntrackedPlace): string {
  return `${path} may run on your machine later (${why})${done === null ? '.' : `. What Dewpoint did: ${done}.`}`;
}

function reduceServices(
  services: readonly ServiceView[],
  { serviceId: id, command, status, exitCode, at }: EventOf<'service-changed'>,
): readonly ServiceView[] {
  const known = services.find((service) => service.id === id);
  const service = { id, command: firstLine(command), status, exitCode, startedAt: known?.startedAt ?? at };
  if (known !== undefined) return services.map((one) => (one === known ? service : one));
  return lastItems([...services, service], keptServices);
}
