/** Names of this machine or its local network, whatever DNS says. */
const innerSuffixes: readonly string[] = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'private',
  'localdomain',
  'home.arpa',
  'in-addr.arpa',
  'ip6.arpa',
  'onion',
];

const longestName = 253;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The one spelling of a host name: lower-case ASCII letters, digits and inner hyphens, in two labels or more. Null for
 * everything else: addresses in any spelling, names that end in a dot or a number, names of the local network, other
 * letters (their `xn--` form is fine), and any character that some parser may take for an end. Equal names are equal
 * texts, so lists can compare with `===`.
 */
export function canonicalHost(text: string): string | null {
  if (text.length > longestName || !/^[A-Za-z0-9.-]+$/.test(text)) return null;
  const name = text.toLowerCase();
  const labels = name.split('.');
  if (labels.length < 2 || !labels.every((part) => label.test(part))) return null;
  // Some parsers read a name that ends in a number as an address: 127.1, 0x7f.1, 017700000001.
  const last = labels.at(-1) ?? '';
  if (/^\d+$/.test(last) || /^0x[0-9a-f]*$/.test(last)) return null;
  if (innerSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))) return null;
  return name;
}
