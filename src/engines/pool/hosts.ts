/**
 * Decides which database hosts the service may connect to. A name is resolved once and the checked
 * address is used, so that a name cannot resolve differently for the check and the connection.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Address, canonicalAddress, type Network, parseNetwork } from '../../util/network.ts';
import { DbFailure } from '../contract/engine.ts';

export class HostDenied extends Error {}

export class HostPolicy {
  readonly #denied: readonly Network[];

  /** Takes addresses and networks (`10.0.0.0/8`, `fd00:ec2::254`). Throws on anything else. */
  constructor(denied: readonly string[]) {
    this.#denied = denied.map(parseNetwork);
  }

  /** Resolves a host. Throws HostDenied if the policy forbids one of its addresses. */
  async resolve(host: string): Promise<readonly string[]> {
    if (host.includes('/') || host.includes('\\') || host.startsWith('@')) throw new HostDenied('socket paths are not hosts');
    const addresses = isIP(host) > 0 ? [host] : await lookUp(host);
    for (const address of addresses) if (this.#isDenied(address)) throw new HostDenied('the address is denied');
    return addresses;
  }

  /** Checks a host at registration, where a name that does not resolve yet is allowed. */
  async check(host: string): Promise<void> {
    try {
      await this.resolve(host);
    } catch (error) {
      if (error instanceof HostDenied) throw error;
    }
  }

  #isDenied(text: string): boolean {
    return reachedBy(canonicalAddress(text)).some((address) =>
      this.#denied.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits)),
    );
  }
}

const LOOPBACK: readonly Address[] = [canonicalAddress('127.0.0.1'), canonicalAddress('::1')];

/** Addresses that a connection may reach: the unspecified address connects to the loopback ones. */
function reachedBy(address: Address): readonly Address[] {
  return address.range() === 'unspecified' ? [address, ...LOOPBACK] : [address];
}

async function lookUp(host: string): Promise<string[]> {
  try {
    // The resolver also reads decimal, octal and hexadecimal spellings of addresses.
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new DbFailure('unreachable', 'the host cannot be resolved', { cause: error });
  }
}
