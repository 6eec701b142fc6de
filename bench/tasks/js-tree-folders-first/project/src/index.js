export { printTree } from './print.js';
