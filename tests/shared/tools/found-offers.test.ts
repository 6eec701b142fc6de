import { describe, expect, it } from 'vitest';
import { fittingResources, placeIn, resourceMentionsIn } from '../../../src/shared/tools/found-offers.ts';
import { offersIn } from '../../../src/main/tools/servers/server-offers.ts';

const rules = { server: 'docs', uri: 'notes://rules.md', name: 'rules', title: 'House rules' };
const day = { server: 'docs', uri: 'notes://day/{day}.md', name: 'day', isTemplate: true } as const;
const path = { server: 'files', uri: 'file:///{+path}', name: 'file', isTemplate: true } as const;
const found = (typed: string) => fittingResources([rules, day, path], typed, 9).map(({ server, uri }) => [server, uri]);

describe('a resource that a server offers', () => {
  it('is found by a part of its name, title, server or address', () => {
    expect(found('House')).toEqual([['docs', rules.uri]]);
    expect(found('files:')).toEqual([['files', path.uri]]);
    expect(found('nothing like it')).toEqual([]);
    expect(found('').length).toBe(3);
  });

  // Catches: an argument that changes the address outside of its placeholder.
  it('has its variable filled by what is typed, safely encoded', () => {
    expect(found('docs:notes://day/a b/../c')).toEqual([['docs', 'notes://day/a%20b%2F..%2Fc.md']]);
    expect(found('files:file:///src/a b.ts')).toEqual([['files', 'file:///src/a%20b.ts']]);
    expect(fittingResources([day], 'docs:notes://day/x', 9)[0]?.isTemplate).toBeUndefined();
  });

  it('is named in a text by its server and whole address', () => {
    const text =
      'See @docs:notes://rules.md, @"files:file:///a b.md" and @docs:urn:a:3. Not @src/a.py:3, a@b:c:d or @docs:x.';
    expect(resourceMentionsIn(text)).toEqual([
      { server: 'docs', uri: 'notes://rules.md' },
      { server: 'files', uri: 'file:///a b.md' },
      { server: 'docs', uri: 'urn:a:3' },
    ]);
  });

  it('has one variable at most', () => {
    expect(placeIn('a://{x}/b')).toEqual({ before: 'a://', after: '/b' });
    expect(['a://b', 'a://{x}{y}', 'a://{?x}', 'a://{x', 'a://{x}}'].map(placeIn)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

// Catches: a server's bad entry that makes all others unusable, and texts of unlimited length.
it("the list of a server's offers leaves out invalid entries and cuts long texts", () => {
  const offers = offersIn(
    [{ uri: 'a://1', name: 'one', description: 'x'.repeat(900) }, { uri: 7, name: 'two' }, null, 'text'],
    [
      { uriTemplate: 'a://{x}', name: 'three' },
      { uriTemplate: 'a://{x}{y}', name: 'four' },
    ],
    [{ name: 'five', arguments: [{ name: 'x', required: true }] }, { name: 'six', arguments: 'x' }, { title: 'seven' }],
  );
  expect(offers.resources.map(({ uri, about = '', isTemplate }) => [uri, about.length, isTemplate])).toEqual([
    ['a://1', 300, undefined],
    ['a://{x}', 0, true],
  ]);
  expect(offers.prompts).toEqual([{ name: 'five', arguments: [{ name: 'x', isRequired: true }] }]);
});
