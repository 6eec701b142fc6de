import { expect, it } from 'vitest';
import { settingsSchema } from '../../../../src/shared/settings/settings.ts';
import { knownKey, webHandlers } from '../../../fakes/page-web.ts';

const { signal } = new AbortController();

function scene() {
  const kept: string[] = [];
  const web: Record<string, unknown> = {};
  const commands = webHandlers({
    settings: () => settingsSchema.parse({ web }).web,
    save: (name, value) => {
      web[name] = value;
    },
    keepSecret: (service, value) => kept.push(`${service} ${value}`),
  });
  return { commands, kept, web };
}

// Bug: a mistyped key was kept and the search switched on, and only the first agent noticed.
it('the search setup keeps a key and turns the search on after a search worked', async () => {
  const { commands, kept, web } = scene();
  await expect(commands.setUpSearch({ input: { service: 'brave', key: 'wrong' }, signal })).rejects.toThrow(
    'refused (401)',
  );
  await expect(commands.setUpSearch({ input: { service: 'brave' }, signal })).rejects.toThrow('is not set');
  expect([kept, web]).toEqual([[], {}]);
  await commands.setUpSearch({ input: { service: 'brave', key: ` ${knownKey} ` }, signal });
  expect([kept, web]).toEqual([[`brave ${knownKey}`], { search: 'brave' }]);
});

it('the search setup takes a private address, and keeps the old one if it fails', async () => {
  const { commands, web } = scene();
  const setUp = (address: string) => commands.setUpSearch({ input: { service: 'searxng', address }, signal });
  await setUp('http://search.lan:8888');
  await expect(setUp('http://other.lan:8888')).rejects.toThrow('refused (401)');
  await expect(setUp('no address')).rejects.toThrow('not a valid address');
  expect(web).toEqual({ search: 'searxng', searxng: 'http://search.lan:8888' });
});
