import type { EventOf } from './events.ts';
import { latest, line } from './session-texts.ts';
import type { SandboxState, ServiceView } from './session-state.ts';

/** How many services are kept; no more than a third of them can run. */
const keptServices = 12;

export function reduceSandbox(
  sandbox: SandboxState | null,
  event: EventOf<'sandbox-started' | 'sandbox-lost' | 'service-changed'>,
): SandboxState | null {
  switch (event.type) {
    case 'sandbox-started': {
      const { tier, image, description, limits } = event;
      return { tier, image, description, limits, lost: null, services: [] };
    }
    case 'sandbox-lost':
      return sandbox && { ...sandbox, lost: event.recreated ? null : event.reason };
    case 'service-changed':
      return sandbox && { ...sandbox, services: reduceServices(sandbox.services, event) };
    default:
      return event satisfies never;
  }
}

function reduceServices(
  services: readonly ServiceView[],
  { serviceId: id, command, status, exitCode, at }: EventOf<'service-changed'>,
): readonly ServiceView[] {
  const known = services.find((service) => service.id === id);
  const service = { id, command: line(command), status, exitCode, startedAt: known?.startedAt ?? at };
  if (known !== undefined) return services.map((one) => (one === known ? service : one));
  return latest([...services, service], keptServices);
}
