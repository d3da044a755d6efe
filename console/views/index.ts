/** The views: their names in the address, the rights they need, and their files. */
import type { ComponentType } from 'preact';
import { context, isServerKey, maySystem } from '../api/context.ts';
import type { IconName } from '../parts/icon.tsx';

export interface View {
  /** First segment of the address; empty for the overview. */
  readonly segment: string;
  readonly name: string;
  readonly label: string;
  readonly icon: IconName;
  /** `true` if the caller may use it. Read during rendering. */
  readonly isAllowed: () => boolean;
  /** Most segments of its addresses; absent if the view judges them itself. */
  readonly maxDepth?: number;
  readonly load: () => Promise<{ readonly View: ComponentType }>;
}

const inProject = (): boolean => context.value !== undefined && !isServerKey.value;
const mayRead = (): boolean => inProject() && context.value?.may.read === true;
const mayManage = (): boolean => mayRead() && context.value?.roles.some((role) => role === 'admin' || role === 'power') === true;
const hasSystem = (): boolean => maySystem.value;
const hasToken = (): boolean => inProject() && maySystem.value;

export const VIEWS: readonly View[] = [
  {
    segment: '',
    name: 'overview',
    label: 'Overview',
    icon: 'overview',
    isAllowed: inProject,
    load: () => import('./overview/view.tsx'),
    maxDepth: 1,
  },
  { segment: 'data', name: 'data', label: 'Data', icon: 'data', isAllowed: mayRead, load: () => import('./data/view.tsx') },
  {
    segment: 'endpoints',
    name: 'endpoints',
    label: 'Endpoints',
    icon: 'endpoints',
    isAllowed: mayRead,
    load: () => import('./endpoints/view.tsx'),
  },
  { segment: 'modules', name: 'modules', label: 'Modules', icon: 'modules', isAllowed: mayRead, load: () => import('./modules/view.tsx') },
  {
    segment: 'personas',
    name: 'personas',
    label: 'Personas',
    icon: 'personas',
    isAllowed: mayManage,
    load: () => import('./personas/view.tsx'),
  },
  {
    segment: 'tokens',
    name: 'tokens',
    label: 'Tokens',
    icon: 'tokens',
    isAllowed: hasToken,
    load: () => import('./tokens/view.tsx'),
    maxDepth: 1,
  },
  {
    segment: 'setup',
    name: 'setup',
    label: 'Set-up',
    icon: 'setup',
    isAllowed: hasSystem,
    load: () => import('./setup/view.tsx'),
    maxDepth: 3,
  },
  { segment: 'live', name: 'live', label: 'Live', icon: 'live', isAllowed: hasSystem, load: () => import('./live/view.tsx'), maxDepth: 1 },
  {
    segment: 'audit',
    name: 'audit',
    label: 'Audit',
    icon: 'audit',
    isAllowed: hasSystem,
    load: () => import('./audit/view.tsx'),
    maxDepth: 1,
  },
];

/** Addresses that belong to a view of another name. */
const ALIASES: Readonly<Record<string, string>> = { promote: 'endpoints' };

/** The view of an address below the console. */
export function viewOf(segments: readonly string[]): View | undefined {
  const [segment = ''] = segments;
  const name = Object.hasOwn(ALIASES, segment) ? ALIASES[segment] : segment;
  return VIEWS.find((view) => view.segment === name && segments.length <= (view.maxDepth ?? segments.length));
}
