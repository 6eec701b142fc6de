import { expect, it } from 'vitest';
import { profiles } from '../../../src/shared/routing/routing-profiles.ts';
import { routingOf } from '../../../src/main/settings/profile-routing.ts';
import { en } from '../../../src/renderer/texts/en.ts';

it('the text of a routing profile says how much worse it allows', () => {
  for (const [name, { harm = 0 }] of Object.entries(profiles))
    for (const key of [`settings.policy.${name}`, `picker.${name}.about`]) {
      const text = Object.entries(en).find(([one]) => one === key)?.[1] ?? '';
      expect(text).toContain(`t most 1 in ${Math.round(1 / harm)} tasks may end worse`);
    }
});

it("a person's routing number replaces only that number of the profile", () => {
  const { numbers } = routingOf('balanced', { consecutiveFailures: 5, holdSteps: undefined });
  expect(numbers).toEqual({ ...profiles.balanced, consecutiveFailures: 5 });
  const { roles } = routingOf('quality', { roles: { title: 'none' } }).numbers;
  expect(roles).toEqual({ ...profiles.quality.roles, title: 'none' });
});
