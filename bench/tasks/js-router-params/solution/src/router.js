import { compile } from './pattern.js';

export class Router {
  #routes = [];

  add(route, handler) {
    this.#routes.push({ ...compile(route), handler });
    return this;
  }

  /**
   * Finds the first route for a path.
   * Returns its handler and the decoded parameters, or null.
   */
  match(path) {
    for (const { regex, names, handler } of this.#routes) {
      const found = regex.exec(path);
      if (found === null) continue;
      const params = {};
      names.forEach((name, index) => {
        params[name] = decodeURIComponent(found[index + 1]);
      });
      return { handler, params };
    }
    return null;
  }
}
