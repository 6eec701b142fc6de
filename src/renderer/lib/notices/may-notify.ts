/** Whether the browser lets this page show notifications; the page of a window has none, the app itself has them. */
export function mayNotify(): boolean {
  return 'Notification' in window && Notification.permission === 'granted';
}
