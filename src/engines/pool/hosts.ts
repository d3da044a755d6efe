/**
 * Decides which database hosts may be dialled. Names are resolved once, and the checked address is the one that is dialled, so that a name cannot
 * mean one thing to the check and another to the connection.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { canonicalAddress, type Network, parseNetwork } from '../../util/network.ts';
import { DbFailure } from '../contract/engine.ts';

export class HostDenied extends Error {}

export class HostPolicy {
  readonly #denied: readonly Network[];

  /** Addresses and networks (`10.0.0.0/8`, `fd00:ec2::254`). Throws on one that is neither. */
  constructor(denied: readonly string[]) {
    this.#denied = denied.map(parseNetwork);
  }

  /** The addresses of a host that may be dialled. Throws HostDenied when the policy forbids one of them. */
  async resolve(host: string): Promise<readonly string[]> {
    if (host.includes('/') || host.includes('\\') || host.startsWith('@')) throw new HostDenied('socket paths are not hosts');
    const addresses = isIP(host) > 0 ? [host] : await lookUp(host);
    for (const address of addresses) if (this.#isDenied(address)) throw new HostDenied('the address is denied');
    return addresses;
  }

  /** At registration: a name that does not resolve yet is allowed, a forbidden address is not. */
  async check(host: string): Promise<void> {
    try {
      await this.resolve(host);
    } catch (error) {
      if (error instanceof HostDenied) throw error;
    }
  }

  #isDenied(text: string): boolean {
    const address = canonicalAddress(text);
    return this.#denied.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits));
  }
}

async function lookUp(host: string): Promise<string[]> {
  try {
    // The resolver also reads decimal, octal and hexadecimal spellings of addresses; the result is what counts.
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new DbFailure('unreachable', `the host cannot be resolved`, { cause: error });
  }
}
