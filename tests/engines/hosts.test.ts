// Which database hosts the policy of MILLRACE_DENY_HOSTS lets through.
import { describe, expect, it } from 'vitest';
import { HostDenied, HostPolicy } from '../../src/engines/pool/hosts.ts';

describe('HostPolicy', () => {
  const loopback = new HostPolicy(['127.0.0.0/8', '::1']);

  it.each(['127.0.0.1', '127.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '0', '0x0', '::', '::ffff:0.0.0.0', 'localhost'])(
    'denies %s when loopback is denied',
    async (host) => {
      await expect(loopback.resolve(host)).rejects.toThrow(HostDenied);
      await expect(loopback.check(host)).rejects.toThrow(HostDenied);
    },
  );

  it.each(['0.0.0.0', '::'])('denies %s when only the IPv4 loopback network is denied', async (host) => {
    await expect(new HostPolicy(['127.0.0.0/8']).resolve(host)).rejects.toThrow(HostDenied);
  });

  it('allows the unspecified address when loopback is allowed', async () => {
    await expect(new HostPolicy(['169.254.0.0/16']).resolve('0.0.0.0')).resolves.toEqual(['0.0.0.0']);
  });

  it('denies socket paths', async () => {
    await expect(loopback.resolve('/var/run/postgresql')).rejects.toThrow(HostDenied);
  });
});
