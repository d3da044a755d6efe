/** Icons as strokes on a grid of 16. They decorate; their neighbours carry the words. */
const PATHS = {
  overview: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  data: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.2 6.3V13',
  endpoints: 'M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4',
  modules: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8.2 13.5 5M8 8.2v6',
  personas: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8M2.8 14c.5-2.8 2.5-4 5.2-4s4.700 1.200 5.200 4',
  tokens: 'M10 9.500a3.500 3.500 0 1 0-3.200-2.100L2 12.200V14h2.500v-1.500H6V11l1.500-1.700A3.500 3.500 0 0 0 10 9.500M11 5h.01',
  setup:
    'M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 6a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3M6 13a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3',
  live: 'M1.500 8.500h3l2-5.500 3 10 2-4.500h3',
  audit: 'M4 2.500h8v11H4zM6 5.500h4M6 8h4M6 10.500h2.500',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M10.300 10.300 13.500 13.500',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.500 6.500 12 13 4.500',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  filter: 'M2 3.500h12L9.500 8.700v4.300l-3-1.500V8.700z',
  columns: 'M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10',
  sum: 'M12 4V2.500H4L8.500 8 4 13.500h8V12',
  expand: 'M3 3.500v6.500h4M3 5.500h4M9 4h4.500v3H9zM9 8.500h4.500v3H9z',
  export: 'M8 2.500v7.500M5 7l3 3 3-3M2.500 11v2.500h11V11',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  trash: 'M2.500 4.500h11M6 4.500v-2h4v2M4 4.500l.7 9h6.600l.7-9M6.700 7v4M9.300 7v4',
  edit: 'M2.500 13.500h2.800L13 5.800 10.200 3 2.500 10.700zM8.600 4.600l2.800 2.800',
  warn: 'M8 2 14.500 13.500h-13zM8 6.500v3.500M8 11.800h.01',
  play: 'M4.500 3v10L13 8z',
  eye: 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  more: 'M3.500 8h.01M8 8h.01M12.500 8h.01',
  sun: 'M8 10.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M8 1.500V3M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M12.600 3.400l-1 1M4.400 11.600l-1 1',
  link: 'M6.500 9.500a2.500 2.500 0 0 0 3.600 0l2.400-2.400a2.500 2.500 0 0 0-3.600-3.600l-1 1M9.500 6.500a2.500 2.500 0 0 0-3.600 0L3.500 8.900a2.500 2.500 0 0 0 3.600 3.600l1-1',
  database:
    'M13 4c0 1-2.200 1.800-5 1.800S3 5 3 4s2.200-1.800 5-1.800S13 3 13 4M3 4v8c0 1 2.200 1.800 5 1.800s5-.8 5-1.800V4M3 8c0 1 2.200 1.800 5 1.800S13 9 13 8',
  key: 'M10 9.500a3.500 3.500 0 1 0-3.200-2.100L2 12.200V14h2.500v-1.500H6V11l1.500-1.700A3.500 3.500 0 0 0 10 9.500',
  refresh: 'M13 8a5 5 0 1 1-1.500-3.500L13 6M13 2.500V6H9.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
