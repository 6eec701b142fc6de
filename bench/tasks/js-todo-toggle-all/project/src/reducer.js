export const initialState = { nextId: 1, todos: [] };

/** Returns the state after an action. Never changes the given state. */
export function reducer(state, action) {
  switch (action.type) {
    case 'add': {
      const todo = { id: state.nextId, text: action.text, done: false };
      return { nextId: state.nextId + 1, todos: [...state.todos, todo] };
    }
    case 'toggle':
      return {
        ...state,
        todos: state.todos.map((todo) =>
          todo.id === action.id ? { ...todo, done: !todo.done } : todo,
        ),
      };
    case 'remove':
      return { ...state, todos: state.todos.filter((todo) => todo.id !== action.id) };
    default:
      throw new Error(`unknown action ${action.type}`);
  }
}
