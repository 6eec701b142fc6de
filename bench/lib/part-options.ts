import { UsageError } from './usage-error.ts';

/**
 * `--only PART,…` (default: all parts, in their order) and options with one value each, given as defaults. If the
 * default is a number or empty, the value must be a whole number above 0. Throws a `UsageError`.
 */
export function parsePartOptions<Part extends string, Name extends string>(
  args: readonly string[],
  parts: Readonly<Record<Part, unknown>>,
  defaults: Readonly<Record<Name, string>>,
): { readonly only: readonly Part[]; readonly values: Readonly<Record<Name, string>> } {
  const isPart = (name: string): name is Part => Object.hasOwn(parts, name);
  const names = Object.keys(parts).filter(isPart);
  const values: Record<Name, string> = { ...defaults };
  const isOption = (name: string): name is Name => Object.hasOwn(defaults, name);
  const usage = `It takes --only ${names.join(',')}${Object.keys(defaults)
    .map((name) => `, --${name}`)
    .join('')}.`;
  let only: readonly Part[] = names;
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const name = arg.replace(/^--/, '');
    const value = rest.shift() ?? '';
    if (name === 'only' && value.split(',').every(isPart))
      only = names.filter((part) => value.split(',').includes(part));
    else if (isOption(name) && value !== '' && (!/^\d*$/.test(defaults[name]) || /^[1-9]\d*$/.test(value)))
      values[name] = value;
    else throw new UsageError(usage);
  }
  return { only, values };
}
