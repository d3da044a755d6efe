/** Endpoints: the list, the editor of one, and promotion to another space. */
import '../../parts/workbench.css';
import './endpoints.css';
import { place } from '../../app/router.ts';
import { EndpointList } from './endpoint-list.tsx';
import { EndpointPage, NewEndpointPage } from './endpoint-page.tsx';
import { PromotionPage } from './promotion/promotion-page.tsx';

export function View() {
  const [view, method, ...rest] = place.value.segments;
  if (view === 'promote') return <PromotionPage />;
  if (method === undefined) return <EndpointList />;
  if (method === 'new' && rest.length === 0) return <NewEndpointPage />;
  const uri = rest.join('/');
  return <EndpointPage key={`${method} ${uri}`} method={method} uri={uri} />;
}
