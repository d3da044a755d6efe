/** What is under way on a server, of all its databases. */
import { Places } from './semaphore.ts';

export class ServerLoad {
  /** Connections that several statements share. */
  shares = 0;
  readonly places = new Places();
}
