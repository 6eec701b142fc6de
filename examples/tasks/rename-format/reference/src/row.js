import { formatMoney } from './money.js';

export const row = ({ name, cents }) => `${name}: ${formatMoney(cents)}`;
