export const MESSAGES = {
  en: { greeting: 'Hello {name}', cart: 'Cart', checkout: 'Check out', jam: 'Jam' },
  de: { greeting: 'Hallo {name}', cart: 'Warenkorb', jam: 'Marmelade' },
  'de-AT': { greeting: 'Servus {name}' },
  'pt-BR': { cart: 'Carrinho' },
};
