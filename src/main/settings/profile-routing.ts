import { profiles } from '@shared/routing/routing-profiles.ts';
import type { Profile, Routing, RoutingNumbers } from '@shared/routing/routing.ts';
import { routingNumbersSchema } from '@shared/routing/routing.ts';

type OwnNumbers = { readonly [Name in keyof RoutingNumbers]?: RoutingNumbers[Name] | undefined };

export function routingOf(profile: Profile, own: OwnNumbers): Routing {
  const preset = profiles[profile];
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  // Setting one role keeps the profile's choice for the others.
  const roles = { ...preset.roles, ...own.roles };
  return { profile, numbers: routingNumbersSchema.parse({ ...preset, ...given, roles }) };
}
