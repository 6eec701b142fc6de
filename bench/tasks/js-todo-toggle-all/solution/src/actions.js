/** What can happen to the todo list. */
export const add = (text) => ({ type: 'add', text });
export const toggle = (id) => ({ type: 'toggle', id });
export const toggleAll = () => ({ type: 'toggleAll' });
export const remove = (id) => ({ type: 'remove', id });
