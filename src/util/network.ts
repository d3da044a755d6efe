/** Parses IP addresses and networks into one canonical form. */
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

/** `::ffff:169.254.0.1` is the address 169.254.0.1. Throws on anything that is not an address. */
export function canonicalAddress(text: string): Address {
  const address = ipaddr.parse(text.replace(/%.*$/, ''));
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() ? (address as ipaddr.IPv6).toIPv4Address() : address;
}

/** `10.0.0.0/8`, or one address. */
export function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = canonicalAddress(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
