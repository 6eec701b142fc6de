const decode = (text) => decodeURIComponent(text.replaceAll('+', ' '));

/**
 * Parses the query part of a url, with or without the leading "?".
 * The first "=" of a part separates name and value; a part without one has the
 * value "". A name that occurs more than once gives an array of its values.
 */
export function parseQuery(query) {
  const result = {};
  const text = query.startsWith('?') ? query.slice(1) : query;
  for (const part of text.split('&')) {
    if (part === '') continue;
    const [rawName, rawValue = ''] = part.split('=');
    const name = decode(rawName);
    const value = decode(rawValue);
    if (!Object.hasOwn(result, name)) {
      result[name] = value;
    } else if (Array.isArray(result[name])) {
      result[name].push(value);
    } else {
      result[name] = [result[name], value];
    }
  }
  return result;
}
