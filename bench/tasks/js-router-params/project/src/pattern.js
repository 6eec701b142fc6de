/**
 * Turns a route such as "/users/:id" into a regular expression and the names of
 * its parameters. A parameter stands for exactly one segment of the path.
 */
export function compile(route) {
  const names = [];
  const source = route
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      names.push(segment.slice(1));
      return '(.+)';
    })
    .join('/');
  return { regex: new RegExp(`^${source}/?$`), names };
}
