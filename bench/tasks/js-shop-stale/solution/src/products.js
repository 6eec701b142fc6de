/**
 * Products in front of the database, with a cache. A product is {id, category, name, cents}.
 * Every change drops all that it made out of date, so that readers never get old data, and nothing
 * else: the database is slow.
 */
export function createProducts(database) {
  const cache = new Map();

  function cached(key, read) {
    if (!cache.has(key)) cache.set(key, read());
    return cache.get(key);
  }

  return {
    get: (id) => cached(`product:${id}`, () => database.find((product) => product.id === id) ?? null),

    inCategory: (category) =>
      cached(`category:${category}`, () => database.filter((product) => product.category === category)),

    /** Changes some fields of a product; returns the product as it is now. */
    update(id, changes) {
      const index = database.findIndex((product) => product.id === id);
      if (index === -1) throw new Error(`no product ${id}`);
      const before = database[index];
      database[index] = { ...before, ...changes, id };
      cache.delete(`product:${id}`);
      cache.delete(`category:${before.category}`);
      cache.delete(`category:${database[index].category}`);
      return database[index];
    },
  };
}
