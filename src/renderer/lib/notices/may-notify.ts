/** Whether the browser lets this page show notifications. In a window, the app shows them instead. */
export function mayNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'granted';
}
