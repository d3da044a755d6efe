// Packets that a MySQL server must not send, or not at that time: greetings and login requests, and
// unsolicited responses.
const HEADER = 4;

export function packet(sequence: number, ...parts: readonly (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const header = Buffer.alloc(HEADER);
  header.writeUIntLE(body.length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, body]);
}

const cstring = (text: string): Buffer => Buffer.from(`${text}\0`);
const SCRAMBLE = Buffer.from('abcdefghijklmnopqrst\0');
const CAPABILITIES = 0xff_ff_f7_ff;

interface Greeting {
  readonly protocol?: number;
  readonly version?: string;
  readonly capabilities?: number;
  readonly scrambleLength?: number;
  readonly method?: string;
}

function greeting({
  protocol = 10,
  version = '8.0.40',
  capabilities = CAPABILITIES,
  scrambleLength = 21,
  method = 'caching_sha2_password',
}: Greeting): Buffer {
  const flags = Buffer.alloc(4);
  flags.writeUInt32LE(capabilities >>> 0);
  return packet(
    0,
    [protocol],
    cstring(version),
    [1, 0, 0, 0],
    SCRAMBLE.subarray(0, 8),
    [0],
    flags.subarray(0, 2),
    [45, 2, 0],
    flags.subarray(2, 4),
    [scrambleLength],
    Buffer.alloc(10),
    SCRAMBLE.subarray(8),
    cstring(method),
  );
}

export const GREETINGS: readonly Buffer[] = [
  greeting({}),
  greeting({ protocol: 9 }),
  greeting({ protocol: 255 }),
  greeting({ version: 'x'.repeat(70_000) }),
  greeting({ version: '5.5.5-10.11.6-MariaDB', capabilities: 0xff_ff_f7_fe }),
  greeting({ capabilities: 0 }),
  greeting({ capabilities: 0xff_ff_ff_ff }),
  greeting({ capabilities: 0x8000 }),
  greeting({ scrambleLength: 0 }),
  greeting({ scrambleLength: 255 }),
  greeting({ method: 'mysql_clear_password' }),
  greeting({ method: 'mysql_old_password' }),
  greeting({ method: 'sha256_password' }),
  greeting({ method: 'mysql_native_password' }),
  greeting({ method: 'toString' }),
  Buffer.concat([greeting({}), packet(2, [0, 0, 0, 2, 0, 0, 0])]),
  Buffer.concat([greeting({ capabilities: 0xff_ff_ff_ff }), packet(1, [0xfe], cstring('mysql_clear_password'), SCRAMBLE)]),
  packet(0, [10], Buffer.from('a version without end')),
  packet(0, [10, 0]),
  packet(0, [0xff]),
  packet(0, [0xff, 0x10]),
  packet(0, [0xff, 0x10, 0x04], Buffer.from('Too many connections')),
];

const KEY = `-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKbiBC+zYg1vE3pDVjVCAYw0lCEGm9Z9
YvGJcmyl8lK7P8uKWmf0wYxJjQeFjNWDlKEcL0hFG0o5Yz5IEnKy0NUCAwEAAQ==
-----END PUBLIC KEY-----
`;

/** Requests that a server may make during the login, and those it must not make. */
export const LOGIN_REQUESTS: readonly Buffer[] = [
  packet(2, [0xfe], cstring('mysql_clear_password')),
  packet(2, [0xfe], cstring('mysql_clear_password'), SCRAMBLE),
  packet(2, [0xfe]),
  packet(2, [0xfe], cstring('mysql_old_password'), Buffer.from('12345678\0')),
  packet(2, [0xfe], cstring('mysql_native_password'), SCRAMBLE),
  packet(2, [0xfe], cstring('mysql_native_password'), Buffer.from('short')),
  packet(2, [0xfe], cstring('caching_sha2_password'), SCRAMBLE),
  packet(2, [0xfe], cstring('caching_sha2_password')),
  packet(2, [0xfe], cstring('sha256_password'), SCRAMBLE),
  packet(2, [0xfe], cstring('sha256_password'), Buffer.alloc(300)),
  packet(2, [0xfe], cstring('dialog'), Buffer.from('\x04Password:')),
  packet(2, [0xfe], cstring('authentication_ldap_simple_client'), SCRAMBLE),
  packet(2, [0xfe], cstring('__proto__'), SCRAMBLE),
  packet(2, [0xfe], Buffer.from('a name without end')),
  packet(2, [1, 3]),
  packet(2, [1, 4]),
  packet(2, [1]),
  packet(2, [1], Buffer.from(KEY)),
  packet(2, [1], Buffer.alloc(100_000, 0x41)),
  packet(2, [2], cstring('mysql_clear_password'), SCRAMBLE),
  packet(2, [2], cstring('caching_sha2_password'), SCRAMBLE),
  packet(2, [0xfb], Buffer.from('/etc/passwd')),
  packet(2, [0xff, 0x15, 0x04], Buffer.from("#28000Access denied for user 'x'@'y' (using password: YES)")),
  packet(2, [0, 0, 0]),
  packet(2, [0, 0, 0, 2, 0, 0, 0]),
];

const error = (message: string): Buffer => packet(1, [0xff, 0x1e, 0x04], Buffer.from('#42S22'), Buffer.from(message));

/** Packets that are out of place almost everywhere, and errors that are expensive to parse. */
export const STRANGERS: readonly Buffer[] = [
  packet(1, [0xfb], Buffer.from('/etc/passwd')),
  packet(1, [0xfb]),
  packet(1),
  packet(1, [0]),
  packet(1, [0, 0xfe, 1]),
  packet(1, [0, 0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 0, 0]),
  packet(1, [0, 0, 0, 2, 0, 0, 0, 250, 65]),
  packet(1, [0, 0, 0, 10, 0, 0, 0]),
  packet(1, [0xfe]),
  packet(1, [0xfe, 0, 0, 2, 0]),
  packet(1, [0xfe, 0, 0, 10, 0]),
  packet(1, [0xff]),
  packet(1, [0xff, 0x1e]),
  packet(1, [0xff, 0x1e, 0x04, 0x23, 52]),
  error(`Unknown column '${'.'.repeat(3000)}`),
  error(`column \`${'a.'.repeat(3000)}`),
  error(" for user '".repeat(20_000)),
  error(`Duplicate entry for key '${'x.'.repeat(20_000)}`),
  error('x'.repeat(200_000)),
  packet(1, [0xfc, 0, 0]),
  packet(1, [0xfd, 255, 255, 255]),
  packet(1, [0xfe, 255, 255, 255, 255, 255, 255, 255, 255]),
  packet(1, [0xfc, 0xff, 0x0f]),
  packet(1, [0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0]),
  Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  Buffer.from('\x16\x03\x01\x00\x05hello', 'latin1'),
];
