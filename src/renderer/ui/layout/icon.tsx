const paths = {
  plus: 'M12 5v14M5 12h14',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM20 20l-4.8-4.8',
  settings:
    'M4 7h10M18 7h2M4 17h2M10 17h10M16 7m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M8 17m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0',
  model: 'M12 3 4 7.5v9L12 21l8-4.5v-9L12 3ZM4 7.5l8 4.5 8-4.5M12 12v9',
  tool: 'M14.700 6.300a4 4 0 0 0-5.400 5.200L4 16.800 7.200 20l5.300-5.300a4 4 0 0 0 5.200-5.400l-2.500 2.500-2.600-.600-.600-2.600 2.700-2.300Z',
  coins: 'M9 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM15.500 8.200A5 5 0 1 1 10.500 16.500',
  columns: 'M4 5h6v14H4zM14 5h6v14h-6z',
  close: 'M6 6l12 12M18 6 6 18',
  chevron: 'M9 6l6 6-6 6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  stop: 'M7 7h10v10H7z',
  send: 'M12 19V5M6 11l6-6 6 6',
  folder: 'M3 6.5h6l2 2.5h10v10H3z',
  menu: 'M4 7h16M4 12h16M4 17h16',
  panel: 'M4 5h16v14H4zM15 5v14',
  command:
    'M9 9h6v6H9zM9 9V7a2.5 2.5 0 1 0-2.500 2.500H9M15 9V7a2.500 2.500 0 1 1 2.500 2.500H15M9 15v2a2.500 2.500 0 1 1-2.500-2.500H9M15 15v2a2.500 2.500 0 1 0 2.500-2.500H15',
  more: 'M4.500 12a.75.75 0 1 0 1.500 0a.75.75 0 1 0-1.500 0M11.250 12a.75.75 0 1 0 1.500 0a.75.75 0 1 0-1.500 0M18 12a.75.75 0 1 0 1.500 0a.75.75 0 1 0-1.500 0',
  bin: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  down: 'M12 5v14M6 13l6 6 6-6',
  up: 'M12 19V5M6 11l6-6 6 6',
  alert: 'M12 4 2.500 20h19L12 4ZM12 10v5M12 17.500v.5',
  shield: 'M12 3 5 6v5c0 4.500 3 8 7 10 4-2 7-5.500 7-10V6l-7-3Z',
  back: 'M9 7l-5 5 5 5M4 12h11a5 5 0 0 1 5 5v2',
  expand: 'M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7',
  shrink: 'M20 10h-6V4M14 10l6-6M4 14h6v6M10 14l-6 6',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4',
  attach:
    'M19 11.500 11.500 19a4.500 4.500 0 0 1-6.400-6.400l8-8a3 3 0 0 1 4.300 4.300l-8 8a1.500 1.500 0 0 1-2.200-2.200l7-7',
  star: 'M12 4l2.500 5.200 5.500.800-4 4 1 5.700-5-2.700-5 2.700 1-5.700-4-4 5.500-.800L12 4Z',
  edit: 'M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  person: 'M12 11.500a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.500 20.500c.500-4 3.500-6 7.500-6s7 2 7.500 6',
  screen: 'M3 5h18v12H3zM9 20.500h6M12 17v3.500',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
} as const;

export type IconName = keyof typeof paths;

/** A line drawing beside a text. It has no meaning of its own. */
export function Icon({ name, className = 'size-4' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      <path d={paths[name]} />
    </svg>
  );
}
