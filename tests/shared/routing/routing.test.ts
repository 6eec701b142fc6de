import { expect, it } from 'vitest';
import { profiles } from '../../../src/shared/routing/routing-profiles.ts';
import { routingOf } from '../../../src/main/settings/profile-routing.ts';
import { en } from '../../../src/renderer/texts/en.ts';

it('the text of a routing profile shows its numbers', () => {
  for (const [name, { maxTakeovers, consecutiveFailures, valueUsd }] of Object.entries(profiles)) {
    const text = Object.entries(en).find(([key]) => key === `settings.policy.${name}`)?.[1] ?? '';
    const times = maxTakeovers === 1 ? 'once' : maxTakeovers === 2 ? 'twice' : `${maxTakeovers} times`;
    expect(text).toContain(`cloud ${times} per task, after ${consecutiveFailures} failed step`);
    expect(text).toContain(`values a task at $${valueUsd < 1 ? valueUsd.toFixed(2) : valueUsd}`);
  }
});

it("a person's routing number replaces only that number of the profile", () => {
  const { numbers } = routingOf('balanced', { consecutiveFailures: 5, holdSteps: undefined });
  expect(numbers).toEqual({ ...profiles.balanced, consecutiveFailures: 5 });
  const { roles } = routingOf('quality', { roles: { title: 'none' } }).numbers;
  expect(roles).toEqual({ ...profiles.quality.roles, title: 'none' });
});
