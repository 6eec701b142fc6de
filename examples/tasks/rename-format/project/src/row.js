import { fmt } from './money.js';

export const row = ({ name, cents }) => `${name}: ${fmt(cents)}`;
