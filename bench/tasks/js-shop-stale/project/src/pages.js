const price = (cents) => `${(cents / 100).toFixed(2)} €`;

/** The page of one product. */
export function productPage(products, id) {
  const product = products.get(id);
  return product === null ? 'not found' : `${product.name}: ${price(product.cents)}`;
}

/** The page of a category, a line for each product. */
export function categoryPage(products, category) {
  const lines = products.inCategory(category).map(({ name, cents }) => `- ${name} ${price(cents)}`);
  return [`# ${category}`, ...lines].join('\n');
}
