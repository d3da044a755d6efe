/** What a request needs of a connection that it has for itself. */
import type { Engine, Need } from '../../engines/contract/engine.ts';
import { type AutoRequest, OPERATIONS } from '../request/request.ts';

/** From this body size on (some hundred rows), a write is bulky. */
const BULKY_BYTES = 16 * 1024;
const BULKY: Need = { bulky: true };
const IN_BACKGROUND: Need = { inBackground: true };
const LIGHT: Need = {};

export function needOf(request: AutoRequest, { capabilities }: Pick<Engine, 'capabilities'>): Need {
  if ((request.do === 'insert' || request.do === 'patch') && request.body.length >= BULKY_BYTES) return BULKY;
  const operation = OPERATIONS[request.do];
  const isChange = operation === 'update' || operation === 'delete';
  return isChange && capabilities.backgroundChanges === true ? IN_BACKGROUND : LIGHT;
}
